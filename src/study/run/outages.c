#include "study/run/outages.h"
#include "base/err.h"
#include "core/units.h"

#include <stdlib.h>

static uint64_t end_of(const struct sim_cfg *cfg, uint32_t change)
{
    for (uint32_t k = change + 1; k < cfg->changes; k++)
        if (cfg->change[k].link == cfg->change[change].link && cfg->change[k].is_up)
            return cfg->change[k].at_ps;
    return NEVER;
}

void outages_init(struct outages *o, const struct sim_cfg *cfg)
{
    *o = (struct outages){ .list = cfg->changes ? xcalloc(OUTAGES_MAX, sizeof(*o->list)) : NULL };
    for (uint32_t i = 0; i < cfg->changes && o->count < OUTAGES_MAX; i++)
        if (!cfg->change[i].is_up)
            o->list[o->count++] = (struct outage){ .link = cfg->change[i].link, .stop_ps = end_of(cfg, i),
                                                   .start_ps = cfg->change[i].at_ps };
}

void outages_fini(struct outages *o)
{
    free(o->list);
    *o = (struct outages){ 0 };
}

void outages_add(struct outages *o, const struct flow_result *r)
{
    for (struct outage *out = o->list; out < o->list + o->count; out++) {
        struct outage_flows *flows = r->resent_bytes ? &out->hit : &out->spared;

        if (r->start_ps > out->start_ps || r->start_ps + r->fct_ps <= out->start_ps)
            continue;
        flows->count++;
        flows->slowdowns += (double)r->fct_ps / (double)r->ideal_ps;
    }
}
