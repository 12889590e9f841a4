#include "learn/adam.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* With beta1 = beta2 = 1/2 and epsilon 1, from p = 10 with rate 1:
 *
 *   g = 2:   m = 1      v = 2     m' = 2      v' = 4         p -= 2 / 3
 *   g = -4:  m = -3/2   v = 9     m' = -2     v' = 12        p += 2 / (sqrt(12) + 1)
 *   g = 0:   m = -3/4   v = 9/2   m' = -6/7   v' = 36/7      p += (6/7) / (sqrt(36/7) + 1)
 */
static void step__by_hand(void **unused)
{
    struct adam_cfg cfg = { .rate = 1, .beta1 = 0.5, .beta2 = 0.5, .epsilon = 1 };
    static const float gradient[] = { 2, -4, 0 };
    double move[] = { -2.0 / 3, 2 / (sqrt(12) + 1), 6.0 / 7 / (sqrt(36.0 / 7) + 1) }, want = 10;
    struct adam a;
    float p = 10;

    (void)unused;
    adam_init(&a, &cfg, 1);
    for (int i = 0; i < 3; i++) {
        adam_step(&a, &p, &gradient[i]);
        want += move[i];
        assert_true(fabs((double)p - want) < 3e-6);
    }
    adam_reset(&a);
    adam_step(&a, &p, &gradient[0]);
    assert_true(fabs((double)p - (want + move[0])) < 3e-6);
    adam_fini(&a);
}

/* With a constant gradient of any size, a step equals the rate. */
static void step__is_the_rate_by_default(void **unused)
{
    float p[7] = { 0 }, g[7] = { 1e-3f, -1e-3f, 1, -1, 100, -100, 0 };
    struct adam a;

    (void)unused;
    adam_init(&a, &(struct adam_cfg){ 0 }, 7);
    for (int step = 1; step <= 5; step++) {
        adam_step(&a, p, g);
        for (int i = 0; i < 6; i++)
            assert_true(fabs((double)p[i] + 0.001 * step * (i % 2 ? -1 : 1)) < 1e-7);
        assert_true(p[6] == 0);
    }
    adam_fini(&a);
}

static void clip__shortens_and_keeps_the_direction(void **unused)
{
    float g[20] = { [0] = 3, [9] = -4, [17] = 12 };  /* length 13 */

    (void)unused;
    assert_true(adam_clip(g, 20, 0) == 13);
    assert_true(adam_clip(g, 20, 13) == 13);
    assert_true(g[0] == 3 && g[9] == -4 && g[17] == 12);
    assert_true(adam_clip(g, 20, 6.5) == 13);
    assert_true(g[0] == 1.5f && g[9] == -2 && g[17] == 6);
}

static void clip__of_nothing(void **unused)
{
    float g[3] = { 0 };

    (void)unused;
    assert_true(adam_clip(g, 3, 1) == 0);
    assert_true(g[0] == 0 && g[1] == 0 && g[2] == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(step__by_hand),
        cmocka_unit_test(step__is_the_rate_by_default),
        cmocka_unit_test(clip__shortens_and_keeps_the_direction),
        cmocka_unit_test(clip__of_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
