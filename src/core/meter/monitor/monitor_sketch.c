/* src/core/meter/monitor/monitor_sketch.c - the monitors that count packets in an Elastic Sketch.
 *
 * paraleon: PARALEON's runtime metric monitor, a sketch and ternary flow states; section III-B of "PARALEON"
 * (see docs/monitor.md). The sketch counts one interval. The bytes of earlier intervals, and the number of
 * consecutive active intervals, are in a struct flowstate_table. Flows that only the light part saw count as
 * mice. The paper omits them ('heavy_only') and therefore overestimates elephants when there are more flows
 * than entries.
 *
 * elastic: the sketch alone, a flow is what it sent in one interval. PARALEON calls this monitor naive. With
 * intervals of 1 ms a flow counts as an elephant only if it sends tau in that time: 1 MB takes 80 us on an
 * idle 100 Gb/s link, but 1.3 ms with a sixteenth of it.
 */
#include "base/err.h"
#include "core/meter/monitor/flowstate.h"
#include "core/meter/monitor/monitor.h"

#include <stdlib.h>

#define PARKING_PLACES 16384

struct sketch {                  /* first in the state of both monitors */
    struct elastic elastic;
    bool           heavy_only;
};

static void sketch_init(struct sketch *m, const struct monitor_cfg *cfg)
{
    elastic_init(&m->elastic, &cfg->sketch);
    m->heavy_only = cfg->heavy_only;
}

/* Flows that only the light part saw; 0 with heavy_only. */
static uint64_t count_unseen(const struct sketch *m)
{
    return m->heavy_only ? 0 : (uint64_t)(elastic_light_flows(&m->elastic) + 0.5);
}

static void sketch_on_packet(void *state, const struct flow_key *k, uint32_t bytes, uint64_t now_ps)
{
    (void)now_ps;
    elastic_insert(&((struct sketch *)state)->elastic, k, bytes);
}

/* ---- paraleon ---- */

struct paraleon {
    struct sketch          m;
    struct flowstate_table states;
};

static void paraleon_read(void *state, uint64_t now_ps, struct fsd *fsd)
{
    struct paraleon *p = state;
    struct flow_tally tally = { 0 };
    uint64_t unseen = count_unseen(&p->m);

    (void)now_ps;
    flowstate_table_read(&p->states, &p->m.elastic, &tally);
    tally.mice += unseen;
    flow_tally_write(&p->states.cfg, &tally, fsd);
}

static void *paraleon_create(const struct monitor_cfg *cfg)
{
    struct paraleon *p = xcalloc(1, sizeof(*p));

    sketch_init(&p->m, cfg);
    flowstate_table_init(&p->states, cfg->states, p->m.elastic.buckets,
                         cfg->parking_places ? cfg->parking_places : PARKING_PLACES);
    return p;
}

static void paraleon_destroy(void *state)
{
    struct paraleon *p = state;

    elastic_fini(&p->m.elastic);
    flowstate_table_fini(&p->states);
    free(p);
}

extern const struct monitor_algo monitor_paraleon;
const struct monitor_algo monitor_paraleon = {
    .on_packet = sketch_on_packet,
    .read    = paraleon_read,
    .create  = paraleon_create,
    .destroy = paraleon_destroy,
    .name    = "paraleon",
    .about   = "elastic sketch, read every interval, and ternary flow states",
};

/* ---- elastic ---- */

struct naive {
    struct sketch        m;
    struct flowstate_cfg  cfg;
    struct elastic_flow  *flow;  /* scratch space for all entries */
};

/* Classifies each flow as if this were its first interval: elephant or mouse. */
static void naive_read(void *state, uint64_t now_ps, struct fsd *fsd)
{
    struct naive *n = state;
    uint32_t flows = elastic_list(&n->m.elastic, 1, n->flow, n->m.elastic.buckets * ELASTIC_ENTRIES);
    struct flow_tally tally = { 0 };

    (void)now_ps;
    for (uint32_t i = 0; i < flows; i++) {
        struct flowstate s = { 0, 0 };
        enum flow_class class = flowstate_step(&n->cfg, &s, n->flow[i].bytes);

        flow_tally_add(&n->cfg, &tally, class, s);
    }
    tally.mice += count_unseen(&n->m);
    flow_tally_write(&n->cfg, &tally, fsd);
    elastic_next_interval(&n->m.elastic);
}

static void *naive_create(const struct monitor_cfg *cfg)
{
    struct naive *n = xcalloc(1, sizeof(*n));

    sketch_init(&n->m, cfg);
    n->cfg = flowstate_configure(cfg->states);
    n->cfg.delta = FLOWSTATE_RUN_MAX;        /* no potential elephants */
    n->flow = xmalloc((uint64_t)n->m.elastic.buckets * ELASTIC_ENTRIES * sizeof(*n->flow));
    return n;
}

static void naive_destroy(void *state)
{
    struct naive *n = state;

    elastic_fini(&n->m.elastic);
    free(n->flow);
    free(n);
}

extern const struct monitor_algo monitor_elastic;
const struct monitor_algo monitor_elastic = {
    .on_packet = sketch_on_packet,
    .read    = naive_read,
    .create  = naive_create,
    .destroy = naive_destroy,
    .name    = "elastic",
    .about   = "elastic sketch alone: a flow is what it sent in the interval",
};
