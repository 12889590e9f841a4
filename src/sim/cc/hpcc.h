/* src/sim/cc/hpcc.h - the multiplicative and additive step that HPCC and HPCC-PINT share.
 *
 *   c = U / eta, where U is the utilization of the busiest link on the path, including its queue
 *   c >= 1, or enough consecutive raises:   R = Rc / c + AI, and the count restarts
 *   else:                                   R = Rc + AI
 *
 * Rc is the rate at the end of the last round trip. Within a round trip, every acknowledgement recomputes R
 * from it, so that no feedback counts twice.
 */
#ifndef SIM_CC_HPCC_H
#define SIM_CC_HPCC_H

#include "sim/cc/rates.h"

struct hpcc_cfg {
    struct cc_rates rates;
    uint64_t ai_bps;
    double   eta;
    uint32_t max_stage;
};

struct hpcc {
    struct cc_round round;
    uint64_t base_bps;           /* Rc */
    uint32_t stage;              /* consecutive raises */
};

static inline void hpcc_configure(struct hpcc_cfg *cfg, const struct knobs *k, const struct cc_link *link)
{
    cc_rates_configure(&cfg->rates, k, link);
    cfg->ai_bps = cc_step_bps(k, KNOB_hpcc_ai, link, 2500);
    cfg->eta = k->value[KNOB_hpcc_eta];
    cfg->max_stage = (uint32_t)k->value[KNOB_hpcc_max_stage];
}

struct hpcc_step { uint64_t rate_bps; uint32_t stage; };

/* 'use' is U, > 0. */
static inline struct hpcc_step hpcc_step(const struct hpcc_cfg *cfg, uint64_t base_bps, uint32_t stage,
                                         double use)
{
    double   c = use / cfg->eta;
    bool     follows = c >= 1 || stage >= cfg->max_stage;
    uint64_t rate_bps = follows ? (uint64_t)((double)base_bps / c) + cfg->ai_bps : base_bps + cfg->ai_bps;

    return (struct hpcc_step){ cc_rates_bound(&cfg->rates, rate_bps), follows ? 0 : stage + 1 };
}

static inline void hpcc_decide(const struct hpcc_cfg *cfg, struct hpcc *f, const struct cc_ack *a, double use,
                               struct cc_out *out)
{
    struct hpcc_step step = hpcc_step(cfg, f->base_bps, f->stage, use);

    cc_rates_decide(&cfg->rates, step.rate_bps, out);
    if (!cc_round_has_ended(&f->round, a))
        return;
    f->base_bps = step.rate_bps;
    f->stage = step.stage;
    cc_round_begin(&f->round, a);
}

#endif
