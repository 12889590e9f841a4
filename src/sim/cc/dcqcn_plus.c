/* src/sim/cc/dcqcn_plus.c - DCQCN+ (ICNP 2018): DCQCN for incasts with thousands of flows.
 *
 * The more flows a receiver finds congested, the rarer are its CNPs to each of them. DCQCN has fixed periods
 * and steps, so it then raises rates faster than CNPs cut them. In DCQCN+, a CNP announces the time until the
 * next one (see sim/nic/np/np.h), and periods follow it. Steps are shares of the flow's own rate,
 * so that their sum over all flows does not grow with the number of flows.
 *
 * Overview (R rate, T target, C line rate, F = rpg_threshold, g = 1/256):
 *
 *   CNP            a = (1 - g) a + g
 *                  period = max(50 us, announced, one packet at R)
 *                  T = R; R = R (1 - a / 2), at least rpg_min_rate; stage 0; both timers restart
 *   alpha timer    every period: a = (1 - g) a
 *   raise timer    every two periods, then the stage goes up by one:
 *                  stage = F: T += min(R / 5, C / 50) if a > 0.1, else min(R / 10, C / 100)
 *                  stage > F: T += min(R, i C / 100) with i = max(1, stage - 4 F + 1)
 *                  always: T at most C, R = (R + T) / 2
 *
 * This is one interpretation of DCQCN+, with the periods and steps of the simulator of PARALEON's successor.
 * Every CNP cuts and sets T = R, so there is nothing to recover to, and a queue that drains slowly brings its
 * flows down to the minimum. At 1 Mb/s, where a packet takes 8 ms, they then need 150 ms to recover; 100 Mb/s
 * is a better minimum.
 *
 * Our choices where the paper is silent:
 *   - The first alpha is initial_alpha_value; there are no timers before the first CNP.
 *   - "One packet" has a full payload, and R is the rate before the cut.
 *   - Timers that end at the same time: the period that began first goes first, so a raise sees alpha as it
 *     was before a tick at that time.
 *   - Rates are whole bit/s. (R + T) / 2 rounds up, so that R reaches T; everything else rounds down.
 *   - At line rate there is nothing to raise: that timer stops until the next CNP.
 *   - Alpha stops decaying below a millionth, where a cut has no effect.
 */
#include "sim/cc/dcqcn.h"
#include "base/minmax.h"

#define GAIN           (1.0 / 256)
#define ALPHA_NONE     1e-6
#define ALPHA_HIGH     0.1       /* above this, steps are twice as large */
#define PERIOD_PS_MIN  (50 * PS_PER_US)

struct dcqcn_plus_cfg {
    uint64_t line_bps, min_bps;
    uint64_t packet_bits;        /* of a packet with full payload */
    double   alpha_initial;
    uint32_t threshold;          /* F */
};

struct dcqcn_plus {
    uint64_t rate_bps, target_bps;
    uint64_t period_ps;          /* of alpha; raises take two */
    struct cc_timer raise, alpha_tick;
    double   alpha;
    uint32_t stage;              /* raises since the last CNP */
};

static void decide(const struct dcqcn_plus_cfg *cfg, const struct dcqcn_plus *f, struct cc_out *out)
{
    cc_set_rate(out, f->rate_bps);
    out->due_ps = f->rate_bps < cfg->line_bps ? f->raise.at_ps : NEVER;
}

static void run_alpha(struct dcqcn_plus *f, struct cc_now now)
{
    uint64_t ticks = cc_timer_run(&f->alpha_tick, now, f->period_ps);

    for (; ticks > 0 && f->alpha > ALPHA_NONE; ticks--)      /* at most 3530 */
        f->alpha *= 1 - GAIN;
}

static uint64_t step_bps(const struct dcqcn_plus_cfg *cfg, const struct dcqcn_plus *f)
{
    uint64_t factor = 1;

    if (f->stage < cfg->threshold)
        return 0;
    if (f->stage == cfg->threshold)
        return f->alpha > ALPHA_HIGH ? min_u64(f->rate_bps / 5, cfg->line_bps / 50)
                                     : min_u64(f->rate_bps / 10, cfg->line_bps / 100);
    if (f->stage > 4 * cfg->threshold)
        factor = f->stage - 4 * cfg->threshold + 1;
    return min_u64(f->rate_bps, factor * cfg->line_bps / 100);
}

