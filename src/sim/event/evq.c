#include "sim/event/evq.h"
#include "base/arena.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FEW       24u            /* sorted by insertion */
#define UNSORTED  6u             /* so many are searched for the first instead */

/* Time nears the buckets of word 'w': asks for their first events. Those that come later are in the cache anyway. To gcc 12 a
 * function that does nothing but prefetch has no effect, so that calls of it are left out: it must not be a call. */
static inline __attribute__((always_inline)) void fetch(const struct evq *q, uint32_t w)
{
    const uint32_t *first = &q->bucket[(size_t)EVQ_WORD * (w & (q->mask / EVQ_WORD))];

    for (uint32_t word = q->bits[w & (q->mask / EVQ_WORD)]; word; word &= word - 1)
        __builtin_prefetch(evq_event(q, first[__builtin_ctz(word)]), 1);
}

/* The same for the buckets that events will be added to: the ring is larger than the cache, and each of its lines has
 * been out of it since time was last there. */
static inline __attribute__((always_inline)) void fetch_ahead(const struct evq *q)
{
    for (uint32_t i = 0; i < q->aheads; i++) {
        uint32_t b = ((uint32_t)q->from + q->ahead[i] + EVQ_WORD) & q->mask & ~(EVQ_WORD - 1);

        for (uint32_t j = 0; j < EVQ_WORD; j += EVQ_LINE / sizeof *q->bucket)
            __builtin_prefetch(&q->bucket[b + j], 1);
    }
}

/* Shows the first events of the buckets of word 'w'. */
static void show(const struct evq *q, uint32_t w)
{
    const uint32_t *first = &q->bucket[(size_t)EVQ_WORD * (w & (q->mask / EVQ_WORD))];
    uint32_t        shown[EVQ_WORD], n = 0;

    for (uint32_t word = q->bits[w & (q->mask / EVQ_WORD)]; word; word &= word - 1)
        shown[n++] = first[__builtin_ctz(word)];
    q->on_near(q->on_near_arg, shown, n);
}

/* Where evq_pop_near() looks. */
static void set_word(struct evq *q)
{
    uint32_t w = ((uint32_t)q->from & q->mask) / EVQ_WORD;

    q->word = q->front_count ? &q->none : &q->bits[w];
    if (q->first == &q->bucket[(size_t)EVQ_WORD * w])
        return;
    q->first = &q->bucket[(size_t)EVQ_WORD * w];
    if (!q->on_near)             /* all of it is in the cache */
        return;
    fetch_ahead(q);
    fetch(q, w + 2);
    show(q, w + 1);
}

/* Time has reached the bucket of this number. */
static void set_from(struct evq *q, uint64_t number)
{
    q->from = number;
    set_word(q);
}

void evq_init(struct evq *q, struct arena *arena, void *lines, uint32_t most, uint64_t width_ps, uint64_t span_ps)
{
    uint64_t buckets = EVQ_BUCKETS_MIN;

    memset(q, 0, sizeof *q);
    while (1ull << q->shift < width_ps)
        q->shift++;
    while (buckets < EVQ_BUCKETS_MAX && (buckets - 128) << q->shift < span_ps)
        buckets *= 2;
    while ((buckets - 128) << q->shift < span_ps)
        q->shift++;
    q->mask = (uint32_t)buckets - 1;
    q->bits = arena_alloc(arena, buckets / EVQ_WORD, sizeof *q->bits);
    q->bucket = arena_alloc(arena, buckets, sizeof *q->bucket);
    q->line = lines;
    set_from(q, 0);
    q->heap = arena_alloc(arena, most, sizeof *q->heap);
    q->front = arena_alloc(arena, most, sizeof *q->front);
    q->scratch = arena_alloc(arena, most, sizeof *q->scratch);
    for (uint32_t i = 0; i <= q->mask; i++)
        q->bucket[i] = EVQ_NONE;
}

/* ---- the heap of far events ---- */

static void heap_put(struct evq *q, uint32_t pos, uint32_t event)
{
    q->heap[pos] = event;
    evq_event(q, event)->next = EVQ_HEAP | pos;
}

static void heap_up(struct evq *q, uint32_t pos, uint32_t event)
{
    while (pos > 0) {
        uint32_t parent = (pos - 1) / 4;

        if (!evq_before(evq_event(q, event), evq_event(q, q->heap[parent])))
            break;
        heap_put(q, pos, q->heap[parent]);
        pos = parent;
    }
    heap_put(q, pos, event);
}

