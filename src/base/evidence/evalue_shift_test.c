/* src/base/evidence/evalue_shift_test.c - the fit of a reference compared with matrices, and false alarms and
 * detection under simulated noise. */
#include "base/evidence/evalue.h"
#include "base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

/* ---- closed forms ---- */

#define N 5

/* Solves a x = b by elimination, where a is the correlation matrix r^|i-k|. */
static void solve(double r, const double *b, double *x)
{
    double a[N][N + 1];

    for (int i = 0; i < N; i++) {
        for (int k = 0; k < N; k++)
            a[i][k] = pow(r, abs(i - k));
        a[i][N] = b[i];
    }
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++) {
            double times = k == i ? 0 : a[k][i] / a[i][i];

            for (int j = 0; j <= N && k != i; j++)
                a[k][j] -= times * a[i][j];
        }
    for (int i = 0; i < N; i++)
        x[i] = a[i][N] / a[i][i];
}

/* Generalized least squares, computed with the full matrix. */
static void fit__equals_generalized_least_squares(void **unused)
{
    static const double value[N] = { 1.0, 1.4, 0.7, 0.9, 2.0 }, one[N] = { 1, 1, 1, 1, 1 },
        corr[] = { 0, 0.4, 0.92 };
    struct shift_reference x = { 0 };

    (void)unused;
    for (int i = 0; i < N; i++)
        shift_reference_add(&x, value[i]);
    shift_reference_add(&x, NAN);
    assert_int_equal(x.count, N);
    assert_true(fabs(shift_reference_mean(&x) - 1.2) < 1e-12);
    for (int c = 0; c < 3; c++) {
        struct shift_fit f = shift_fit(&x, corr[c]);
        double           by_one[N], by_value[N], weight = 0, mean = 0, squares = 0;

        solve(corr[c], one, by_one);
        solve(corr[c], value, by_value);
        for (int i = 0; i < N; i++) {
            weight += by_one[i];
            mean += by_value[i];
            squares += value[i] * by_value[i];
        }
        mean /= weight;
        assert_true(fabs(f.weight - weight) < 1e-9);
        assert_true(fabs(f.mean - mean) < 1e-9);
        assert_true(fabs(f.squares - (squares - weight * mean * mean)) < 1e-9);
    }
}

/* ---- noise ---- */

struct series { struct rng rng; double phi, value; int is_heavy; };

static double normal(struct rng *r)
{
    double u = 1 - rng_real(r), v = rng_real(r);

    return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

/* Student's t with three degrees of freedom, scaled to variance 1. */
static double heavy(struct rng *r)
{
    double z = normal(r), squares = 0;

    for (int i = 0; i < 3; i++) {
        double x = normal(r);

        squares += x * x;
    }
    return z / sqrt(squares);
}

static struct series begin(double phi, int is_heavy, uint64_t seed)
{
    struct series s = { .phi = phi, .is_heavy = is_heavy };

    rng_init(&s.rng, seed, 1);
    s.value = normal(&s.rng);
    return s;
}

/* The standard deviation is 0.13, like that of interval slowdowns in the workloads of repro/rehearse. */
static double next(struct series *s)
{
    s->value = s->phi * s->value + sqrt(1 - s->phi * s->phi) * (s->is_heavy ? heavy(&s->rng)
                                                                : normal(&s->rng));
    return 0.13 * s->value;
}

/* Returns the interval in which an alarm is confirmed for the second time, or 0 if that never happens. */
static int alarm(struct series *s, int before, int good, double shift, int intervals)
{
    struct shift_reference r = { 0 }, also = { 0 };
    struct shift           t;
    double                 high = 0, mean;
    int                    still = 0;

    for (int i = 0; i < before; i++)
        shift_reference_add(&r, next(s));
    for (int i = 0; i < 4; i++)
        shift_reference_add(&also, next(s));
    shift_init(&t, &r, &also, 0.03);
    mean = shift_reference_mean(&r);
    for (int i = 0; i < good; i++)
        shift_add(&t, next(s));
    for (int i = 1; i <= intervals; i++) {
        double up = shift + next(s) - mean;

        shift_add(&t, up + mean);
        if (high > 0 && up >= 0.7 * high) {
            if (++still == 2)
                return i;
            continue;
        }
        high = shift_evidence(&t) >= 1000 && up > 0.22 ? up : 0;
        still = 0;
    }
    return 0;
}

static int alarms(double phi, int is_heavy, int before, int runs)
{
    int sum = 0;

    for (int i = 0; i < runs; i++) {
        struct series s = begin(phi, is_heavy, 100 + (uint64_t)i);

        sum += alarm(&s, before, 0, 0, 100) > 0;
    }
    return sum;
}

/* In theory at most 100 of 1,000 runs of 100 intervals raise an alarm, apart from runs with an inaccurate
 * reference. */
static void evidence__false_alarms_are_rare(void **unused)
{
    static const double phi[] = { 0, 0.4, 0.65, 0.8, 0.92 };

    (void)unused;
    for (int i = 0; i < 5; i++) {
        assert_in_range(alarms(phi[i], 0, 6, 1000), 0, 30);
        assert_in_range(alarms(phi[i], 0, 24, 1000), 0, 15);
    }
}

/* The innovations of the AR(1) process have heavy tails. */
static void evidence__false_alarms_are_rare_with_heavy_tails(void **unused)
{
    (void)unused;
    assert_in_range(alarms(0, 1, 6, 1000), 0, 10);
    assert_in_range(alarms(0.4, 1, 6, 1000), 0, 20);
    assert_in_range(alarms(0.65, 1, 6, 1000), 0, 40);
}

static int detected_within(double phi, int before, double shift, int intervals)
{
    int sum = 0;

    for (int i = 0; i < 200; i++) {
        struct series s = begin(phi, 0, 5000 + (uint64_t)i);
        int           at = alarm(&s, before, 20, shift, 100);

        sum += at > 0 && at <= intervals;
    }
    return sum;
}

/* Intervals become 3.7 times as slow after 20 good ones, as in a run of repro/rehearse. Most runs confirm the
 * alarm within four intervals, two of which are for the confirmation. */
static void evidence__detects_a_large_rise_within_four_intervals(void **unused)
{
    (void)unused;
    assert_in_range(detected_within(0.4, 6, 1.3, 4), 150, 200);
    assert_in_range(detected_within(0.65, 6, 1.3, 4), 170, 200);
    assert_in_range(detected_within(0.92, 6, 1.3, 4), 190, 200);
    assert_in_range(detected_within(0.65, 24, 0.7, 4), 100, 200);           /* twice as slow */
}

static void add__ignores_missing_values(void **unused)
{
    struct shift_reference r = { 0 };
    struct shift           s;
    double                 was;

    (void)unused;
    for (int i = 0; i < 8; i++)
        shift_reference_add(&r, i % 2 ? 1.1 : 0.9);
    shift_init(&s, &r, NULL, 0.01);
    shift_add(&s, 1.2);
    was = shift_evidence(&s);
    for (int i = 0; i < 100; i++)
        shift_add(&s, NAN);
    assert_true(shift_evidence(&s) == was);
    for (int i = 0; i < 1000; i++)
        shift_add(&s, 1e6);
    assert_false(isnan(shift_evidence(&s)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fit__equals_generalized_least_squares),
        cmocka_unit_test(evidence__false_alarms_are_rare),
        cmocka_unit_test(evidence__false_alarms_are_rare_with_heavy_tails),
        cmocka_unit_test(evidence__detects_a_large_rise_within_four_intervals),
        cmocka_unit_test(add__ignores_missing_values),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
