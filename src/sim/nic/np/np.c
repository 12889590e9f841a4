#include "sim/nic/np/np.h"

struct np_cfg np_configure(const struct knobs *k)
{
    return (struct np_cfg){
        .cc_prios = (uint32_t)k->value[KNOB_roce_cc_prio_mask],
        .cnp_prio = (uint8_t)k->value[KNOB_cnp_802p_prio],
        .probe_prio = (uint8_t)k->value[KNOB_rtt_probe_prio],
        .resp_prio = (uint8_t)k->value[KNOB_rtt_resp_prio],
        .moderation = (uint8_t)k->value[KNOB_roce_cc_cnp_moderation],
        .gap_ps = knob_whole(k->value[KNOB_min_time_between_cnps], PS_PER_US),
    };
}

/* ---- immediate CNPs, spaced by min_time_between_cnps per flow, address or port ---- */

enum { BY_FLOW, BY_ADDRESS, BY_PORT };

/* Few hosts ever need the table, so it is allocated on first use. */
static __attribute__((noinline, cold)) uint64_t *make_table(struct sim *s, struct host *h)
{
    h->cnp_by_source = arena_alloc(&s->arena, CNP_SOURCES, sizeof *h->cnp_by_source);
    return h->cnp_by_source;
}

static bool on_mark(struct sim *s, struct host *h, struct flow_rx *rx, const struct packet *k)
{
    uint64_t *next = &rx->cnp_ps;

    if (s->hosts.np_cfg.moderation == BY_ADDRESS)
        next = &(h->cnp_by_source ? h->cnp_by_source : make_table(s, h))[k->src % CNP_SOURCES];
    else if (s->hosts.np_cfg.moderation == BY_PORT)
        next = &h->cnp_ps;
    if (s->engine.now_ps < *next)
        return false;
    *next = s->engine.now_ps + s->hosts.np_cfg.gap_ps;
    return true;
}

static const char *check(const struct sim *s, const struct host *h)
{
    (void)s;
    return h->cnp_count ? "flows wait for CNP slots that are never served" : NULL;
}

const struct np_algo np_spacing = { .on_mark = on_mark, .check = check };
