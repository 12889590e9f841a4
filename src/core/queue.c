#include "core/queue.h"

struct ecn ecn_of_knobs(const struct knobs *k)
{
    return (struct ecn){ (uint32_t)knob_whole(k->value[KNOB_kmin], 1000),
                         (uint32_t)knob_whole(k->value[KNOB_kmax], 1000), k->value[KNOB_pmax] };
}

bool ecn_equal(const struct ecn *a, const struct ecn *b)
{
    return a->kmin_bytes == b->kmin_bytes && a->kmax_bytes == b->kmax_bytes && a->pmax == b->pmax;
}

void ecn_put(const struct knob_set *s, struct ecn *e)
{
    struct ecn named = ecn_of_knobs(&s->knobs);

    if (s->is_named[KNOB_kmin])
        e->kmin_bytes = named.kmin_bytes;
    if (s->is_named[KNOB_kmax])
        e->kmax_bytes = named.kmax_bytes;
    if (s->is_named[KNOB_pmax])
        e->pmax = named.pmax;
    if (e->kmin_bytes <= e->kmax_bytes)
        return;
    if (s->is_named[KNOB_kmin])
        e->kmax_bytes = e->kmin_bytes;
    else
        e->kmin_bytes = e->kmax_bytes;
}
