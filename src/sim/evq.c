#include "sim/evq.h"
#include "base/arena.h"

#include <assert.h>

#define BUCKETS_MAX 32768u
#define BUCKETS_MIN 4096u

static inline bool before(const struct evq_slot *a, const struct evq_slot *b)
{
    return a->at_ps < b->at_ps || (a->at_ps == b->at_ps && a->order < b->order);
}

void evq_init(struct evq *q, struct arena *arena, uint32_t slots, uint32_t shift, uint64_t span_ps)
{
    uint32_t buckets = BUCKETS_MIN;

    while (buckets < BUCKETS_MAX && ((uint64_t)buckets << shift) < span_ps)
        buckets *= 2;
    while (((uint64_t)buckets << shift) < span_ps)
        shift++;
    *q = (struct evq){ .mask = buckets - 1, .shift = shift, .words = buckets / 64, .slots = slots };
    q->tops = (q->words + 63) / 64;
    q->slot = arena_alloc(arena, slots, sizeof *q->slot);
    q->bucket = arena_alloc(arena, buckets, sizeof *q->bucket);
    q->bits = arena_alloc(arena, q->words, sizeof *q->bits);
    q->top = arena_alloc(arena, q->tops, sizeof *q->top);
    q->heap = arena_alloc(arena, slots, sizeof *q->heap);
    for (uint32_t i = 0; i < buckets; i++)
        q->bucket[i] = EVQ_NONE;
}

/* ---- the heap of far events ---- */

static void heap_put(struct evq *q, uint32_t pos, uint32_t slot)
{
    q->heap[pos] = slot;
    q->slot[slot].next = pos;
}

static void heap_up(struct evq *q, uint32_t pos, uint32_t slot)
{
    while (pos > 0) {
        uint32_t parent = (pos - 1) / 4;

        if (!before(&q->slot[slot], &q->slot[q->heap[parent]]))
            break;
        heap_put(q, pos, q->heap[parent]);
        pos = parent;
    }
    heap_put(q, pos, slot);
}

static void heap_down(struct evq *q, uint32_t pos, uint32_t slot)
{
    for (;;) {
        uint32_t first = 4 * pos + 1, last = first + 4, best;

        if (first >= q->heap_count)
            break;
        if (last > q->heap_count)
            last = q->heap_count;
        best = first;
        for (uint32_t i = first + 1; i < last; i++)
            if (before(&q->slot[q->heap[i]], &q->slot[q->heap[best]]))
                best = i;
        if (!before(&q->slot[q->heap[best]], &q->slot[slot]))
            break;
        heap_put(q, pos, q->heap[best]);
        pos = best;
    }
    heap_put(q, pos, slot);
}

static void heap_remove(struct evq *q, uint32_t pos)
{
    uint32_t last = q->heap[--q->heap_count];

    if (pos == q->heap_count)
        return;
    if (pos > 0 && before(&q->slot[last], &q->slot[q->heap[(pos - 1) / 4]]))
        heap_up(q, pos, last);
    else
        heap_down(q, pos, last);
}

/* ---- the ring ---- */

static inline void ring_clear_bit(struct evq *q, uint32_t b)
{
    uint64_t word = q->bits[b / 64] &= ~(1ull << (b % 64));

    if (word == 0)
        q->top[b / 4096] &= ~(1ull << (b / 64 % 64));
}

void evq_add(struct evq *q, uint32_t id, uint64_t at_ps, uint64_t order)
{
    struct evq_slot *s = &q->slot[id];
    uint64_t         number = at_ps >> q->shift;
    uint32_t         b, *link;

    assert(s->where == EVQ_IDLE && number >= q->now);
    s->at_ps = at_ps;
    s->order = order;
    q->pending++;
    if (number - q->now > q->mask) {
        s->where = EVQ_HEAP;
        heap_up(q, q->heap_count++, id);
        return;
    }
    s->where = EVQ_RING;
    b = (uint32_t)number & q->mask;
    link = &q->bucket[b];
    if (*link == EVQ_NONE) {
        q->bits[b / 64] |= 1ull << (b % 64);
        q->top[b / 4096] |= 1ull << (b / 64 % 64);
    } else {
        while (*link != EVQ_NONE && before(&q->slot[*link], s))
            link = &q->slot[*link].next;
    }
    s->next = *link;
    *link = id;
}

