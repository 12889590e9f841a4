/* src/cc/dcqcn_hpcc.c - DCQCN as the HPCC ns-3 simulator has it, to the bit.
 *
 * In a nutshell (R rate, T target, a alpha, all from the first CNP of a flow on):
 *
 *   first CNP      a = initial; T = R; the alpha and the decrease timer start; R is not cut yet
 *   alpha timer    a = (1-g) a, + g if a CNP came since the last tick (the first CNP does not count)
 *   decrease timer if a CNP came since the last decrease (the first does count):
 *                  T = R if clamp or any raise since the last cut; R = max(min, R (1 - a/2));
 *                  stage = 0; the increase timer starts anew
 *   increase timer stage < F: T stays; stage == F: T += AI; stage > F: T += HAI, at most the maximum;
 *                  R = R/2 + T/2, each half truncated; stage++
 *
 * There is no byte counter, and the limiter is never released. The decrease timer starts 1 ns late, so
 * that alpha is brought up to date before a cut; periods are whole microseconds, so the two never tick
 * at the same instant. A decrease and an increase may: the period that began first goes first, the
 * decrease if they began together (it then starts the increase timer anew). Rates are whole bit/s,
 * alpha is a double; every expression below is written so that it rounds where the original rounds.
 *
 * Only cuts and raises change the rate, and a decrease tick without a CNP does nothing, so those two
 * are run in order of time and the rest is made up for: alpha when a cut or a CNP needs it, idle
 * decrease ticks by a division.
 *
 * The original has fewer parameters. Ours come in like this; with gd 11, min_dec_fac 50 and 0 for
 * max_rate and the first CNP they drop out:
 *   - a cut takes the share a 2^(10-gd) of the rate, at most 1 - min_dec_fac;
 *   - rate_to_set_on_first_cnp sets R and T; 0 keeps the rate;
 *   - rpg_max_rate bounds T, and R from the first CNP on; rpg_min_rate is at most that;
 *   - periods are whole microseconds, the rest is cut off;
 *   - rpg_byte_reset and clamp_tgt_rate_after_time_inc mean nothing here.
 */
#include "base/rng.h"
#include "cc/cc.h"
#include "cc/timer.h"

#define CUT_LAG_PS  (1 * PS_PER_NS)
#define STAGE_MAX   255          /* above every rpg_threshold; from there on all stages are alike */
#define DECAY_TICKS 4096         /* alpha decays tick by tick, as in the original, up to here */

struct hpcc_cfg {
    uint64_t line_bps, max_bps, min_bps, ai_bps, hai_bps;
    uint64_t first_bps;          /* at the first CNP; 0: keep the rate */
    uint64_t alpha_ps, cut_ps, raise_ps;
    double   alpha_gain;         /* g */
    double   alpha_keep;         /* 1 - g */
    double   alpha_initial;
    double   cut_scale;          /* a cut takes alpha times this */
    double   cut_floor;          /* and leaves at least this share */
    uint32_t threshold;          /* F */
    bool     clamp;
};

struct hpcc {
    uint64_t rate_bps, target_bps;
    struct cc_timer raise, cut, alpha_tick;
    double   alpha;
    uint32_t stage;              /* raises since the last cut, up to STAGE_MAX */
    bool     limited;            /* a CNP has come */
    bool     alpha_cnp;          /* one has come since the last tick of alpha */
    bool     cut_cnp;            /* one waits for the next tick of 'cut' */
};

_Static_assert(sizeof(struct hpcc_cfg) <= CC_CFG_MAX, "cfg fits");
_Static_assert(sizeof(struct hpcc) <= CC_STATE_MAX, "state fits");

static void decide(const struct hpcc *f, struct cc_out *out)
{
    out->rate_bps = f->rate_bps;
    out->due_ps = f->raise.at_ps;
    if (f->cut_cnp && f->cut.at_ps < out->due_ps)
        out->due_ps = f->cut.at_ps;
}

