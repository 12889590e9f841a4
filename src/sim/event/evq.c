#include "sim/event/evq.h"
#include "base/arena.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FEW 24u                  /* sorted by insertion */
#define FRONT_SPARE 4096u
/* Events per word: random traffic has about 16, ports in lock step hundreds. */
#define WORD_LONG  128
#define WORD_SHORT 32
#define SHORT_WORDS 4096u        /* consecutive short words after which lists link events directly again */

/* Lists: 'at' is an event or a cell, EVQ_NONE at the end. */
static inline uint32_t list_event(const struct evq *q, uint32_t at)
{
    return q->cell ? q->cell[at].event : at;
}

static inline uint32_t *list_next(const struct evq *q, uint32_t at)
{
    return q->cell ? &q->cell[at].next : &evq_event(q, at)->next;
}

/* Prefetches events of the buckets of word 'w', which is due soon: all events in lists of cells, otherwise
 * the first of each list. Must be inlined: gcc 12 drops calls of a function that only prefetches. */
static inline __attribute__((always_inline)) void fetch(const struct evq *q, uint32_t w)
{
    const uint32_t *first = &q->bucket[(size_t)EVQ_WORD * (w & (q->mask / EVQ_WORD))];

    for (uint32_t word = q->bits[w & (q->mask / EVQ_WORD)]; word; word &= word - 1) {
        uint32_t at = first[__builtin_ctz(word)];

        if (!q->cell)
            __builtin_prefetch(evq_event(q, at), 1);
        else
            for (; at != EVQ_NONE; at = q->cell[at].next)
                __builtin_prefetch(evq_event(q, q->cell[at].event), 1);
    }
}

/* Same for buckets that events will be added to. The ring is larger than the cache, so these lines have been
 * evicted since they were last used. */
static inline __attribute__((always_inline)) void fetch_ahead(const struct evq *q)
{
    for (uint32_t i = 0; i < q->aheads; i++) {
        uint32_t b = ((uint32_t)q->from + q->ahead[i] + EVQ_WORD) & q->mask & ~(EVQ_WORD - 1);

        for (uint32_t j = 0; j < EVQ_WORD; j += EVQ_LINE / sizeof *q->bucket)
            __builtin_prefetch(&q->bucket[b + j], 1);
    }
}

/* Passes events of word 'w' to on_near(): all in lists of cells, otherwise the first of each list. */
static void show(const struct evq *q, uint32_t w)
{
    const uint32_t *first = &q->bucket[(size_t)EVQ_WORD * (w & (q->mask / EVQ_WORD))];
    uint32_t        shown[EVQ_WORD], n = 0;

    for (uint32_t word = q->bits[w & (q->mask / EVQ_WORD)]; word; word &= word - 1) {
        uint32_t at = first[__builtin_ctz(word)];

        do {
            if (n == EVQ_WORD) {
                q->on_near(q->on_near_arg, shown, n);
                n = 0;
            }
            shown[n++] = list_event(q, at);
            at = q->cell ? q->cell[at].next : EVQ_NONE;
        } while (at != EVQ_NONE);
    }
    q->on_near(q->on_near_arg, shown, n);
}

void evq_init(struct evq *q, struct arena *arena, void *lines, uint32_t most, uint64_t width_ps,
              uint64_t span_ps)
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
    q->reach = buckets;
    q->most = most;
    q->bits = arena_alloc(arena, buckets / EVQ_WORD, sizeof *q->bits);
    q->bucket = arena_alloc(arena, buckets, sizeof *q->bucket);
    q->line = lines;
    q->heap = arena_alloc(arena, most, sizeof *q->heap);
    q->scratch = arena_alloc(arena, most, sizeof *q->scratch);
    q->front = arena_alloc(arena, most + most / 4 + FRONT_SPARE, sizeof *q->front);
    q->front_end = q->front + most + most / 4 + FRONT_SPARE;
    q->last.at_ps = q->last.order = UINT64_MAX;
    q->head = q->tail = q->front;
    *q->tail = &q->last;
    for (uint32_t i = 0; i <= q->mask; i++)
        q->bucket[i] = EVQ_NONE;
}

