/* src/sim/cc/dcqcn_hpcc.c - DCQCN, bit for bit as in the HPCC ns-3 simulator.
 *
 * Overview (R rate, T target, a alpha, all from the first CNP of a flow on):
 *
 *   first CNP      a = initial; T = R; the alpha and the decrease timer start; R is not cut yet
 *   alpha timer    a = (1-g) a, + g if a CNP came since the last tick (the first CNP does not count)
 *   decrease timer if a CNP came since the last decrease (the first does count):
 *                  T = R if clamp or any raise since the last cut; R = max(min, R (1 - a/2));
 *                  stage = 0; the increase timer restarts
 *   increase timer stage < F: T stays; stage == F: T += AI; stage > F: T += HAI, at most the maximum;
 *                  R = R/2 + T/2, each half truncated; stage++
 *
 * There is no byte counter, and the limiter is never released. The decrease timer starts 1 ns late, so that
 * alpha is up to date before a cut; periods are whole microseconds, so the two never tick at the same time. A
 * decrease and an increase may coincide. Then the period that began first goes first, or the decrease if they
 * began together (it then restarts the increase timer). Rates are whole bit/s, alpha is a double; every
 * expression below rounds where the original rounds.
 *
 * The original has fewer parameters. The additional ones work as follows; gd 11, min_dec_fac 50, and 0 for
 * max_rate and the first CNP disable them:
 *   - a cut takes the share a 2^(10-gd) of the rate, at most 1 - min_dec_fac;
 *   - rate_to_set_on_first_cnp sets R and T; 0 keeps the rate;
 *   - rpg_max_rate bounds T, and R from the first CNP on; rpg_min_rate is at most that;
 *   - periods are truncated to whole microseconds;
 *   - rpg_byte_reset and clamp_tgt_rate_after_time_inc have no effect.
 */
#include "base/rng.h"
#include "sim/cc/dcqcn.h"

#define STAGE_MAX   255          /* above every rpg_threshold; all later stages are equal */
#define DECAY_TICKS 4096         /* up to this count, alpha decays tick by tick, as in the original */

struct dcqcn_hpcc_cfg {
    struct dcqcn_cfg dcqcn;      /* first_bps 0: the first CNP keeps the rate */
    double   alpha_gain;         /* g */
    double   alpha_keep;         /* 1 - g */
    double   alpha_initial;
    double   cut_scale;          /* a cut takes alpha times this share */
    double   cut_floor;          /* and leaves at least this share */
};

struct dcqcn_hpcc {
    struct dcqcn dcqcn;          /* permanently limited from the first CNP on */
    double   alpha;
    uint32_t stage;              /* raises since the last cut, up to STAGE_MAX */
};

static void decay_alpha(const struct dcqcn_hpcc_cfg *cfg, struct dcqcn_hpcc *f, uint64_t ticks)
{
    if (ticks > DECAY_TICKS) {
        f->alpha *= rng_pow(cfg->alpha_keep, ticks);
        return;
    }
    while (ticks-- > 0)
        f->alpha = cfg->alpha_keep * f->alpha;
}

static void run_alpha(const void *cfg_, void *state, struct cc_now now)
{
    const struct dcqcn_hpcc_cfg *cfg = cfg_;
    struct dcqcn_hpcc           *f = state;
    uint64_t                     ticks = cc_timer_run(&f->dcqcn.alpha_tick, now, cfg->dcqcn.alpha_ps);

    if (ticks > 0 && f->dcqcn.alpha_cnp) {
        f->alpha = cfg->alpha_keep * f->alpha + cfg->alpha_gain;
        f->dcqcn.alpha_cnp = false;
        ticks--;
    }
    decay_alpha(cfg, f, ticks);
}

