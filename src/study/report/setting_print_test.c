#include "study/report/setting_print.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* Prints the setting that has each knob at one end of its range, and finds the value of a file. -1: there is
 * none. */
static double printed(bool is_max, enum knob knob)
{
    static const char *const folders[] = { "\nroce_rp/", "\nroce_np/" };
    struct knobs             k;
    char                    *text = NULL, name[96];
    size_t                   length = 0;
    FILE                    *out = open_memstream(&text, &length);
    double                   value = -1;

    for (int i = 0; i < KNOB_COUNT; i++)
        k.value[i] = is_max ? knob_info[i].max : knob_info[i].min;
    setting_print_mlx5(&k, "", out);
    fclose(out);
    for (int i = 0; i < 2; i++) {
        snprintf(name, sizeof name, "%s%s ", folders[i], knob_info[knob].name);
        const char *at = strstr(text, name);
        value = at ? strtod(at + strlen(name), NULL) : value;
    }
    free(text);
    return value;
}

/* Ranges are those of the rows but for two, which are narrower in the device. */
static void print_mlx5__keeps_the_ranges_of_the_rows(void **unused)
{
    int files = 0;

    (void)unused;
    for (enum knob k = 0; k < KNOB_COUNT; k++) {
        double min = printed(false, k), max = printed(true, k);

        if (max < 0)
            continue;
        files++;
        assert_true(min == (k == KNOB_rpg_gd ? 10 : k == KNOB_dce_tcp_g ? 1 : knob_info[k].min));
        assert_true(max == (k == KNOB_rpg_gd ? 11 : knob_info[k].max));
        assert_true(knob_info[k].where == KNOB_NIC);
    }
    assert_int_equal(files, 19);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(setting_differs_in_mlx5__looks_at_dcqcn_alone),
        cmocka_unit_test(print_mlx5__keeps_the_ranges_of_the_rows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
