/* src/live/flows/ipfix.h - NetFlow version 9 and IPFIX: flows that a switch has counted, a datagram at a
 * time.
 *
 * What is in a record a template says, which came before, per exporter and domain. Records whose template is
 * not known are passed over, as are fields that are not needed. Options tell the sampling rate; bytes and
 * packets are multiplied by it. Templates that are many push the oldest out.
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

void ipfix_init(struct ipfix *);

/* 'exporter' tells senders apart; not 0. -EBADMSG: it is neither, or does not fit together; what came before
 * was told. */
int ipfix_read(struct ipfix *, uint64_t exporter, const uint8_t *, size_t length, record_hook *hook,
               void *arg, struct ipfix_facts *);

#endif
