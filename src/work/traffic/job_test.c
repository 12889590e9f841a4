#include "work/traffic/job.h"

#include "core/units.h"
#include "work/traffic/traffic.h"
#include "work/traffic/kinds/patterns.h"
#include "work/traffic/kind.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#define HOSTS 6u

/* A job that records its notifications. */
struct test_job {
    struct job job;
    uint32_t   arrivals, sents;
    uint64_t   now_ps, tag;
};

static uint32_t freed;

static void on_arrival(struct job *j, uint64_t now_ps, const struct message *m)
{
    struct test_job *l = (struct test_job *)j;

    l->arrivals++;
    l->now_ps = now_ps;
    l->tag = m->tag;
}

static void on_sent(struct job *j, uint64_t now_ps, const struct message *m)
{
    struct test_job *l = (struct test_job *)j;

    l->sents++;
    l->now_ps = now_ps;
    l->tag = m->tag;
}

static void free_listener(void *state)
{
    freed++;
    free(state);
}

static const struct traffic_kind listens = { .on_arrival = on_arrival, .on_sent = on_sent,
                                             .free = free_listener };
static const struct traffic_kind is_deaf = { .free = free_listener };

struct job_fixture {             /* two jobs alongside other traffic */
    struct graph     graph;
    struct traffic  *traffic;
    struct test_job *one, *two;
};

static void fixture_open(struct job_fixture *o)
{
    static const uint32_t all[HOSTS] = { 0, 1, 2, 3, 4, 5 }, some[3] = { 4, 0, 2 };
    const struct traffic_common common = { .start_ps = 10, .stop_ps = NEVER, .prio = 5 };

    graph_star(&o->graph, &(struct graph_star){ HOSTS, 100000000000, 1000 });
    o->traffic = traffic_new(&o->graph, 1);
    traffic_add_all_to_all(o->traffic, &common, 100, all, HOSTS);
    o->one = xcalloc(1, sizeof *o->one);
    job_init(&o->one->job, &listens, o->traffic, &common, some, 3);
    o->two = xcalloc(1, sizeof *o->two);
    job_init(&o->two->job, &is_deaf, o->traffic, &common, all, HOSTS);
    freed = 0;
}

static void fixture_close(struct job_fixture *o)
{
    traffic_free(o->traffic);
    assert_int_equal(freed, 2);
    graph_fini(&o->graph);
}

static void expect_next(struct job_fixture *o, uint32_t stream, uint64_t at_ps, uint32_t dst, uint64_t tag)
{
    struct flow_spec f;

    assert_int_equal(traffic_due_ps(o->traffic, stream), at_ps);
    assert_true(traffic_next(o->traffic, stream, &f));
    assert_int_equal(f.at_ps, at_ps);
    assert_int_equal(f.dst, dst);
    assert_int_equal(f.tag, tag);
    assert_int_equal(f.bytes, 1000 + tag);
    assert_int_equal(f.prio, 5);
    assert_true(f.is_answered);
}

static void job_init__makes_a_worker_on_each_host(void **unused)
{
    struct job_fixture o;
    struct flow_spec   f;

    (void)unused;
    fixture_open(&o);
    assert_int_equal(traffic_streams(o.traffic), HOSTS + 3 + HOSTS);
    for (uint32_t i = 0; i < HOSTS; i++)
        assert_false(traffic_is_worker(o.traffic, i));
    for (uint32_t i = HOSTS; i < 2 * HOSTS + 3; i++) {
        assert_true(traffic_is_worker(o.traffic, i));
        assert_int_equal(traffic_due_ps(o.traffic, i), NEVER);
        assert_false(traffic_next(o.traffic, i, &f));
    }
    assert_int_equal(o.one->job.first_stream, HOSTS);
    assert_int_equal(traffic_source(o.traffic, HOSTS), 4);
    assert_int_equal(traffic_source(o.traffic, HOSTS + 1), 0);
    assert_int_equal(o.one->job.worker_of[4], 0);
    assert_int_equal(o.one->job.worker_of[2], 2);
    assert_int_equal(o.one->job.worker_of[3], JOB_NO_WORKER);
    assert_int_equal(o.one->job.worker_of[6], JOB_NO_WORKER);    /* the switch */
    assert_int_equal(o.one->job.entry, 1);
    assert_int_equal(o.two->job.entry, 2);
    fixture_close(&o);
}

