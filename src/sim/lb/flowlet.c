#include "sim/lb/flowlet.h"
#include "core/units.h"

void flowlet_configure(struct flowlet_cfg *c, const struct knobs *k)
{
    uint32_t wanted = (uint32_t)k->value[KNOB_flowlet_table], entries = 1;

    while (entries < wanted)
        entries *= 2;
    if (!c->entries_max)
        c->entries_max = entries;
    c->entries = entries < c->entries_max ? entries : c->entries_max;
    c->timeout_ps = knob_whole(k->value[KNOB_flowlet_timeout], PS_PER_US);
    c->ageing_ps = knob_whole(k->value[KNOB_flowlet_ageing], PS_PER_US);
    if (c->ageing_ps < c->timeout_ps)
        c->ageing_ps = c->timeout_ps;
}
