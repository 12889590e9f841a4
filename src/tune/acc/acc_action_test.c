/* src/tune/acc/acc_action_test.c - the lists of settings, counted by hand. */
#include "tune/acc/acc_action.h"
#include "tune/setting.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static struct ecn list[ACC_ACTIONS_MAX];

/* 20 * 2^n KB: figure 4's steps. */
static void level_bytes__are_figure_4(void **state)
{
    static const uint64_t kb[ACC_LEVELS] = { 20, 40, 80, 160, 320, 640, 1280, 2560, 5120, 10240 };

    (void)state;
    for (uint32_t n = 0; n < ACC_LEVELS; n++)
        assert_int_equal(acc_level_bytes(n), kb[n] * 1000);
}

/* text: 6 levels fit 1 MB, 7 2 MB, 8 5 MB, 9 10 MB (the tenth is 10.24 MB): 30 pairs, 21 probabilities.
 * pairs: 10 + 9 + .. + 1, 20 probabilities. */
static void list__has_as_many_as_the_paper(void **state)
{
    (void)state;
    assert_int_equal(acc_actions_list(ACC_TEMPLATE, NULL), 20);
    assert_int_equal(acc_actions_list(ACC_TEXT, NULL), 30 * 21);
    assert_int_equal(acc_actions_list(ACC_PAIRS, NULL), 55 * 20);
}

static void list__all_are_settings_and_none_is_there_twice(void **state)
{
    (void)state;
    for (int kind = ACC_TEMPLATE; kind <= ACC_PAIRS; kind++) {
        uint32_t n = acc_actions_list((enum acc_actions)kind, list);

        for (uint32_t i = 0; i < n; i++) {
            assert_true(list[i].kmin_bytes > 0 && list[i].kmin_bytes <= list[i].kmax_bytes);
            assert_true(list[i].pmax > 0 && list[i].pmax <= 1);
            for (uint32_t j = 0; j < i; j++)
                assert_false(list[i].kmin_bytes == list[j].kmin_bytes &&
                             list[i].kmax_bytes == list[j].kmax_bytes && list[i].pmax == list[j].pmax);
        }
    }
}

/* What ACC is compared with, at 25 and 100 Gb/s, is something that it can choose, per 25 Gb/s of a port. */
static void list__template_has_the_static_settings(void **state)
{
    static const uint64_t rate[] = { 25000000000, 100000000000 };
    uint32_t              n = acc_actions_list(ACC_TEMPLATE, list);

    (void)state;
    for (const struct setting *s = setting_thresholds; s->name; s++)
        for (int r = 0; r < 2; r++) {
            struct world       world = { .host_bps = rate[0] };
            struct queue_facts queue = { .rate_bps = rate[r] };
            struct knobs       knobs;
            struct ecn         ecn;
            uint32_t           i;

            s->make(&knobs, &world);
            setting_ecn(s, &knobs, &world, &queue, &ecn);
            ecn.kmin_bytes /= (uint32_t)(rate[r] / rate[0]);
            ecn.kmax_bytes /= (uint32_t)(rate[r] / rate[0]);
            i = acc_actions_nearest(list, n, &ecn);
            assert_int_equal(list[i].kmin_bytes, ecn.kmin_bytes);
            assert_int_equal(list[i].kmax_bytes, ecn.kmax_bytes);
            assert_true(list[i].pmax == ecn.pmax);
        }
}

/* Twice as long is nearer than three times; half of the marks is as far as twice as many. */
static void nearest__by_how_many_times(void **state)
{
    static const struct ecn choice[] = { { 10000, 10000, 0.1 }, { 40000, 40000, 0.1 },
                                         { 300000, 300000, 0.9 } };
    static const struct { struct ecn ecn; uint32_t nearest; } rows[] = {
        { { 10000, 10000, 0.1 }, 0 }, { { 15000, 15000, 0.1 }, 0 }, { { 25000, 25000, 0.1 }, 1 },
        { { 200000, 200000, 0.5 }, 2 }, { { 0, 0, 0 }, 0 }, { { UINT32_MAX, UINT32_MAX, 1 }, 2 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(acc_actions_nearest(choice, 3, &rows[i].ecn), rows[i].nearest);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(level_bytes__are_figure_4),
        cmocka_unit_test(list__has_as_many_as_the_paper),
        cmocka_unit_test(list__all_are_settings_and_none_is_there_twice),
        cmocka_unit_test(list__template_has_the_static_settings),
        cmocka_unit_test(nearest__by_how_many_times),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
