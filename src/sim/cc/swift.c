/* src/sim/cc/swift.c - Swift (SIGCOMM 2020): a window that keeps the delay at a target, converted to a rate.
 *
 * Overview (windows w in packets, at each acknowledgement of n packets):
 *
 *   fabric delay   the RTT without the time inside the receiver, which is the endpoint delay
 *   target         base + hops x h + min(fs_range, max(0, a / sqrt(w) + b)), where a and b make the last term
 *                  fs_range at w = 0.1 and 0 at w = 100: small windows tolerate more, so that many can share
 *   below target   w += n / w, below one packet w += n
 *   else           at most once per round trip: w x= max(1 - beta (delay - target) / delay, 1 - max_mdf)
 *   NACK           with the same limit: w x= 1 - max_mdf
 *   time-out       w x= 1 - max_mdf; the fifth in a row: the minimum window
 *
 * The fabric and the endpoint each have such a window; the endpoint's target is the base alone. The smaller
 * one counts. Windows are at least 0.001 of a packet and at most twice the capacity of the longest empty
 * round trip.
 *
 * The rate is window / RTT. Windows below one packet are thus paced as in the paper, one packet every RTT /
 * w. Larger ones are paced evenly, which is our choice: a NIC has only a rate.
 *
 * The paper gives no values for the fabric; where knobs are 0, they are derived from the empty round trip. A
 * flow starts at line rate. The endpoint delay is the time that a response waits in the receiver's NIC. The
 * simulator models no other, so the endpoint matters only if the receiver also sends.
 */
#include "sim/cc/rates.h"
#include "base/minmax.h"

#include <math.h>

#define FS_MIN       0.1         /* packets: the target is largest at this window */
#define FS_MAX       100.0
#define WINDOW_MIN   0.001
#define TIMEOUTS_MAX 5

struct swift_cfg {
    struct cc_rates rates;
    double   packet_bytes;
    double   base_ps, hop_ps, range_ps;
    double   a, b;               /* coefficients of the window term */
    double   beta, max_mdf;
    double   window_max;         /* packets */
};

struct swift_window {
    double   packets;
    uint64_t cut_ps;             /* time of the last cut */
};

struct swift {
    struct swift_window fabric, endpoint;
    uint64_t rtt_ps;             /* of the last acknowledgement */
    uint32_t timeouts;           /* consecutive */
};

static double target_ps(const struct swift_cfg *cfg, double window, uint32_t hops)
{
    return cfg->base_ps + hops * cfg->hop_ps + clamp_real(cfg->a / sqrt(window) + cfg->b, 0, cfg->range_ps);
}

static void cut_window(const struct swift_cfg *cfg, struct swift_window *w, uint64_t now_ps, double left)
{
    w->packets = clamp_real(w->packets * left, WINDOW_MIN, cfg->window_max);
    w->cut_ps = now_ps;
}

static bool may_cut(const struct swift_window *w, uint64_t now_ps, uint64_t rtt_ps)
{
    return now_ps - w->cut_ps >= rtt_ps;
}

static void update_window(const struct swift_cfg *cfg, struct swift_window *w, uint64_t now_ps,
                          const struct cc_ack *a, double delay_ps, double target)
{
    double acked = (double)a->acked_bytes / cfg->packet_bytes;
    double left = 1 - cfg->beta * (delay_ps - target) / delay_ps;

    if (delay_ps < target)
        w->packets = clamp_real(w->packets + (w->packets >= 1 ? acked / w->packets : acked), WINDOW_MIN,
                           cfg->window_max);
    else if (may_cut(w, now_ps, a->rtt_ps))
        cut_window(cfg, w, now_ps, left > 1 - cfg->max_mdf ? left : 1 - cfg->max_mdf);
}

static void decide(const struct swift_cfg *cfg, const struct swift *f, struct cc_out *out)
{
    double packets = f->fabric.packets < f->endpoint.packets ? f->fabric.packets : f->endpoint.packets;
    double bytes = packets * cfg->packet_bytes;
    double bps = bytes * 8e12 / (double)f->rtt_ps;

    bps = bps < (double)cfg->rates.line_bps ? bps : (double)cfg->rates.line_bps;
    cc_set_rate(out, cc_rates_bound(&cfg->rates, (uint64_t)bps));
    out->window_bytes = (uint64_t)(packets > 1 ? bytes : cfg->packet_bytes);
}