/* One tick of the increase timer. Returns true if further ticks would not change the rate. */
static bool raise_rate(const struct dcqcn_hpcc_cfg *cfg, struct dcqcn_hpcc *f)
{
    struct dcqcn *d = &f->dcqcn;
    uint64_t      rate = d->rate_bps, target = d->target_bps;
    bool          hyper = f->stage > cfg->dcqcn.threshold;

    if (f->stage >= cfg->dcqcn.threshold)
        target += hyper ? cfg->dcqcn.hai_bps : cfg->dcqcn.ai_bps;
    if (target > cfg->dcqcn.max_bps)
        target = cfg->dcqcn.max_bps;
    rate = (uint64_t)((double)rate / 2.0) + (uint64_t)((double)target / 2.0);
    if (hyper && rate == d->rate_bps && target == d->target_bps)
        return true;
    d->rate_bps = rate;
    d->target_bps = target;
    return false;
}

static void count_stages(struct dcqcn_hpcc *f, uint64_t ticks)
{
    f->stage = ticks > STAGE_MAX - f->stage ? STAGE_MAX : f->stage + (uint32_t)ticks;
}

static void run_raises(const void *cfg_, void *state, struct cc_now now)
{
    const struct dcqcn_hpcc_cfg *cfg = cfg_;
    struct dcqcn_hpcc           *f = state;
    struct cc_timer             *raise = &f->dcqcn.raise;

    while (cc_timer_ended(raise, now)) {
        if (raise_rate(cfg, f)) {
            count_stages(f, cc_timer_run(raise, now, cfg->dcqcn.raise_ps));
            return;
        }
        count_stages(f, 1);
        cc_timer_start(raise, raise->at_ps, cfg->dcqcn.raise_ps);
    }
}

static void cut_rate(const void *cfg_, void *state)
{
    const struct dcqcn_hpcc_cfg *cfg = cfg_;
    struct dcqcn_hpcc           *f = state;
    double                       left = 1 - f->alpha * cfg->cut_scale;

    if (left < cfg->cut_floor)
        left = cfg->cut_floor;
    dcqcn_cut_to(&cfg->dcqcn, &f->dcqcn, (uint64_t)((double)f->dcqcn.rate_bps * left), f->stage != 0);
    f->stage = 0;
}

static const struct dcqcn_machine machine = { run_raises, run_alpha, cut_rate };

static void catch_up(const struct dcqcn_hpcc_cfg *cfg, struct dcqcn_hpcc *f, struct cc_now now)
{
    dcqcn_catch_up(&machine, &cfg->dcqcn, &f->dcqcn, now);
}

static void start_limiter(const struct dcqcn_hpcc_cfg *cfg, struct dcqcn_hpcc *f, struct cc_now now)
{
    struct dcqcn *d = &f->dcqcn;

    if (cfg->dcqcn.first_bps)
        d->rate_bps = cfg->dcqcn.first_bps;
    if (d->rate_bps > cfg->dcqcn.max_bps)
        d->rate_bps = cfg->dcqcn.max_bps;
    d->target_bps = d->rate_bps;
    f->alpha = cfg->alpha_initial;
    d->limited = true;
    dcqcn_start_timers(&cfg->dcqcn, d, now);
}

static void hpcc_on_cnp(const void *cfg, void *state, struct cc_now now, uint64_t announced_ps,
                        struct cc_out *out)
{
    struct dcqcn_hpcc *f = state;

    (void)announced_ps;
    if (f->dcqcn.limited) {
        catch_up(cfg, f, now);
        f->dcqcn.alpha_cnp = true;
    } else {
        start_limiter(cfg, f, now);
    }
    f->dcqcn.cut_cnp = true;
    dcqcn_decide(&f->dcqcn, out);
}

static void hpcc_on_due(const void *cfg, void *state, struct cc_now now, struct cc_out *out)
{
    struct dcqcn_hpcc *f = state;

    catch_up(cfg, f, now);
    dcqcn_decide(&f->dcqcn, out);
}

