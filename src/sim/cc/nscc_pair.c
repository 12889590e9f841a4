/* src/sim/cc/nscc_pair.c - NSCC as the congestion control of a RoCE queue pair.
 *
 * The arithmetic is that of nscc.h. A queue pair supplies the signals: round trips and marks come with ACKs,
 * a NACK of a lossy network counts as a trimmed packet, and a timeout costs a packet.
 *
 * Our additions:
 *   - A flow starts with one BDP.
 *   - The rate is the line rate, because NSCC only has a window.
 *   - Round trips exclude the time inside the receiver.
 *   - A NACK does not lower the base RTT.
 *   - The window is at least one packet, so that no flow gets stuck.
 *
 * Connections of model uet start with the largest window, 1.5 BDP. With receiver credit (nscc_rccc), a packet
 * that was trimmed at the last hop does not reduce the window: credit already limits the load of the
 * receiver's link.
 */
#include "sim/cc/nscc.h"

#include "sim/cc/cc.h"
#include "core/units.h"

struct nscc_pair_cfg {
    struct nscc_cfg nscc;
    uint64_t        base_rtt_ps, start_bytes;
    bool            has_credit;
};

static void decide(const struct nscc_pair_cfg *cfg, struct nscc *f, struct cc_out *out)
{
    if (f->maxwnd_bytes < cfg->nscc.min_cwnd_bytes)
        f->maxwnd_bytes = cfg->nscc.min_cwnd_bytes;
    if (f->cwnd_bytes < cfg->nscc.min_cwnd_bytes)
        f->cwnd_bytes = cfg->nscc.min_cwnd_bytes;
    out->window_bytes = (uint64_t)f->cwnd_bytes;
}

static void nscc_pair_on_ack(const void *cfg_, void *state, struct cc_now now, const struct cc_ack *a,
                             struct cc_out *out)
{
    const struct nscc_pair_cfg *cfg = cfg_;
    struct nscc                *f = state;
    uint64_t                    delay_ps = f->avg_delay_ps, rtt_ps = a->rtt_ps - a->endpoint_ps;

    nscc_count(f, (int64_t)a->acked_bytes);
    if (a->rtt_ps) {
        nscc_on_rtt(f, &cfg->nscc, rtt_ps);
        nscc_add_delay(f, &cfg->nscc, rtt_ps, a->is_marked);
        delay_ps = rtt_ps - f->base_rtt_ps;
    }
    nscc_on_ack(f, &cfg->nscc, now.ps, a->is_marked, delay_ps, (int64_t)a->acked_bytes,
                (int64_t)a->inflight_bytes);
    decide(cfg, f, out);
}

static void nscc_pair_on_loss(const void *cfg_, void *state, struct cc_now now, enum cc_loss loss,
                              struct cc_out *out)
{
    const struct nscc_pair_cfg *cfg = cfg_;
    struct nscc                *f = state;

    if (loss == CC_TIMEOUT)
        nscc_lose(f, &cfg->nscc, cfg->nscc.mtu_bytes);
    else
        nscc_on_trim(f, &cfg->nscc, now.ps, cfg->nscc.mtu_bytes,
                     cfg->has_credit && loss == CC_NACK_AT_LAST_HOP, f->cwnd_bytes);
    decide(cfg, f, out);
}

static void nscc_pair_start(const void *cfg_, void *state, struct cc_now now, struct cc_out *out)
{
    const struct nscc_pair_cfg *cfg = cfg_;
    struct nscc                *f = state;

    nscc_init(f, &cfg->nscc, cfg->base_rtt_ps, (int64_t)cfg->start_bytes);
    f->adjusted_ps = f->decreased_ps = now.ps;
    cc_set_rate(out, cfg->nscc.line_bps);
    out->due_ps = out->probe_ps = NEVER;
    out->window_bytes = cfg->start_bytes;
}

static uint64_t time_ps(const struct knobs *k, enum knob knob, uint64_t else_ps)
{
    return k->value[knob] > 0 ? knob_whole(k->value[knob], PS_PER_US) : else_ps;
}