void evq_cancel(struct evq *q, uint32_t id)
{
    struct evq_slot *s = &q->slot[id];

    assert(s->where != EVQ_IDLE);
    if (s->where == EVQ_HEAP) {
        heap_remove(q, s->next);
    } else {
        uint32_t  b = (uint32_t)(s->at_ps >> q->shift) & q->mask;
        uint32_t *link = &q->bucket[b];

        while (*link != id)
            link = &q->slot[*link].next;
        *link = s->next;
        if (q->bucket[b] == EVQ_NONE)
            ring_clear_bit(q, b);
    }
    s->where = EVQ_IDLE;
    q->pending--;
}

/* The first bucket at or after time's own that is not empty, going round. */
static uint32_t ring_first_far(const struct evq *q, uint32_t from)
{
    uint32_t w = from / 64, t = (w + 1) / 64;
    uint64_t word;

    /* The rest of the summary word, the words after it, then round to the start; the last look covers the part of
     * the first word that lies before 'from'. */
    word = (w + 1) % 64 ? q->top[w / 64] & ~0ull << ((w + 1) % 64) : 0;
    if (t == w / 64 && word) {
        w = t * 64 + (uint32_t)__builtin_ctzll(word);
        return w * 64 + (uint32_t)__builtin_ctzll(q->bits[w]);
    }
    for (uint32_t i = 1; i <= q->tops; i++) {
        t = (from / 4096 + i) % q->tops;
        if (q->top[t]) {
            w = t * 64 + (uint32_t)__builtin_ctzll(q->top[t]);
            return w * 64 + (uint32_t)__builtin_ctzll(q->bits[w]);
        }
    }
    return EVQ_NONE;
}

static inline uint32_t ring_first(const struct evq *q)
{
    uint32_t from = (uint32_t)q->now & q->mask;
    uint64_t word = q->bits[from / 64] >> (from % 64);

    if (word)
        return from + (uint32_t)__builtin_ctzll(word);
    return ring_first_far(q, from);
}

uint32_t evq_pop(struct evq *q, uint64_t until_ps)
{
    uint32_t         b = ring_first(q), id = b == EVQ_NONE ? EVQ_NONE : q->bucket[b];
    struct evq_slot *s;

    if (q->heap_count && (id == EVQ_NONE || before(&q->slot[q->heap[0]], &q->slot[id]))) {
        id = q->heap[0];
        s = &q->slot[id];
        if (s->at_ps > until_ps)
            return EVQ_NONE;
        heap_remove(q, 0);
    } else {
        if (id == EVQ_NONE)
            return EVQ_NONE;
        s = &q->slot[id];
        if (s->at_ps > until_ps)
            return EVQ_NONE;
        if ((q->bucket[b] = s->next) == EVQ_NONE)
            ring_clear_bit(q, b);
    }
    q->now = s->at_ps >> q->shift;
    s->where = EVQ_IDLE;
    q->pending--;
    return id;
}

void evq_check(const struct evq *q)
{
    uint32_t found = 0;

    for (uint32_t b = 0; b <= q->mask; b++) {
        bool bit = q->bits[b / 64] >> (b % 64) & 1;

        if (bit != (q->bucket[b] != EVQ_NONE))
            __builtin_trap();
        for (uint32_t id = q->bucket[b]; id != EVQ_NONE; id = q->slot[id].next, found++) {
            const struct evq_slot *s = &q->slot[id];

            if (s->where != EVQ_RING || ((uint32_t)(s->at_ps >> q->shift) & q->mask) != b)
                __builtin_trap();
            if (s->next != EVQ_NONE && !before(s, &q->slot[s->next]))
                __builtin_trap();
        }
    }
    for (uint32_t w = 0; w < q->words; w++)
        if ((q->bits[w] != 0) != (q->top[w / 64] >> (w % 64) & 1))
            __builtin_trap();
    for (uint32_t i = 0; i < q->heap_count; i++, found++)
        if (q->slot[q->heap[i]].where != EVQ_HEAP || q->slot[q->heap[i]].next != i ||
            (i && before(&q->slot[q->heap[i]], &q->slot[q->heap[(i - 1) / 4]])))
            __builtin_trap();
    if (found != q->pending)
        __builtin_trap();
}