/* The order of posting five flows does not affect their start order: time, tag, destination. */
static void job_post__order_does_not_matter(void **unused)
{
    static const struct { uint64_t at_ps; uint32_t dst; uint64_t tag; } rows[5] = {
        { 20, 3, 9 }, { 30, 1, 2 }, { 30, 5, 2 }, { 30, 0, 7 }, { 40, 2, 0 },
    };

    (void)unused;
    for (uint32_t order = 0; order < 120; order++) {
        uint32_t           left[5] = { 0, 1, 2, 3, 4 }, code = order;
        struct job_fixture o;

        fixture_open(&o);
        for (uint32_t n = 5; n > 0; n--) {
            uint32_t pick = left[code % n];

            left[code % n] = left[n - 1];
            code /= n;
            job_post(&o.one->job, 0, rows[pick].at_ps, rows[pick].dst, 1000 + rows[pick].tag, rows[pick].tag);
        }
        for (uint32_t i = 0; i < 5; i++)
            expect_next(&o, HOSTS, rows[i].at_ps, rows[i].dst, rows[i].tag);
        assert_int_equal(traffic_due_ps(o.traffic, HOSTS), NEVER);
        fixture_close(&o);
    }
}

/* Thousands of posts, interleaved with starts: the earliest pending one is always next. */
static void job_post__many_start_in_order(void **unused)
{
    uint64_t           at[400], count = 0, last = 0;
    struct rng         rng;
    struct job_fixture o;

    (void)unused;
    rng_init(&rng, 1, 1);
    fixture_open(&o);
    for (uint32_t i = 0; i < 20000; i++) {
        struct flow_spec f;
        uint32_t         least = 0;

        if (count < 400 && (count == 0 || rng_below(&rng, 2))) {
            at[count] = last + rng_below(&rng, 1000);
            job_post(&o.one->job, 0, at[count], 1, 1000, i);
            count++;
            continue;
        }
        for (uint32_t k = 1; k < count; k++)
            least = at[k] < at[least] ? k : least;
        assert_true(traffic_next(o.traffic, HOSTS, &f));
        assert_int_equal(f.at_ps, at[least]);
        last = at[least];
        at[least] = at[--count];
    }
    fixture_close(&o);
}

/* An earlier post may arrive while others wait, and after some have started. */
static void job_post__earlier_posts_go_first(void **unused)
{
    struct job_fixture o;

    (void)unused;
    fixture_open(&o);
    job_post(&o.one->job, 1, 50, 3, 1001, 1);
    job_post(&o.one->job, 1, 60, 3, 1002, 2);
    job_post(&o.one->job, 1, 40, 3, 1003, 3);
    expect_next(&o, HOSTS + 1, 40, 3, 3);
    job_post(&o.one->job, 1, 45, 3, 1004, 4);
    job_post(&o.one->job, 1, 70, 3, 1005, 5);
    expect_next(&o, HOSTS + 1, 45, 3, 4);
    expect_next(&o, HOSTS + 1, 50, 3, 1);
    expect_next(&o, HOSTS + 1, 60, 3, 2);
    expect_next(&o, HOSTS + 1, 70, 3, 5);
    job_post(&o.one->job, 1, 80, 3, 1006, 6);    /* the list is empty again */
    expect_next(&o, HOSTS + 1, 80, 3, 6);
    fixture_close(&o);
}

static void traffic_touched__yields_each_worker_once(void **unused)
{
    struct job_fixture o;
    uint32_t           stream, seen[HOSTS + 3 + HOSTS] = { 0 };

    (void)unused;
    fixture_open(&o);
    assert_false(traffic_touched(o.traffic, 0, &stream));
    for (uint64_t i = 0; i < 10; i++) {
        job_post(&o.one->job, 2, 100 + i, 0, 1, i);
        job_post(&o.two->job, 5, 100 + i, 0, 1, i);
    }
    while (traffic_touched(o.traffic, 0, &stream))
        seen[stream]++;
    for (uint32_t i = 0; i < HOSTS + 3 + HOSTS; i++)
        assert_int_equal(seen[i], i == HOSTS + 2 || i == HOSTS + 3 + 5);
    job_post(&o.one->job, 2, 1, 0, 1, 0);
    assert_true(traffic_touched(o.traffic, 0, &stream));
    assert_int_equal(stream, HOSTS + 2);
    assert_false(traffic_touched(o.traffic, 0, &stream));
    fixture_close(&o);
}

