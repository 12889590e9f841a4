/* src/meter/monitor/monitor_paraleon.c - PARALEON's runtime metric monitor: a sketch and ternary flow states.
 * Section III-B of "PARALEON" (see docs/monitor.md).
 *
 * The sketch counts an interval; what flows have sent before, and for how many intervals in a row, lies
 * beside its slots (meter/monitor/flowstate_slots.h). Flows that were seen by the light part alone are mice, which
 * the paper leaves out ('heavy_only'): with more flows than slots it sees too many elephants.
 */
#include "meter/monitor/monitor.h"
#include "base/err.h"
#include "meter/monitor/flowstate_slots.h"

#include <stdlib.h>
#include <string.h>

#define PARKING_PLACES 16384

struct paraleon {
    struct elastic    sketch;
    struct flow_slots slots;
    bool              heavy_only;
};

static void paraleon_on_packet(void *state, const struct flow_key *k, uint32_t bytes, uint64_t now_ps)
{
    struct paraleon *p = state;

    (void)now_ps;
    elastic_insert(&p->sketch, k, bytes);
}

static uint64_t paraleon_hint(void *state, const struct flow_key *k)
{
    return elastic_find(&((struct paraleon *)state)->sketch, k);
}

static bool paraleon_on_again(void *state, uint64_t hint, uint32_t bytes)
{
    return elastic_insert_at(&((struct paraleon *)state)->sketch, hint, bytes);
}

static void paraleon_read(void *state, uint64_t now_ps, struct fsd *fsd)
{
    struct paraleon *p = state;
    struct flow_tally tally = { 0 };
    uint64_t unseen = p->heavy_only ? 0 : (uint64_t)(elastic_light_flows(&p->sketch) + 0.5);

    (void)now_ps;
    flow_slots_read(&p->slots, &p->sketch, &tally);
    tally.mice += unseen;
    flow_tally_write(&p->slots.cfg, &tally, fsd);
}

static void *paraleon_create(const struct monitor_cfg *cfg)
{
    struct paraleon *p = xcalloc(1, sizeof(*p));

    elastic_init(&p->sketch, &cfg->sketch);
    flow_slots_init(&p->slots, cfg->states, p->sketch.buckets,
                    cfg->parking_places ? cfg->parking_places : PARKING_PLACES);
    p->heavy_only = cfg->heavy_only;
    return p;
}

static void paraleon_destroy(void *state)
{
    struct paraleon *p = state;

    elastic_fini(&p->sketch);
    flow_slots_fini(&p->slots);
    free(p);
}

extern const struct monitor_algo monitor_paraleon;
const struct monitor_algo monitor_paraleon = {
    .on_packet = paraleon_on_packet,
    .hint      = paraleon_hint,
    .on_again  = paraleon_on_again,
    .read      = paraleon_read,
    .create    = paraleon_create,
    .destroy   = paraleon_destroy,
    .name      = "paraleon",
    .about     = "elastic sketch, read every interval, and ternary flow states",
};
