/* src/study/campaign/compare_goal_test.c - the figure of a goal, computed from given figures. */
#include "study/campaign/compare.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const uint64_t  seeds[] = { 1 };
static struct variant  list[] = { { .name = (char *)"base" }, { .name = (char *)"other" } };
static const struct variants variants = { list, 2 };

struct given { const char *name; double base, other; };

/* Compares two variants with one seed and these figures, and adds the figure of the goal. */
static void compare(struct comparison *c, const char *goal, const struct given *g, uint32_t count)
{
    struct err err;

    *c = (struct comparison){ .variants = &variants, .seed = seeds, .seeds = 1, .has_goal = true };
    assert_int_equal(goal_of_text(&c->goal, goal, &err), 0);
    for (uint32_t i = 0; i < count; i++) {
        struct metric m = { .better = BETTER_LOWER };

        snprintf(m.name, sizeof m.name, "%s", g[i].name);
        comparison_add_metrics(c, &m, 1);
        c->figures.list[i].value[0] = g[i].base;
        c->figures.list[i].value[1] = g[i].other;
    }
    comparison_add_goal(c);
    comparison_fill_goal(c);
}

static double goal_value(const struct comparison *c, uint32_t variant)
{
    return c->figures.list[comparison_goal_figure(c)].value[variant];
}

#define NEAR(a, b) assert_true(fabs((a) - (b)) < 1e-12)

/* 4^0.75 x 16^0.25 = 2^1.5 x 2^1 = 2^2.5. Without elephants only mice count. */
static void goal__weights_means(void **unused)
{
    static const struct given g[] = {
        { "started.slowdown_mean", 100, 100 }, { "started.mice.slowdown_mean", 4, 3 }, { "started.elephants.slowdown_mean", 16, NAN },
    };
    struct comparison c;

    (void)unused;
    compare(&c, "mice=0.75,elephants=0.25", g, 3);
    NEAR(goal_value(&c, 0), pow(2, 2.5));
    NEAR(goal_value(&c, 1), 3);
    assert_true(c.figures.list[comparison_goal_figure(&c)].is_shown);
    comparison_fini(&c);
}

static void goal__takes_p99_of_one_class(void **unused)
{
    static const struct given g[] = {
        { "started.mice.slowdown_mean", 4, 3 }, { "started.mice.slowdown_p99", 40, 30 }, { "started.slowdown_p99", 7, 8 },
    };
    struct comparison c;

    (void)unused;
    compare(&c, "p99_slowdown of mice", g, 3);
    NEAR(goal_value(&c, 0), 40);
    NEAR(goal_value(&c, 1), 30);
    comparison_fini(&c);
}

/* Geometric means of two jobs: sqrt(100 x 400) = 200, sqrt(225 x 400) = 300. Without jobs the goal falls back
 * to slowdowns. */
static void goal__of_jobs_is_their_geometric_mean(void **unused)
{
    static const struct given jobs[] = {
        { "a.iteration_started_us_mean", 100, 225 }, { "started.slowdown_mean", 2, 3 }, { "b.iteration_started_us_mean", 400, 400 },
    };
    static const struct given none[] = {
        { "started.slowdown_mean", 2, 3 }, { "started.mice.slowdown_mean", 2, 3 }, { "started.elephants.slowdown_mean", 2, 3 },
        { "iteration_us", 1, 1 },
    };
    struct comparison c;

    (void)unused;
    compare(&c, "iteration_time", jobs, 3);
    NEAR(goal_value(&c, 0), 200);
    NEAR(goal_value(&c, 1), 300);
    assert_int_equal(c.figures.list[comparison_goal_figure(&c)].metric.unit, UNIT_US);
    comparison_fini(&c);
    compare(&c, "iteration_time", none, 4);
    NEAR(goal_value(&c, 0), 2);
    NEAR(goal_value(&c, 1), 3);
    comparison_fini(&c);
}

/* Elephants are 4 % slower, within the bound of 5 %. A job is 3 % slower, beyond the bound of 2 %. */
static void breaks_bound__by_class_and_by_job(void **unused)
{
    static const struct given classes[] = {
        { "started.slowdown_mean", 1, 2 }, { "started.mice.slowdown_mean", 1, 0.5 }, { "started.elephants.slowdown_mean", 1, 1.04 },
    };
    static const struct given jobs[] = { { "a.iteration_started_us_mean", 100, 103 } };
    struct comparison         c;

    (void)unused;
    compare(&c, "balanced", classes, 3);
    comparison_judge(&c);
    assert_false(comparison_breaks_bound(&c, 1));
    c.goal.class_bound = 0.03;
    assert_true(comparison_breaks_bound(&c, 1));
    comparison_fini(&c);
    compare(&c, "iteration_time", jobs, 1);
    comparison_judge(&c);
    assert_true(comparison_breaks_bound(&c, 1));
    c.goal.job_bound = 0.04;
    assert_false(comparison_breaks_bound(&c, 1));
    comparison_fini(&c);
}

/* A closed loop that completes 3 % less is harmed, although its messages are faster. */
static void breaks_bound__by_throughput_of_a_closed_loop(void **unused)
{
    static const struct given loop[] = {
        { "started.slowdown_mean", 2, 1 }, { "disk.iops", 100, 97 }, { "web.calls_per_s", 100, 99 },
    };
    struct comparison c;

    (void)unused;
    compare(&c, "balanced", loop, 3);
    comparison_judge(&c);
    assert_true(comparison_breaks_bound(&c, 1));
    c.goal.job_bound = 0.04;
    assert_false(comparison_breaks_bound(&c, 1));
    comparison_fini(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(goal__weights_means),
        cmocka_unit_test(goal__takes_p99_of_one_class),
        cmocka_unit_test(goal__of_jobs_is_their_geometric_mean),
        cmocka_unit_test(breaks_bound__by_class_and_by_job),
        cmocka_unit_test(breaks_bound__by_throughput_of_a_closed_loop),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
