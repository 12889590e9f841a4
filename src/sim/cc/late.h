/* src/sim/cc/late.h - decisions that take time, for controls that run on a processor of the NIC.
 *
 * Signals are processed at once, but the resulting rate takes effect 'takes_ps' later. Signals that arrive
 * during a decision share the next one, which starts when the current one ends. No event is needed: the
 * pending rate is due like any other change over time (cc_out.due_ps).
 */
#ifndef SIM_CC_LATE_H
#define SIM_CC_LATE_H

#include "sim/cc/cc.h"
#include "core/units.h"

struct cc_late {
    uint64_t at_ps;              /* when the current decision takes effect; NEVER: none */
    uint64_t rate_bps;           /* its rate */
    uint64_t next_bps;           /* rate of the following decision; 0: none */
};

static inline void cc_late_start(struct cc_late *l)
{
    *l = (struct cc_late){ .at_ps = NEVER };
}

/* Applies decisions that are complete by now. */
static inline void cc_late_run(struct cc_late *l, struct cc_now now, uint64_t takes_ps, struct cc_out *out)
{
    while (l->at_ps <= now.ps) {
        cc_set_rate(out, l->rate_bps);
        l->at_ps = l->next_bps ? l->at_ps + takes_ps : NEVER;
        l->rate_bps = l->next_bps;
        l->next_bps = 0;
    }
    out->due_ps = l->at_ps;
}

/* Starts a decision for this rate. During another decision, makes it the following one. */
static inline void cc_late_decide(struct cc_late *l, struct cc_now now, uint64_t takes_ps, uint64_t rate_bps,
                                  struct cc_out *out)
{
    cc_late_run(l, now, takes_ps, out);
    if (takes_ps == 0) {
        cc_late_start(l);
        cc_set_rate(out, rate_bps);
    } else if (l->at_ps == NEVER) {
        *l = (struct cc_late){ .at_ps = now.ps + takes_ps, .rate_bps = rate_bps };
    } else {
        l->next_bps = rate_bps;
    }
    out->due_ps = l->at_ps;
}

#endif