static void nscc_pair_configure(void *cfg_, const struct knobs *k, const struct cc_link *link)
{
    struct nscc_pair_cfg *cfg = cfg_;
    struct nscc_cfg      *c = &cfg->nscc;
    uint64_t rtt_ps = time_ps(k, KNOB_nscc_base_rtt, link->base_rtt_ps ? link->base_rtt_ps : PS_PER_US);

    nscc_configure(c, link->line_bps, link->mtu_bytes, 0, rtt_ps, time_ps(k, KNOB_nscc_target_delay, 0));
    cfg->base_rtt_ps = rtt_ps;
    cfg->has_credit = false;
    cfg->start_bytes = link->is_uet ? cc_link_bdp_bytes(link) * 3 / 2 : cc_link_bdp_bytes(link);
    if (cfg->start_bytes < link->mtu_bytes)
        cfg->start_bytes = link->mtu_bytes;
    /* The knobs scale the constants that nscc_configure() computes for these defaults. */
    c->fi *= k->value[KNOB_nscc_fi] / 5;
    c->fi_scale *= k->value[KNOB_nscc_fi_scale] / 0.25;
    c->eta *= k->value[KNOB_nscc_eta] / 0.15;
    c->gamma = k->value[KNOB_nscc_gamma];
    c->max_md_jump = k->value[KNOB_nscc_max_md_jump];
    c->max_cwnd_bytes = (int64_t)knob_whole(k->value[KNOB_nscc_max_cwnd], 1000);
    c->qa_gate = (uint32_t)k->value[KNOB_nscc_qa_gate];
    c->disable_qa = k->value[KNOB_nscc_disable_qa] > 0;
    c->qa_threshold_ps = (double)time_ps(k, KNOB_nscc_qa_threshold, (uint64_t)c->qa_threshold_ps);
    c->adjust_period_ps = time_ps(k, KNOB_nscc_adjust_period, c->adjust_period_ps);
    if (k->value[KNOB_nscc_adjust_bytes] > 0)
        c->adjust_bytes = (int64_t)knob_whole(k->value[KNOB_nscc_adjust_bytes], 1000);
}

static void nscc_rccc_configure(void *cfg_, const struct knobs *k, const struct cc_link *link)
{
    struct nscc_pair_cfg *cfg = cfg_;

    nscc_pair_configure(cfg, k, link);
    cfg->has_credit = true;
}

const struct cc_algo cc_nscc = {
    .on_ack = nscc_pair_on_ack, .on_loss = nscc_pair_on_loss, .start = nscc_pair_start,
    .configure = nscc_pair_configure,
    .name = "nscc", .about = "NSCC of Ultra Ethernet: a window by delay and marks",
    .cfg_size = sizeof(struct nscc_pair_cfg), .state_size = sizeof(struct nscc),
    .telemetry = CC_PATH, .reads_marks = true, .has_window = true,
};

const struct cc_algo cc_nscc_rccc = {
    .on_ack = nscc_pair_on_ack, .on_loss = nscc_pair_on_loss, .start = nscc_pair_start,
    .configure = nscc_rccc_configure,
    .name = "nscc_rccc", .about = "model uet: NSCC, and credit of the receiver",
    .cfg_size = sizeof(struct nscc_pair_cfg), .state_size = sizeof(struct nscc),
    .telemetry = CC_PATH, .reads_marks = true, .has_window = true, .needs_uet = true,
    .has_credit = true,
};

/* ---- the DCTCP variant of uet-htsim ---- */

/* Grows by a packet per round trip, and shrinks by a third of the marked bytes. A loss or a trimmed packet
 * costs a packet. */
static void dctcp_on_ack(const void *cfg, void *state, struct cc_now now, const struct cc_ack *a,
                         struct cc_out *out)
{
    struct nscc *f = state;

    (void)now;
    nscc_dctcp_on_ack(f, cfg, a->is_marked, (int64_t)a->acked_bytes);
    out->window_bytes = (uint64_t)f->cwnd_bytes;
}

static void dctcp_on_loss(const void *cfg_, void *state, struct cc_now now, enum cc_loss loss,
                          struct cc_out *out)
{
    const struct nscc_cfg *cfg = cfg_;
    struct nscc           *f = state;

    (void)now, (void)loss;
    nscc_lose(f, cfg, cfg->mtu_bytes);
    out->window_bytes = (uint64_t)f->cwnd_bytes;
}

static void dctcp_start(const void *cfg_, void *state, struct cc_now now, struct cc_out *out)
{
    const struct nscc_cfg *cfg = cfg_;

    (void)now;
    nscc_init(state, cfg, cfg->network_rtt_ps, cfg->max_cwnd_bytes);
    *out = (struct cc_out){ .rate_bps = cfg->line_bps, .window_bytes = (uint64_t)cfg->max_cwnd_bytes,
                            .due_ps = NEVER, .probe_ps = NEVER };
}

static void dctcp_configure(void *cfg_, const struct knobs *k, const struct cc_link *link)
{
    struct nscc_cfg *cfg = cfg_;
    uint64_t         bdp = cc_link_bdp_bytes(link), start = link->is_uet ? bdp * 3 / 2 : bdp;

    (void)k;
    nscc_configure(cfg, link->line_bps, link->mtu_bytes, 0, link->base_rtt_ps ? link->base_rtt_ps : PS_PER_US,
                   0);
    /* initial window */
    cfg->max_cwnd_bytes = (int64_t)(start > link->mtu_bytes ? start : link->mtu_bytes);
}

const struct cc_algo cc_nscc_dctcp = {
    .on_ack = dctcp_on_ack, .on_loss = dctcp_on_loss, .start = dctcp_start, .configure = dctcp_configure,
    .name = "nscc_dctcp", .about = "model uet: the DCTCP variant of uet-htsim, a window by marks alone",
    .cfg_size = sizeof(struct nscc_cfg), .state_size = sizeof(struct nscc),
    .reads_marks = true, .has_window = true, .needs_uet = true,
};
