#include "tune/eigen.h"
#include "base/rng.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#define N SPACE_DIMS_MAX

/* 2 on the diagonal and -1 beside it: the eigenvalues are 2 - 2 cos(k pi / (n + 1)), k = 1 .. n. */
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

/* Vectors are of length 1 and at right angles, and with the values they make the matrix again. */
static void solve__takes_random_matrices_apart(void **state)
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

/* Values from 1 to 1e-12, each to its own accuracy where the matrix is nearly diagonal. */
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
        cmocka_unit_test(solve__finds_the_eigenvalues_of_a_string_of_springs),
        cmocka_unit_test(solve__takes_random_matrices_apart),
        cmocka_unit_test(solve__keeps_small_eigenvalues),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
