/* src/core/meter/monitor/monitor_table.c - open addressing, at most half full. Growing drops finished
 * flows. */
#include "core/meter/monitor/monitor_table.h"
#include "base/err.h"

#include <stdlib.h>
#include <string.h>

#define PLACES_MIN 1024u

static struct table_flow *place_of(const struct flow_table *t, const struct flow_key *k)
{
    uint32_t i = flow_key_below(flow_key_hash(k, 0x6a09e667f3bcc909ull), t->places);

    while (!flow_key_is_none(&t->flow[i].key) && !flow_key_equal(&t->flow[i].key, k))
        i = i + 1 < t->places ? i + 1 : 0;
    return &t->flow[i];
}

static uint32_t count_living(const struct flow_table *t)
{
    uint32_t living = 0;

    for (uint32_t i = 0; i < t->places; i++)
        living += !flow_key_is_none(&t->flow[i].key) && !t->flow[i].is_done;
    return living;
}

static void rebuild(struct flow_table *t)
{
    struct flow_table old = *t;

    t->used = count_living(&old);
    t->places = t->used * 4 > PLACES_MIN ? t->used * 4 : PLACES_MIN;
    t->flow = xcalloc(t->places, sizeof(*t->flow));
    for (uint32_t i = 0; i < old.places; i++)
        if (!flow_key_is_none(&old.flow[i].key) && !old.flow[i].is_done)
            *place_of(t, &old.flow[i].key) = old.flow[i];
    free(old.flow);
}

void flow_table_init(struct flow_table *t)
{
    *t = (struct flow_table){ .places = PLACES_MIN, .flow = xcalloc(PLACES_MIN, sizeof(*t->flow)) };
}

void flow_table_fini(struct flow_table *t)
{
    free(t->flow);
}

struct table_flow *flow_table_at(struct flow_table *t, const struct flow_key *k)
{
    struct table_flow *f = place_of(t, k);

    if (!flow_key_is_none(&f->key))
        return f;
    if (t->used >= t->places / 2) {
        rebuild(t);
        f = place_of(t, k);
    }
    f->key = *k;
    t->used++;
    return f;
}

void flow_table_clear(struct flow_table *t)
{
    memset(t->flow, 0, t->places * sizeof(*t->flow));
    t->used = 0;
}
