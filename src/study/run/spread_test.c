/* src/study/run/spread_test.c - intervals computed by hand, and how often they hold. */
#include "study/run/spread.h"
#include "base/rng.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* Two seeds at a fifth of all hops, three at a sixth; large runs are limited by 1,000 million events. */
static void spread_seeds__as_many_as_are_worthwhile(void **unused)
{
    (void)unused;
    assert_int_equal(spread_seeds(1000, 0), 5);
    assert_int_equal(spread_seeds(1000, 100), 5);
    assert_int_equal(spread_seeds(1000, 166), 3);
    assert_int_equal(spread_seeds(1000, 200), 2);
    assert_int_equal(spread_seeds(1000, 300), 1);
    assert_int_equal(spread_seeds(4411515992, 965392692), 1);
    assert_int_equal(spread_seeds(4411515992, 300000000), 3);
}

/* Logarithms with mean 3 and standard deviation 0.1 sqrt(2); t(1) = 12.7062. */
static void spread_interval__of_two_samples_by_hand(void **unused)
{
    struct expected v = spread_interval((const double[]){ exp(2.9), exp(3.1) }, 2, 0);
    double          half = 12.7062 * 0.1 * sqrt(2) * sqrt(1.5);

    (void)unused;
    assert_true(fabs(v.mean - (exp(2.9) + exp(3.1)) / 2) < 1e-9);
    assert_true(fabs(log(v.low) - (3 - half)) < 1e-4 && fabs(log(v.high) - (3 + half)) < 1e-4);
}

/* Mean 10, standard deviation 10 sqrt(2). Zero has no logarithm, and the interval does not extend below
 * it. */
static void spread_interval__of_a_zero_sample(void **unused)
{
    struct expected v = spread_interval((const double[]){ 0, 20 }, 2, 0);

    (void)unused;
    assert_true(v.low == 0 && fabs(v.high - 10 - 12.7062 * 10 * sqrt(2) * sqrt(1.5)) < 1e-2);
}

static void spread_interval__is_unknown_if_a_sample_is(void **unused)
{
    struct expected v = spread_interval((const double[]){ 20, NAN, 22 }, 3, 0);

    (void)unused;
    assert_true(isnan(v.mean) && isnan(v.low) && isnan(v.high));
}

static void spread_interval__of_one_sample_is_the_model(void **unused)
{
    struct expected v = spread_interval((const double[]){ 200 }, 1, 0.01);

    (void)unused;
    assert_true(fabs(v.low - 198) < 1e-9 && fabs(v.high - 202) < 1e-9);
}

/* Samples with a long tail, whose logarithms are nearly normal with a standard deviation of 0.3: the interval
 * of five samples contains the sixth in 95 % of cases, within 0.15 % for 20,000 trials. */
static void spread_interval__holds_the_next_sample_in_95_percent(void **unused)
{
    struct rng rng;
    uint32_t   held = 0;

    (void)unused;
    rng_init(&rng, 1, 0);
    for (uint32_t i = 0; i < 20000; i++) {
        double          sample[6];
        struct expected v;

        for (uint32_t k = 0; k < 6; k++) {
            sample[k] = 0;
            for (uint32_t n = 0; n < 12; n++)
                sample[k] += 0.3 * (rng_real(&rng) - 0.5);
            sample[k] = 100 * exp(sample[k]);
        }
        v = spread_interval(sample, 5, 0);
        held += sample[5] >= v.low && sample[5] <= v.high;
    }
    assert_true(fabs(held / 20000.0 - 0.95) < 0.008);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spread_seeds__as_many_as_are_worthwhile),
        cmocka_unit_test(spread_interval__of_two_samples_by_hand),
        cmocka_unit_test(spread_interval__of_a_zero_sample),
        cmocka_unit_test(spread_interval__is_unknown_if_a_sample_is),
        cmocka_unit_test(spread_interval__of_one_sample_is_the_model),
        cmocka_unit_test(spread_interval__holds_the_next_sample_in_95_percent),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