static void swift_on_ack(const void *cfg_, void *state, struct cc_now now, const struct cc_ack *a,
                         struct cc_out *out)
{
    const struct swift_cfg *cfg = cfg_;
    struct swift           *f = state;

    if (a->rtt_ps == 0)
        return;
    f->rtt_ps = a->rtt_ps;
    f->timeouts = 0;
    update_window(cfg, &f->fabric, now.ps, a, (double)(a->rtt_ps - a->endpoint_ps),
                  target_ps(cfg, f->fabric.packets, a->hops));
    update_window(cfg, &f->endpoint, now.ps, a, (double)a->endpoint_ps, cfg->base_ps);
    decide(cfg, f, out);
}

static void swift_on_loss(const void *cfg_, void *state, struct cc_now now, enum cc_loss loss,
                          struct cc_out *out)
{
    const struct swift_cfg *cfg = cfg_;
    struct swift           *f = state;

    f->timeouts += loss == CC_TIMEOUT;
    if (loss == CC_TIMEOUT && f->timeouts >= TIMEOUTS_MAX)
        cut_window(cfg, &f->fabric, now.ps, 0);
    else if (loss == CC_TIMEOUT || may_cut(&f->fabric, now.ps, f->rtt_ps))
        cut_window(cfg, &f->fabric, now.ps, 1 - cfg->max_mdf);
    decide(cfg, f, out);
}

static void swift_start(const void *cfg_, void *state, struct cc_now now, struct cc_out *out)
{
    const struct swift_cfg *cfg = cfg_;
    struct swift           *f = state;
    double                  packets = (double)cfg->rates.bdp_bytes / cfg->packet_bytes;

    *f = (struct swift){ .rtt_ps = 0 };
    f->fabric.packets = f->endpoint.packets = clamp_real(packets, 1, cfg->window_max);
    f->fabric.cut_ps = f->endpoint.cut_ps = now.ps;
    f->rtt_ps = (uint64_t)cfg->base_ps;
    cc_rates_start(&cfg->rates, out);
    out->window_bytes = (uint64_t)(f->fabric.packets * cfg->packet_bytes);
}

static double time_ps(const struct knobs *k, enum knob knob, double else_ps)
{
    return k->value[knob] > 0 ? k->value[knob] * PS_PER_US : else_ps;
}

static void swift_configure(void *cfg_, const struct knobs *k, const struct cc_link *link)
{
    struct swift_cfg *cfg = cfg_;
    double            rtt_ps = link->base_rtt_ps ? (double)link->base_rtt_ps : PS_PER_US;

    *cfg = (struct swift_cfg){
        .packet_bytes = link->mtu_bytes,
        .base_ps  = time_ps(k, KNOB_swift_base, rtt_ps),
        .hop_ps   = k->value[KNOB_swift_hop] * PS_PER_US,
        .range_ps = time_ps(k, KNOB_swift_fs_range, 3 * rtt_ps),
        .beta     = k->value[KNOB_swift_beta],
        .max_mdf  = k->value[KNOB_swift_max_mdf],
    };
    cc_rates_configure(&cfg->rates, k, link);
    cfg->a = cfg->range_ps / (1 / sqrt(FS_MIN) - 1 / sqrt(FS_MAX));
    cfg->b = -cfg->a / sqrt(FS_MAX);
    cfg->window_max = 2 * (double)cfg->rates.bdp_bytes / cfg->packet_bytes;
    if (cfg->window_max < 1)
        cfg->window_max = 1;
}

const struct cc_algo cc_swift = {
    .on_ack = swift_on_ack, .on_loss = swift_on_loss, .start = swift_start, .configure = swift_configure,
    .name = "swift", .about = "Swift: a window that keeps the delay of fabric and endpoint at a target",
    .cfg_size = sizeof(struct swift_cfg), .state_size = sizeof(struct swift),
    .telemetry = CC_PATH, .has_window = true,
};
