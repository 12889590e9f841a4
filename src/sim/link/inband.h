/* src/sim/link/inband.h - what ports write into packets for those congestion controls that ask for it: telemetry into data,
 * the time at which they leave into RTT probes.
 *
 * A host's port begins with nothing, and every switch adds a record (CC_HOPS), raises one number (CC_DIGEST) or counts itself (CC_PATH), when the
 * packet leaves its queue; what it finds there is without the packet itself. A packet that passes more switches than there is room for, which only links
 * that fail make it do, ends with CC_HOPS_MAX + 1 records, and nobody looks at them. The receiver sends a copy back; with
 * CC_PATH its port adds how long it had the packet. Packets have
 * room for it beside them (packet_pool.inband), and ports with SLOW_RECORD, SLOW_PROBED or SLOW_INBAND write; nobody else pays.
 */
#ifndef SIM_LINK_INBAND_H
#define SIM_LINK_INBAND_H

#include "cc/pint.h"
#include "sim/link/port.h"

struct inband_ports {
    enum cc_telemetry kind;
    struct pint_cfg   digest;    /* CC_DIGEST: with the longest empty round trip, */
    uint16_t          digest_mask;       /* and the bits that packets carry */
    uint32_t          spacing_bytes;     /* that count with every frame */
    struct pint_port *pint;      /* CC_DIGEST: by port, */
    struct crand     *random;    /* and random numbers: by node, or one row of them for all where events have ns-3's order */
};

/* CC_HOPS: data is about to leave by this port, which has SLOW_RECORD. */
__attribute__((noinline)) void inband_record(const struct engine *, const struct port *, uint32_t id, const struct packet *);

/* A frame leaves by this port, which is a host's and has SLOW_PROBED: a probe's round trip begins when it leaves its sender. */
static inline void inband_stamp(const struct engine *e, struct packet *k)
{
    if (k->kind == PACKET_CNP && k->flags & PACKET_PROBE && !(k->flags & PACKET_RETURNED))
        k->sent_ps = e->now_ps;
}

/* Other kinds: a frame leaves by this port, which has SLOW_INBAND and has counted it already. */
void inband_on_frame(struct engine *, struct port *, uint32_t id, const struct packet *);

/* CC_DIGEST: the next random number of a node. */
uint32_t inband_random(struct engine *, uint32_t node);

#endif