static void hpcc_start(const void *cfg_, void *state, struct cc_now now, struct cc_out *out)
{
    const struct dcqcn_hpcc_cfg *cfg = cfg_;
    struct dcqcn_hpcc *f = state;

    (void)now;
    *f = (struct dcqcn_hpcc){ .stage = 0 };
    f->dcqcn.rate_bps = f->dcqcn.target_bps = cfg->dcqcn.line_bps;
    cc_timer_stop(&f->dcqcn.alpha_tick);
    cc_timer_stop(&f->dcqcn.cut);
    cc_timer_stop(&f->dcqcn.raise);
    out->window_bytes = UINT64_MAX;
    dcqcn_decide(&f->dcqcn, out);
}

static void hpcc_configure(void *cfg_, const struct knobs *k, const struct cc_link *link)
{
    struct dcqcn_hpcc_cfg *cfg = cfg_;

    *cfg = (struct dcqcn_hpcc_cfg){
        .alpha_gain    = (1024 - k->value[KNOB_dce_tcp_g]) / 1024,
        .alpha_initial = (k->value[KNOB_initial_alpha_value] + 1) / 1024,
        .cut_scale     = 1024.0 / (double)(1u << (unsigned)k->value[KNOB_rpg_gd]),
        .cut_floor     = k->value[KNOB_rpg_min_dec_fac] / 100,
    };
    cfg->alpha_keep = 1 - cfg->alpha_gain;
    dcqcn_configure(&cfg->dcqcn, k, link);
    if (cfg->dcqcn.first_bps && cfg->dcqcn.first_bps < cfg->dcqcn.min_bps)
        cfg->dcqcn.first_bps = cfg->dcqcn.min_bps;
}

const struct cc_algo cc_dcqcn_hpcc = {
    .on_cnp = hpcc_on_cnp, .on_due = hpcc_on_due, .start = hpcc_start, .configure = hpcc_configure,
    .name = "dcqcn_hpcc", .about = "DCQCN as in the HPCC ns-3 simulator: timers only, real-valued alpha",
    .cfg_size = sizeof(struct dcqcn_hpcc_cfg), .state_size = sizeof(struct dcqcn_hpcc),
};

/* ---- PARALEON's artifact ---- */

/* The simulator of PARALEON's artifact is this one with three bugs that affect tuners. The initial alpha is
 * read but not used. The CNP interval has a name that is never looked up. The first CNP of any queue pair
 * resets gd, g and min_dec_fac of the whole NIC to their initial values. */
static void paraleon_on_cnp(const void *cfg, void *state, struct cc_now now, uint64_t announced_ps,
                            struct cc_out *out)
{
    const struct dcqcn_hpcc *f = state;
    bool                     is_first = !f->dcqcn.limited;

    hpcc_on_cnp(cfg, state, now, announced_ps, out);
    out->forgets = is_first;
}

static void paraleon_forget(struct knobs *k)
{
    static const enum knob lost[] = { KNOB_rpg_gd, KNOB_dce_tcp_g, KNOB_rpg_min_dec_fac };

    for (size_t i = 0; i < sizeof lost / sizeof *lost; i++)
        k->value[lost[i]] = knob_info[lost[i]].initial;
}

static void paraleon_configure(void *cfg, const struct knobs *k, const struct cc_link *link)
{
    struct knobs used = *k;

    used.value[KNOB_initial_alpha_value] = knob_info[KNOB_initial_alpha_value].initial;
    hpcc_configure(cfg, &used, link);
}

const struct cc_algo cc_dcqcn_paraleon = {
    .on_cnp = paraleon_on_cnp, .on_due = hpcc_on_due, .start = hpcc_start, .configure = paraleon_configure,
    .forget = paraleon_forget,
    .name = "dcqcn_paraleon",
    .about = "dcqcn_hpcc as PARALEON's artifact has it: a first CNP undoes gd, g and min_dec_fac of its NIC",
    .cfg_size = sizeof(struct dcqcn_hpcc_cfg), .state_size = sizeof(struct dcqcn_hpcc),
};
