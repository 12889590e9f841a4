/* src/tune/rehearse/proof/regret_test.c - the alarm for a setting that turns bad, on made-up slowdowns,
 * round trips and unfinished messages. */
#include "tune/rehearse/proof/regret.h"
#include "base/rng.h"
#include "core/units.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

struct network { struct rng rng; double value; uint64_t number; double slow, rtt_us; };

static double normal(struct rng *r)
{
    double u = 1 - rng_real(r), v = rng_real(r);

    return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

static void begin(struct network *n, uint64_t seed)
{
    *n = (struct network){ .slow = 3, .rtt_us = 10 };
    rng_init(&n->rng, seed, 1);
}

/* Slowdowns vary by a tenth; successive intervals are correlated. */
static struct report interval(struct network *n)
{
    struct report r = { .start_ps = n->number * PS_PER_MS, .end_ps = (n->number + 1) * PS_PER_MS,
                        .rtt_samples = 100 };
    double        slow;

    n->number++;
    n->value = 0.6 * n->value + 0.08 * normal(&n->rng);
    slow = n->slow * exp(n->value);
    r.rtt_ps_sum = (uint64_t)(100 * n->rtt_us * exp(n->value / 2) * (double)PS_PER_US);
    r.seen.done[PREDICT_MICE] = (struct seen_class){ 1000, 1000 * slow };
    r.seen.done[PREDICT_ELEPHANTS] = (struct seen_class){ 20, 40 * slow };
    r.seen.waiting[PREDICT_ELEPHANTS] = (struct seen_class){ 5, 5 * slow };
    return r;
}

/* Returns the interval of the alarm, or 0 without one. */
static int watch(struct regret *g, struct network *n, int intervals)
{
    for (int i = 1; i <= intervals; i++) {
        struct report r = interval(n);

        if (regret_add(g, &goal_all[0], &r))
            return i;
    }
    return 0;
}

/* Goes through the intervals of the reference, a change that helps, and the intervals that prove it. */
static void prove(struct regret *g, struct network *n)
{
    memset(g, 0, sizeof(*g));
    assert_int_equal(watch(g, n, 7), 0);
    regret_begin(g);
    n->slow *= 0.9;
    assert_int_equal(watch(g, n, 5), 0);
    regret_keep(g);
}

static void add__reports_a_bad_setting_within_four_intervals(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct network n;
        struct regret  g;
        struct seen    recent;

        begin(&n, seed);
        prove(&g, &n);
        assert_int_equal(watch(&g, &n, 10), 0);
        n.slow *= 3.5;
        n.rtt_us *= 4;
        assert_in_range(watch(&g, &n, 20), 1, 4);
        regret_recent(&g, &recent);
        assert_true(recent.done[PREDICT_MICE].messages == 3 * 1000 &&
                    recent.waiting[PREDICT_ELEPHANTS].messages == 5);
    }
}

static void add__rarely_reports_a_setting_that_stays_good(void **state)
{
    int alarms = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct network n;
        struct regret  g;

        begin(&n, seed);
        prove(&g, &n);
        alarms += watch(&g, &n, 100) > 0;
    }
    assert_in_range(alarms, 0, 6);
}

/* Long round trips do no harm as long as messages are as fast as before. */
static void add__round_trips_alone_are_no_harm(void **state)
{
    struct network n;
    struct regret  g;

    (void)state;
    begin(&n, 1);
    prove(&g, &n);
    n.rtt_us *= 10;
    assert_int_equal(watch(&g, &n, 50), 0);
}

/* Large messages collide in single intervals. */
static void add__one_slow_interval_is_chance(void **state)
{
    struct network n;
    struct regret  g;

    (void)state;
    begin(&n, 1);
    prove(&g, &n);
    for (int i = 0; i < 10; i++) {
        n.slow *= 4;
        assert_int_equal(watch(&g, &n, 1), 0);
        n.slow /= 4;
        assert_int_equal(watch(&g, &n, 5), 0);
    }
}

/* Too few intervals before the change: no alarm is possible. */
static void begin__needs_a_reference(void **state)
{
    struct regret  g = { 0 };
    struct network n;

    (void)state;
    begin(&n, 1);
    assert_int_equal(watch(&g, &n, 4), 0);
    regret_begin(&g);
    n.slow *= 100;
    assert_int_equal(watch(&g, &n, 30), 0);
}

/* Only classes with messages count. The value is unknown if a class that had messages has none. */
static void value__uses_only_classes_with_messages(void **state)
{
    struct regret g = { 0 };
    struct report r = { .end_ps = PS_PER_MS };

    (void)state;
    assert_true(isnan(regret_value(&g, REGRET_SLOWDOWN, &goal_all[0], &r)));
    r.seen.done[PREDICT_MICE] = (struct seen_class){ 10, 40 };
    assert_true(fabs(regret_value(&g, REGRET_SLOWDOWN, &goal_all[0], &r) - log(4)) < 1e-12);
    r.seen.done[PREDICT_ELEPHANTS] = (struct seen_class){ 10, 160 };
    assert_true(fabs(regret_value(&g, REGRET_SLOWDOWN, &goal_all[0], &r) - 0.5 * log(10) - 0.5 * log(16)) <
                1e-12);
    r.seen.done[PREDICT_ELEPHANTS] = (struct seen_class){ 0, 0 };
    assert_true(isnan(regret_value(&g, REGRET_SLOWDOWN, &goal_all[0], &r)));
    assert_true(isnan(regret_value(&g, REGRET_RTT, &goal_all[0], &r)));
    r.rtt_samples = 2;
    r.rtt_ps_sum = 20;
    assert_true(fabs(regret_value(&g, REGRET_RTT, &goal_all[0], &r) - log(10)) < 1e-12);
    assert_true(regret_value(&g, REGRET_WAITING, &goal_all[0], &r) == 0);
    r.paused_ps = PS_PER_MS / 2;
    assert_true(fabs(regret_value(&g, REGRET_PAUSES, &goal_all[0], &r) - log(0.501)) < 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(add__reports_a_bad_setting_within_four_intervals),
        cmocka_unit_test(add__rarely_reports_a_setting_that_stays_good),
        cmocka_unit_test(add__round_trips_alone_are_no_harm),
        cmocka_unit_test(add__one_slow_interval_is_chance),
        cmocka_unit_test(begin__needs_a_reference),
        cmocka_unit_test(value__uses_only_classes_with_messages),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
