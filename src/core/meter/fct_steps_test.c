/* src/core/meter/fct_steps_test.c - sums and the worst message of each kind. */
#include "core/meter/fct.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* Three messages of one kind in two orders: of those that lost the most time, the one that began first is
 * kept. */
static void steps_add__keeps_the_worst(void **unused)
{
    static const struct flow_result made[] = {
        { .traffic = 1, .start_ps = 50, .fct_ps = 30, .ideal_ps = 10, .tag = 1 },
        { .traffic = 1, .start_ps = 40, .fct_ps = 40, .ideal_ps = 20, .tag = 2 },
        { .traffic = 1, .start_ps = 10, .fct_ps = 90, .ideal_ps = 89, .tag = 3 },
    };

    (void)unused;
    for (int order = 0; order < 2; order++) {
        struct steps s;

        steps_init(&s, 2, 3);
        for (int i = 0; i < 3; i++)
            steps_add(&s, 2, &made[order ? 2 - i : i]);
        assert_int_equal(steps_cell(&s, 1, 2)->count, 3);
        assert_int_equal((uint64_t)steps_cell(&s, 1, 2)->fct_ps_sum, 160);
        assert_int_equal((uint64_t)steps_cell(&s, 1, 2)->ideal_ps_sum, 119);
        assert_int_equal(steps_cell(&s, 1, 2)->worst.tag, 2);
        assert_int_equal(steps_cell(&s, 0, 2)->count, 0);
        assert_int_equal(steps_cell(&s, 1, 1)->count, 0);
        steps_fini(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(steps_add__keeps_the_worst) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
