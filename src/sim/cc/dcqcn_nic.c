/* src/sim/cc/dcqcn_nic.c - DCQCN as in a RoCE NIC, with the NIC's parameters and integer arithmetic.
 *
 * Overview (R rate, T target, a alpha in 1/1024, kept to 2^-alpha_fraction_bits, G = dce_tcp_g, F =
 * rpg_threshold):
 *
 *   first CNP      the limiter starts: a = initial, R = T = rate_to_set_on_first_cnp (0: 85 % of line),
 *                  and with it three periodic timers: alpha, decrease, increase
 *   alpha timer    a = G a / 1024, + 1024 - G if a CNP came since the last tick, always below 1024
 *   decrease timer if a CNP came since the last tick:
 *                  T = R if clamp_tgt_rate, or raised by bytes, or (clamp_tgt_rate_after_time_inc and
 *                  raised by time) since the last cut; R -= min(R a >> gd, R (100 - min_dec_fac) / 100),
 *                  but not below the minimum; both stages and the byte count are 0, increase timer restarts
 *   raise          by the increase timer, or when rpg_byte_reset x 64 bytes have been sent:
 *                  both stages > F: T += HAI; else either >= F: T += AI; T at most the maximum;
 *                  R = (R + T) / 2; then the stage of the cause (time or bytes) goes up by one
 *   R at maximum   the limiter is released: line rate, no timers, until the next "first" CNP
 *
 * The vendor documents the parameters, not the algorithm. Our choices where it is silent:
 *   - Alpha has 16 bits below 1/1024. Without them, as in Google's isekai, rounding down takes at least
 *     1/1024 off at every tick: with a tick of 1 us and a CNP every 8 us, alpha settles at 5/1024 instead of
 *     130, and queues are many times those measured with such NICs (repro/nic-truth). If new knobs keep
 *     fewer bits, the others are dropped at the next tick.
 *   - The first CNP counts neither for alpha nor for a cut: it has set both alpha and the rate.
 *   - Rates are whole bit/s. (R + T) / 2 rounds up, so that R reaches T; everything else rounds down.
 *   - R counts as the maximum when it is less than 1 Mb/s below, which is the unit of the NIC's rates.
 *   - The limiter is not released while a CNP waits for its cut: the signal is not lost.
 *   - The decrease timer starts 1 ns after the alpha timer: where ticks would coincide (periods are whole
 *     microseconds), alpha is updated first. If a decrease and an increase coincide, the period that began
 *     first goes first, or the decrease if they began together (it then restarts the increase timer).
 *   - Bytes are counted only while the limiter is active, from zero. Bytes beyond a byte period count in the
 *     next one. rpg_byte_reset 0: no byte periods. A raise by time does not affect the byte count.
 *   - New knobs: a running byte period keeps its end, like the periods of time.
 *   - rate_to_set_on_first_cnp and rpg_min_rate are at most the maximum; the first rate is at least the
 *     minimum. rpg_max_rate 0, or above line rate: line rate.
 *   - Values are truncated to the units of the NIC's fields; rates may have fractions of 1 Mb/s.
 */
#include "sim/cc/dcqcn.h"

#define ALPHA_BITS   16          /* fraction bits of alpha in the state; the knob selects how many are used */
#define NEAR_MAX_BPS 1000000u    /* within this distance, a rate counts as the maximum */

struct dcqcn_nic_cfg {
    struct dcqcn_cfg dcqcn;      /* min <= first <= max <= line */
    uint32_t stage_bytes;        /* length of a byte period; 0: none */
    uint32_t alpha_initial;      /* in 2^-26: 1/1024, and ALPHA_BITS */
    uint16_t alpha_keep;         /* G */
    uint16_t alpha_drop;         /* low bits that are dropped */
    uint32_t gd;
    uint32_t cut_percent_max;
    bool     clamp_after_time;
};

struct dcqcn_nic {
    struct dcqcn dcqcn;          /* valid while limited */
    uint32_t bytes_left;         /* rest of the byte period; 0: the next one has not begun */
    uint32_t time_stage, byte_stage;         /* raises since the last cut */
    uint32_t alpha;              /* without the effect of idle_ticks, in which no CNP arrived */
    uint32_t idle_ticks;
    uint16_t idle_keep, idle_drop;
};

static void decide(const struct dcqcn_nic_cfg *cfg, const struct dcqcn_nic *f, struct cc_out *out)
{
    out->counts_bytes = f->dcqcn.limited;
    if (f->dcqcn.limited) {
        dcqcn_decide(&f->dcqcn, out);
        return;
    }
    out->rate_bps = cfg->dcqcn.line_bps;
    out->due_ps = NEVER;
}

static uint32_t decayed(uint32_t alpha, uint32_t keep, uint32_t drop)
{
    return (uint32_t)((uint64_t)keep * alpha >> (10 + drop)) << drop;
}