static void heap_down(struct evq *q, uint32_t pos, uint32_t event)
{
    for (;;) {
        uint32_t first = 4 * pos + 1, last = first + 4, best;

        if (first >= q->heap_count)
            break;
        if (last > q->heap_count)
            last = q->heap_count;
        best = first;
        for (uint32_t i = first + 1; i < last; i++)
            if (evq_before(evq_event(q, q->heap[i]), evq_event(q, q->heap[best])))
                best = i;
        if (!evq_before(evq_event(q, q->heap[best]), evq_event(q, event)))
            break;
        heap_put(q, pos, q->heap[best]);
        pos = best;
    }
    heap_put(q, pos, event);
}

static void heap_remove(struct evq *q, uint32_t pos)
{
    uint32_t last = q->heap[--q->heap_count];

    if (pos == q->heap_count)
        return;
    if (pos > 0 && evq_before(evq_event(q, last), evq_event(q, q->heap[(pos - 1) / 4])))
        heap_up(q, pos, last);
    else
        heap_down(q, pos, last);
}

/* ---- front: sorted, latest first ---- */

/* Merges the sorted runs a[0..left) and a[left..n) through 'scratch'. */
static void merge(const struct evq *q, uint32_t *a, uint32_t left, uint32_t n, uint32_t *scratch)
{
    uint32_t i = 0, j = left, k = left;

    memcpy(scratch, a, left * sizeof *a);
    for (k = 0; i < left && j < n; k++)
        a[k] = evq_before(evq_event(q, scratch[i]), evq_event(q, a[j])) ? a[j++] : scratch[i++];
    memcpy(a + k, scratch + i, (left - i) * sizeof *a);
}

static void sort(const struct evq *q, uint32_t *a, uint32_t n, uint32_t *scratch)
{
    if (n > FEW) {
        sort(q, a, n / 2, scratch);
        sort(q, a + n / 2, n - n / 2, scratch);
        merge(q, a, n / 2, n, scratch);
        return;
    }
    for (uint32_t i = 1; i < n; i++) {
        uint32_t id = a[i], j = i;

        for (; j > 0 && evq_before(evq_event(q, a[j - 1]), evq_event(q, id)); j--)
            a[j] = a[j - 1];
        a[j] = id;
    }
}

static void front_insert(struct evq *q, uint32_t id)
{
    uint32_t j = q->front_count++;

    for (; j > 0 && evq_before(evq_event(q, q->front[j - 1]), evq_event(q, id)); j--)
        q->front[j] = q->front[j - 1];
    q->front[j] = id;
    evq_event(q, id)->next = EVQ_FRONT;
    q->word = &q->none;
}

static struct event *front_pop(struct evq *q)
{
    struct event *e = evq_event(q, q->front[--q->front_count]);

    if (!q->front_count)
        set_word(q);
    e->next = EVQ_IDLE;
    return e;
}

/* Time reaches the bucket of this number: its events are sorted into 'front', which is empty. */
static void open_bucket(struct evq *q, uint64_t number)
{
    uint32_t b = (uint32_t)number & q->mask, n = 0;

    for (uint32_t id = q->bucket[b], next; id != EVQ_NONE; id = next) {
        next = evq_event(q, id)->next;
        evq_event(q, id)->next = EVQ_FRONT;
        q->front[n++] = id;
    }
    q->front_count = n;
    q->bucket[b] = EVQ_NONE;
    q->bits[b / EVQ_WORD] &= ~(1u << (b % EVQ_WORD));
    if (n > 1)
        sort(q, q->front, n, q->scratch);
    set_from(q, number + 1);
}

/* ---- the ring ---- */

void evq_expect(struct evq *q, uint64_t ahead_ps)
{
    uint64_t ahead = ahead_ps >> q->shift;

    if (q->aheads == EVQ_AHEADS || ahead > q->mask)
        return;
    for (uint32_t i = 0; i < q->aheads; i++)
        if (ahead + EVQ_WORD > q->ahead[i] && ahead < (uint64_t)q->ahead[i] + EVQ_WORD)
            return;
    q->ahead[q->aheads++] = (uint32_t)ahead;
}

