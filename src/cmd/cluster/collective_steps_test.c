/* src/cmd/cluster/collective_steps_test.c - the number of steps of each algorithm, and their times by
 * hand. */
#include "cmd/cluster/cmd_collective.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void start(struct timeline *t, struct collective *c, const struct collective_cfg *cfg)
{
    collective_init(c, cfg);
    timeline_init(t, c);
}

static void steps__are_those_of_the_algorithm(void **state)
{
    static const struct { struct collective_cfg cfg; uint32_t steps; } row[] = {
        { { .kind = COLLECTIVE_RING_ALL_REDUCE, .workers = 5, .bytes = 5000 }, 8 },                  /* 2 (n - 1) */
        { { .kind = COLLECTIVE_ALL_GATHER, .workers = 5, .bytes = 5000 }, 4 },                       /* n - 1 */
        { { .kind = COLLECTIVE_ALL_TO_ALL, .workers = 6, .bytes = 1000 }, 5 },                       /* n - 1 */
        { { .kind = COLLECTIVE_ALL_TO_ALL, .workers = 6, .bytes = 1000, .is_at_once = true }, 1 },
        { { .kind = COLLECTIVE_HALVING_DOUBLING_ALL_REDUCE, .workers = 8, .bytes = 8000 }, 6 },      /* 2 log2(n) */
        { { .kind = COLLECTIVE_RING_ALL_REDUCE, .workers = 4, .bytes = 4000, .chunk_bytes = 1000, .channels = 1 }, 6 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
        struct collective c;
        struct timeline   t;

        start(&t, &c, &row[i].cfg);
        assert_int_equal(t.steps, row[i].steps);
        timeline_fini(&t);
        collective_fini(&c);
    }
}

/* Two workers send an all-gather of one step per iteration; message 1 takes longer. */
static void on_flow__keeps_the_last_message_of_the_first_iteration(void **state)
{
    struct collective c;
    struct timeline   t;

    (void)state;
    start(&t, &c, &(struct collective_cfg){ .kind = COLLECTIVE_ALL_GATHER, .workers = 2, .bytes = 2000 });
    assert_int_equal(t.messages, 2);
    timeline_on_flow(&t, &(struct flow_result){ .tag = 1, .src = 1, .start_ps = 10, .fct_ps = 50 });
    timeline_on_flow(&t, &(struct flow_result){ .tag = 0, .src = 0, .start_ps = 5, .fct_ps = 20 });
    timeline_on_flow(&t, &(struct flow_result){ .tag = 0, .src = 0, .start_ps = 100, .fct_ps = 20 });    /* the next */
    /* another flow */
    timeline_on_flow(&t, &(struct flow_result){ .tag = 2, .src = 9, .start_ps = 1, .fct_ps = 900 });
    assert_int_equal(t.step[0].messages, 2);
    assert_int_equal(t.step[0].start_ps, 5);
    assert_int_equal(t.step[0].end_ps, 60);
    assert_int_equal(t.step[0].last.src, 1);
    timeline_fini(&t);
    collective_fini(&c);
}

/* Steps of 10, 10, 70 and 10: the third takes more than half of the time. Each row names its slowest step. */
static void rows__divide_the_time_and_name_the_slowest_step(void **state)
{
    static const uint64_t end[] = { 10, 20, 90, 100 };
    struct timeline_step  step[4] = { { 0 } };
    struct timeline       t = { .step = step, .steps = 4 };
    struct timeline_row   row[TIMELINE_ROWS];

    (void)state;
    for (uint32_t i = 0; i < 4; i++)
        step[i] = (struct timeline_step){ 1, i ? end[i - 1] : 0, end[i], { 0 } };
    assert_int_equal(timeline_rows(&t, row), 2);
    assert_int_equal(row[0].first, 0);
    assert_int_equal(row[0].last, 2);
    assert_int_equal(row[0].slowest, 2);
    assert_int_equal(row[1].first, 3);
    assert_int_equal(row[1].last, 3);
    t.steps = 1;
    assert_int_equal(timeline_rows(&t, row), 1);
    t.steps = 0;
    assert_int_equal(timeline_rows(&t, row), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps__are_those_of_the_algorithm),
        cmocka_unit_test(on_flow__keeps_the_last_message_of_the_first_iteration),
        cmocka_unit_test(rows__divide_the_time_and_name_the_slowest_step),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
