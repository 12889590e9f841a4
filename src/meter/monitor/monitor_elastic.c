/* src/meter/monitor/monitor_elastic.c - Elastic Sketch alone: a flow is what it sent in one interval.
 *
 * PARALEON calls this monitor naive. With intervals of 1 ms a flow counts as an elephant only if it sends tau
 * in that time: 1 MB takes 80 us on an idle 100 Gb/s link, but 1.3 ms with a sixteenth of it.
 */
#include "base/err.h"
#include "meter/monitor/monitor_sketch.h"

#include <stdlib.h>
#include <string.h>

struct naive {
    struct monitor_sketch m;
    struct flowstate_cfg  cfg;
    struct elastic_flow  *flow;  /* scratch space for all entries */
};

/* Classifies each flow as if this were its first interval: elephant or mouse. */
static void naive_read(void *state, uint64_t now_ps, struct fsd *fsd)
{
    struct naive *n = state;
    uint32_t flows = elastic_list(&n->m.sketch, 1, n->flow, n->m.sketch.buckets * ELASTIC_ENTRIES);
    struct flow_tally tally = { 0 };

    (void)now_ps;
    for (uint32_t i = 0; i < flows; i++) {
        struct flowstate s = { 0, 0 };
        enum flow_class class = flowstate_step(&n->cfg, &s, n->flow[i].bytes);

        flow_tally_add(&n->cfg, &tally, class, s);
    }
    tally.mice += monitor_sketch_unseen(&n->m);
    flow_tally_write(&n->cfg, &tally, fsd);
    elastic_next_interval(&n->m.sketch);
}

static void *naive_create(const struct monitor_cfg *cfg)
{
    struct naive *n = xcalloc(1, sizeof(*n));

    monitor_sketch_init(&n->m, cfg);
    n->cfg = flowstate_configure(cfg->states);
    n->cfg.delta = FLOWSTATE_RUN_MAX;        /* no potential elephants */
    n->flow = xmalloc((uint64_t)n->m.sketch.buckets * ELASTIC_ENTRIES * sizeof(*n->flow));
    return n;
}

static void naive_destroy(void *state)
{
    struct naive *n = state;

    elastic_fini(&n->m.sketch);
    free(n->flow);
    free(n);
}

extern const struct monitor_algo monitor_elastic;
const struct monitor_algo monitor_elastic = {
    MONITOR_SKETCH_HOOKS,
    .read    = naive_read,
    .create  = naive_create,
    .destroy = naive_destroy,
    .name    = "elastic",
    .about   = "elastic sketch alone: a flow is what it sent in the interval",
};