/* Applies the pending ticks that only decay alpha, with the knobs of their time. */
static void settle_alpha(struct dcqcn_nic *f)
{
    uint32_t alpha = f->alpha, keep = f->idle_keep, drop = f->idle_drop;

    /* at least one step less each time: ends soon */
    for (uint32_t n = f->idle_ticks; n > 0 && alpha > 0; n--)
        alpha = decayed(alpha, keep, drop);
    f->idle_ticks = 0;
    f->alpha = alpha;
}

static void run_alpha(const void *cfg_, void *state, struct cc_now now)
{
    const struct dcqcn_nic_cfg *cfg = cfg_;
    struct dcqcn_nic           *f = state;
    uint64_t                    ticks = cc_timer_run(&f->dcqcn.alpha_tick, now, cfg->dcqcn.alpha_ps);

    if (ticks > 0 && f->dcqcn.alpha_cnp) {
        uint32_t max = (1024u << ALPHA_BITS) - (1u << cfg->alpha_drop), alpha;

        settle_alpha(f);
        alpha = decayed(f->alpha, cfg->alpha_keep, cfg->alpha_drop) +
                ((1024u - cfg->alpha_keep) << ALPHA_BITS);
        f->alpha = alpha < max ? alpha : max;
        f->dcqcn.alpha_cnp = false;
        ticks--;
    }
    if (ticks == 0)
        return;
    if (f->idle_keep != cfg->alpha_keep || f->idle_drop != cfg->alpha_drop) {
        settle_alpha(f);
        f->idle_keep = cfg->alpha_keep;
        f->idle_drop = cfg->alpha_drop;
    }
    ticks += f->idle_ticks;
    f->idle_ticks = ticks < UINT32_MAX ? (uint32_t)ticks : UINT32_MAX;   /* alpha reaches 0 long before */
}

static void raise_rate(const struct dcqcn_nic_cfg *cfg, struct dcqcn_nic *f)
{
    struct dcqcn *d = &f->dcqcn;
    uint32_t      low = f->time_stage, high = f->byte_stage;

    if (low > high)
        low = f->byte_stage, high = f->time_stage;
    if (low > cfg->dcqcn.threshold)
        d->target_bps += cfg->dcqcn.hai_bps;
    else if (high >= cfg->dcqcn.threshold)
        d->target_bps += cfg->dcqcn.ai_bps;
    if (d->target_bps > cfg->dcqcn.max_bps)
        d->target_bps = cfg->dcqcn.max_bps;
    d->rate_bps = (d->rate_bps + d->target_bps + 1) / 2;
    if (d->rate_bps + NEAR_MAX_BPS > cfg->dcqcn.max_bps && !d->cut_cnp)
        d->limited = false;
}

static void run_raises(const void *cfg_, void *state, struct cc_now now)
{
    const struct dcqcn_nic_cfg *cfg = cfg_;
    struct dcqcn_nic           *f = state;

    while (f->dcqcn.limited && cc_timer_ended(&f->dcqcn.raise, now)) {
        raise_rate(cfg, f);
        f->time_stage++;
        cc_timer_start(&f->dcqcn.raise, f->dcqcn.raise.at_ps, cfg->dcqcn.raise_ps);
    }
}

/* Returns rate_bps x alpha >> gd with alpha in 1/1024, rounded down once. Computed in two halves to fit 64
 * bits. */
static uint64_t cut_bps(uint64_t rate_bps, uint32_t alpha, uint32_t gd)
{
    uint64_t whole = alpha >> ALPHA_BITS, fraction = alpha & ((1u << ALPHA_BITS) - 1);

    return (rate_bps * whole + (rate_bps * fraction >> ALPHA_BITS)) >> gd;
}

static void cut_rate(const void *cfg_, void *state)
{
    const struct dcqcn_nic_cfg *cfg = cfg_;
    struct dcqcn_nic           *f = state;
    uint64_t                    rate_bps = f->dcqcn.rate_bps, less_bps;
    uint64_t                    less_bps_max = rate_bps * cfg->cut_percent_max / 100;
    bool                        was_raised = f->byte_stage > 0 ||
                                             (cfg->clamp_after_time && f->time_stage > 0);

    settle_alpha(f);
    less_bps = cut_bps(rate_bps, f->alpha, cfg->gd);
    rate_bps -= less_bps < less_bps_max ? less_bps : less_bps_max;
    dcqcn_cut_to(&cfg->dcqcn, &f->dcqcn, rate_bps, was_raised);
    f->time_stage = f->byte_stage = 0;
    f->bytes_left = 0;
}

static const struct dcqcn_machine machine = { run_raises, run_alpha, cut_rate };

/* May release the limiter, except while a CNP waits for its cut. */
static void catch_up(const struct dcqcn_nic_cfg *cfg, struct dcqcn_nic *f, struct cc_now now)
{
    dcqcn_catch_up(&machine, &cfg->dcqcn, &f->dcqcn, now);
}

