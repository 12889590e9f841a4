#include "learn/replay_memory.h"

#include "base/err.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void replay_init(struct replay *r, uint32_t floats, uint32_t capacity)
{
    assert(floats > 0 && capacity > 0);
    *r = (struct replay){ .floats = floats, .capacity = capacity };
    r->record = xcalloc((size_t)floats * capacity, sizeof(*r->record));
}

void replay_fini(struct replay *r)
{
    free(r->record);
    *r = (struct replay){ 0 };
}

const float *replay_at(const struct replay *r, uint32_t i)
{
    assert(i < r->count);
    return r->record + (r->added - r->count + i) % r->capacity * r->floats;
}

static void put(struct replay *r, uint64_t at, const float *record)
{
    memcpy(r->record + at * r->floats, record, r->floats * sizeof(*record));
    if (r->count < r->capacity)
        r->count++;
}

void replay_add(struct replay *r, const float *record)
{
    put(r, r->added++ % r->capacity, record);
}

/* Reservoir sampling (Vitter's algorithm R). */
void replay_sample(struct replay *r, struct rng *rng, const float *record)
{
    uint64_t at = r->added < r->capacity ? r->added : rng_below(rng, r->added + 1);

    r->added++;
    if (at < r->capacity)
        put(r, at, record);
}

void replay_add_all(struct replay *r, const float *records, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++, records += r->floats)
        replay_add(r, records);
}

void replay_draw(const struct replay *r, struct rng *rng, uint32_t n, const float **record)
{
    assert(r->count > 0);
    for (uint32_t i = 0; i < n; i++)
        record[i] = replay_at(r, (uint32_t)rng_below(rng, r->count));
}
