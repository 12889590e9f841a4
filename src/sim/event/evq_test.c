#include "sim/event/evq.h"
#include "base/arena.h"
#include "base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define EVENTS 300u

/* Naive reference: examines every event. */
struct naive { bool is_pending[EVENTS]; uint64_t at_ps[EVENTS], order[EVENTS]; };

static uint32_t naive_first(const struct naive *n, uint64_t until_ps)
{
    uint32_t first = EVQ_NONE;

    for (uint32_t i = 0; i < EVENTS; i++)
        if (n->is_pending[i] && n->at_ps[i] <= until_ps &&
            (first == EVQ_NONE || n->at_ps[i] < n->at_ps[first] ||
             (n->at_ps[i] == n->at_ps[first] && n->order[i] < n->order[first])))
            first = i;
    return first;
}

static uint32_t naive_count(const struct naive *n)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < EVENTS; i++)
        count += n->is_pending[i];
    return count;
}

/* Returns the number of the popped event, or EVQ_NONE. */
static uint32_t pop(struct evq *q, uint64_t until_ps)
{
    const struct event *e = evq_pop(q, until_ps);

    return e ? evq_id(q, e) : EVQ_NONE;
}

/* Initialises a queue of this many idle events. */
static void init(struct evq *q, struct arena *arena, uint32_t events, uint64_t width_ps, uint64_t span_ps)
{
    evq_init(q, arena, arena_alloc(arena, events, EVQ_LINE), events, width_ps, span_ps);
    for (uint32_t i = 0; i < events; i++)
        evq_event(q, i)->next = EVQ_IDLE;
}

struct pair {
    struct evq  *q;
    struct arena arena;
    struct naive naive;
    struct rng   rng;
    uint64_t     now_ps, next_order;
};

static void pair_init(struct pair *p, uint64_t width_ps, uint64_t span_ps, uint64_t seed)
{
    *p = (struct pair){ .q = malloc(sizeof *p->q) };
    arena_init(&p->arena, 1 << 20);
    init(p->q, &p->arena, EVENTS, width_ps, span_ps);
    rng_init(&p->rng, seed, 0);
}

static void pair_fini(struct pair *p)
{
    arena_fini(&p->arena);
    free(p->q);
}

/* Returns a time: now, in the same bucket, in the ring, at its very end, beyond it, far beyond it. */
static uint64_t random_time(struct pair *p)
{
    uint64_t bucket = 1ull << p->q->shift, ring = bucket * (p->q->mask + 1ull);

    switch (rng_below(&p->rng, 6)) {
    case 0:  return p->now_ps;
    case 1:  return p->now_ps + rng_below(&p->rng, bucket + 1);
    case 2:  return p->now_ps + rng_below(&p->rng, ring);
    case 3:  return p->now_ps + ring - bucket + rng_below(&p->rng, 2 * bucket);
    case 4:  return p->now_ps + ring + rng_below(&p->rng, ring);
    default: return p->now_ps + rng_below(&p->rng, 50) * ring;
    }
}

static void pair_add(struct pair *p, uint32_t event, uint64_t at_ps)
{
    /* Orders increase and decrease, so that an event may come before one that was added earlier. */
    uint64_t order = rng_below(&p->rng, 4) << 40 | p->next_order++;

    p->naive.is_pending[event] = true;
    p->naive.at_ps[event] = at_ps;
    p->naive.order[event] = order;
    evq_add(p->q, event, at_ps, order);
}

static void pair_pop(struct pair *p, uint64_t until_ps)
{
    uint32_t expected = naive_first(&p->naive, until_ps), got;

    evq_renew(p->q);
    got = pop(p->q, until_ps);
    assert_int_equal(got, expected);
    if (got == EVQ_NONE) {
        p->now_ps = until_ps > p->now_ps ? until_ps : p->now_ps;
        return;
    }
    assert_int_equal(evq_event(p->q, got)->at_ps, p->naive.at_ps[got]);
    p->naive.is_pending[got] = false;
    p->now_ps = p->naive.at_ps[got];
}

