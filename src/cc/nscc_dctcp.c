/* src/cc/nscc_dctcp.c - the DCTCP variant of uet-htsim: a window that grows by a packet per round trip, and
 * shrinks by a third of the marked bytes. A loss or a trimmed packet costs a packet.
 */
#include "cc/cc.h"
#include "cc/nscc.h"
#include "core/units.h"

_Static_assert(sizeof(struct nscc_cfg) <= CC_CFG_MAX && sizeof(struct nscc) <= CC_STATE_MAX, "they fit");

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

static const enum knob knobs[] = { KNOB_kmin, KNOB_kmax, KNOB_pmax, KNOB_COUNT };

extern const struct cc_algo cc_nscc_dctcp;
const struct cc_algo cc_nscc_dctcp = {
    .on_ack      = dctcp_on_ack,
    .on_loss     = dctcp_on_loss,
    .start       = dctcp_start,
    .configure   = dctcp_configure,
    .name        = "nscc_dctcp",
    .about       = "model uet: the DCTCP variant of uet-htsim, a window by marks alone",
    .cfg_size    = sizeof(struct nscc_cfg),
    .state_size  = sizeof(struct nscc),
    .knobs       = knobs,
    .reads_marks = true,
    .has_window  = true,
    .needs_uet   = true,
};