static void decay_alpha(const struct hpcc_cfg *cfg, struct hpcc *f, uint64_t ticks)
{
    if (ticks > DECAY_TICKS) {
        f->alpha *= rng_pow(cfg->alpha_keep, ticks);
        return;
    }
    while (ticks-- > 0)
        f->alpha = cfg->alpha_keep * f->alpha;
}

static void run_alpha(const struct hpcc_cfg *cfg, struct hpcc *f, struct cc_now now)
{
    uint64_t ticks = cc_timer_run(&f->alpha_tick, now, cfg->alpha_ps);

    if (ticks > 0 && f->alpha_cnp) {
        f->alpha = cfg->alpha_keep * f->alpha + cfg->alpha_gain;
        f->alpha_cnp = false;
        ticks--;
    }
    decay_alpha(cfg, f, ticks);
}

/* One tick of the increase timer. Returns whether all further ones would leave the rate as it is. */
static bool raise_rate(const struct hpcc_cfg *cfg, struct hpcc *f)
{
    uint64_t rate = f->rate_bps, target = f->target_bps;
    bool     hyper = f->stage > cfg->threshold;

    if (f->stage >= cfg->threshold)
        target += hyper ? cfg->hai_bps : cfg->ai_bps;
    if (target > cfg->max_bps)
        target = cfg->max_bps;
    rate = (uint64_t)((double)rate / 2.0) + (uint64_t)((double)target / 2.0);
    if (hyper && rate == f->rate_bps && target == f->target_bps)
        return true;
    f->rate_bps = rate;
    f->target_bps = target;
    return false;
}

static void count_stages(struct hpcc *f, uint64_t ticks)
{
    f->stage = ticks > STAGE_MAX - f->stage ? STAGE_MAX : f->stage + (uint32_t)ticks;
}

static void run_raises(const struct hpcc_cfg *cfg, struct hpcc *f, struct cc_now now)
{
    while (cc_timer_ended(&f->raise, now)) {
        if (raise_rate(cfg, f)) {
            count_stages(f, cc_timer_run(&f->raise, now, cfg->raise_ps));
            return;
        }
        count_stages(f, 1);
        cc_timer_start(&f->raise, f->raise.at_ps, cfg->raise_ps);
    }
}

/* The tick of the decrease timer that a CNP has been waiting for. */
static void cut_rate(const struct hpcc_cfg *cfg, struct hpcc *f)
{
    double left = 1 - f->alpha * cfg->cut_scale;

    if (left < cfg->cut_floor)
        left = cfg->cut_floor;
    if (cfg->clamp || f->stage != 0)
        f->target_bps = f->rate_bps;
    f->rate_bps = (uint64_t)((double)f->rate_bps * left);
    if (f->rate_bps < cfg->min_bps)
        f->rate_bps = cfg->min_bps;
    f->stage = 0;
    f->cut_cnp = false;
    cc_timer_start(&f->raise, f->cut.at_ps, cfg->raise_ps);
    cc_timer_start(&f->cut, f->cut.at_ps, cfg->cut_ps);
}

/* Brings everything up to now. There is at most one cut to make, since only a CNP asks for one. */
static void catch_up(const struct hpcc_cfg *cfg, struct hpcc *f, struct cc_now now)
{
    if (f->cut_cnp && cc_timer_ended(&f->cut, now)) {
        struct cc_now then = cc_timer_instant(&f->cut);

        run_raises(cfg, f, then);
        run_alpha(cfg, f, then);
        cut_rate(cfg, f);
    }
    run_raises(cfg, f, now);
    run_alpha(cfg, f, now);
    if (!f->cut_cnp)
        cc_timer_run(&f->cut, now, cfg->cut_ps);
}

static void limit(const struct hpcc_cfg *cfg, struct hpcc *f, struct cc_now now)
{
    if (cfg->first_bps)
        f->rate_bps = cfg->first_bps;
    if (f->rate_bps > cfg->max_bps)
        f->rate_bps = cfg->max_bps;
    f->target_bps = f->rate_bps;
    f->alpha = cfg->alpha_initial;
    f->limited = true;
    cc_timer_start(&f->alpha_tick, now.ps, cfg->alpha_ps);
    cc_timer_start(&f->cut, now.ps, cfg->cut_ps + CUT_LAG_PS);
}

