#include "sim/evq.h"
#include "base/arena.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define WORDS (EVQ_BUCKETS / 64)
#define TOPS  (EVQ_BUCKETS / 4096)

static inline bool before(const struct evq_slot *a, const struct evq_slot *b)
{
    return a->at_ps < b->at_ps || (a->at_ps == b->at_ps && a->order < b->order);
}

void evq_init(struct evq *q, struct arena *arena, uint32_t slots, uint64_t span_ps)
{
    memset(q, 0, sizeof *q);
    while (((uint64_t)EVQ_BUCKETS << q->shift) < span_ps)
        q->shift++;
    q->slots = slots;
    q->far_ps = UINT64_MAX;
    q->slot = arena_alloc(arena, slots, sizeof *q->slot);
    q->heap = arena_alloc(arena, slots, sizeof *q->heap);
    for (uint32_t i = 0; i < EVQ_BUCKETS; i++)
        q->bucket[i] = EVQ_NONE;
    for (uint32_t i = 0; i < slots; i++)
        q->slot[i].next = EVQ_IDLE;
}

/* ---- the heap of far events ---- */

static void heap_put(struct evq *q, uint32_t pos, uint32_t slot)
{
    q->heap[pos] = slot;
    q->slot[slot].next = EVQ_HEAP | pos;
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

static void set_far(struct evq *q)
{
    q->far_ps = q->heap_count ? q->slot[q->heap[0]].at_ps : UINT64_MAX;
    q->limit_ps = 0;             /* set anew by the next pop */
}

static void heap_remove(struct evq *q, uint32_t pos)
{
    uint32_t last = q->heap[--q->heap_count];

    if (pos < q->heap_count) {
        if (pos > 0 && before(&q->slot[last], &q->slot[q->heap[(pos - 1) / 4]]))
            heap_up(q, pos, last);
        else
            heap_down(q, pos, last);
    }
    set_far(q);
}

/* ---- the ring ---- */

static inline void ring_clear_bit(struct evq *q, uint32_t b)
{
    uint64_t word = q->bits[b / 64] &= ~(1ull << (b % 64));

    if (word == 0)
        q->top[b / 4096] &= ~(1ull << (b / 64 % 64));
}

void evq_insert(struct evq *q, uint32_t id)
{
    struct evq_slot *s = &q->slot[id];
    uint64_t         number = s->at_ps >> q->shift;
    uint32_t        *link = &q->bucket[number % EVQ_BUCKETS];

    if (number - q->now >= EVQ_BUCKETS) {
        heap_up(q, q->heap_count++, id);
        set_far(q);
        return;
    }
    while (*link != EVQ_NONE && before(&q->slot[*link], s))
        link = &q->slot[*link].next;
    s->next = *link;
    *link = id;
}

void evq_cancel(struct evq *q, uint32_t id)
{
    struct evq_slot *s = &q->slot[id];

    assert(s->next != EVQ_IDLE);
    if (s->next != EVQ_NONE && s->next & EVQ_HEAP) {
        heap_remove(q, s->next & ~EVQ_HEAP);
    } else {
        uint32_t  b = (uint32_t)(s->at_ps >> q->shift) % EVQ_BUCKETS;
        uint32_t *link = &q->bucket[b];

        while (*link != id)
            link = &q->slot[*link].next;
        *link = s->next;
        if (q->bucket[b] == EVQ_NONE)
            ring_clear_bit(q, b);
    }
    s->next = EVQ_IDLE;
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
    for (uint32_t i = 1; i <= TOPS; i++) {
        t = (from / 4096 + i) % TOPS;
        if (q->top[t]) {
            w = t * 64 + (uint32_t)__builtin_ctzll(q->top[t]);
            return w * 64 + (uint32_t)__builtin_ctzll(q->bits[w]);
        }
    }
    return EVQ_NONE;
}

static inline uint32_t take_head(struct evq *q, uint32_t b)
{
    uint32_t         id = q->bucket[b];
    struct evq_slot *s = &q->slot[id];

    q->now = s->at_ps >> q->shift;
    if ((q->bucket[b] = s->next) == EVQ_NONE)
        ring_clear_bit(q, b);
    s->next = EVQ_IDLE;
    return id;
}

/* The next event is not in this part of the ring, or the heap's first or the end of the run may come before it. */
static uint32_t pop_far(struct evq *q, uint64_t until_ps)
{
    uint32_t from = (uint32_t)q->now % EVQ_BUCKETS, b = EVQ_NONE, id;
    uint64_t word = q->bits[from / 64] >> (from % 64), at;

    b = word ? from + (uint32_t)__builtin_ctzll(word) : ring_first_far(q, from);
    at = b == EVQ_NONE ? UINT64_MAX : q->slot[q->bucket[b]].at_ps;
    q->limit_ps = until_ps < q->far_ps ? until_ps + (until_ps < UINT64_MAX) : q->far_ps;
    if (q->heap_count && q->far_ps <= at && (b == EVQ_NONE || before(&q->slot[q->heap[0]], &q->slot[q->bucket[b]]))) {
        id = q->heap[0];
        if (q->slot[id].at_ps > until_ps)
            return EVQ_NONE;
        heap_remove(q, 0);
        q->now = q->slot[id].at_ps >> q->shift;
        q->slot[id].next = EVQ_IDLE;
        return id;
    }
    return b == EVQ_NONE || at > until_ps ? EVQ_NONE : take_head(q, b);
}

uint32_t evq_pop(struct evq *q, uint64_t until_ps)
{
    uint32_t from = (uint32_t)q->now % EVQ_BUCKETS;
    uint64_t word = q->bits[from / 64] >> (from % 64);

    if (word) {
        from += (uint32_t)__builtin_ctzll(word);
        if (q->slot[q->bucket[from]].at_ps < q->limit_ps)
            return take_head(q, from);
    }
    return pop_far(q, until_ps);
}

uint32_t evq_pending(const struct evq *q)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < q->slots; i++)
        n += q->slot[i].next != EVQ_IDLE;
    return n;
}

static void expect(bool holds)
{
    if (!holds)
        abort();
}

void evq_check(const struct evq *q)
{
    uint32_t found = q->heap_count;

    for (uint32_t b = 0; b < EVQ_BUCKETS; b++) {
        expect((q->bits[b / 64] >> (b % 64) & 1) == (q->bucket[b] != EVQ_NONE));
        for (uint32_t id = q->bucket[b]; id != EVQ_NONE; id = q->slot[id].next, found++) {
            const struct evq_slot *s = &q->slot[id];

            expect((s->at_ps >> q->shift) % EVQ_BUCKETS == b);
            expect(s->next == EVQ_NONE || before(s, &q->slot[s->next]));
        }
    }
    for (uint32_t w = 0; w < WORDS; w++)
        expect((q->bits[w] != 0) == (q->top[w / 64] >> (w % 64) & 1));
    for (uint32_t i = 0; i < q->heap_count; i++) {
        expect(q->slot[q->heap[i]].next == (EVQ_HEAP | i));
        expect(i == 0 || !before(&q->slot[q->heap[i]], &q->slot[q->heap[(i - 1) / 4]]));
    }
    expect(found == evq_pending(q));
}
