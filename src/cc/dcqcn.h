/* src/cc/dcqcn.h - what the machines of DCQCN have in common: rates, periods, and how a flow catches up.
 *
 * A machine puts a struct dcqcn_cfg first in its cfg and a struct dcqcn first in its state, and says in a
 * struct dcqcn_machine how alpha moves, how the rate is raised and how it is cut.
 *
 * Only cuts and raises change the rate, and a decrease tick without a CNP does nothing, so those two are run
 * in order of time and the rest is made up for: alpha when a cut or a CNP needs it, idle decrease ticks by a
 * division. There is at most one cut to make, since only a CNP asks for one.
 */
#ifndef CC_DCQCN_H
#define CC_DCQCN_H

#include "cc/cc.h"
#include "cc/timer.h"

/* Periods are whole microseconds, so a cut that comes so much later finds alpha up to date. */
#define DCQCN_CUT_LAG_PS (1 * PS_PER_NS)

struct dcqcn_cfg {
    uint64_t line_bps, max_bps, min_bps, ai_bps, hai_bps;
    uint64_t first_bps;          /* at the first CNP */
    uint64_t alpha_ps, cut_ps, raise_ps;
    uint32_t threshold;          /* F */
    bool     clamp;
};

struct dcqcn {
    uint64_t rate_bps, target_bps;
    struct cc_timer raise, cut, alpha_tick;
    bool     limited;            /* a CNP has come, and the limiter has not been released since */
    bool     alpha_cnp;          /* one has come since the last tick of alpha */
    bool     cut_cnp;            /* one waits for the next tick of 'cut' */
};

struct dcqcn_machine {
    void (*run_raises)(const void *cfg, void *state, struct cc_now);
    void (*run_alpha) (const void *cfg, void *state, struct cc_now);
    void (*cut_rate)  (const void *cfg, void *state);    /* the tick that a CNP has been waiting for */
};

static inline uint64_t dcqcn_bps(const struct knobs *k, enum knob knob)
{
    return (uint64_t)(k->value[knob] * 1e6);
}

static inline uint64_t dcqcn_period_ps(const struct knobs *k, enum knob knob)
{
    return (uint64_t)k->value[knob] * PS_PER_US;
}

/* Rates come out in order, min <= max <= line; first_bps is what the knob says, 0 included. */
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

/* The timers that start with the first CNP in every machine. */
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

/* Cuts to 'rate_bps', at least the minimum. The target follows if the rate was raised since the last cut. */
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

/* Brings a limited flow up to now. A machine whose raises release the limiter leaves it free then. */
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
