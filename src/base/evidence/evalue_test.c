/* src/base/evidence/evalue_test.c - the e-value compared with integrals, and its error rates under simulated
 * noise.
 *
 * The noise: two halves of a network whose metrics have standard deviation 1 and a correlation of 0.8 with
 * each other. Both the common part and each half's own part are AR(1) processes with a lag-1 correlation of
 * 0.65 .. 0.92, as observed in monitor intervals of real networks.
 */
#include "base/evidence/evalue.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- closed forms ---- */

/* The definition: the mean over three half-normal bets, by Simpson's rule. */
static double by_integral(const struct evalue *e, double sum, double squares)
{
    static const double width[] = { 0.1, 0.3, 1.0 };
    double total = 0;

    for (int j = 0; j < 3; j++) {
        double t = width[j] / e->sd, step = 10 * t / 20000, part = 0;

        for (int i = 0; i <= 20000; i++) {
            double l = i * step, w = i == 0 || i == 20000 ? 1 : i % 2 ? 4 : 2;

            part += w * 2 / (t * sqrt(2 * M_PI)) * exp(-l * l / (2 * t * t) + l * sum - l * l * squares / 2);
        }
        total += part * step / 3;
    }
    return total / 3;
}

static void above__is_the_integral_over_all_bets(void **unused)
{
    const double d[] = { 0.5, -0.2, 1.5, 0.7, 0.1, 2.0, -1.0 };
    struct evalue e;

    (void)unused;
    evalue_init(&e, 0.8);
    assert_true(fabs(evalue_above(&e, 0) - 1) < 1e-12);
    for (int i = 0; i < 7; i++) {
        double above, below;

        evalue_add(&e, d[i]);
        above = by_integral(&e, e.sum, e.squares);
        below = by_integral(&e, -e.sum, e.squares);
        assert_true(fabs(evalue_above(&e, 0) / above - 1) < 1e-6);
        assert_true(fabs(evalue_below(&e, 0) / below - 1) < 1e-6);
    }
}

static void above__is_never_nan(void **unused)
{
    struct evalue e;

    (void)unused;
    evalue_init(&e, 1e-6);
    for (int i = 0; i < 1000; i++)
        evalue_add(&e, -1);
    assert_true(evalue_above(&e, 0) >= 0 && evalue_above(&e, 0) < 1e-3);
    assert_true(evalue_below(&e, 0) > 1e6);
    assert_false(isnan(evalue_below(&e, 0)));
}

static void bound__is_where_the_evidence_equals_the_level(void **unused)
{
    struct evalue e;
    double        m;

    (void)unused;
    evalue_init(&e, 1);
    assert_true(evalue_bound(&e, 20) == -INFINITY);
    for (int i = 0; i < 40; i++)
        evalue_add(&e, 1 + (i % 2 ? 0.3 : -0.3));
    m = evalue_bound(&e, 20);
    assert_true(m > 0 && m < evalue_gain(&e));
    assert_true(fabs(evalue_above(&e, m) - 20) < 1e-3);
    assert_true(fabs(evalue_gain(&e) - 1) < 1e-12);
}

/* ---- noise ---- */

struct ar { double phi, value; };

