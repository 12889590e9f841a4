/* src/sim/cc/rttcc.c - a rate control by RTT probes, in the style of zero-touch RoCE.
 *
 * The interface of NVIDIA's RTTCC is public: its events (a probe's RTT, a CNP, a NACK), no floating point, a
 * rate as a 20-bit fraction of line rate, 48 bytes of state per flow, a delay above which the rate is always
 * halved, and a minimum rate of 2^6 of 2^20. The algorithm is not public, so this one is ours:
 *
 *   probe         one is always in flight; the next is sent when the last has returned, but not earlier
 *                 than in an empty network
 *   rtt <= target R += AI, a thousandth of the line rate; from the sixth such probe in a row on 5 AI
 *   rtt > target  R x= 1 - min(1/2, (rtt - target) / (2 rtt))
 *   rtt > 150 us  R x= 1/2
 *   CNP           R x= 7/8, at most once between two probes
 *   NACK          R x= 1/2, with the same limit; a time-out always
 *
 * With n flows in a queue, cuts and raises balance where the queueing delay is about 2 AI n / line of the
 * target. A flow starts at line rate, without a window. A decision may take time (late.h; RL-CC's authors
 * state 0.9 us). All arithmetic uses integers; factors have 16 bits.
 */
#include "sim/cc/late.h"
#include "sim/cc/rates.h"

#define ONE         (1u << 20)   /* line rate */
#define RATE_MIN    (1u << 6)
#define FACTOR_ONE  (1u << 16)
#define DELAY_MAX_PS (150 * PS_PER_US)
#define STEP_PART   1000         /* AI is this part of the line rate */
#define SLOW_RAISES 5
#define FAST        5

struct rttcc_cfg {
    uint64_t line_bps, base_rtt_ps, target_ps;
    uint64_t takes_ps;           /* duration of a decision */
    uint32_t step, rate_min;     /* fractions of ONE */
};

struct rttcc_state {
    uint64_t probed_ps;          /* when the last probe was requested */
    uint32_t rate;               /* fraction of ONE */
    uint32_t raises;             /* consecutive, up to SLOW_RAISES */
    bool     was_cut;            /* by a CNP or a NACK since the last probe returned */
};

struct rttcc {
    struct rttcc_state is;
    struct cc_late     late;
};

_Static_assert(sizeof(struct rttcc_state) <= 48, "a NIC has 12 words for a flow");

static void decide(const struct rttcc_cfg *cfg, struct rttcc *f, struct cc_now now, struct cc_out *out)
{
    uint64_t rate_bps = (uint64_t)((unsigned __int128)cfg->line_bps * f->is.rate >> 20);

    cc_late_decide(&f->late, now, cfg->takes_ps, rate_bps ? rate_bps : 1, out);
}

static void cut_rate(const struct rttcc_cfg *cfg, struct rttcc_state *f, uint32_t factor)
{
    f->rate = (uint32_t)((uint64_t)f->rate * factor >> 16);
    f->rate = f->rate > cfg->rate_min ? f->rate : cfg->rate_min;
    f->raises = 0;
}

static void raise_rate(const struct rttcc_cfg *cfg, struct rttcc_state *f)
{
    uint64_t rate = (uint64_t)f->rate + (f->raises < SLOW_RAISES ? 1u : FAST) * (uint64_t)cfg->step;

    f->rate = rate < ONE ? (uint32_t)rate : ONE;
    f->raises += f->raises < SLOW_RAISES;
}

/* Returns the factor that a probe above the target applies, in 1/FACTOR_ONE. */
static uint32_t factor_of(const struct rttcc_cfg *cfg, uint64_t rtt_ps)
{
    return rtt_ps > DELAY_MAX_PS ? FACTOR_ONE / 2
                                 : FACTOR_ONE - (uint32_t)((rtt_ps - cfg->target_ps) *
                                                           (FACTOR_ONE / 2) / rtt_ps);
}

static void rttcc_on_rtt(const void *cfg_, void *state, struct cc_now now, const struct cc_probe *p,
                         struct cc_out *out)
{
    const struct rttcc_cfg *cfg = cfg_;
    struct rttcc           *flow = state;
    struct rttcc_state     *f = &flow->is;

