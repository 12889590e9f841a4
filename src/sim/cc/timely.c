/* src/sim/cc/timely.c - TIMELY (SIGCOMM 2015), with the constants of the HPCC ns-3 fork: rates by the RTT
 * gradient.
 *
 * Overview, once per round trip (R rate, d a moving difference of RTTs, B the empty RTT):
 *
 *   d = 1/8 d + 7/8 (rtt - previous rtt)
 *   rtt < tlow                  raise
 *   rtt > thigh                 R = R (1 - beta (1 - thigh / rtt))
 *   d <= 0                      raise
 *   else                        R = R max(1/2, 1 - beta d / B)
 *
 * A raise adds AI, from the sixth consecutive one on 5 AI, whatever the cause; a cut ends the sequence. d is
 * updated even if it does not decide. The first acknowledgement only starts a round trip. There is no window.
 *
 * The limit 1/2 is our addition: in a network of a few microseconds, a first burst makes d many times B, and
 * flows would stay at the minimum rate for long. In model hpcc it is 0, and B is 20 us in any network. RTTs
 * are whole nanoseconds in all models.
 */
#include "sim/cc/rates.h"

#define NEW_SHARE   0.875
#define FORK_RTT_NS 20000
#define LEFT_MIN    0.5
#define SLOW_RAISES 5            /* consecutive raises before they become larger */
#define FAST        5            /* factor of larger raises */

struct timely_cfg {
    struct cc_rates rates;
    uint64_t ai_bps, hai_bps;
    double   beta;
    int64_t  low_ns, high_ns, base_ns;
    double   left_min;           /* minimum share that a cut leaves */
};

struct timely {
    struct cc_round round;
    uint64_t rate_bps;
    double   difference_ns;      /* d */
    int64_t  rtt_ns;             /* of the last round trip */
    uint32_t raises;             /* consecutive, up to SLOW_RAISES */
};

static void raise_rate(const struct timely_cfg *cfg, struct timely *f)
{
    uint64_t step_bps = f->raises < SLOW_RAISES ? cfg->ai_bps : cfg->hai_bps;

    f->rate_bps = cc_rates_bound(&cfg->rates, f->rate_bps + step_bps);
    f->raises += f->raises < SLOW_RAISES;
}

static void cut_rate(const struct timely_cfg *cfg, struct timely *f, double left)
{
    f->rate_bps = cc_rates_bound(&cfg->rates, (uint64_t)((double)f->rate_bps * left));
    f->raises = 0;
}

static void react(const struct timely_cfg *cfg, struct timely *f, int64_t rtt_ns)
{
    double gradient, left;

    f->difference_ns = (1 - NEW_SHARE) * f->difference_ns + NEW_SHARE * (double)(rtt_ns - f->rtt_ns);
    gradient = f->difference_ns / (double)cfg->base_ns;
    if (rtt_ns > cfg->high_ns && rtt_ns >= cfg->low_ns) {
        cut_rate(cfg, f, 1 - cfg->beta * (1 - (double)cfg->high_ns / (double)rtt_ns));
    } else if (rtt_ns < cfg->low_ns || gradient <= 0) {
        raise_rate(cfg, f);
    } else {
        left = 1 - cfg->beta * gradient;
        cut_rate(cfg, f, left > cfg->left_min ? left : cfg->left_min);
    }
}

static void timely_on_ack(const void *cfg, void *state, struct cc_now now, const struct cc_ack *a,
                          struct cc_out *out)
{
    struct timely *f = state;
    int64_t        rtt_ns = (int64_t)(a->rtt_ps / PS_PER_NS);

    (void)now;
    if (!cc_round_has_ended(&f->round, a))
        return;
    if (!cc_round_is_first(&f->round)) {
        react(cfg, f, rtt_ns);
        cc_set_rate(out, f->rate_bps);
    }
    if (cc_round_begin(&f->round, a))
        f->rtt_ns = rtt_ns;
}

static void timely_start(const void *cfg_, void *state, struct cc_now now, struct cc_out *out)
{
    const struct timely_cfg *cfg = cfg_;

    (void)now;
    *(struct timely *)state = (struct timely){ .rate_bps = cfg->rates.line_bps };
    cc_rates_start(&cfg->rates, out);
    out->window_bytes = UINT64_MAX;
}

static int64_t time_ns(const struct knobs *k, enum knob knob)
{
    return (int64_t)knob_whole(k->value[knob], 1000);
}

static void timely_configure(void *cfg_, const struct knobs *k, const struct cc_link *link)
{
    struct timely_cfg *cfg = cfg_;

    *cfg = (struct timely_cfg){
        .ai_bps  = cc_step_bps(k, KNOB_timely_ai, link, 1000),
        .beta    = k->value[KNOB_timely_beta],
        .low_ns  = time_ns(k, KNOB_timely_tlow),
        .high_ns = time_ns(k, KNOB_timely_thigh),
        .base_ns = link->is_fork ? FORK_RTT_NS : (int64_t)(link->base_rtt_ps / PS_PER_NS),
    };
    cfg->hai_bps = link->fork.timely_hai_bps ? link->fork.timely_hai_bps : FAST * cfg->ai_bps;
    cfg->left_min = link->is_fork ? 0 : LEFT_MIN;
    if (cfg->base_ns < 1)
        cfg->base_ns = 1;
    cc_rates_configure(&cfg->rates, k, link);
}

const struct cc_algo cc_timely = {
    .on_ack = timely_on_ack, .start = timely_start, .configure = timely_configure,
    .name = "timely", .about = "TIMELY: rates by how round trips grow and shrink",
    .cfg_size = sizeof(struct timely_cfg), .state_size = sizeof(struct timely),
    .telemetry = CC_TIMESTAMP,
};