static double normal(struct rng *r)
{
    double u = 1 - rng_real(r), v = rng_real(r);

    return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

static double ar_next(struct ar *a, struct rng *r)
{
    a->value = a->phi * a->value + sqrt(1 - a->phi * a->phi) * normal(r);
    return a->value;
}

struct halves { struct ar common, own[2]; struct rng rng; };

static void halves_init(struct halves *h, double phi, uint64_t seed)
{
    rng_init(&h->rng, seed, 1);
    h->common = (struct ar){ phi, normal(&h->rng) };
    for (int i = 0; i < 2; i++)
        h->own[i] = (struct ar){ phi, normal(&h->rng) };
}

/* Returns the first half's metric minus the second's. The half that has B is better by 'effect'. */
static double halves_next(struct halves *h, enum arm arm, double effect)
{
    double common = ar_next(&h->common, &h->rng) * sqrt(0.8), metric[2];

    for (int i = 0; i < 2; i++)
        metric[i] = common + ar_next(&h->own[i],
                                     &h->rng) * sqrt(0.2) + (i == (arm == ARM_B ? 0 : 1) ? effect : 0);
    return metric[0] - metric[1];
}

#define LENGTH 10
#define BURN_IN 3
#define INTERVALS_MAX 2000

enum verdict { NO_DIFFERENCE, KEPT, REJECTED };

struct trial { enum verdict verdict; uint32_t intervals; };

/* Standard deviation of d, from 30 pairs in which both halves have A. */
static double measure_sd(struct halves *h, struct pairing *p)
{
    double squares = 0, d;

    for (int pairs = 0; pairs < 30;)
        if (pairing_add(p, halves_next(h, pairing_arm(p), 0), &d)) {
            squares += d / 2 * d / 2;
            pairs++;
        }
    return sqrt(squares / 30);
}

/* Runs one whole trial: A/A pairs first, then a decision after every pair. */
static struct trial try(double phi, double effect, uint64_t seed)
{
    struct halves  h;
    struct pairing p;
    struct evalue  e;
    double         d;

    halves_init(&h, phi, seed);
    pairing_init(&p, LENGTH, BURN_IN, seed);
    evalue_init(&e, measure_sd(&h, &p));
    for (uint32_t i = 1; i <= INTERVALS_MAX; i++) {
        if (!pairing_add(&p, halves_next(&h, pairing_arm(&p), effect), &d))
            continue;
        evalue_add(&e, d / 2);
        if (evalue_above(&e, 0) >= 100 && evalue_bound(&e, 20) > 0)
            return (struct trial){ KEPT, i };
        if (evalue_below(&e, 0) >= 20)
            return (struct trial){ REJECTED, i };
    }
    return (struct trial){ NO_DIFFERENCE, INTERVALS_MAX };
}

static const double lag[] = { 0.65, 0.75, 0.85, 0.92 };
enum { LAGS = 4 };

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

/* Returns the median number of intervals until trials with this effect and lag end. At most 'few' of the 201
 * trials may end with another verdict. */
static uint32_t median(double phi, double effect, enum verdict verdict, int few)
{
    uint32_t intervals[201];
    int      others = 0;

    for (uint32_t i = 0; i < 201; i++) {
        struct trial t = try(phi, effect, 1000 + i);

        intervals[i] = t.intervals;
        others += t.verdict != verdict;
    }
    qsort(intervals, 201, sizeof *intervals, by_number);
    print_message("# lag %.2f, effect %+.2f: median %u intervals, %d of 201 other verdicts\n", phi, effect,
                  intervals[100], others);
    assert_true(others <= few);
    return intervals[100];
}

static void trial__false_verdicts_are_rare_without_a_difference(void **unused)
{
    int kept = 0, rejected = 0;

    (void)unused;
    for (uint32_t i = 0; i < 1000; i++) {
        enum verdict v = try(lag[i % LAGS], 0, 1 + i).verdict;

        kept += v == KEPT;
        rejected += v == REJECTED;
    }
    print_message("# A/A: %d of 1000 kept, %d rejected\n", kept, rejected);
    assert_true(kept <= 10);
    assert_true(rejected <= 50);                 /* 1/20 */
}

static void trial__a_gain_of_a_quarter_sd_is_found_in_760_intervals(void **unused)
{
    (void)unused;
    for (int i = 0; i < LAGS; i++)
        assert_true(median(lag[i], 0.25, KEPT, 10) <= 760);
}

static void trial__harm_of_one_sd_is_stopped_in_300_intervals(void **unused)
{
    (void)unused;
    for (int i = 0; i < LAGS; i++)
        assert_true(median(lag[i], -1, REJECTED, 0) <= 300);
}

/* ---- pairing ---- */

static void add__drops_the_burn_in_and_returns_b_minus_a(void **unused)
{
    struct pairing p;
    double         d = 0;

    (void)unused;
    pairing_init(&p, 4, 2, 1);
    for (int i = 0; i < 8; i++) {
        bool is_counted = i % 4 >= 2;
        double value = !is_counted ? 1e9 : pairing_arm(&p) == ARM_B ? 7 + i % 2 : 3 - i % 2;

        assert_int_equal(pairing_add(&p, value, &d), i == 7);
    }
    assert_true(d == 7.5 - 2.5);
}

static void add__skips_pairs_with_an_empty_block(void **unused)
{
    struct pairing p;
    double         d = 42;

    (void)unused;
    pairing_init(&p, 2, 0, 1);
    for (int i = 0; i < 4; i++)
        assert_false(pairing_add(&p, i < 2 ? NAN : 1, &d));
    assert_true(d == 42);
}

static void next_arm__is_the_arm_of_the_next_block(void **unused)
{
    struct pairing p;
    double         d;

    (void)unused;
    pairing_init(&p, 3, 1, 7);
    for (int block = 0; block < 500; block++) {
        enum arm now = pairing_arm(&p), next = pairing_next_arm(&p);

        assert_int_equal(p.interval, 0);
        for (int i = 0; i < 3; i++) {
            assert_int_equal(pairing_arm(&p), now);
            pairing_add(&p, 0, &d);
        }
        assert_int_equal(pairing_arm(&p), next);
    }
}

static void arm__each_pair_has_both_in_random_order(void **unused)
{
    struct pairing p;
    double         d;
    int            firsts = 0;

    (void)unused;
    pairing_init(&p, 1, 0, 3);
    for (int pair = 0; pair < 10000; pair++) {
        enum arm first = pairing_arm(&p);

        pairing_add(&p, 0, &d);
        assert_int_not_equal(pairing_arm(&p), first);
        pairing_add(&p, 0, &d);
        firsts += first == ARM_B;
    }
    assert_in_range(firsts, 4800, 5200);         /* 4 sd of Binomial(10000, 1/2) */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(above__is_the_integral_over_all_bets),
        cmocka_unit_test(above__is_never_nan),
        cmocka_unit_test(bound__is_where_the_evidence_equals_the_level),
        cmocka_unit_test(trial__false_verdicts_are_rare_without_a_difference),
        cmocka_unit_test(trial__a_gain_of_a_quarter_sd_is_found_in_760_intervals),
        cmocka_unit_test(trial__harm_of_one_sd_is_stopped_in_300_intervals),
        cmocka_unit_test(add__drops_the_burn_in_and_returns_b_minus_a),
        cmocka_unit_test(add__skips_pairs_with_an_empty_block),
        cmocka_unit_test(next_arm__is_the_arm_of_the_next_block),
        cmocka_unit_test(arm__each_pair_has_both_in_random_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