static void start_limiter(const struct dcqcn_nic_cfg *cfg, struct dcqcn_nic *f, struct cc_now now)
{
    *f = (struct dcqcn_nic){ .alpha = cfg->alpha_initial };
    f->dcqcn.rate_bps = f->dcqcn.target_bps = cfg->dcqcn.first_bps;
    f->dcqcn.limited = true;
    dcqcn_start_timers(&cfg->dcqcn, &f->dcqcn, now);
    cc_timer_start(&f->dcqcn.raise, now.ps, cfg->dcqcn.raise_ps);
}

static void nic_on_cnp(const void *cfg, void *state, struct cc_now now, uint64_t announced_ps,
                       struct cc_out *out)
{
    struct dcqcn_nic *f = state;

    (void)announced_ps;
    if (f->dcqcn.limited)
        catch_up(cfg, f, now);
    if (f->dcqcn.limited)
        f->dcqcn.alpha_cnp = f->dcqcn.cut_cnp = true;
    else
        start_limiter(cfg, f, now);
    decide(cfg, f, out);
}

/* Counts bytes across the end of a byte period. */
static void run_byte_periods(const struct dcqcn_nic_cfg *cfg, struct dcqcn_nic *f, uint32_t bytes)
{
    while (f->dcqcn.limited) {
        if (f->bytes_left == 0)
            f->bytes_left = cfg->stage_bytes;
        if (f->bytes_left == 0)
            return;
        if (bytes < f->bytes_left) {
            f->bytes_left -= bytes;
            return;
        }
        bytes -= f->bytes_left;
        f->bytes_left = 0;
        raise_rate(cfg, f);
        f->byte_stage++;
    }
}

static void nic_on_sent(const void *cfg, void *state, struct cc_now now, uint32_t bytes, struct cc_out *out)
{
    struct dcqcn_nic *f = state;

    if (!f->dcqcn.limited)
        return;
    if (out->due_ps <= now.ps) {
        catch_up(cfg, f, now);
        decide(cfg, f, out);
    }
    if (bytes < f->bytes_left) {
        f->bytes_left -= bytes;
        return;
    }
    run_byte_periods(cfg, f, bytes);
    decide(cfg, f, out);
}

static void nic_on_due(const void *cfg, void *state, struct cc_now now, struct cc_out *out)
{
    struct dcqcn_nic *f = state;

    if (f->dcqcn.limited)
        catch_up(cfg, f, now);
    decide(cfg, f, out);
}

static void nic_start(const void *cfg, void *state, struct cc_now now, struct cc_out *out)
{
    struct dcqcn_nic *f = state;

    (void)now;
    *f = (struct dcqcn_nic){ .alpha = 0 };
    out->window_bytes = UINT64_MAX;
    decide(cfg, f, out);
}

static uint32_t knob_uint(const struct knobs *k, enum knob knob)
{
    return (uint32_t)k->value[knob];
}

static void bound_first_rate(struct dcqcn_cfg *cfg)
{
    if (cfg->first_bps == 0)
        cfg->first_bps = cfg->line_bps * 85 / 100;
    if (cfg->first_bps > cfg->max_bps)
        cfg->first_bps = cfg->max_bps;
    if (cfg->first_bps < cfg->min_bps)
        cfg->first_bps = cfg->min_bps;
}

static void nic_configure(void *cfg_, const struct knobs *k, const struct cc_link *link)
{
    struct dcqcn_nic_cfg *cfg = cfg_;

    *cfg = (struct dcqcn_nic_cfg){
        .stage_bytes      = knob_uint(k, KNOB_rpg_byte_reset) * 64,
        .alpha_initial    = knob_uint(k, KNOB_initial_alpha_value) << ALPHA_BITS,
        .alpha_keep       = (uint16_t)knob_uint(k, KNOB_dce_tcp_g),
        .alpha_drop       = (uint16_t)(ALPHA_BITS - knob_uint(k, KNOB_alpha_fraction_bits)),
        .gd               = knob_uint(k, KNOB_rpg_gd),
        .cut_percent_max  = 100 - knob_uint(k, KNOB_rpg_min_dec_fac),
        .clamp_after_time = k->value[KNOB_clamp_tgt_rate_after_time_inc] != 0,
    };
    dcqcn_configure(&cfg->dcqcn, k, link);
    bound_first_rate(&cfg->dcqcn);
}

const struct cc_algo cc_dcqcn_nic = {
    .on_sent = nic_on_sent, .on_cnp = nic_on_cnp, .on_due = nic_on_due, .start = nic_start,
    .configure = nic_configure,
    .name = "dcqcn", .about = "DCQCN as in a RoCE NIC: CNP packets, timer and byte counter",
    .cfg_size = sizeof(struct dcqcn_nic_cfg), .state_size = sizeof(struct dcqcn_nic),
};
