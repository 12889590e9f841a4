/* src/live/flows/flow_record.h - records of flows that switches export, and their formats. */
#ifndef LIVE_FLOWS_FLOW_RECORD_H
#define LIVE_FLOWS_FLOW_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RECORD_ROCE_PORT 4791u
#define RECORD_QP_NONE   UINT32_MAX

struct flow_record {
    uint8_t  source[16], target[16];     /* IPv4: the first four, the others 0 */
    uint8_t  protocol;                   /* 17: UDP */
    uint16_t source_port, target_port;
    uint32_t qp;                         /* the target's queue pair; RECORD_QP_NONE: not known */
    uint64_t bytes;                      /* from the IP header on; scaled by the sampling rate */
    bool     is_total;                   /* bytes since the start of the flow, not since the last record */
    bool     is_ended;                   /* the switch says that it has ended */
};

typedef void record_hook(void *, const struct flow_record *);

/* Numbers with the most significant byte first, of any length up to 8. */
uint64_t record_number(const uint8_t *, size_t length);

/* ---- frames ---- */

/* Parses Ethernet with VLAN tags, or IP. Fills the flow's key and the length of the IP packet; for RoCEv2
 * also the queue pair. Returns false if it is not IP, or too short. */
bool frame_read(struct flow_record *, const uint8_t *bytes, size_t length);

/* ---- sFlow version 5: packets that a switch has sampled, one datagram at a time ----
 *
 * Each sampled packet represents as many as the sampling rate says. Samples and records of unknown kinds are
 * skipped by their length. A malformed datagram is read up to the error.
 */

/* Calls 'hook' for each packet. -EBADMSG: not such a datagram, or truncated; packets before the error were
 * delivered. */
int sflow_read(const uint8_t *, size_t length, record_hook *hook, void *arg);

/* ---- NetFlow version 9 and IPFIX: flows that a switch has counted, one datagram at a time ----
 *
 * A template, sent earlier by the same exporter and domain, defines the fields of a record. Records without a
 * known template are skipped, as are unneeded fields. Options carry the sampling rate, by which bytes are
 * multiplied. If there are too many templates, the oldest are dropped.
 */

#define IPFIX_TEMPLATES 256
#define IPFIX_FIELDS    64               /* of a template; longer ones are refused */
#define IPFIX_DOMAINS   64

struct ipfix_field { uint16_t id, length; uint32_t enterprise; };        /* length 65535: it varies */

struct ipfix_template {
    uint64_t           exporter;         /* whose; 0: free */
    uint32_t           domain;
    uint16_t           id, fields;
    bool               is_options;
    uint64_t           used;
    struct ipfix_field field[IPFIX_FIELDS];
};

struct ipfix_domain { uint64_t exporter; uint32_t domain; double one_in; uint64_t used; };

struct ipfix {
    struct ipfix_template template[IPFIX_TEMPLATES];
    struct ipfix_domain   domain[IPFIX_DOMAINS];
    uint64_t              uses;
};

/* 'exporter' identifies the sender; not 0. Adds the sets without a template to *unknown. -EBADMSG: neither
 * format, or malformed; records before the error were delivered. */
int ipfix_read(struct ipfix *, uint64_t exporter, const uint8_t *, size_t length, record_hook *hook,
               void *arg, uint64_t *unknown);

#endif
