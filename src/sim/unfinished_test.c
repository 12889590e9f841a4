/* src/sim/unfinished_test.c - lower bounds on the time of unfinished messages, compared with their final
 * times. */
#include "sim/unfinished.h"
#include "sim/test_world.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define FLOWS 4u
#define BYTES 102400u            /* 100 packets */

struct seen { struct unfinished m[FLOWS]; uint32_t count; };

static void keep(void *arg, const struct unfinished *m)
{
    struct seen *seen = arg;

    assert_true(seen->count < FLOWS);
    seen->m[seen->count++] = *m;
}

/* Messages from host 0 to host 2, each with a queue pair of its own, or all on one. */
static void start(struct world *w, uint32_t qps)
{
    struct flow_list list = { xcalloc(FLOWS, sizeof *list.flow), FLOWS };
    struct sim_cfg   cfg;
    struct traffic  *t;
    struct graph     g;
    struct err       err;

    world_cfg(&cfg, MODEL_NIC);
    cfg.cc = cc_find("none");
    graph_star(&g, &(struct graph_star){ 3, 100 * GBPS, PS_PER_US });
    t = traffic_new(&g, 1);
    for (uint32_t i = 0; i < FLOWS; i++)
        list.flow[i] = (struct flow_row){ .src = 0, .dst = 2, .prio = 3, .dport = 1, .bytes = BYTES };
    traffic_add_list(t, &list);
    traffic_use_qps(t, qps);
    if (world_start(w, &g, &cfg, t, &err))
        fail_msg("%s", err.text);
}

static struct seen look(struct world *w, uint64_t at_ps)
{
    struct seen seen = { .count = 0 };

    sim_run_until(w->sim, at_ps);
    sim_each_unfinished(w->sim, keep, &seen);
    return seen;
}

/* Four messages share the line, so each takes about four times as long as alone: a bound grows with time, and
 * no bound exceeds the slowdown of the fastest. */
static void each__bounds_are_below_the_final_slowdowns(void **unused)
{
    struct world w;
    double       least = 1e9, last = 0;

    (void)unused;
    start(&w, 0);
    for (uint64_t us = 1; us < 30; us += 4) {
        struct seen seen = look(&w, us * PS_PER_US);

        assert_int_equal(seen.count, FLOWS);
        for (uint32_t i = 0; i < FLOWS; i++) {
            double bound = unfinished_slowdown(&seen.m[i], us * PS_PER_US);

            assert_int_equal(seen.m[i].place, 0);
            assert_int_equal(seen.m[i].bytes, BYTES);
            assert_true(bound >= 1);
            last = bound > last ? bound : last;
        }
    }
    assert_true(last > 2);
    sim_run_until(w.sim, PS_PER_MS);
    assert_int_equal(w.done_count, FLOWS);
    for (uint32_t i = 0; i < FLOWS; i++)
        least = fmin(least, (double)w.done[i].fct_ps / (double)w.done[i].ideal_ps);
    assert_true(least > 3 && last <= least);
    assert_int_equal(look(&w, 2 * PS_PER_MS).count, 0);
    world_end(&w);
}

/* On one queue pair messages follow each other: the first is being sent, the others wait in order. */
static void each__messages_of_a_queue_pair_wait_in_order(void **unused)
{
    struct world w;
    struct seen  seen;

    (void)unused;
    start(&w, 1);
    seen = look(&w, 2 * PS_PER_US);
    assert_int_equal(seen.count, FLOWS);
    for (uint32_t i = 0; i < FLOWS; i++) {
        assert_int_equal(seen.m[i].place, i);
        assert_int_equal(seen.m[i].bytes, BYTES);
        assert_true(unfinished_slowdown(&seen.m[i], 2 * PS_PER_US) >= 1);
        assert_true(i == 0 || seen.m[i].acked_bytes == 0);
    }
    seen = look(&w, 25 * PS_PER_US);             /* two messages take 17.7 us and a round trip */
    assert_int_equal(seen.count, FLOWS - 2);
    assert_int_equal(seen.m[0].place, 0);
    assert_int_equal(seen.m[1].place, 1);
    world_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each__bounds_are_below_the_final_slowdowns),
        cmocka_unit_test(each__messages_of_a_queue_pair_wait_in_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