static void hpcc_on_cnp(const void *cfg, void *state, struct cc_now now, uint64_t told_ps,
                        struct cc_out *out)
{
    struct hpcc *f = state;

    (void)told_ps;
    if (f->limited) {
        catch_up(cfg, f, now);
        f->alpha_cnp = true;
    } else {
        limit(cfg, f, now);
    }
    f->cut_cnp = true;
    decide(f, out);
}

static void hpcc_on_due(const void *cfg, void *state, struct cc_now now, struct cc_out *out)
{
    catch_up(cfg, state, now);
    decide(state, out);
}

static void hpcc_start(const void *cfg_, void *state, struct cc_now now, struct cc_out *out)
{
    const struct hpcc_cfg *cfg = cfg_;
    struct hpcc *f = state;

    (void)now;
    *f = (struct hpcc){ .rate_bps = cfg->line_bps, .target_bps = cfg->line_bps };
    cc_timer_stop(&f->alpha_tick);
    cc_timer_stop(&f->cut);
    cc_timer_stop(&f->raise);
    out->window_bytes = UINT64_MAX;
    decide(f, out);
}

static uint64_t bps(const struct knobs *k, enum knob knob)
{
    return (uint64_t)(k->value[knob] * 1e6);
}

static uint64_t period_ps(const struct knobs *k, enum knob knob)
{
    return (uint64_t)k->value[knob] * PS_PER_US;
}

static void hpcc_configure(void *cfg_, const struct knobs *k, const struct cc_link *link)
{
    struct hpcc_cfg *cfg = cfg_;

    *cfg = (struct hpcc_cfg){
        .line_bps      = link->line_bps,
        .max_bps       = bps(k, KNOB_rpg_max_rate),
        .min_bps       = bps(k, KNOB_rpg_min_rate),
        .ai_bps        = bps(k, KNOB_rpg_ai_rate),
        .hai_bps       = bps(k, KNOB_rpg_hai_rate),
        .first_bps     = bps(k, KNOB_rate_to_set_on_first_cnp),
        .alpha_ps      = period_ps(k, KNOB_dce_tcp_rtt),
        .cut_ps        = period_ps(k, KNOB_rate_reduce_monitor_period),
        .raise_ps      = period_ps(k, KNOB_rpg_time_reset),
        .alpha_gain    = (1024 - k->value[KNOB_dce_tcp_g]) / 1024,
        .alpha_initial = (k->value[KNOB_initial_alpha_value] + 1) / 1024,
        .cut_scale     = 1024.0 / (double)(1u << (unsigned)k->value[KNOB_rpg_gd]),
        .cut_floor     = k->value[KNOB_rpg_min_dec_fac] / 100,
        .threshold     = (uint32_t)k->value[KNOB_rpg_threshold],
        .clamp         = k->value[KNOB_clamp_tgt_rate] != 0,
    };
    cfg->alpha_keep = 1 - cfg->alpha_gain;
    if (cfg->max_bps == 0 || cfg->max_bps > cfg->line_bps)
        cfg->max_bps = cfg->line_bps;
    if (cfg->min_bps > cfg->max_bps)
        cfg->min_bps = cfg->max_bps;
    if (cfg->first_bps && cfg->first_bps < cfg->min_bps)
        cfg->first_bps = cfg->min_bps;
}

extern const struct cc_algo cc_dcqcn_hpcc;
const struct cc_algo cc_dcqcn_hpcc = {
    .on_cnp     = hpcc_on_cnp,
    .on_due     = hpcc_on_due,
    .start      = hpcc_start,
    .configure  = hpcc_configure,
    .name       = "dcqcn_hpcc",
    .about      = "DCQCN as in the HPCC ns-3 simulator: timers only, real-valued alpha",
    .cfg_size   = sizeof(struct hpcc_cfg),
    .state_size = sizeof(struct hpcc),
};