    if (p->rtt_ps > cfg->target_ps)
        cut_rate(cfg, f, factor_of(cfg, p->rtt_ps));
    else
        raise_rate(cfg, f);
    f->was_cut = false;
    f->probed_ps = f->probed_ps + cfg->base_rtt_ps > now.ps ? f->probed_ps + cfg->base_rtt_ps : now.ps;
    out->probe_ps = f->probed_ps;
    decide(cfg, flow, now, out);
}

static void cut_once(const struct rttcc_cfg *cfg, struct rttcc *f, struct cc_now now, uint32_t factor,
                     struct cc_out *out)
{
    if (!f->is.was_cut)
        cut_rate(cfg, &f->is, factor);
    f->is.was_cut = true;
    decide(cfg, f, now, out);
}

static void rttcc_on_cnp(const void *cfg, void *state, struct cc_now now, uint64_t announced_ps,
                         struct cc_out *out)
{
    (void)announced_ps;
    cut_once(cfg, state, now, FACTOR_ONE / 8 * 7, out);
}

/* After a time-out, the probe may be lost as well: requests another one. */
static void rttcc_on_loss(const void *cfg, void *state, struct cc_now now, enum cc_loss loss,
                          struct cc_out *out)
{
    struct rttcc *f = state;

    if (loss == CC_TIMEOUT) {
        f->is.was_cut = false;
        f->is.probed_ps = out->probe_ps = now.ps;
    }
    cut_once(cfg, f, now, FACTOR_ONE / 2, out);
}

static void rttcc_on_due(const void *cfg_, void *state, struct cc_now now, struct cc_out *out)
{
    const struct rttcc_cfg *cfg = cfg_;
    struct rttcc           *f = state;

    cc_late_run(&f->late, now, cfg->takes_ps, out);
}

static void rttcc_start(const void *cfg_, void *state, struct cc_now now, struct cc_out *out)
{
    const struct rttcc_cfg *cfg = cfg_;
    struct rttcc           *f = state;

    *f = (struct rttcc){ .is = { .probed_ps = now.ps, .rate = ONE } };
    cc_late_start(&f->late);
    *out = (struct cc_out){ .window_bytes = UINT64_MAX, .due_ps = NEVER, .probe_ps = now.ps };
    cc_set_rate(out, cfg->line_bps);
}

static uint32_t share_of_line(const struct cc_link *link, uint64_t rate_bps)
{
    uint64_t share = (uint64_t)(((unsigned __int128)rate_bps << 20) / link->line_bps);

    return share < ONE ? (uint32_t)share : ONE;
}

static void rttcc_configure(void *cfg_, const struct knobs *k, const struct cc_link *link)
{
    struct rttcc_cfg *cfg = cfg_;
    double            target_us = k->value[KNOB_rttcc_target];

    *cfg = (struct rttcc_cfg){
        .line_bps = link->line_bps,
        .base_rtt_ps = link->base_rtt_ps,
        .target_ps = target_us > 0 ? knob_whole(target_us, PS_PER_US) : link->base_rtt_ps * 3 / 2,
        .takes_ps = knob_whole(k->value[KNOB_rttcc_decision], PS_PER_US),
        .step = share_of_line(link, link->line_bps / STEP_PART),
        .rate_min = share_of_line(link, knob_whole(k->value[KNOB_rpg_min_rate], 1000000)),
    };
    if (cfg->rate_min < RATE_MIN)
        cfg->rate_min = RATE_MIN;
}

const struct cc_algo cc_rttcc = {
    .on_cnp = rttcc_on_cnp, .on_due = rttcc_on_due, .on_rtt = rttcc_on_rtt, .on_loss = rttcc_on_loss,
    .start = rttcc_start, .configure = rttcc_configure,
    .name = "rttcc", .about = "a rate by the round trips of probes, in the manner of zero-touch RoCE",
    .cfg_size = sizeof(struct rttcc_cfg), .state_size = sizeof(struct rttcc),
};
