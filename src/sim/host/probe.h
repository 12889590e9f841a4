/* src/sim/host/probe.h - RTT probes, for congestion controls that ask for them (cc_out.probe_ps).
 *
 * A flow has one on its way at most. It goes behind the next packet that the flow sends at or after the time
 * that was asked for, by the same way, as small as a CNP, in a class of its own or that of its flow
 * (rtt_probe_prio); the receiver sends it back at once in the class rtt_resp_prio. Its round trip begins when
 * it leaves the sender's port. One that does not come back within PROBE_LOST_PS is taken for lost and another
 * goes; should it come after all, its round trip counts, but it is the other one that the next waits for.
 * Like CNPs, probes are in no account of a buffer, being few and small, and counters count them as such.
 */
#ifndef SIM_HOST_PROBE_H
#define SIM_HOST_PROBE_H

#include "sim/host/nic.h"

#define PROBE_LOST_PS PS_PER_MS

struct probe {                   /* of a flow; all zero: none is on its way */
    uint64_t asked_ps;           /* what the one on its way is known by, and 1 */
};

/* A flow is about to send: is a probe of it due? */
static inline bool probe_is_due(const struct sim *s, const struct flow *f)
{
    const struct probe *p = &s->flows.probe[f - s->flows.flow];

    return (p->asked_ps ? s->engine.now_ps - (p->asked_ps - 1) >= PROBE_LOST_PS : s->engine.now_ps >= f->out.probe_ps) &&
           f->controlled;
}

/* If so: it goes, too. */
void probe_send(struct sim *, struct host *, struct flow *);

/* A probe has come to its receiver and goes back, or is back. Returns whether the packet is used again. */
bool probe_on_packet(struct sim *, struct host *, uint32_t id, struct packet *);

#endif
