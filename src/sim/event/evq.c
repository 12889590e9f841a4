#include "sim/event/evq.h"
#include "base/arena.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS     (EVQ_BUCKETS / 64)
#define FEW       24u            /* sorted by insertion */
#define UNSORTED  6u             /* so many are searched for the first instead */

/* Where evq_pop_near() looks. */
static void set_word(struct evq *q)
{
    uint32_t w = (uint32_t)q->from % EVQ_BUCKETS / 64;

    q->word = q->front_count ? &q->none : &q->bits[w];
    q->first = &q->bucket[64ul * w];
}

/* Time has reached the bucket of this number. */
static void set_from(struct evq *q, uint64_t number)
{
    q->from = number;
    set_word(q);
}

void evq_init(struct evq *q, struct arena *arena, uint32_t events, uint64_t width_ps, uint64_t span_ps)
{
    memset(q, 0, sizeof *q);
    while (1ull << q->shift < width_ps || ((uint64_t)(EVQ_BUCKETS - 128) << q->shift) < span_ps)
        q->shift++;
    set_from(q, 0);
    q->events = events;
    q->event = arena_alloc(arena, events, sizeof *q->event);
    q->heap = arena_alloc(arena, events, sizeof *q->heap);
    q->front = arena_alloc(arena, events, sizeof *q->front);
    q->scratch = arena_alloc(arena, events, sizeof *q->scratch);
    for (uint32_t i = 0; i < EVQ_BUCKETS; i++)
        q->bucket[i] = EVQ_NONE;
    for (uint32_t i = 0; i < events; i++)
        q->event[i].next = EVQ_IDLE;
}

/* ---- the heap of far events ---- */

static void heap_put(struct evq *q, uint32_t pos, uint32_t event)
{
    q->heap[pos] = event;
    q->event[event].next = EVQ_HEAP | pos;
}

static void heap_up(struct evq *q, uint32_t pos, uint32_t event)
{
    while (pos > 0) {
        uint32_t parent = (pos - 1) / 4;

        if (!evq_before(&q->event[event], &q->event[q->heap[parent]]))
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
            if (evq_before(&q->event[q->heap[i]], &q->event[q->heap[best]]))
                best = i;
        if (!evq_before(&q->event[q->heap[best]], &q->event[event]))
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
    if (pos > 0 && evq_before(&q->event[last], &q->event[q->heap[(pos - 1) / 4]]))
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
        a[k] = evq_before(&q->event[scratch[i]], &q->event[a[j]]) ? a[j++] : scratch[i++];
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

        for (; j > 0 && evq_before(&q->event[a[j - 1]], &q->event[id]); j--)
            a[j] = a[j - 1];
        a[j] = id;
    }
}

static void front_insert(struct evq *q, uint32_t id)
{
    uint32_t j = q->front_count++;

    for (; j > 0 && evq_before(&q->event[q->front[j - 1]], &q->event[id]); j--)
        q->front[j] = q->front[j - 1];
    q->front[j] = id;
    q->event[id].next = EVQ_FRONT;
    q->word = &q->none;
}

static struct event *front_pop(struct evq *q)
{
    struct event *e = &q->event[q->front[--q->front_count]];

    if (!q->front_count)
        set_word(q);
    e->next = EVQ_IDLE;
    return e;
}

/* Time reaches the bucket of this number: its events are sorted into 'front', which is empty. */
static void open_bucket(struct evq *q, uint64_t number)
{
    uint32_t b = (uint32_t)number % EVQ_BUCKETS, n = 0;

    for (uint32_t id = q->bucket[b], next; id != EVQ_NONE; id = next) {
        next = q->event[id].next;
        q->event[id].next = EVQ_FRONT;
        q->front[n++] = id;
    }
    q->front_count = n;
    q->bucket[b] = EVQ_NONE;
    q->bits[b / 64] &= ~(1ull << (b % 64));
    if (q->on_open)
        q->on_open(q->on_open_arg, q->front, n);
    if (n > 1)
        sort(q, q->front, n, q->scratch);
    set_from(q, number + 1);
}

/* ---- the ring ---- */

void evq_insert(struct evq *q, uint32_t id)
{
    if (q->event[id].at_ps >> q->shift < q->from) {
        front_insert(q, id);
    } else {
        heap_up(q, q->heap_count++, id);
        if (q->event[id].at_ps < q->limit_ps)
            q->limit_ps = q->event[id].at_ps;
    }
}

static void ring_remove(struct evq *q, uint32_t id)
{
    uint32_t  b = (uint32_t)(q->event[id].at_ps >> q->shift) % EVQ_BUCKETS;
    uint32_t *link = &q->bucket[b];

    while (*link != id)
        link = &q->event[*link].next;
    *link = q->event[id].next;
    if (q->bucket[b] == EVQ_NONE)
        q->bits[b / 64] &= ~(1ull << (b % 64));
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
    uint32_t next = q->event[id].next;

    assert(next != EVQ_IDLE);
    if (next == EVQ_FRONT)
        front_remove(q, id);
    else if (next != EVQ_NONE && next & EVQ_HEAP)
        heap_remove(q, next & ~EVQ_HEAP);
    else
        ring_remove(q, id);
    q->event[id].next = EVQ_IDLE;
}

