/* src/meter/monitor/monitor_elastic.c - Elastic Sketch alone: a flow is what it sent in one interval.
 *
 * What PARALEON calls naive. With intervals of a millisecond an elephant is one only if it sends tau in that
 * time: 1 MB takes 80 us of a 100 Gb/s link to itself, but 1.3 ms of a sixteenth of it.
 */
#include "meter/monitor/monitor.h"
#include "base/err.h"

#include <stdlib.h>
#include <string.h>

struct naive {
    struct elastic       sketch;
    struct flowstate_cfg cfg;
    bool                 heavy_only;
    struct elastic_flow *flow;   /* room for all slots */
};

static void naive_on_packet(void *state, const struct flow_key *k, uint32_t bytes, uint64_t now_ps)
{
    struct naive *n = state;

    (void)now_ps;
    elastic_insert(&n->sketch, k, bytes);
}

static uint64_t naive_hint(void *state, const struct flow_key *k)
{
    return elastic_find(&((struct naive *)state)->sketch, k);
}

static bool naive_on_again(void *state, uint64_t hint, uint32_t bytes)
{
    return elastic_insert_at(&((struct naive *)state)->sketch, hint, bytes);
}

/* A flow's first interval, in the words of ternary states: elephant or mouse. */
static void naive_read(void *state, uint64_t now_ps, struct fsd *fsd)
{
    struct naive *n = state;
    uint32_t flows = elastic_list(&n->sketch, 1, n->flow, n->sketch.buckets * ELASTIC_SLOTS);
    struct flow_tally tally = { 0 };

    (void)now_ps;
    for (uint32_t i = 0; i < flows; i++) {
        struct flowstate s = { 0, 0 };
        enum flow_class class = flowstate_step(&n->cfg, &s, n->flow[i].bytes);

        flow_tally_add(&n->cfg, &tally, class, s);
    }
    tally.mice += n->heavy_only ? 0 : (uint64_t)(elastic_light_flows(&n->sketch) + 0.5);
    flow_tally_write(&n->cfg, &tally, fsd);
    elastic_next_interval(&n->sketch);
}

static void *naive_create(const struct monitor_cfg *cfg)
{
    struct naive *n = xcalloc(1, sizeof(*n));

    elastic_init(&n->sketch, &cfg->sketch);
    n->cfg = flowstate_configure(cfg->states);
    n->cfg.delta = FLOWSTATE_RUN_MAX;        /* one interval knows no potential elephants */
    n->heavy_only = cfg->heavy_only;
    n->flow = xmalloc((uint64_t)n->sketch.buckets * ELASTIC_SLOTS * sizeof(*n->flow));
    return n;
}

static void naive_destroy(void *state)
{
    struct naive *n = state;

    elastic_fini(&n->sketch);
    free(n->flow);
    free(n);
}

extern const struct monitor_algo monitor_elastic;
const struct monitor_algo monitor_elastic = {
    .on_packet = naive_on_packet,
    .hint      = naive_hint,
    .on_again  = naive_on_again,
    .read      = naive_read,
    .create    = naive_create,
    .destroy   = naive_destroy,
    .name      = "elastic",
    .about     = "elastic sketch alone: a flow is what it sent in the interval",
};
