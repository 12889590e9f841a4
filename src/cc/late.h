/* src/cc/late.h - a decision that takes time, for controls whose rule runs on a processor of the NIC.
 *
 * Signals are taken in at once; what is decided counts 'takes_ps' later. Signals that come while a decision is being made
 * share the next one, which begins when it is over. There is no event: the rate that will count is due, as everything else
 * that changes by itself is (cc_out.due_ps).
 */
#ifndef CC_LATE_H
#define CC_LATE_H

#include "cc/cc.h"
#include "core/units.h"

struct cc_late {
    uint64_t at_ps;              /* when the decision at hand counts; NEVER: there is none */
    uint64_t rate_bps;           /* what it will be */
    uint64_t next_bps;           /* and the one after it; 0: none */
};

static inline void cc_late_start(struct cc_late *l)
{
    *l = (struct cc_late){ .at_ps = NEVER };
}

/* Lets decisions count that are over by now. */
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

/* A signal has led to this rate. */
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