void evq_insert(struct evq *q, uint32_t id)
{
    if (evq_event(q, id)->at_ps >> q->shift < q->from) {
        front_insert(q, id);
    } else {
        heap_up(q, q->heap_count++, id);
        if (evq_event(q, id)->at_ps < q->limit_ps)
            q->limit_ps = evq_event(q, id)->at_ps;
    }
}

static void ring_remove(struct evq *q, uint32_t id)
{
    uint32_t  b = (uint32_t)(evq_event(q, id)->at_ps >> q->shift) & q->mask;
    uint32_t *link = &q->bucket[b];

    while (*link != id)
        link = &evq_event(q, *link)->next;
    *link = evq_event(q, id)->next;
    if (q->bucket[b] == EVQ_NONE)
        q->bits[b / EVQ_WORD] &= ~(1u << (b % EVQ_WORD));
}

static void front_remove(struct evq *q, uint32_t id)
{
    uint32_t i = 0;

    while (q->front[i] != id)
        i++;
    memmove(q->front + i, q->front + i + 1, (--q->front_count - i) * sizeof *q->front);
    if (!q->front_count)
        set_word(q);
}

void evq_cancel(struct evq *q, uint32_t id)
{
    uint32_t next = evq_event(q, id)->next;

    assert(next != EVQ_IDLE);
    if (next == EVQ_FRONT)
        front_remove(q, id);
    else if (next != EVQ_NONE && next & EVQ_HEAP)
        heap_remove(q, next & ~EVQ_HEAP);
    else
        ring_remove(q, id);
    evq_event(q, id)->next = EVQ_IDLE;
}

/* How far ahead of 'from' the first bucket that is not empty lies; UINT64_MAX: all are. */
static uint64_t ring_distance(const struct evq *q)
{
    uint32_t from = (uint32_t)q->from & q->mask, words = q->mask / EVQ_WORD + 1, w = from / EVQ_WORD, looked = 0;
    uint32_t word = q->bits[w] & ~0u << (from % EVQ_WORD);

    while (!word) {
        if (looked++ == words)
            return UINT64_MAX;
        w = (w + 1) & (words - 1);
        word = q->bits[w];
    }
    return (w * EVQ_WORD + (uint32_t)__builtin_ctz(word) - from) & q->mask;
}

/* What is before 'until_ps' and before all of the heap need not be compared with it. */
static void set_limit(struct evq *q, uint64_t until_ps)
{
    q->limit_ps = until_ps == UINT64_MAX ? until_ps : until_ps + 1;
    if (q->heap_count && evq_event(q, q->heap[0])->at_ps < q->limit_ps)
        q->limit_ps = evq_event(q, q->heap[0])->at_ps;
}

/* Moves the start of the ring to the first bucket, of the ring or the heap, that has events and begins by 'until_ps'.
 * True: it is one of the ring's. */
static bool advance(struct evq *q, uint64_t until_ps)
{
    uint64_t ahead = ring_distance(q);
    uint64_t ring = ahead == UINT64_MAX ? UINT64_MAX : q->from + ahead;
    uint64_t far = q->heap_count ? evq_event(q, q->heap[0])->at_ps >> q->shift : UINT64_MAX;
    uint64_t number = ring < far ? ring : far;

    if (number == UINT64_MAX || number << q->shift > until_ps)
        return false;
    if (number > q->from)
        set_from(q, number);
    return ring == number;
}

/* The first event of a bucket of the word that time has reached, if it holds only a few and that one is before the limit;
 * otherwise NULL. */
static struct event *pop_of_few(struct evq *q)
{
    uint32_t     *link = &q->first[__builtin_ctz(*q->word)], *first = link, n = 0;
    struct event *e;

    for (; *link != EVQ_NONE; link = &evq_event(q, *link)->next) {
        if (n++ == UNSORTED)
            return NULL;
        if (evq_before(evq_event(q, *link), evq_event(q, *first)))
            first = link;
    }
    e = evq_event(q, *first);
    if (e->at_ps >= q->limit_ps)
        return NULL;
    *first = e->next;
    e->next = EVQ_IDLE;
    return e;
}

/* What is next while the limit holds, but for a bucket of many: from 'front', or from the first bucket of the ring. */
static struct event *pop_within_limit(struct evq *q)
{
    struct event *e;
    uint64_t      ahead;