/* Slots of started flows are reused, so the reserved space suffices. */
static void job_reserve__is_enough(void **unused)
{
    struct job_fixture o;
    const struct traffic_post *memory;
    struct flow_spec   f;

    (void)unused;
    fixture_open(&o);
    job_reserve(&o.one->job, 700);
    job_reserve(&o.two->job, 3000);
    memory = o.traffic->part[0].post;
    for (uint64_t round = 0; round < 5; round++) {
        for (uint64_t i = 0; i < 3700; i++)
            job_post(i < 700 ? &o.one->job : &o.two->job, (uint32_t)(i % 3), i, 3, 1 + i, i);
        for (uint32_t s = HOSTS; s < HOSTS + 6; s++)
            while (traffic_next(o.traffic, s, &f))
                assert_int_equal(f.bytes, 1 + f.tag);
    }
    assert_ptr_equal(o.traffic->part[0].post, memory);
    for (uint64_t i = 0; i < 10000; i++)         /* more posts than reserved still succeed */
        job_post(&o.one->job, 0, i, 3, 1 + i, i);
    for (uint64_t i = 0; i < 10000; i++) {
        assert_true(traffic_next(o.traffic, HOSTS, &f));
        assert_int_equal(f.tag, i);
        assert_int_equal(f.bytes, 1 + i);
    }
    fixture_close(&o);
}

static void traffic_on_arrival__notifies_its_entry(void **unused)
{
    struct job_fixture o;

    (void)unused;
    fixture_open(&o);
    traffic_on_arrival(o.traffic, 77, &(struct message){ .src = 4, .dst = 0, .traffic = 1, .tag = 12 });
    assert_int_equal(o.one->arrivals, 1);
    assert_int_equal(o.one->sents, 0);
    assert_int_equal(o.one->now_ps, 77);
    assert_int_equal(o.one->tag, 12);
    traffic_on_sent(o.traffic, 99, &(struct message){ .src = 4, .dst = 0, .traffic = 1, .tag = 13 });
    assert_int_equal(o.one->sents, 1);
    assert_int_equal(o.one->now_ps, 99);
    traffic_on_arrival(o.traffic, 1, &(struct message){ .src = 4, .dst = 0, .traffic = 2, .tag = 14 });
    traffic_on_sent(o.traffic, 1, &(struct message){ .src = 4, .dst = 0, .traffic = 2, .tag = 14 });
    assert_int_equal(o.one->arrivals + o.one->sents, 2);
    assert_int_equal(o.two->arrivals + o.two->sents, 0);
    fixture_close(&o);
}

static void keep_op(void *arg, const struct op_result *r)
{
    *(struct op_result *)arg = *r;
}

static void job_report__reports_kind_and_duration(void **unused)
{
    struct job_fixture o;
    struct op_result   r = { 0 };

    (void)unused;
    fixture_open(&o);
    job_report(&o.two->job, o.two->job.host[0], OP_READ, 5, 100, 130);       /* no callback is set yet */
    traffic_on_op(o.traffic, keep_op, &r);
    job_report(&o.two->job, o.two->job.host[0], OP_WRITE, 5, 100, 130);
    assert_int_equal(r.kind, OP_WRITE);
    assert_int_equal(r.traffic, 2);
    assert_int_equal(r.bytes, 5);
    assert_int_equal(r.start_ps, 100);
    assert_int_equal(r.took_ps, 30);
    fixture_close(&o);
}

static void job_rng__is_each_workers_own(void **unused)
{
    struct job_fixture o, p;
    uint64_t           first;

    (void)unused;
    fixture_open(&o);
    first = rng_next(job_rng(&o.one->job, 0));
    assert_true(first != rng_next(job_rng(&o.one->job, 1)));
    assert_true(first != rng_next(job_rng(&o.two->job, 4)));     /* the same host in another job */
    fixture_open(&p);
    rng_next(job_rng(&p.one->job, 1));
    assert_int_equal(rng_next(job_rng(&p.one->job, 0)), first);
    fixture_close(&p);
    freed = 0;
    fixture_close(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(job_init__makes_a_worker_on_each_host),
        cmocka_unit_test(job_post__order_does_not_matter),
        cmocka_unit_test(job_post__many_start_in_order),
        cmocka_unit_test(job_post__earlier_posts_go_first),
        cmocka_unit_test(traffic_touched__yields_each_worker_once),
        cmocka_unit_test(job_reserve__is_enough),
        cmocka_unit_test(traffic_on_arrival__notifies_its_entry),
        cmocka_unit_test(job_report__reports_kind_and_duration),
        cmocka_unit_test(job_rng__is_each_workers_own),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
