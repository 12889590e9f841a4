#include "sim/cc/nscc.h"

#include "core/units.h"

#define REFERENCE_RTT_PS    (12 * PS_PER_US)
#define REFERENCE_BPS       100000000000ull
#define FAST_PS             PS_PER_US    /* fast increase: below this delay */
#define MAXWND_BDPS         1.5

/* Accumulates growth. If it wraps, it does so like x86-64 storing a double in 32 bits: the low bits of a
 * 64-bit integer. */
static void gather(struct nscc *f, const struct nscc_cfg *c, double more)
{
    double x = f->increase + more;

    if (c->wraps)
        f->increase = x < 9223372036854775808.0 ? (uint32_t)(int64_t)x : 0;
    else
        f->increase = x < UINT32_MAX ? (uint32_t)x : UINT32_MAX;
}

static int64_t bdp_bytes(uint64_t rtt_ps, uint64_t bps)
{
    uint64_t bytes_per_s = bps / 8;

    return (int64_t)((double)rtt_ps / 1e12 * (double)bytes_per_s);
}

/* Constants are given for 100 Gb/s and a round trip of 12 us. They are scaled by BDP (a) and target (b). */
void nscc_configure(struct nscc_cfg *c, uint64_t line_bps, uint32_t mtu_bytes, uint32_t header_bytes,
                    uint64_t network_rtt_ps, uint64_t target_delay_ps)
{
    uint64_t target = target_delay_ps ? target_delay_ps : (uint64_t)((double)network_rtt_ps * 0.75);
    uint32_t mss = mtu_bytes - header_bytes;
    double a =
        (double)bdp_bytes(network_rtt_ps, line_bps) / (double)bdp_bytes(REFERENCE_RTT_PS, REFERENCE_BPS);
    double   b = (double)target / (double)REFERENCE_RTT_PS;

    *c = (struct nscc_cfg){
        .line_bps         = line_bps,
        .mtu_bytes        = mtu_bytes,
        .min_cwnd_bytes   = mtu_bytes,
        .network_rtt_ps   = network_rtt_ps,
        .target_delay_ps  = target,
        .alpha            = 4.0 * mss * a * b / (double)target,
        .fi               = 5 * mss * a,
        .fi_scale         = .25 * a,
        .eta              = 0.15 * mss * a,
        .gamma            = 0.8,
        .max_md_jump      = 0.5,
        .delay_weight     = 0.0125,
        .qa_threshold_ps  = (double)(4 * target),
        .qa_gate          = 3,
        .adjust_period_ps = network_rtt_ps,
        .adjust_bytes     = 8 * (int64_t)mtu_bytes,
    };
}

void nscc_init(struct nscc *f, const struct nscc_cfg *c, uint64_t base_rtt_ps, int64_t cwnd_bytes)
{
    *f = (struct nscc){ .base_rtt_ps = base_rtt_ps };
    f->maxwnd_bytes = c->max_cwnd_bytes
                          ? c->max_cwnd_bytes
                          : (int64_t)(MAXWND_BDPS * (double)bdp_bytes(base_rtt_ps, c->line_bps));
    f->cwnd_bytes = cwnd_bytes ? cwnd_bytes : f->maxwnd_bytes;
}

bool nscc_on_rtt(struct nscc *f, const struct nscc_cfg *c, uint64_t rtt_ps)
{
    if (rtt_ps >= f->base_rtt_ps)
        return true;
    f->base_rtt_ps = rtt_ps;
    int64_t bdp = (int64_t)((double)rtt_ps / 1000000.0 * (double)c->line_bps / 8000000);
    if (!c->max_cwnd_bytes)
        f->maxwnd_bytes = (int64_t)(MAXWND_BDPS * (double)bdp);
    return bdp > 0;
}

/* A high delay without a mark was not caused by the network. It counts as a quarter of a round trip. */
void nscc_add_delay(struct nscc *f, const struct nscc_cfg *c, uint64_t rtt_ps, bool is_marked)
{
    uint64_t delay_ps = rtt_ps - f->base_rtt_ps;
    double   w = c->delay_weight, rest = (1 - w) * (double)f->avg_delay_ps;

    if (!is_marked && delay_ps > c->target_delay_ps)
        f->avg_delay_ps = (uint64_t)(w * (double)f->base_rtt_ps * 0.25 + rest);
    else
        f->avg_delay_ps = (uint64_t)(w * (double)delay_ps + rest);
}

static void bound(struct nscc *f, const struct nscc_cfg *c)
{
    if (f->cwnd_bytes < c->min_cwnd_bytes)
        f->cwnd_bytes = c->min_cwnd_bytes;
    if (f->cwnd_bytes > f->maxwnd_bytes)
        f->cwnd_bytes = f->maxwnd_bytes;
}

/* Ends a round trip. Returns true if far less has arrived than the window allows, and shrinks the window. The
 * first call only starts a round trip. */
