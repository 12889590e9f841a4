#include "study/report/setting_print.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void setting_differs_in_mlx5__looks_at_dcqcn_alone(void **unused)
{
    static const enum knob others[] = { KNOB_nscc_target_delay, KNOB_paths, KNOB_trim, KNOB_kmin, KNOB_pmax };
    static const enum knob dcqcn[] = { KNOB_rpg_ai_rate, KNOB_min_time_between_cnps, KNOB_roce_cc_prio_mask };
    struct knobs           was = { 0 }, is = was;

    (void)unused;
    for (unsigned i = 0; i < sizeof others / sizeof *others; i++)
        is.value[others[i]] = 1;
    assert_false(setting_differs_in_mlx5(&was, &is));
    for (unsigned i = 0; i < sizeof dcqcn / sizeof *dcqcn; i++) {
        is = was;
        is.value[dcqcn[i]] = 1;
        assert_true(setting_differs_in_mlx5(&was, &is));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(setting_differs_in_mlx5__looks_at_dcqcn_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
