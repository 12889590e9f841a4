/* src/cc/rccc.c - RCCC, the receiver credit of Ultra Ethernet, alone.
 *
 * The sender has no window: it sends as much as the receiver has granted. Receivers grant credit at the rate
 * of their link, round robin over all flows that request it: see sim/host/uet/uet.h. This file only
 * declares the control.
 */
#include "cc/cc.h"
#include "core/units.h"

struct rccc_cfg { uint64_t line_bps; };

static void rccc_start(const void *cfg_, void *state, struct cc_now now, struct cc_out *out)
{
    const struct rccc_cfg *cfg = cfg_;

    (void)state, (void)now;
    *out = (struct cc_out){ .rate_bps = cfg->line_bps, .window_bytes = UINT64_MAX, .due_ps = NEVER,
                            .probe_ps = NEVER };
}

static void rccc_configure(void *cfg, const struct knobs *k, const struct cc_link *link)
{
    (void)k;
    *(struct rccc_cfg *)cfg = (struct rccc_cfg){ .line_bps = link->line_bps };
}

static const enum knob knobs[] = { KNOB_kmin, KNOB_kmax, KNOB_pmax, KNOB_COUNT };

extern const struct cc_algo cc_rccc;
const struct cc_algo cc_rccc = {
    .start      = rccc_start,
    .configure  = rccc_configure,
    .name       = "rccc",
    .about      = "model uet: credit of the receiver alone",
    .cfg_size   = sizeof(struct rccc_cfg),
    .knobs      = knobs,
    .needs_uet  = true,
    .has_credit = true,
};
