#include "meter/monitor/monitor_sketch.h"

void monitor_sketch_init(struct monitor_sketch *m, const struct monitor_cfg *cfg)
{
    elastic_init(&m->sketch, &cfg->sketch);
    m->heavy_only = cfg->heavy_only;
}

uint64_t monitor_sketch_unseen(const struct monitor_sketch *m)
{
    return m->heavy_only ? 0 : (uint64_t)(elastic_light_flows(&m->sketch) + 0.5);
}

void monitor_sketch_on_packet(void *state, const struct flow_key *k, uint32_t bytes, uint64_t now_ps)
{
    struct monitor_sketch *m = state;

    (void)now_ps;
    elastic_insert(&m->sketch, k, bytes);
}

uint64_t monitor_sketch_hint(void *state, const struct flow_key *k)
{
    return elastic_find(&((struct monitor_sketch *)state)->sketch, k);
}

bool monitor_sketch_on_again(void *state, uint64_t hint, uint32_t bytes)
{
    return elastic_insert_at(&((struct monitor_sketch *)state)->sketch, hint, bytes);
}
