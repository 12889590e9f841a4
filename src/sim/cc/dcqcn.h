/* src/sim/cc/dcqcn.h - common parts of the DCQCN variants: rates, periods, and how a flow catches up.
 *
 * A variant ("machine") puts a struct dcqcn_cfg first in its cfg and a struct dcqcn first in its state. Its
 * struct dcqcn_machine defines how alpha moves, how the rate is raised and how it is cut.
 *
 * Only cuts and raises change the rate, so these two run in order of time. Everything else is caught up
 * lazily: alpha when a cut or a CNP needs it, and decrease ticks without a CNP (which do nothing) by a
 * division. At most one cut is pending, because only a CNP requests one.
 */
#ifndef SIM_CC_DCQCN_H
#define SIM_CC_DCQCN_H

#include "sim/cc/cc.h"
#include "sim/cc/timer.h"

/* Periods are whole microseconds, so a cut that is later by this much finds alpha up to date. */
#define DCQCN_CUT_LAG_PS (1 * PS_PER_NS)

struct dcqcn_cfg {
    uint64_t line_bps, max_bps, min_bps, ai_bps, hai_bps;
    uint64_t first_bps;          /* rate set by the first CNP */
    uint64_t alpha_ps, cut_ps, raise_ps;
    uint32_t threshold;          /* F */
    bool     clamp;
};

struct dcqcn {
    uint64_t rate_bps, target_bps;
    struct cc_timer raise, cut, alpha_tick;
    bool     limited;            /* a CNP has arrived, and the limiter has not been released since */
    bool     alpha_cnp;          /* a CNP has arrived since the last tick of alpha */
    bool     cut_cnp;            /* a CNP waits for the next tick of 'cut' */
};

struct dcqcn_machine {
    void (*run_raises)(const void *cfg, void *state, struct cc_now);
    void (*run_alpha) (const void *cfg, void *state, struct cc_now);
    void (*cut_rate)  (const void *cfg, void *state);    /* the tick for which a CNP has been waiting */
};

static inline uint64_t dcqcn_bps(const struct knobs *k, enum knob knob)
{
    return knob_whole(k->value[knob], 1000000);
}

static inline uint64_t dcqcn_period_ps(const struct knobs *k, enum knob knob)
{
    return (uint64_t)k->value[knob] * PS_PER_US;
}

/* Ensures min <= max <= line. first_bps is the knob's value, including 0. */
static inline void dcqcn_configure(struct dcqcn_cfg *cfg, const struct knobs *k, const struct cc_link *link)
{
    *cfg = (struct dcqcn_cfg){
        .line_bps  = link->line_bps,
        .max_bps   = dcqcn_bps(k, KNOB_rpg_max_rate),
        .min_bps   = dcqcn_bps(k, KNOB_rpg_min_rate),
        .ai_bps    = dcqcn_bps(k, KNOB_rpg_ai_rate),
        .hai_bps   = dcqcn_bps(k, KNOB_rpg_hai_rate),
        .first_bps = dcqcn_bps(k, KNOB_rate_to_set_on_first_cnp),
        .alpha_ps  = dcqcn_period_ps(k, KNOB_dce_tcp_rtt),
        .cut_ps    = dcqcn_period_ps(k, KNOB_rate_reduce_monitor_period),
        .raise_ps  = dcqcn_period_ps(k, KNOB_rpg_time_reset),
        .threshold = (uint32_t)k->value[KNOB_rpg_threshold],
        .clamp     = k->value[KNOB_clamp_tgt_rate] != 0,
    };
    if (cfg->max_bps == 0 || cfg->max_bps > cfg->line_bps)
        cfg->max_bps = cfg->line_bps;
    if (cfg->min_bps > cfg->max_bps)
        cfg->min_bps = cfg->max_bps;
}

/* Starts the timers that start with the first CNP in every variant. */
static inline void dcqcn_start_timers(const struct dcqcn_cfg *cfg, struct dcqcn *f, struct cc_now now)
{
    cc_timer_start(&f->alpha_tick, now.ps, cfg->alpha_ps);
    cc_timer_start(&f->cut, now.ps, cfg->cut_ps + DCQCN_CUT_LAG_PS);
}

static inline void dcqcn_decide(const struct dcqcn *f, struct cc_out *out)
{
    cc_set_rate(out, f->rate_bps);
    out->due_ps = f->raise.at_ps;
    if (f->cut_cnp && f->cut.at_ps < out->due_ps)
        out->due_ps = f->cut.at_ps;
}

/* Cuts to 'rate_bps', but not below the minimum. The target follows if the rate was raised since the last
 * cut. */
static inline void dcqcn_cut_to(const struct dcqcn_cfg *cfg, struct dcqcn *f, uint64_t rate_bps,
                                bool was_raised)
{
    if (cfg->clamp || was_raised)
        f->target_bps = f->rate_bps;
    f->rate_bps = rate_bps < cfg->min_bps ? cfg->min_bps : rate_bps;
    f->cut_cnp = false;
    cc_timer_start(&f->raise, f->cut.at_ps, cfg->raise_ps);
    cc_timer_start(&f->cut, f->cut.at_ps, cfg->cut_ps);
}

/* Brings a limited flow up to now. Raises may release the limiter; the flow is then unlimited. */
static inline void dcqcn_catch_up(const struct dcqcn_machine *m, const struct dcqcn_cfg *cfg, struct dcqcn *f,
                                  struct cc_now now)
{
    if (f->cut_cnp && cc_timer_ended(&f->cut, now)) {
        struct cc_now then = cc_timer_instant(&f->cut);

        m->run_raises(cfg, f, then);
        m->run_alpha(cfg, f, then);
        m->cut_rate(cfg, f);
    }
    m->run_raises(cfg, f, now);
    m->run_alpha(cfg, f, now);
    if (!f->cut_cnp)
        cc_timer_run(&f->cut, now, cfg->cut_ps);
}

#endif
