/* src/meter/monitor/monitor_paraleon.c - PARALEON's runtime metric monitor: a sketch and ternary flow states.
 * Section III-B of "PARALEON" (see docs/monitor.md).
 *
 * The sketch counts one interval. The bytes of earlier intervals, and the number of consecutive active
 * intervals, are in meter/monitor/flowstate_table.h. Flows that only the light part saw count as mice. The
 * paper omits them ('heavy_only') and therefore overestimates elephants when there are more flows than
 * entries.
 */
#include "base/err.h"
#include "meter/monitor/flowstate_table.h"
#include "meter/monitor/monitor_sketch.h"

#include <stdlib.h>
#include <string.h>

#define PARKING_PLACES 16384

struct paraleon {
    struct monitor_sketch  m;
    struct flowstate_table states;
};

static void paraleon_read(void *state, uint64_t now_ps, struct fsd *fsd)
{
    struct paraleon *p = state;
    struct flow_tally tally = { 0 };
    uint64_t unseen = monitor_sketch_unseen(&p->m);

    (void)now_ps;
    flowstate_table_read(&p->states, &p->m.sketch, &tally);
    tally.mice += unseen;
    flow_tally_write(&p->states.cfg, &tally, fsd);
}

static void *paraleon_create(const struct monitor_cfg *cfg)
{
    struct paraleon *p = xcalloc(1, sizeof(*p));

    monitor_sketch_init(&p->m, cfg);
    flowstate_table_init(&p->states, cfg->states, p->m.sketch.buckets,
                         cfg->parking_places ? cfg->parking_places : PARKING_PLACES);
    return p;
}

static void paraleon_destroy(void *state)
{
    struct paraleon *p = state;

    elastic_fini(&p->m.sketch);
    flowstate_table_fini(&p->states);
    free(p);
}

extern const struct monitor_algo monitor_paraleon;
const struct monitor_algo monitor_paraleon = {
    MONITOR_SKETCH_HOOKS,
    .read    = paraleon_read,
    .create  = paraleon_create,
    .destroy = paraleon_destroy,
    .name    = "paraleon",
    .about   = "elastic sketch, read every interval, and ternary flow states",
};
