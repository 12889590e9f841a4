/* src/sim/cc/none.c - controls whose rate and window never change.
 *
 * none: a sender keeps line rate and relies on PFC. rccc: the receiver credit of Ultra Ethernet, alone. Its
 * senders send as much as the receiver has granted. Receivers grant credit at the rate of their link, round
 * robin over all flows that request it: see sim/transport/uet/uet.h.
 */
#include "sim/cc/cc.h"
#include "core/units.h"

struct none_cfg { uint64_t line_bps; };

static void none_start(const void *cfg_, void *state, struct cc_now now, struct cc_out *out)
{
    const struct none_cfg *cfg = cfg_;

    (void)state, (void)now;
    *out = (struct cc_out){ .rate_bps = cfg->line_bps, .window_bytes = UINT64_MAX, .due_ps = NEVER,
                            .probe_ps = NEVER };
}

static void none_configure(void *cfg, const struct knobs *k, const struct cc_link *link)
{
    (void)k;
    *(struct none_cfg *)cfg = (struct none_cfg){ .line_bps = link->line_bps };
}

const struct cc_algo cc_none = {
    .start = none_start, .configure = none_configure,
    .name = "none", .about = "always line rate; only PFC holds a sender back",
    .cfg_size = sizeof(struct none_cfg), .state_size = 0,
};

const struct cc_algo cc_rccc = {
    .start = none_start, .configure = none_configure,
    .name = "rccc", .about = "model uet: credit of the receiver alone",
    .cfg_size = sizeof(struct none_cfg),
    .needs_uet = true, .has_credit = true,
};