static void raise_rate(const struct dcqcn_plus_cfg *cfg, struct dcqcn_plus *f)
{
    f->target_bps = min_u64(f->target_bps + step_bps(cfg, f), cfg->line_bps);
    f->rate_bps = (f->rate_bps + f->target_bps + 1) / 2;
    f->stage++;
}

/* A flow reaches line rate within some dozens of raises, so this loop is short even after a long idle
 * time. */
static void catch_up(const struct dcqcn_plus_cfg *cfg, struct dcqcn_plus *f, struct cc_now now)
{
    while (f->rate_bps < cfg->line_bps && cc_timer_ended(&f->raise, now)) {
        run_alpha(f, cc_timer_instant(&f->raise));
        raise_rate(cfg, f);
        cc_timer_start(&f->raise, f->raise.at_ps, 2 * f->period_ps);
    }
    run_alpha(f, now);
}

static void cut_rate(const struct dcqcn_plus_cfg *cfg, struct dcqcn_plus *f)
{
    f->target_bps = f->rate_bps;
    f->rate_bps = (uint64_t)((double)f->rate_bps * (1 - f->alpha / 2));
    if (f->rate_bps < cfg->min_bps)
        f->rate_bps = cfg->min_bps;
    f->stage = 0;
}

static void plus_on_cnp(const void *cfg_, void *state, struct cc_now now, uint64_t announced_ps,
                        struct cc_out *out)
{
    const struct dcqcn_plus_cfg *cfg = cfg_;
    struct dcqcn_plus           *f = state;

    catch_up(cfg, f, now);
    f->alpha = (1 - GAIN) * f->alpha + GAIN;
    uint64_t packet_ps = cfg->packet_bits * PS_PER_S / f->rate_bps;
    f->period_ps = announced_ps > PERIOD_PS_MIN ? announced_ps : PERIOD_PS_MIN;
    if (f->period_ps < packet_ps)
        f->period_ps = packet_ps;
    cut_rate(cfg, f);
    cc_timer_start(&f->alpha_tick, now.ps, f->period_ps);
    cc_timer_start(&f->raise, now.ps, 2 * f->period_ps);
    decide(cfg, f, out);
}

static void plus_on_due(const void *cfg, void *state, struct cc_now now, struct cc_out *out)
{
    catch_up(cfg, state, now);
    decide(cfg, state, out);
}

static void plus_start(const void *cfg_, void *state, struct cc_now now, struct cc_out *out)
{
    const struct dcqcn_plus_cfg *cfg = cfg_;
    struct dcqcn_plus           *f = state;

    (void)now;
    *f = (struct dcqcn_plus){ .rate_bps = cfg->line_bps, .target_bps = cfg->line_bps,
                              .alpha = cfg->alpha_initial };
    cc_timer_stop(&f->alpha_tick);
    cc_timer_stop(&f->raise);
    out->window_bytes = UINT64_MAX;
    decide(cfg, f, out);
}

static void plus_configure(void *cfg_, const struct knobs *k, const struct cc_link *link)
{
    struct dcqcn_plus_cfg *cfg = cfg_;

    *cfg = (struct dcqcn_plus_cfg){
        .line_bps      = link->line_bps,
        .min_bps       = min_u64(dcqcn_bps(k, KNOB_rpg_min_rate), link->line_bps),
        .packet_bits   = 8ull * link->mtu_bytes,
        .alpha_initial = (k->value[KNOB_initial_alpha_value] + 1) / 1024,
        .threshold     = (uint32_t)k->value[KNOB_rpg_threshold],
    };
}

const struct cc_algo cc_dcqcn_plus = {
    .on_cnp = plus_on_cnp, .on_due = plus_on_due, .start = plus_start, .configure = plus_configure,
    .name = "dcqcn_plus",
    .about = "DCQCN+: periods grow with the number of congested flows of a receiver, steps with rate",
    .cfg_size = sizeof(struct dcqcn_plus_cfg), .state_size = sizeof(struct dcqcn_plus),
    .takes_turns = true,
};
