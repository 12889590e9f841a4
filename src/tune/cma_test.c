#include "tune/cma.h"
#include "base/rng.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

/* A valley a hundred times longer than wide, at an angle to the axes. Following it takes a covariance
 * matrix. */
static double valley(const double *x, uint32_t n)
{
    double sum = 0;

    for (uint32_t i = 0; i + 1 < n; i += 2) {
        double along = (x[i] - 0.3) + (x[i + 1] - 0.6), across = (x[i] - 0.3) - (x[i + 1] - 0.6);

        sum += along * along / 100 + 100 * across * across;
    }
    return sum;
}

static void learn__finds_the_ground_of_a_narrow_valley(void **state)
{
    struct cma cma;
    double     mean[8], score[CMA_POPULATION_MAX], unit[CMA_DIMS_MAX];

    (void)state;
    for (int i = 0; i < 8; i++)
        mean[i] = 0.9;
    cma_init(&cma, 8, 0, 1);
    cma_begin(&cma, mean, 0.2);
    for (int g = 0; g < 400; g++) {
        for (uint32_t i = 0; i < cma.lambda; i++) {
            cma_draw(&cma, i, unit);
            score[i] = -valley(unit, 8);
        }
        cma_learn(&cma, score);
    }
    cma_mean(&cma, unit);
    assert_true(valley(unit, 8) < 1e-9);
    assert_true(cma_width(&cma) < 1e-3);
}

static void draw__stays_in_the_cube(void **state)
{
    struct cma cma;
    double     mean[3] = { 0, 1, 0.5 }, unit[CMA_DIMS_MAX];

    (void)state;
    cma_init(&cma, 3, 8, 2);
    cma_begin(&cma, mean, 1);
    for (uint32_t i = 0; i < 1000; i++) {
        cma_draw(&cma, i % 8, unit);
        for (int d = 0; d < 3; d++)
            assert_true(unit[d] >= 0 && unit[d] <= 1);
    }
}

/* Only the order of scores counts: another scale changes nothing. */
static void learn__uses_ranks_alone(void **state)
{
    struct cma a, b;
    double     mean[4] = { 0.5, 0.5, 0.5, 0.5 }, unit[CMA_DIMS_MAX], one[8], other[8];

    (void)state;
    cma_init(&a, 4, 8, 3);
    cma_init(&b, 4, 8, 3);
    cma_begin(&a, mean, 0.2);
    cma_begin(&b, mean, 0.2);
    for (int g = 0; g < 20; g++) {
        for (uint32_t i = 0; i < 8; i++) {
            cma_draw(&a, i, unit);
            one[i] = -valley(unit, 4);
            cma_draw(&b, i, unit);
            other[i] = -1 / (1e-9 + 1 / (1e-12 + valley(unit, 4)));
        }
        cma_learn(&a, one);
        cma_learn(&b, other);
    }
    for (int i = 0; i < 4; i++)
        assert_true(a.mean[i] == b.mean[i]);
}

#define N SPACE_DIMS_MAX

/* A matrix with 2 on the diagonal and -1 next to it has the eigenvalues 2 - 2 cos(k pi / (n + 1)), k = 1 ..
 * n. */
static void solve__finds_the_eigenvalues_of_a_string_of_springs(void **state)
{
    (void)state;
    for (uint32_t n = 1; n <= N; n++) {
        struct matrix a = { 0 }, vector;
        double value[N];

        for (uint32_t i = 0; i < n; i++) {
            a.at[i][i] = 2;
            if (i + 1 < n)
                a.at[i][i + 1] = a.at[i + 1][i] = -1;
        }
        eigen_solve(&a, n, value, &vector);
        for (uint32_t k = 1; k <= n; k++) {
            double want = 2 - 2 * cos(k * M_PI / (n + 1)), nearest = HUGE_VAL;

            for (uint32_t i = 0; i < n; i++)
                nearest = fmin(nearest, fabs(value[i] - want));
            assert_true(nearest < 1e-13);
        }
    }
}

/* Eigenvectors are orthonormal, and together with the eigenvalues they yield the matrix again. */
static void solve__decomposes_random_matrices(void **state)
{
    struct rng rng;

    (void)state;
    rng_init(&rng, 1, 0);
    for (int times = 0; times < 20; times++) {
        struct matrix a = { 0 }, vector;
        double value[N];

        for (uint32_t i = 0; i < N; i++)
            for (uint32_t j = 0; j <= i; j++)
                a.at[i][j] = a.at[j][i] = rng_real(&rng) - 0.5;
        eigen_solve(&a, N, value, &vector);
        for (uint32_t i = 0; i < N; i++)
            for (uint32_t j = 0; j < N; j++) {
                double again = 0, product = 0;

                for (uint32_t k = 0; k < N; k++) {
                    again += vector.at[i][k] * value[k] * vector.at[j][k];
                    product += vector.at[k][i] * vector.at[k][j];
                }
                assert_true(fabs(again - a.at[i][j]) < 1e-13);
                assert_true(fabs(product - (i == j)) < 1e-13);
            }
    }
}

/* Eigenvalues of 1 and about 1e-12: the small one is accurate relative to its own size. */
static void solve__keeps_small_eigenvalues(void **state)
{
    struct matrix a = { { { 1, 1e-8 }, { 1e-8, 1e-12 } } }, vector;
    double value[2];

    (void)state;
    eigen_solve(&a, 2, value, &vector);
    assert_true(fabs(value[0] - 1) < 1e-15);
    assert_true(fabs(value[1] - (1e-12 - 1e-16)) < 1e-25);   /* lambda_2 = a22 - a12^2 / (1 - ...) */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(learn__finds_the_ground_of_a_narrow_valley),
        cmocka_unit_test(draw__stays_in_the_cube),
        cmocka_unit_test(learn__uses_ranks_alone),
        cmocka_unit_test(solve__finds_the_eigenvalues_of_a_string_of_springs),
        cmocka_unit_test(solve__decomposes_random_matrices),
        cmocka_unit_test(solve__keeps_small_eigenvalues),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
