/* src/sim/lb/letflow.c - LetFlow (NSDI'17): every flowlet takes a random path. This balances load because
 * flowlets are shorter on congested paths, so flows leave them sooner.
 *
 * The first switch chooses the whole path, as in the ConWeave ns-3 fork. With the knob flowlet_per_hop every
 * switch chooses its next hop, as in the paper for more than two tiers.
 */
#include "sim/lb/flowlet.h"
#include "sim/lb/lb.h"

struct letflow_cfg {
    struct flowlet_cfg flowlet;
    bool               is_per_hop;
};

static void letflow_configure(void *cfg, const struct knobs *k)
{
    struct letflow_cfg *c = cfg;

    flowlet_configure(&c->flowlet, k);
    c->is_per_hop = k->value[KNOB_flowlet_per_hop] != 0;
}

static enum lb_scope letflow_scope(const void *cfg)
{
    const struct letflow_cfg *c = cfg;

    return c->is_per_hop ? LB_HOP : LB_PATH;
}

/* Every switch gets a table, so that flowlet_per_hop can be turned on later. Unused tables take no memory. */
static size_t letflow_state_bytes(const void *cfg, const struct lb_switch *sw)
{
    const struct letflow_cfg *c = cfg;

    (void)sw;
    return c->flowlet.entries_max * sizeof(struct flowlet);
}

static uint32_t letflow_pick(const void *cfg, void *state, uint64_t now_ps, const struct lb_switch *sw,
                             struct lb_packet *p)
{
    const struct letflow_cfg *c = cfg;
    uint32_t                  choices = p->choices;
    struct flowlet           *f = flowlet_find(&c->flowlet, state, sw->salt, p);
    enum flowlet_state        is = flowlet_touch(&c->flowlet, f, now_ps);

    if (is == FLOWLET_CONTINUES)
        return f->choice < choices ? f->choice : f->choice % choices;    /* links may have failed */
    uint32_t last = f->choice;
    f->choice = lb_below(sw, choices);
    p->is_flowlet = is == FLOWLET_NEW;
    p->is_reroute = is == FLOWLET_NEW && f->choice != last;
    return f->choice;
}

extern const struct lb_algo lb_letflow;
const struct lb_algo lb_letflow = {
    .name = "letflow",
    .about = "each flowlet takes a random path: knobs flowlet_timeout, flowlet_table, flowlet_ageing, "
             "flowlet_per_hop",
    .cfg_size = sizeof(struct letflow_cfg),
    .configure = letflow_configure,
    .scope = letflow_scope,
    .state_bytes = letflow_state_bytes,
    .pick = letflow_pick,
};
