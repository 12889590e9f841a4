#include "learn/loss.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static const float value[] = { 1, 2, -3, 0.5f }, wanted[] = { 1, 4, 0, 0.25f };   /* errors 0, -2, -3, 1/4 */

static void mse__by_hand(void **unused)
{
    static const float slopes[] = { 0, -1, -1.5f, 0.125f };  /* 2 e / 4 */
    float slope[4];

    (void)unused;
    assert_true(loss_mse(value, wanted, 4, slope) == (4 + 9 + 0.0625) / 4);
    assert_memory_equal(slopes, slope, sizeof(slope));
}

static void huber__by_hand(void **unused)
{
    static const float slopes[] = { 0, -0.5f, -0.5f, 0.0625f };  /* e / 4, at most 2 / 4 */
    float slope[4];

    (void)unused;
    /* bend 2: 0, 2 * (2 - 1), 2 * (3 - 1), 1/32 */
    assert_true(loss_huber(value, wanted, 4, 2, slope) == (2 + 4 + 0.03125) / 4);
    assert_memory_equal(slopes, slope, sizeof(slope));
}

static void huber__is_half_of_mse_before_the_bend(void **unused)
{
    float a[4], b[4];

    (void)unused;
    assert_true(2 * loss_huber(value, wanted, 4, 3, a) == loss_mse(value, wanted, 4, b));
    for (int i = 0; i < 4; i++)
        assert_true(2 * a[i] == b[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mse__by_hand),
        cmocka_unit_test(huber__by_hand),
        cmocka_unit_test(huber__is_half_of_mse_before_the_bend),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
