#include "tune/cma.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

/* A valley a hundred times longer than wide, at an angle to the axes: what a covariance is for. */
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

/* Only the order of scores counts: another scale of them moves nothing. */
static void learn__looks_at_ranks_alone(void **state)
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(learn__finds_the_ground_of_a_narrow_valley),
        cmocka_unit_test(draw__stays_in_the_cube),
        cmocka_unit_test(learn__looks_at_ranks_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
