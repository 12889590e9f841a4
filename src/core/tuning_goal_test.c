#include "core/tuning_goal.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static void of_text__takes_names_and_weights(void **state)
{
    struct goal g;

    (void)state;
    assert_int_equal(goal_of_text(&g, "latency", NULL), 0);
    assert_string_equal(g.name, "latency");
    assert_int_equal(goal_of_text(&g, "mice=0.75,elephants=25%", NULL), 0);
    assert_true(g.weight[GOAL_MICE] == 0.75 && g.weight[GOAL_ELEPHANTS] == 0.25 && g.weight[GOAL_ALL] == 0 &&
                g.weight[GOAL_MIDDLE] == 0);
    assert_true(g.bound == GOAL_BOUND);
}

static void of_text__takes_bounds(void **state)
{
    struct goal g;

    (void)state;
    assert_int_equal(goal_of_text(&g, "p99_slowdown of mice, class_bound=10%, job_bound=1%", NULL), 0);
    assert_string_equal(g.name, "p99_slowdown of mice");
    assert_int_equal(g.figure, GOAL_P99);
    assert_true(g.weight[GOAL_MICE] == 1 && g.class_bound == 0.10 && g.job_bound == 0.01);
    assert_true(fabs(g.bound - 2 * GOAL_BOUND) < 1e-12);         /* a search uses the same share of it */
    assert_int_equal(goal_of_text(&g, "class_bound=3%", NULL), 0);
    assert_string_equal(g.name, "iteration_time");
    assert_true(g.class_bound == 0.03 && g.job_bound == GOAL_JOB_BOUND);
    assert_string_equal(goal_without_jobs(&g).name, "balanced");
    assert_true(goal_without_jobs(&g).class_bound == 0.03);
}

/* A formatted goal is parsed back. */
static void text__is_read_back(void **state)
{
    static const char *const texts[] = { "latency", "p99_slowdown of mice, class_bound=10%, job_bound=1%",
                                         "mice=0.75,elephants=25%,class_bound=10000%" };
    char                     buf[GOAL_TEXT_MAX];
    struct goal              g, again;

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_int_equal(goal_of_text(&g, texts[i], NULL), 0);
        assert_int_equal(goal_of_text(&again, goal_text(buf, &g), NULL), 0);
        assert_string_equal(again.name, g.name);
        assert_memory_equal(again.weight, g.weight, sizeof g.weight);
        assert_true(again.figure == g.figure && again.class_bound == g.class_bound &&
                    again.bound == g.bound && again.job_bound == g.job_bound);
    }
}

static void of_text__refuses_in_one_line(void **state)
{
    static const struct { const char *text, *want; } row[] = {
        { "balance", "'balance' is not a goal; did you mean 'balanced'?" },
        { "mouse=1", "'mouse' is not a class of messages; there are all, mice, middle and elephants" },
        { "mice=1,elephant=1", "'elephant' is not a class of messages; did you mean 'elephants'?" },
        { "mice=much", "'much' is not a number" },
        { "mice=-1", "'-1' is negative" },
        { "latency, throughput", "'latency' and 'throughput': one of them" },
        { "latency,mice=1", "'latency' has no weights, and 'mice=1' is not a bound" },
        { "class_bund=1%", "'class_bund' is not a class of messages" },
        { "p99_slowdown of mouse", "'p99_slowdown of mouse' is not a goal" },
        { "mice=0,all=0", "all weights are 0" },
        { "", "'' is not a goal" },
        { "mice=1,", "'' is not a goal" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
        struct goal g;
        struct err  err;

        assert_true(goal_of_text(&g, row[i].text, &err) < 0);
        if (strncmp(err.text, row[i].want, strlen(row[i].want)) != 0)
            assert_string_equal(err.text, row[i].want);
    }
}

static void find__finds_every_name_of_the_list(void **state)
{
    (void)state;
    for (int i = 0; goal_names[i]; i++)
        assert_string_equal(goal_find(goal_names[i])->name, goal_names[i]);
    assert_null(goal_find("fairness"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_text__takes_names_and_weights),
        cmocka_unit_test(of_text__takes_bounds),
        cmocka_unit_test(text__is_read_back),
        cmocka_unit_test(of_text__refuses_in_one_line),
        cmocka_unit_test(find__finds_every_name_of_the_list),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