static void pair_step(struct pair *p, uint32_t adds_of_ten)
{
    uint32_t event = (uint32_t)rng_below(&p->rng, EVENTS);

    if (rng_below(&p->rng, 10) < adds_of_ten) {
        if (!p->naive.is_pending[event])
            pair_add(p, event, random_time(p));
    } else if (rng_below(&p->rng, 4) == 0) {
        if (p->naive.is_pending[event]) {
            evq_cancel(p->q, event);
            p->naive.is_pending[event] = false;
        }
    } else {
        pair_pop(p, random_time(p));
    }
    assert_int_equal(evq_is_pending(p->q, event), p->naive.is_pending[event]);
    assert_int_equal(evq_is_empty(p->q), naive_count(&p->naive) == 0);
}

static void evq__agrees_with_a_naive_list(void **unused)
{
    static const uint64_t spans[] = { 1, 20000, 1000000, 64000000, 100000000000, 1000000, 1000000 };
    static const uint64_t widths[] = { 1, 1, 1, 5000, 1, 1000, 100000 };

    (void)unused;
    for (uint32_t i = 0; i < sizeof spans / sizeof *spans; i++) {
        struct pair p;

        pair_init(&p, widths[i], spans[i], i);
        for (uint32_t step = 0; step < 4000; step++) {
            pair_step(&p, step / 500 % 2 ? 3 : 7);       /* fills up, then drains */
            if (step % 8 == 0)
                evq_check(p.q);
        }
        assert_int_equal(evq_pending(p.q), naive_count(&p.naive));
        while (naive_count(&p.naive))
            pair_pop(&p, UINT64_MAX);
        assert_int_equal(pop(p.q, UINT64_MAX), EVQ_NONE);
        evq_check(p.q);
        pair_fini(&p);
    }
}

/* Without resetting the limit, as in the event loop: pops to the end and adds events meanwhile. */
static void evq__keeps_order_while_running(void **unused)
{
    struct pair p;
    uint32_t    popped = 0, event;

    (void)unused;
    pair_init(&p, 1000, 1000000, 9);
    for (uint32_t i = 0; i < EVENTS; i++)
        pair_add(&p, i, random_time(&p));
    evq_renew(p.q);
    while ((event = pop(p.q, UINT64_MAX)) != EVQ_NONE) {
        assert_int_equal(event, naive_first(&p.naive, UINT64_MAX));
        p.naive.is_pending[event] = false;
        p.now_ps = p.naive.at_ps[event];
        if (++popped < 5000)
            pair_add(&p, event, random_time(&p));
        event = (uint32_t)rng_below(&p.rng, EVENTS);
        if (p.naive.is_pending[event] && popped % 7 == 0) {
            evq_cancel(p.q, event);
            p.naive.is_pending[event] = false;
        }
    }
    assert_int_equal(naive_count(&p.naive), 0);
    pair_fini(&p);
}

/* A network in lock step: thousands of events at one instant are popped in order, regardless of the order of
 * insertion. */
static void evq__sorts_thousands_at_one_instant(void **unused)
{
    const uint32_t count = 20000;
    struct arena   arena;
    struct evq    *q = malloc(sizeof *q);

    (void)unused;
    arena_init(&arena, 4 << 20);
    init(q, &arena, count, 1, 1000000);
    for (uint32_t i = 0; i < count; i++)
        evq_add(q, i, 500000, (uint64_t)i * 7919 % count);       /* 7919 and 20000 have no common factor */
    evq_check(q);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t event = pop(q, UINT64_MAX);

        assert_int_equal((uint64_t)event * 7919 % count, i);
    }
    assert_int_equal(pop(q, UINT64_MAX), EVQ_NONE);
    arena_fini(&arena);
    free(q);
}

/* An instant that does not end: one event is repeatedly popped and added before another of the same
 * bucket. */
