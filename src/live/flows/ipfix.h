/* src/live/flows/ipfix.h - NetFlow version 9 and IPFIX: flows that a switch has counted, one datagram at a
 * time.
 *
 * A template, sent earlier by the same exporter and domain, defines the fields of a record. Records without a
 * known template are skipped, as are unneeded fields. Options carry the sampling rate, by which bytes and
 * packets are multiplied. If there are too many templates, the oldest are dropped.
 */
#ifndef LIVE_FLOWS_IPFIX_H
#define LIVE_FLOWS_IPFIX_H

#include "live/flows/flow_record.h"

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

/* of a datagram; unknown: sets without a template */
struct ipfix_facts { uint32_t templates, flows, unknown; };

/* 'exporter' identifies the sender; not 0. -EBADMSG: neither format, or malformed; records before the error
 * were delivered. */
int ipfix_read(struct ipfix *, uint64_t exporter, const uint8_t *, size_t length, record_hook *hook,
               void *arg, struct ipfix_facts *);

#endif
