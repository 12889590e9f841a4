/* tests/chaos/chaos_world.c - see chaos_world.h. */
#include "chaos_world.h"
#include "base/heap.h"

#include "base/err.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const enum knob world_knob[WORLD_KNOBS] = { KNOB_rpg_ai_rate, KNOB_rpg_hai_rate, KNOB_kmin, KNOB_kmax };

const struct world_bound world_bound[WORLD_KNOBS] = {
    { KNOB_rpg_ai_rate, 1, 80 }, { KNOB_rpg_hai_rate, 20, 400 }, { KNOB_kmin, 50, 800 },
    { KNOB_kmax, 800, 3200 },
};

static bool is_before(const void *a_, const void *b_)
{
    const struct event *a = a_, *b = b_;

    return a->at_us != b->at_us ? a->at_us < b->at_us : a->order < b->order;
}

void *world_take(struct pool *p, size_t size)
{
    void *room = p->first ? p->first : xmalloc(size);

    if (p->first)
        memcpy(&p->first, room, sizeof p->first);
    return room;
}

void world_give(struct pool *p, void *room)
{
    if (!room)
        return;
    memcpy(room, &p->first, sizeof p->first);
    p->first = room;
}

void world_free(struct pool *p)
{
    while (p->first)
        free(world_take(p, 0));
}

void world_push(struct world *w, struct event e)
{
    assert(w->events < WORLD_EVENTS_MAX);
    e.order = w->order++;
    heap_add(w->heap, sizeof e, w->events++, &e, is_before);
}

bool world_pop(struct world *w, struct event *e)
{
    if (!w->events)
        return false;
    heap_take(w->heap, sizeof *e, w->events--, e, is_before);
    return true;
}

void world_loud(const struct world *w, const char *format, ...)
{
    va_list args;

    if (!w->is_loud)
        return;
    va_start(args, format);
    printf("# %9.6f ", (double)w->now_us / 1e6);
    vprintf(format, args);
    putchar('\n');
    va_end(args);
}

uint64_t world_draw(struct world *w, uint64_t low, uint64_t high)
{
    return low + rng_below(&w->rng, high - low + 1);
}

bool world_chance(struct world *w, double chance)
{
    return rng_real(&w->rng) < chance;
}

uint64_t world_clock(const struct proc *p, uint64_t at_us)
{
    return p->clock_us + (uint64_t)((double)at_us * p->clock_rate);
}

uint64_t world_true(const struct proc *p, uint64_t clock_us)
{
    return clock_us < p->clock_us ? 0 : (uint64_t)((double)(clock_us - p->clock_us) / p->clock_rate) + 1;
}
