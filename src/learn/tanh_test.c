#include "learn/tanh.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void of__matches_the_c_library(void **unused)
{
    (void)unused;
    for (float x = 1e-9f; x < 30; x *= 1.0007f) {
        double want = tanh((double)x), unit = nextafterf((float)want, 2) - (float)want;

        assert_true(fabs((double)tanh_of(x) - want) <= unit);
        assert_true(tanh_of(-x) == -tanh_of(x));
    }
}

static void of__is_monotonic_between_pieces(void **unused)
{
    static const float seam[] = { 0x1p-13f, 9.02f };

    (void)unused;
    for (int i = 0; i < 2; i++) {
        float x = seam[i] * 0.99999f;

        for (int step = 0; step < 400; step++, x = nextafterf(x, 10))
            assert_true(tanh_of(nextafterf(x, 10)) >= tanh_of(x));
    }
}

static void of__extreme_values(void **unused)
{
    (void)unused;
    assert_true(tanh_of(0) == 0);
    assert_true(signbit(tanh_of(-0.0f)));
    assert_true(tanh_of(INFINITY) == 1 && tanh_of(-INFINITY) == -1);
    assert_true(isnan(tanh_of(NAN)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of__matches_the_c_library),
        cmocka_unit_test(of__is_monotonic_between_pieces),
        cmocka_unit_test(of__extreme_values),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
