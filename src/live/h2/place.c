#include "live/h2/place.h"
#include "base/err.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define PLACE_OF(number) ((number) & ((1u << PLACE_BITS) - 1))

void places_fini(struct places *p)
{
    free(p->thing);
    free(p->uses);
    *p = (struct places){ 0 };
}

static void widen(struct places *p)
{
    uint32_t before = p->count;

    assert(before < 1u << PLACE_BITS);
    p->count = 2 * before + 16;
    p->thing = xrealloc(p->thing, p->count * sizeof *p->thing);
    p->uses = xrealloc(p->uses, p->count * sizeof *p->uses);
    memset(p->thing + before, 0, (p->count - before) * sizeof *p->thing);
    memset(p->uses + before, 0, (p->count - before) * sizeof *p->uses);
    p->next = before;
}

/* Places are taken in turn, so that one that was just given back is not used again at once. */
static uint32_t free_place(struct places *p)
{
    for (uint32_t i = 0; i < p->count; i++) {
        uint32_t place = (p->next + i) % p->count;

        if (!p->thing[place]) {
            p->next = place + 1;
            return place;
        }
    }
    widen(p);
    return p->next++;
}

uint32_t place_take(struct places *p, void *thing)
{
    uint32_t place = free_place(p);

    p->thing[place] = thing;
    return (p->uses[place]++ << PLACE_BITS | place) & INT32_MAX;
}

void *place_find(const struct places *p, uint32_t number)
{
    uint32_t place = PLACE_OF(number);

    return place < p->count && p->thing[place] &&
           (((p->uses[place] - 1) << PLACE_BITS | place) & INT32_MAX) == number ? p->thing[place] : NULL;
}

void place_leave(struct places *p, uint32_t number)
{
    assert(place_find(p, number));
    p->thing[PLACE_OF(number)] = NULL;
}
