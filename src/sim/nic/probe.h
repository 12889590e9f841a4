/* src/sim/nic/probe.h - RTT probes, for congestion controls that use them (cc_out.probe_ps).
 *
 * A flow has at most one probe in flight. It follows the next packet that the flow sends at or after the
 * requested time, on the same path. It is as small as a CNP and uses a separate class or that of the flow
 * (rtt_probe_prio). The receiver returns it immediately in class rtt_resp_prio. The round trip begins when
 * the probe leaves the sender's port. A probe that does not return within PROBE_LOST_PS counts as lost, and
 * another is sent. If it returns later, its round trip still counts, but the next probe waits for the new
 * one. Like CNPs, probes are not charged to buffers, and counters count them as CNPs.
 */
#ifndef SIM_NIC_PROBE_H
#define SIM_NIC_PROBE_H

#include "sim/nic/nic.h"

#define PROBE_LOST_PS PS_PER_MS

struct probe {                   /* per flow; all zero: none in flight */
    uint64_t asked_ps;           /* identifies the probe in flight, plus 1 */
};

/* A flow is about to send. Returns true if a probe is due. */
static inline bool probe_is_due(const struct sim *s, const struct flow *f)
{
    const struct probe *p = &s->flows.probe[f - s->flows.flow];
    bool                is_due = p->asked_ps ? s->engine.now_ps - (p->asked_ps - 1) >= PROBE_LOST_PS :
                                               s->engine.now_ps >= f->out.probe_ps;

    return is_due && f->controlled;
}

void probe_send(struct sim *, struct host *, struct flow *);

#endif
