/* bench/lab/evq_heap.h - the plain variant of src/sim/event/evq.h: only a 4-ary heap.
 *
 * The baseline of evq, and the reference for its results. Keys are in the heap itself and events do not know
 * their position, so events cannot be cancelled. This makes it cheaper than a heap that could replace evq,
 * and a fair baseline.
 */
#ifndef BENCH_LAB_EVQ_HEAP_H
#define BENCH_LAB_EVQ_HEAP_H

#include <stdbool.h>
#include <stdint.h>

struct evq_heap_entry { uint64_t at_ps, order; uint32_t event; };

struct evq_heap {
    struct evq_heap_entry *entry;    /* provided by the caller, large enough */
    uint32_t               count;
};

static inline bool evq_heap_is_before(const struct evq_heap_entry *a, const struct evq_heap_entry *b)
{
    return a->at_ps < b->at_ps || (a->at_ps == b->at_ps && a->order < b->order);
}

static inline void evq_heap_add(struct evq_heap *h, uint32_t event, uint64_t at_ps, uint64_t order)
{
    struct evq_heap_entry e = { at_ps, order, event };
    uint32_t i = h->count++;

    while (i && evq_heap_is_before(&e, &h->entry[(i - 1) / 4])) {
        h->entry[i] = h->entry[(i - 1) / 4];
        i = (i - 1) / 4;
    }
    h->entry[i] = e;
}

static inline uint32_t evq_heap_first_child(const struct evq_heap *h, uint32_t i)
{
    uint32_t best = 4 * i + 1, end = 4 * i + 5 < h->count ? 4 * i + 5 : h->count;

    for (uint32_t c = best + 1; c < end; c++)
        if (evq_heap_is_before(&h->entry[c], &h->entry[best]))
            best = c;
    return best;
}

/* Removes the earliest event. The heap is not empty. */
static inline struct evq_heap_entry evq_heap_pop(struct evq_heap *h)
{
    struct evq_heap_entry first = h->entry[0], e = h->entry[--h->count];
    uint32_t i = 0;

    while (4 * i + 1 < h->count) {
        uint32_t c = evq_heap_first_child(h, i);

        if (!evq_heap_is_before(&h->entry[c], &e))
            break;
        h->entry[i] = h->entry[c];
        i = c;
    }
    h->entry[i] = e;
    return first;
}

#endif