/* How far ahead of 'from' the first bucket that is not empty lies; UINT64_MAX: all are. */
static uint64_t ring_distance(const struct evq *q)
{
    uint32_t from = (uint32_t)q->from % EVQ_BUCKETS, w = from / 64, looked = 0;
    uint64_t word = q->bits[w] & ~0ull << (from % 64);

    while (!word) {
        if (looked++ == WORDS)
            return UINT64_MAX;
        w = (w + 1) % WORDS;
        word = q->bits[w];
    }
    return (w * 64 + (uint32_t)__builtin_ctzll(word) - from) % EVQ_BUCKETS;
}

/* What is before 'until_ps' and before all of the heap need not be compared with it. */
static void set_limit(struct evq *q, uint64_t until_ps)
{
    q->limit_ps = until_ps == UINT64_MAX ? until_ps : until_ps + 1;
    if (q->heap_count && q->event[q->heap[0]].at_ps < q->limit_ps)
        q->limit_ps = q->event[q->heap[0]].at_ps;
}

/* Moves the start of the ring to the first bucket, of the ring or the heap, that has events and begins by 'until_ps'.
 * True: it is one of the ring's. */
static bool advance(struct evq *q, uint64_t until_ps)
{
    uint64_t ahead = ring_distance(q);
    uint64_t ring = ahead == UINT64_MAX ? UINT64_MAX : q->from + ahead;
    uint64_t far = q->heap_count ? q->event[q->heap[0]].at_ps >> q->shift : UINT64_MAX;
    uint64_t number = ring < far ? ring : far;

    if (number == UINT64_MAX || number << q->shift > until_ps)
        return false;
    if (number > q->from)
        set_from(q, number);
    return ring == number;
}

/* The first event of a bucket of the word that time has reached, if it holds only a few and that one is before the limit;
 * otherwise NULL. Where somebody wants to know what a bucket holds, it has to be opened. */
static struct event *pop_of_few(struct evq *q)
{
    uint32_t     *link = &q->first[__builtin_ctzll(*q->word)], *first = link, n = 0;
    struct event *e;

    if (q->on_open)
        return NULL;
    for (; *link != EVQ_NONE; link = &q->event[*link].next) {
        if (n++ == UNSORTED)
            return NULL;
        if (evq_before(&q->event[*link], &q->event[*first]))
            first = link;
    }
    e = &q->event[*first];
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
        return q->event[q->front[q->front_count - 1]].at_ps < q->limit_ps ? front_pop(q) : NULL;
    if (!*q->word) {
        const uint64_t *after = q->word + 1 < q->bits + WORDS ? q->word + 1 : q->bits;

        ahead = *after ? 64 - q->from % 64 + (uint64_t)__builtin_ctzll(*after) : ring_distance(q);
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
    far = q->heap_count ? &q->event[q->heap[0]] : NULL;
    near = q->front_count ? &q->event[q->front[q->front_count - 1]] : NULL;
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
        next = q->event[q->front[q->front_count - 1]].at_ps;
    if (q->heap_count && q->event[q->heap[0]].at_ps < next)
        next = q->event[q->heap[0]].at_ps;
    if (ahead != UINT64_MAX)
        for (uint32_t id = q->bucket[(q->from + ahead) % EVQ_BUCKETS]; id != EVQ_NONE; id = q->event[id].next)
            next = q->event[id].at_ps < next ? q->event[id].at_ps : next;
    return next;
}

uint32_t evq_pending(const struct evq *q)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < q->events; i++)
        n += q->event[i].next != EVQ_IDLE;
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
    uint32_t found = q->heap_count + q->front_count;

    for (uint32_t b = 0; b < EVQ_BUCKETS; b++) {
        expect((q->bits[b / 64] >> (b % 64) & 1) == (q->bucket[b] != EVQ_NONE));
        for (uint32_t id = q->bucket[b]; id != EVQ_NONE; id = q->event[id].next, found++)
            expect((q->event[id].at_ps >> q->shift) % EVQ_BUCKETS == b && q->event[id].at_ps >> q->shift >= q->from);
    }
    for (uint32_t i = 0; i < q->front_count; i++) {
        expect(q->event[q->front[i]].next == EVQ_FRONT && q->event[q->front[i]].at_ps >> q->shift < q->from);
        expect(i == 0 || evq_before(&q->event[q->front[i]], &q->event[q->front[i - 1]]));
    }
    for (uint32_t i = 0; i < q->heap_count; i++) {
        expect(q->event[q->heap[i]].next == (EVQ_HEAP | i));
        expect(i == 0 || !evq_before(&q->event[q->heap[i]], &q->event[q->heap[(i - 1) / 4]]));
    }
    expect(found == evq_pending(q));
}