static void evq__handles_an_instant_that_does_not_end(void **unused)
{
    struct arena arena;
    struct evq  *q = malloc(sizeof *q);

    (void)unused;
    arena_init(&arena, 1 << 20);
    init(q, &arena, 3, 1000, 1000000);
    evq_add(q, 0, 500000, UINT64_MAX);
    evq_add(q, 1, 500000, 0);
    for (uint32_t i = 1; i < 20000; i++) {
        assert_int_equal(pop(q, UINT64_MAX), 1);
        evq_add(q, 1, 500000, i);
        if (i % 1000 == 0)
            evq_check(q);
    }
    assert_int_equal(pop(q, UINT64_MAX), 1);
    assert_int_equal(pop(q, UINT64_MAX), 0);
    assert_true(evq_is_empty(q));
    arena_fini(&arena);
    free(q);
}

static void evq_pop__stops_at_the_limit(void **unused)
{
    struct arena arena;
    struct evq  *q = malloc(sizeof *q);

    (void)unused;
    arena_init(&arena, 1 << 20);
    init(q, &arena, 3, 1, 1000000);
    evq_add(q, 0, 1000, 0);
    evq_add(q, 1, 1001, 0);
    evq_add(q, 2, 90000000, 0);
    assert_int_equal(pop(q, 999), EVQ_NONE);
    evq_renew(q);
    assert_int_equal(pop(q, 1000), 0);
    assert_int_equal(pop(q, 1000), EVQ_NONE);
    evq_add(q, 0, 1000, 5);                  /* the instant is not over */
    evq_renew(q);
    assert_int_equal(pop(q, 1000), 0);
    evq_renew(q);
    assert_int_equal(pop(q, 89999999), 1);
    assert_int_equal(pop(q, 89999999), EVQ_NONE);
    assert_int_equal(evq_pending(q), 1);
    evq_renew(q);
    assert_int_equal(pop(q, 90000000), 2);
    assert_int_equal(evq_pending(q), 0);
    arena_fini(&arena);
    free(q);
}

struct shown { const struct evq *q; uint32_t times[EVENTS]; };

static void count_shown(void *arg, const uint32_t *events, uint32_t count)
{
    struct shown *s = arg;

    assert_true(count <= EVQ_WORD);
    for (uint32_t i = 0; i < count; i++) {
        assert_true(evq_is_pending(s->q, events[i]));
        s->times[events[i]]++;
    }
}

/* With an event in every third bucket, each is passed to on_near() once before it is due, except those of the
 * first word. Prefetching buckets ahead changes nothing. */
static void evq_pop__passes_near_events_to_the_hook(void **unused)
{
    struct arena arena;
    struct evq  *q = malloc(sizeof *q);
    struct shown shown = { .q = q };

    (void)unused;
    arena_init(&arena, 1 << 20);
    init(q, &arena, EVENTS, 1000, 1000000);
    q->on_near = count_shown;
    q->on_near_arg = &shown;
    evq_expect(q, 1000);
    evq_expect(q, 900000);
    for (uint32_t i = 0; i < EVENTS; i++)
        evq_add(q, i, (3ull * i) << q->shift, 0);
    for (uint32_t i = 0; i < EVENTS; i++) {
        assert_int_equal(pop(q, UINT64_MAX), i);
        assert_int_equal(shown.times[i], 3 * i >= EVQ_WORD);
    }
    assert_int_equal(pop(q, UINT64_MAX), EVQ_NONE);
    arena_fini(&arena);
    free(q);
}

static void see_near(void *count, const uint32_t *events, uint32_t n)
{
    (void)events;
    *(uint32_t *)count += n;
}

static void see_open(void *count, struct event *const *events, uint32_t n)
{
    (void)events;
    (void)count;
    assert_true(n > 0);
}

