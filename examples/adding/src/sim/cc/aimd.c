/* src/sim/cc/aimd.c - additive increase, and half the rate after a CNP.
 *
 * Overview: a flow starts at line rate. A CNP halves the rate, at most once per round trip. Every
 * rpg_time_reset it gains rpg_ai_rate, until it is back at line rate.
 */
#include "sim/cc/cc.h"
#include "sim/cc/timer.h"

struct aimd_cfg { uint64_t line_bps, min_bps, step_bps, raise_ps, cut_gap_ps; };

struct aimd {
    uint64_t        rate_bps;
    uint64_t        cut_from_ps;     /* the next cut is allowed from then on */
    struct cc_timer raise;           /* stopped at line rate */
};

_Static_assert(sizeof(struct aimd_cfg) <= CC_CFG_MAX && sizeof(struct aimd) <= CC_STATE_MAX, "cfg and state are too large");

static void decide(const struct aimd *f, struct cc_out *out)
{
    out->rate_bps = f->rate_bps;
    out->due_ps = f->raise.at_ps;
}

/* All raises that are due by now: as fast for a million as for one. */
static void catch_up(const struct aimd_cfg *cfg, struct aimd *f, struct cc_now now)
{
    uint64_t ticks = cc_timer_run(&f->raise, now, cfg->raise_ps);

    if (ticks <= (cfg->line_bps - f->rate_bps) / cfg->step_bps) {
        f->rate_bps += ticks * cfg->step_bps;
        return;
    }
    f->rate_bps = cfg->line_bps;
    cc_timer_stop(&f->raise);
}

static void aimd_on_cnp(const void *cfg_, void *state, struct cc_now now, uint64_t announced_ps,
                        struct cc_out *out)
{
    const struct aimd_cfg *cfg = cfg_;
    struct aimd *f = state;

    (void)announced_ps;
    catch_up(cfg, f, now);
    if (now.ps >= f->cut_from_ps) {
        f->rate_bps = f->rate_bps / 2 > cfg->min_bps ? f->rate_bps / 2 : cfg->min_bps;
        f->cut_from_ps = now.ps + cfg->cut_gap_ps;
        cc_timer_start(&f->raise, now.ps, cfg->raise_ps);
    }
    decide(f, out);
}

static void aimd_on_due(const void *cfg, void *state, struct cc_now now, struct cc_out *out)
{
    catch_up(cfg, state, now);
    decide(state, out);
}

static void aimd_start(const void *cfg_, void *state, struct cc_now now, struct cc_out *out)
{
    const struct aimd_cfg *cfg = cfg_;
    struct aimd *f = state;

    (void)now;
    *f = (struct aimd){ .rate_bps = cfg->line_bps };
    cc_timer_stop(&f->raise);
    out->window_bytes = UINT64_MAX;
    decide(f, out);
}

static void aimd_configure(void *cfg, const struct knobs *k, const struct cc_link *link)
{
    uint64_t min_bps = (uint64_t)(k->value[KNOB_rpg_min_rate] * 1e6);

    *(struct aimd_cfg *)cfg = (struct aimd_cfg){
        .line_bps   = link->line_bps,
        .min_bps    = min_bps < link->line_bps ? min_bps : link->line_bps,
        .step_bps   = (uint64_t)(k->value[KNOB_rpg_ai_rate] * 1e6),
        .raise_ps   = (uint64_t)k->value[KNOB_rpg_time_reset] * PS_PER_US,
        .cut_gap_ps = link->base_rtt_ps,
    };
}

extern const struct cc_algo cc_aimd;
const struct cc_algo cc_aimd = {
    .on_cnp     = aimd_on_cnp,
    .on_due     = aimd_on_due,
    .start      = aimd_start,
    .configure  = aimd_configure,
    .name       = "aimd",
    .about      = "halves on a CNP, once per round trip; adds rpg_ai_rate every rpg_time_reset",
    .cfg_size   = sizeof(struct aimd_cfg),
    .state_size = sizeof(struct aimd),
};
