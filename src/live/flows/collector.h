/* src/live/flows/collector.h - flow sizes of a network from its switches: sFlow, NetFlow 9 and IPFIX, all at
 * one UDP port.
 *
 * RoCEv2 flows are identified by addresses and the destination queue pair if a switch exports it (sampled
 * packets), or else by the source port. Once per window, the flows that sent something become a distribution
 * (core/fsd.h), with PARALEON's flow states. A flow is forgotten when it ends or is silent for a while. The
 * number of flows is limited; those beyond the limit are counted and not kept.
 *
 * A packet that several switches export counts several times, so only ToRs should export, and only packets
 * from hosts. UDP is not authenticated: the collector accepts only senders that the configuration names.
 */
#ifndef LIVE_FLOWS_COLLECTOR_H
#define LIVE_FLOWS_COLLECTOR_H

#include "base/err.h"
#include "core/fsd.h"
#include "live/flows/flow_record.h"
#include "core/meter/monitor/flowstate.h"

#define COLLECTOR_FLOWS_MAX 65536u
#define COLLECTOR_FROM_MAX  64

/* other: not RoCEv2; full: no room */
struct collector_counts { uint64_t datagrams, strangers, bad, records, other, unknown, full; };

struct collected;                                /* a flow */

struct collector {
    int                     fd;                  /* -1: none */
    uint8_t                 from[COLLECTOR_FROM_MAX][16];        /* allowed senders; IPv4 as ::ffff:a.b.c.d */
    uint32_t                senders;             /* 0: any sender is allowed */
    struct ipfix            ipfix;
    struct flowstate_cfg    states;
    struct collected       *flow;                /* a table, open addressing */
    uint32_t                used;
    uint64_t                window_us, ends_us;  /* of this window */
    struct fsd              last;
    struct collector_counts counts;
};

void collector_init(struct collector *, uint64_t window_us);
void collector_fini(struct collector *);

/* Adds an allowed sender, as text. -EINVAL: not an address, or too many. */
int collector_allow(struct collector *, const char *address, struct err *);

int  collector_open(struct collector *, const char *address, struct err *);      /* listens at host:port */
void collector_run(struct collector *);          /* takes a limited number of datagrams that have arrived */

/* A datagram, as if it had come from there. */
void collector_take(struct collector *, const uint8_t from[16], const uint8_t *bytes, size_t length);

/* The distribution of the last window that has ended; empty before. */
void collector_read(struct collector *, uint64_t now_us, struct fsd *);

#endif