/* All idle events become pending at one instant. Then all are popped, except a few that are cancelled. */
static void lock_step(struct pair *p)
{
    uint64_t at_ps = p->now_ps + 100 * ((uint64_t)EVQ_WORD << p->q->shift);

    for (uint32_t i = 0; i < EVENTS; i++)
        if (!p->naive.is_pending[i])
            pair_add(p, i, at_ps + rng_below(&p->rng, 3) / 2);
    for (uint32_t i = 0; i < EVENTS; i += 1 + (uint32_t)rng_below(&p->rng, 90)) {
        evq_cancel(p->q, i);
        p->naive.is_pending[i] = false;
    }
    evq_check(p->q);
    assert_int_equal(evq_next_ps(p->q), p->naive.at_ps[naive_first(&p->naive, UINT64_MAX)]);
    while (naive_count(&p->naive) > EVENTS / 4)
        pair_pop(p, UINT64_MAX);
    evq_check(p->q);
}

static void evq_allow_cells__uses_cells_while_words_are_long(void **unused)
{
    struct pair p;
    uint32_t    shown = 0;

    (void)unused;
    pair_init(&p, 1000, 1000000, 3);
    evq_allow_cells(p.q, &p.arena);
    p.q->on_near = see_near;
    p.q->on_open = see_open;
    p.q->on_near_arg = &shown;
    for (uint32_t times = 0; times < 2; times++) {
        for (uint32_t round = 0; round < 20; round++)
            lock_step(&p);
        assert_non_null(p.q->cell);
        assert_int_equal(evq_pending(p.q), naive_count(&p.naive));
        for (uint32_t step = 0; step < 1000; step++)         /* in the ring and beyond it, with cells */
            pair_step(&p, step / 100 % 2 ? 3 : 7);
        evq_check(p.q);
        for (uint32_t word = 0; word < 10000 && p.q->cell; word++) {
            uint64_t at_ps = p.now_ps + 2 * ((uint64_t)EVQ_WORD << p.q->shift);

            if (!p.naive.is_pending[0])
                pair_add(&p, 0, at_ps);
            pair_pop(&p, UINT64_MAX);
        }
        assert_null(p.q->cell);
        evq_check(p.q);
    }
    assert_true(shown > 0);
    pair_fini(&p);
}

static void evq_expect__keeps_distinct_distances_within_the_ring(void **unused)
{
    struct arena arena;
    struct evq  *q = malloc(sizeof *q);
    uint64_t     word_ps;

    (void)unused;
    arena_init(&arena, 1 << 20);
    init(q, &arena, 1, 1000, 1000000);
    word_ps = (uint64_t)EVQ_WORD << q->shift;
    evq_expect(q, 10 * word_ps);
    evq_expect(q, 10 * word_ps + 1);
    evq_expect(q, 11 * word_ps - 1);
    evq_expect(q, 9 * word_ps + (1ull << q->shift));
    assert_int_equal(q->aheads, 1);
    evq_expect(q, 11 * word_ps);
    evq_expect(q, 9 * word_ps);
    assert_int_equal(q->aheads, 3);
    evq_expect(q, (q->mask + 1ull) << q->shift);             /* beyond the ring */
    assert_int_equal(q->aheads, 3);
    for (uint32_t i = 20; i < 40; i++)
        evq_expect(q, i * word_ps);
    assert_int_equal(q->aheads, EVQ_AHEADS);
    arena_fini(&arena);
    free(q);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(evq__agrees_with_a_naive_list),
        cmocka_unit_test(evq__keeps_order_while_running),
        cmocka_unit_test(evq__sorts_thousands_at_one_instant),
        cmocka_unit_test(evq__handles_an_instant_that_does_not_end),
        cmocka_unit_test(evq_pop__stops_at_the_limit),
        cmocka_unit_test(evq_pop__passes_near_events_to_the_hook),
        cmocka_unit_test(evq_allow_cells__uses_cells_while_words_are_long),
        cmocka_unit_test(evq_expect__keeps_distinct_distances_within_the_ring),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
