#include "base/rng.h"
#include "tune/search/test_script.h"

/* No setting was better than the current one, so there is nothing to confirm. */
static void finish__keeps_the_better_setting_before(void **unused)
{
    struct test_search b;

    (void)unused;
    open_bench(&b, 2, TEST_NO_OPTIONS);
    step(&b, 0.5, 0.9);
    step(&b, 0.4, 0.9);
    step(&b, 0.3, 0.9);
    assert_true(time_reset(&b) == 300 && is_idle(&b));
    tuner_close(&b.tuner);
}

static void confirm__goes_back_to_the_better(void **unused)
{
    struct test_search b;

    (void)unused;
    open_bench(&b, 1, TEST_OPTIONS({ "confirm", "1" }));
    step(&b, 0.5, 0.9);
    step(&b, 0.9, 0.9);          /* lucky */
    assert_true(best_time_reset(&b) == 100);
    step(&b, 0.4, 0.9);
    step(&b, 0.5, 0.9);
    assert_int_equal(TUNER_REJECTED, b.note.verdict);
    assert_true(time_reset(&b) == 300 && best_time_reset(&b) == 300);
    assert_true(is_idle(&b));
    tuner_close(&b.tuner);
}

/* The setting before has 0.60, all others 0.58, with noise of up to 0.05 either way. The best of 20 samples
 * of the others is about 0.625, more than three of four samples of the better setting. A mean of three has
 * a standard deviation of 0.017, so the worse setting wins one comparison in five. */
static int worse_ones_kept(const char *confirm)
{
    struct rng rng;
    int kept = 0;

    rng_init(&rng, 9, 9);
    for (int i = 0; i < 200; i++) {
        struct test_search b;

        open_bench(&b, 20, TEST_OPTIONS({ "confirm", confirm }));
        while (!is_idle(&b))
            step(&b, (time_reset(&b) == 300 ? 0.60 : 0.58) + 0.1 * (rng_real(&rng) - 0.5), 0.9);
        kept += time_reset(&b) != 300;
        tuner_close(&b.tuner);
    }
    return kept;
}

static void confirm__guards_against_luck(void **unused)
{
    int never = worse_ones_kept("0"), thrice = worse_ones_kept("3"), often = worse_ones_kept("20");

    (void)unused;
    assert_true(never > 120);
    assert_true(thrice < never * 2 / 3);
    assert_true(often < thrice / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finish__keeps_the_better_setting_before),
        cmocka_unit_test(confirm__goes_back_to_the_better),
        cmocka_unit_test(confirm__guards_against_luck),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
