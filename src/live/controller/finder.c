/* src/live/controller/finder.c - see finder.h. Open addressing; at most half of the places are taken. */
#include "live/controller/finder.h"
#include "base/err.h"

#include <stdlib.h>

struct finder_place { uint64_t hash; uint32_t number; };         /* number: FINDER_NONE: it is free */

uint64_t finder_hash(const char *text, size_t length)
{
    uint64_t h = 0xcbf29ce484222325;

    for (size_t i = 0; i < length; i++)
        h = (h ^ (unsigned char)text[i]) * 0x100000001b3;
    return h;
}

void finder_fini(struct finder *f)
{
    free(f->place);
    *f = (struct finder){ 0 };
}

/* Spreads consecutive numbers over the table. */
static uint32_t first_place(const struct finder *f, uint64_t hash)
{
    return (uint32_t)(hash * 0x9e3779b97f4a7c15ull >> 32) & (f->places - 1);
}

static void put(struct finder *f, uint64_t hash, uint32_t number)
{
    uint32_t i = first_place(f, hash);

    while (f->place[i].number != FINDER_NONE)
        i = (i + 1) & (f->places - 1);
    f->place[i] = (struct finder_place){ hash, number };
}

static void grow(struct finder *f)
{
    struct finder_place *was = f->place;
    uint32_t             places = f->places;

    f->places = places ? 2 * places : 64;
    f->place = xmalloc(f->places * sizeof *f->place);
    for (uint32_t i = 0; i < f->places; i++)
        f->place[i].number = FINDER_NONE;
    for (uint32_t i = 0; i < places; i++)
        if (was[i].number != FINDER_NONE)
            put(f, was[i].hash, was[i].number);
    free(was);
}

void finder_add(struct finder *f, uint64_t hash, uint32_t number)
{
    if (2 * (f->count + 1) > f->places)
        grow(f);
    put(f, hash, number);
    f->count++;
}

uint32_t finder_next(const struct finder *f, uint64_t hash, uint32_t *at)
{
    for (; *at < f->places; (*at)++) {
        const struct finder_place *p = &f->place[(first_place(f, hash) + *at) & (f->places - 1)];

        if (p->number == FINDER_NONE)
            return FINDER_NONE;
        if (p->hash != hash)
            continue;
        (*at)++;
        return p->number;
    }
    return FINDER_NONE;
}