void evq_allow_cells(struct evq *q, struct arena *arena)
{
    q->cells = arena_alloc(arena, q->most + 2, sizeof *q->cells);
    q->cell_free = 1;
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
        uint32_t first = 4 * pos + 1, last = first + 4;

        if (first >= q->heap_count)
            break;
        if (last > q->heap_count)
            last = q->heap_count;
        uint32_t best = first;
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

/* ---- front: a sorted array ---- */

/* Merges the sorted runs a[0..left) and a[left..n) through 'scratch'. */
static void merge(struct event **a, size_t left, size_t n, struct event **scratch)
{
    size_t i = 0, j = left, k = 0;

    memcpy(scratch, a, left * sizeof *a);
    for (; i < left && j < n; k++)
        a[k] = evq_before(a[j], scratch[i]) ? a[j++] : scratch[i++];
    memcpy(a + k, scratch + i, (left - i) * sizeof *a);
}

static void sort(struct event **a, size_t n, struct event **scratch)
{
    if (n > FEW) {
        sort(a, n / 2, scratch);
        sort(a + n / 2, n - n / 2, scratch);
        if (evq_before(a[n / 2], a[n / 2 - 1]))  /* hosts in lock step add their events in order */
            merge(a, n / 2, n, scratch);
        return;
    }
    for (size_t i = 1; i < n; i++) {
        struct event *e = a[i];
        size_t        j = i;

        for (; j > 0 && evq_before(e, a[j - 1]); j--)
            a[j] = a[j - 1];
        a[j] = e;
    }
}

#define NEAR_STEPS 8u            /* most events belong near the end of the front */

/* Makes room in the front for an event that is earlier than the last NEAR_STEPS ones. Returns its place. */
static __attribute__((noinline)) struct event **front_open(struct event **from, struct event **end,
                                                           const struct event *e)
{
    struct event **at = end;

    while (from < at) {          /* the place is between them */
        struct event **middle = from + (at - from) / 2;

        if (evq_before(e, *middle))
            at = middle;
        else
            from = middle + 1;
    }
    memmove(at + 1, at, (size_t)(end - at) * sizeof *at);
    return at;
}

/* There is always room: popped entries are reused, and at most 'most' events are pending. */
static void front_insert(struct evq *q, struct event *e)
{
    struct event **at, **near;

    if (q->tail + 1 == q->front_end) {
        size_t left = (size_t)(q->tail - q->head);

        memmove(q->front, q->head, left * sizeof *q->front);
        q->head = q->front;
        q->tail = q->front + left;
    }
    at = q->tail++;
    near = (size_t)(at - q->head) > NEAR_STEPS ? at - NEAR_STEPS : q->head;
    for (; at > near && evq_before(e, at[-1]); at--)
        *at = at[-1];
    if (at == near && near > q->head && evq_before(e, at[-1]))
        at = front_open(q->head, at, e);
    *at = e;
    *q->tail = &q->last;
    e->next = EVQ_NONE;
}

static void front_remove(struct evq *q, const struct event *e)
{
    struct event **at = q->head;

    while (*at != e)
        at++;
    memmove(at, at + 1, (size_t)(q->tail - at) * sizeof *at);
    q->tail--;
}

/* Sorts a list. It starts with the events added last, mostly the latest, so it is reversed first. */
static inline void sort_list(const struct evq *q, struct event **to, struct event **end)
{
    struct event **last = end - 1;

    if (last - to == 1) {
        bool is_turned = evq_before(*last, *to);
        struct event *a = *to, *b = *last;

        *to = is_turned ? b : a;
        *last = is_turned ? a : b;
        return;
    }
    for (struct event **first = to; first < last; first++, last--) {
        struct event *e = *first;

        *first = *last;
        *last = e;
    }
    sort(to, (size_t)(end - to), q->scratch);
}

/* Appends a list of two or more events to 'to', sorted. Returns the new end. */
static struct event **take_list(const struct evq *q, struct event **to, struct event *e)
{
    struct event **end = to;

    for (*end++ = e; e->next != EVQ_NONE; *end++ = e)
        e = evq_event(q, e->next);
    sort_list(q, to, end);
    return end;
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

static inline uint32_t cell_take(struct evq *q)
{
    uint32_t at = q->cell_free, next = q->cell[at].next;

    q->cell_free = next ? next : at + 1;     /* a cell that was never used has next 0 */
    return at;
}

/* Frees a list of cells. */
static inline void cell_give(struct evq *q, uint32_t first, uint32_t last)
{
    q->cell[last].next = q->cell_free;
    q->cell_free = first;
}

static void ring_add_cell(struct evq *q, uint32_t id, uint32_t b)
{
    uint32_t at = cell_take(q);

    q->cell[at] = (struct evq_cell){ id, q->bucket[b] };
    q->bucket[b] = at;
    q->bits[b / EVQ_WORD] |= 1u << (b % EVQ_WORD);
    evq_event(q, id)->next = EVQ_NONE;
}

void evq_insert(struct evq *q, uint32_t id)
{
    struct event *e = evq_event(q, id);

    uint64_t      number = e->at_ps >> q->shift;

    if (number - q->from <= q->mask)
        ring_add_cell(q, id, (uint32_t)number & q->mask);
    else if (number < q->from)
        front_insert(q, e);
    else
        heap_up(q, q->heap_count++, id);
}

static void ring_remove(struct evq *q, uint32_t id)
{
    uint32_t  b = (uint32_t)(evq_event(q, id)->at_ps >> q->shift) & q->mask;
    uint32_t *link = &q->bucket[b];

    while (list_event(q, *link) != id)
        link = list_next(q, *link);
    uint32_t at = *link;
    *link = *list_next(q, at);
    if (q->cell)
        cell_give(q, at, at);
    if (q->bucket[b] == EVQ_NONE)
        q->bits[b / EVQ_WORD] &= ~(1u << (b % EVQ_WORD));
}

void evq_cancel(struct evq *q, uint32_t id)
{
    uint32_t next = evq_event(q, id)->next;

    assert(next != EVQ_IDLE);
    if (evq_event(q, id)->at_ps >> q->shift < q->from)
        front_remove(q, evq_event(q, id));
    else if (next != EVQ_NONE && next & EVQ_HEAP)
        heap_remove(q, next & ~EVQ_HEAP);
    else
        ring_remove(q, id);
    evq_event(q, id)->next = EVQ_IDLE;
}

/* Appends the events of all lists of cells of a word, sorted, and frees the cells. */
static __attribute__((noinline)) struct event **take_word_of_cells(struct evq *q, uint32_t w,
                                                                   struct event **to)
{
    for (uint32_t word = q->bits[w]; word; word &= word - 1) {
        uint32_t      *bucket = &q->bucket[(size_t)w * EVQ_WORD + (uint32_t)__builtin_ctz(word)];
        uint32_t       first = *bucket, last = first;
        struct event **from = to;

        *bucket = EVQ_NONE;
        *to++ = evq_event(q, q->cell[first].event);
        while (q->cell[last].next != EVQ_NONE) {
            last = q->cell[last].next;
            *to++ = evq_event(q, q->cell[last].event);
        }
        if (last != first)
            sort_list(q, from, to);
        cell_give(q, first, last);
    }
    return to;
}

/* Returns the number of the first bucket of the first word that is not empty, or UINT64_MAX. */
static uint64_t ring_first(const struct evq *q)
{
    uint32_t words = q->mask / EVQ_WORD, from = (uint32_t)(q->from / EVQ_WORD);

    for (uint32_t ahead = 0; ahead <= words; ahead++)
        if (q->bits[(from + ahead) & words])
            return q->from + (uint64_t)ahead * EVQ_WORD;
    return UINT64_MAX;
}

static void ring_use_cells(struct evq *q)
{
    q->cell = q->cells;
    q->reach = 0;
    q->short_words = 0;
    for (uint32_t b = 0; b <= q->mask; b++)
        for (uint32_t *link = &q->bucket[b]; *link != EVQ_NONE;) {
            uint32_t id = *link, at = cell_take(q);

            q->cell[at] = (struct evq_cell){ id, evq_event(q, id)->next };
            evq_event(q, id)->next = EVQ_NONE;
            *link = at;
            link = &q->cell[at].next;
        }
}

static void ring_use_events(struct evq *q)
{
    for (uint32_t b = 0; b <= q->mask; b++)
        for (uint32_t *link = &q->bucket[b]; *link != EVQ_NONE;) {
            struct evq_cell *cell = &q->cell[*link];
            uint32_t         at = *link;

            *link = cell->event;
            evq_event(q, cell->event)->next = cell->next;
            link = &evq_event(q, cell->event)->next;
            cell_give(q, at, at);
        }
    q->cell = NULL;
    q->reach = q->mask + 1ull;
}

/* Chooses the kind of lists by the number of events in the word just opened. */
static void choose_lists(struct evq *q, ptrdiff_t events)
{
    if (!q->cell) {
        if (events >= WORD_LONG)
            ring_use_cells(q);
    } else if (events >= WORD_SHORT) {
        q->short_words = 0;
    } else if (++q->short_words == SHORT_WORDS) {
        ring_use_events(q);
    }
}

/* Moves the events of a word to 'front', which is empty. 'number': the word's first bucket. */
static void open_word(struct evq *q, uint64_t number)
{
    uint32_t       w = ((uint32_t)number & q->mask) / EVQ_WORD;
    uint32_t      *first = &q->bucket[(size_t)w * EVQ_WORD];
    struct event **to = q->front;

    if (q->cell)
        to = take_word_of_cells(q, w, to);
    else
        for (uint32_t word = q->bits[w]; word; word &= word - 1) {
            uint32_t     *bucket = &first[__builtin_ctz(word)];
            struct event *e = evq_event(q, *bucket);

            *bucket = EVQ_NONE;
            if (e->next == EVQ_NONE)
                *to++ = e;
            else
                to = take_list(q, to, e);
        }
    q->bits[w] = 0;
    q->head = q->front;
    q->tail = to;
    *to = &q->last;
    q->from = number + EVQ_WORD;
    while (q->heap_count && evq_event(q, q->heap[0])->at_ps >> q->shift < q->from) {
        struct event *e = evq_event(q, q->heap[0]);

        heap_remove(q, 0);
        front_insert(q, e);
    }
    if (!q->on_near)             /* everything is in the cache */
        return;
    if (q->cells)
        choose_lists(q, q->tail - q->head);
    if (q->cell || q->is_vast)
        q->on_open(q->on_near_arg, q->head, (uint32_t)(q->tail - q->head));
    fetch_ahead(q);
    fetch(q, w + 2);
    show(q, w + 1);
}

/* Fills 'front' with the first word, of ring or heap, with events until 'until_ps'. False: there is none. */
static bool advance(struct evq *q, uint64_t until_ps)
{
    uint64_t number = ring_first(q);

    if (q->heap_count) {
        uint64_t far = (evq_event(q, q->heap[0])->at_ps >> q->shift) & ~(uint64_t)(EVQ_WORD - 1);

        number = far < number ? far : number;
    }
    if (number == UINT64_MAX || number << q->shift > until_ps)
        return false;
    open_word(q, number);
    return true;
}

__attribute__((noinline)) struct event *evq_pop_far(struct evq *q, uint64_t until_ps)
{
    if (__builtin_expect(q->is_stopped, 0))
        return NULL;
    q->limit_ps = until_ps == UINT64_MAX ? until_ps : until_ps + 1;
    if (q->head == q->tail && !advance(q, until_ps))
        return NULL;
    struct event *e = *q->head;
    if (e->at_ps >= q->limit_ps)
        return NULL;
    q->head++;
    e->next = EVQ_IDLE;
    return e;
}

/* ---- inspection ---- */

uint64_t evq_next_ps(const struct evq *q)
{
    uint64_t next = (*q->head)->at_ps;

    if (q->head != q->tail)
        return next;
    uint64_t number = ring_first(q);
    if (q->heap_count)
        next = evq_event(q, q->heap[0])->at_ps;
    if (number != UINT64_MAX) {
        uint32_t w = ((uint32_t)number & q->mask) / EVQ_WORD;
        uint32_t b = w * EVQ_WORD + (uint32_t)__builtin_ctz(q->bits[w]);

        for (uint32_t at = q->bucket[b]; at != EVQ_NONE; at = *list_next(q, at)) {
            uint64_t at_ps = evq_event(q, list_event(q, at))->at_ps;

            next = at_ps < next ? at_ps : next;
        }
    }
    return next;
}

bool evq_is_empty(const struct evq *q)
{
    return q->head == q->tail && !q->heap_count && ring_first(q) == UINT64_MAX;
}

void evq_each(const struct evq *q, void (*see)(void *arg, struct event *), void *arg)
{
    for (uint32_t b = 0; b <= q->mask; b++)
        for (uint32_t at = q->bucket[b]; at != EVQ_NONE; at = *list_next(q, at))
            see(arg, evq_event(q, list_event(q, at)));
    for (struct event **e = q->head; e < q->tail; e++)
        see(arg, *e);
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
        for (uint32_t at = q->bucket[b]; at != EVQ_NONE; at = *list_next(q, at)) {
            uint64_t number = evq_event(q, list_event(q, at))->at_ps >> q->shift;

            expect((number & q->mask) == b && number >= q->from);
        }
    }
    for (struct event **e = q->head; e < q->tail; e++) {
        expect((*e)->next != EVQ_IDLE && (*e)->at_ps >> q->shift < q->from);
        expect(evq_before(*e, e[1]) || e + 1 == q->tail);
    }
    expect(*q->tail == &q->last && q->from % EVQ_WORD == 0);
    for (uint32_t i = 0; i < q->heap_count; i++) {
        expect(evq_event(q, q->heap[i])->next == (EVQ_HEAP | i) &&
               evq_event(q, q->heap[i])->at_ps >> q->shift >= q->from);
        expect(i == 0 || !evq_before(evq_event(q, q->heap[i]), evq_event(q, q->heap[(i - 1) / 4])));
    }
}