    if (q->front_count)
        return evq_event(q, q->front[q->front_count - 1])->at_ps < q->limit_ps ? front_pop(q) : NULL;
    if (!*q->word) {
        const uint32_t *after = q->word < q->bits + q->mask / EVQ_WORD ? q->word + 1 : q->bits;

        ahead = *after ? EVQ_WORD - q->from % EVQ_WORD + (uint64_t)__builtin_ctz(*after) : ring_distance(q);
        if (ahead == UINT64_MAX || (q->from + ahead) << q->shift >= q->limit_ps)
            return NULL;
        set_from(q, q->from + ahead);
    }
    e = evq_pop_near(q);
    return e ? e : pop_of_few(q);
}

struct event *evq_pop_far(struct evq *q, uint64_t until_ps)
{
    struct event *far, *near = pop_within_limit(q);

    if (near)
        return near;
    if (__builtin_expect(q->is_stopped, 0))
        return NULL;
    set_limit(q, until_ps);
    if (!q->front_count && advance(q, until_ps)) {
        near = pop_within_limit(q);
        if (near)
            return near;
        open_bucket(q, q->from);
    }
    far = q->heap_count ? evq_event(q, q->heap[0]) : NULL;
    near = q->front_count ? evq_event(q, q->front[q->front_count - 1]) : NULL;
    if (far && (!near || evq_before(far, near))) {
        if (far->at_ps > until_ps)
            return NULL;
        heap_remove(q, 0);
        set_limit(q, until_ps);
        far->next = EVQ_IDLE;
        return far;
    }
    return near && near->at_ps <= until_ps ? front_pop(q) : NULL;
}

/* ---- looking at it ---- */

uint64_t evq_next_ps(const struct evq *q)
{
    uint64_t next = UINT64_MAX, ahead = ring_distance(q);

    if (q->front_count)
        next = evq_event(q, q->front[q->front_count - 1])->at_ps;
    if (q->heap_count && evq_event(q, q->heap[0])->at_ps < next)
        next = evq_event(q, q->heap[0])->at_ps;
    if (ahead != UINT64_MAX)
        for (uint32_t id = q->bucket[(q->from + ahead) & q->mask]; id != EVQ_NONE; id = evq_event(q, id)->next)
            next = evq_event(q, id)->at_ps < next ? evq_event(q, id)->at_ps : next;
    return next;
}

void evq_each(const struct evq *q, void (*see)(void *arg, struct event *), void *arg)
{
    for (uint32_t b = 0; b <= q->mask; b++)
        for (uint32_t id = q->bucket[b]; id != EVQ_NONE; id = evq_event(q, id)->next)
            see(arg, evq_event(q, id));
    for (uint32_t i = 0; i < q->front_count; i++)
        see(arg, evq_event(q, q->front[i]));
    for (uint32_t i = 0; i < q->heap_count; i++)
        see(arg, evq_event(q, q->heap[i]));
}

static void count(void *arg, struct event *e)
{
    (void)e;
    ++*(uint32_t *)arg;
}

uint32_t evq_pending(const struct evq *q)
{
    uint32_t n = 0;

    evq_each(q, count, &n);
    return n;
}

static void expect(bool holds)
{
    if (!holds) {
        fprintf(stderr, "the event queue is broken\n");
        abort();
    }
}

void evq_check(const struct evq *q)
{
    for (uint32_t b = 0; b <= q->mask; b++) {
        expect((q->bits[b / EVQ_WORD] >> (b % EVQ_WORD) & 1) == (q->bucket[b] != EVQ_NONE));
        for (uint32_t id = q->bucket[b]; id != EVQ_NONE; id = evq_event(q, id)->next)
            expect(((evq_event(q, id)->at_ps >> q->shift) & q->mask) == b && evq_event(q, id)->at_ps >> q->shift >= q->from);
    }
    for (uint32_t i = 0; i < q->front_count; i++) {
        expect(evq_event(q, q->front[i])->next == EVQ_FRONT && evq_event(q, q->front[i])->at_ps >> q->shift < q->from);
        expect(i == 0 || evq_before(evq_event(q, q->front[i]), evq_event(q, q->front[i - 1])));
    }
    for (uint32_t i = 0; i < q->heap_count; i++) {
        expect(evq_event(q, q->heap[i])->next == (EVQ_HEAP | i));
        expect(i == 0 || !evq_before(evq_event(q, q->heap[i]), evq_event(q, q->heap[(i - 1) / 4])));
    }
}