static bool has_collapsed(struct nscc *f, const struct nscc_cfg *c, uint64_t now_ps, bool is_loss,
                          uint64_t delay_ps, int64_t in_flight_bytes)
{
    bool has = f->qa_end_ps != 0 && (f->wants_qa || is_loss || (double)delay_ps > c->qa_threshold_ps)
               && f->achieved_bytes < f->maxwnd_bytes >> c->qa_gate;

    if (has) {
        f->cwnd_bytes = f->achieved_bytes > c->min_cwnd_bytes ? f->achieved_bytes : c->min_cwnd_bytes;
        f->to_ignore_bytes = (uint32_t)in_flight_bytes;
        f->ignored_bytes = 0;
        f->wants_qa = false;
    }
    f->achieved_bytes = 0;
    f->qa_end_ps = now_ps + f->base_rtt_ps + c->target_delay_ps;
    return has;
}

/* Returns true if this acknowledgement or loss must be ignored. */
static bool quick_adapt(struct nscc *f, const struct nscc_cfg *c, uint64_t now_ps, bool is_loss,
                        bool is_marked, uint64_t delay_ps, int64_t in_flight_bytes)
{
    bool is_over = false;

    if (c->disable_qa)
        return false;
    if (f->ignored_bytes < f->to_ignore_bytes && is_marked)
        is_over = true;
    else if (now_ps > f->qa_end_ps)
        is_over = has_collapsed(f, c, now_ps, is_loss, delay_ps, in_flight_bytes);
    if (is_over) {
        f->increase = 0;
        f->received_bytes = 0;
    }
    return is_over;
}

static void grow(struct nscc *f, const struct nscc_cfg *c, uint64_t delay_ps, uint32_t newly)
{
    if (delay_ps < FAST_PS) {
        f->fast_bytes += newly;
        f->is_fast |= (int64_t)f->fast_bytes > f->cwnd_bytes;
        if (f->is_fast)
            f->cwnd_bytes = (int64_t)((double)f->cwnd_bytes + newly * c->fi_scale);
    } else {
        f->fast_bytes = 0;
        f->is_fast = false;
    }
    if (!f->is_fast)
        gather(f, c, c->alpha * newly * (double)(c->target_delay_ps - delay_ps));
}

static void shrink(struct nscc *f, const struct nscc_cfg *c, uint64_t now_ps)
{
    double avg = (double)f->avg_delay_ps, over = avg - (double)c->target_delay_ps, keep;

    f->is_fast = false;
    f->fast_bytes = 0;
    if (f->avg_delay_ps <= c->target_delay_ps || now_ps - f->decreased_ps <= f->base_rtt_ps)
        return;
    keep = 1 - c->gamma * over / avg;
    f->cwnd_bytes = (int64_t)((double)f->cwnd_bytes * (keep > c->max_md_jump ? keep : c->max_md_jump));
    if (f->cwnd_bytes < c->min_cwnd_bytes)
        f->cwnd_bytes = c->min_cwnd_bytes;
    f->decreased_ps = now_ps;
}

static void apply_increase(struct nscc *f, const struct nscc_cfg *c, uint64_t now_ps)
{
    if (f->received_bytes <= c->adjust_bytes && now_ps - f->adjusted_ps <= c->adjust_period_ps)
        return;
    f->cwnd_bytes += f->increase / f->cwnd_bytes;
    if (now_ps - f->adjusted_ps >= c->adjust_period_ps) {
        f->cwnd_bytes = (int64_t)((double)f->cwnd_bytes + c->eta);
        f->adjusted_ps = now_ps;
    }
    f->increase = 0;
    f->received_bytes = 0;
}

void nscc_on_ack(struct nscc *f, const struct nscc_cfg *c, uint64_t now_ps, bool is_marked, uint64_t delay_ps,
                 int64_t newly_bytes, int64_t in_flight_bytes)
{
    uint32_t newly = (uint32_t)newly_bytes;

    if (quick_adapt(f, c, now_ps, false, is_marked, delay_ps, in_flight_bytes))
        return;
    if (!is_marked && delay_ps >= c->target_delay_ps)
        gather(f, c, c->fi * newly);
    else if (!is_marked)
        grow(f, c, delay_ps, newly);
    else if (delay_ps >= c->target_delay_ps)
        shrink(f, c, now_ps);
    bound(f, c);
    apply_increase(f, c, now_ps);
    bound(f, c);
}

void nscc_on_trim(struct nscc *f, const struct nscc_cfg *c, uint64_t now_ps, int64_t bytes, bool keeps_window,
                  int64_t in_flight_bytes)
{
    f->ignored_bytes += (uint32_t)bytes;
    nscc_add_delay(f, c, f->base_rtt_ps + c->network_rtt_ps, true);
    f->wants_qa = true;
    if (quick_adapt(f, c, now_ps, true, true, 0, in_flight_bytes) || keeps_window)
        return;
    f->cwnd_bytes -= bytes;
    bound(f, c);
}

void nscc_dctcp_on_ack(struct nscc *f, const struct nscc_cfg *c, bool is_marked, int64_t newly_bytes)
{
    if (!is_marked)
        f->cwnd_bytes += newly_bytes * c->mtu_bytes / f->cwnd_bytes;
    else
        nscc_lose(f, c, newly_bytes / 3);
}
