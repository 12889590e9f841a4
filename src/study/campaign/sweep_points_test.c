#include "study/campaign/sweep.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct range parsed(const char *text)
{
    struct range r;
    struct err err;

    if (range_parse(&r, text, &err))
        fail_msg("%s", err.text);
    return r;
}

static void parse__writes_values_in_the_unit_of_the_ends(void **state)
{
    /* Computed by hand: shares 0, 0.25, 0.5 and 1 of each range. */
    static const struct { const char *text, *at[4]; } rows[] = {
        { "kmin=50KB..850KB", { "50KB", "250KB", "450KB", "850KB" } },
        { "kmin=100..1MB", { "100KB", "325KB", "550KB", "1000KB" } },
        { "kmin=50KB..3200KB:log", { "50KB", "141KB", "400KB", "3200KB" } },         /* sqrt(2) * 100 */
        { "pmax=0..1", { "0", "0.25", "0.5", "1" } },
        { "pmax=0.01..1:log", { "0.01", "0.0316", "0.1", "1" } },                    /* 0.01 * sqrt(10) */
        { "rpg_threshold=1..4", { "1", "2", "3", "4" } },
        { "rpg_min_dec_fac=1..99:linear", { "1%", "25%", "50%", "99%" } },
        { "rpg_time_reset=100us..0.3ms", { "100us", "150us", "200us", "300us" } },
        { "topology.delay=1us..5us", { "1us", "2us", "3us", "5us" } },
        { "topology.delay=0..1ms", { "0ms", "0.25ms", "0.5ms", "1ms" } },
        { "topology.rate=10Gbps..25Gbps", { "10Gbps", "13.75Gbps", "17.5Gbps", "25Gbps" } },
        { "traffic.1.size=1KB..2MB", { "1KB", "500.8KB", "1000KB", "2000KB" } },     /* 500.75, 1000.5 */
        { "traffic.1.size=1B..64B:log", { "1B", "3B", "8B", "64B" } },               /* 2.83 */
        { "traffic.0.load=0.1..0.9", { "0.1", "0.3", "0.5", "0.9" } },
        { "traffic.1.senders=2..9", { "2", "4", "6", "9" } },
    };

    (void)state;
    for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        static const double share[4] = { 0, 0.25, 0.5, 1 };
        struct range r = parsed(rows[i].text);
        char text[64];

        for (int n = 0; n < 4; n++)
            assert_string_equal(rows[i].at[n], range_value(text, sizeof(text), &r, share[n]));
        range_fini(&r);
    }
}

static void parse__refuses(void **state)
{
    static const struct { const char *text, *why; } rows[] = {
        { "kmin", "is not a range; write --range kmin=50KB..800KB" },
        { "kmin=5KB", "is not a range" },
        { "=5KB..6KB", "is not a range" },
        { "kmin=5KB..6KB:lg", "'lg' is not a scale" },
        { "kmin=5KB:log..6KB", "'log..6KB' is not a scale" },
        { "kmin=5KB..6us", "'kmin' is a size, not '6us'" },
        { "kmin=5KB..200MB", "'kmin' must be 0 .. 131071 KB" },
        { "kmin=6KB..5KB", "the low end must be below" },
        { "kmin=5KB..5KB", "the low end must be below" },
        { "kmin=0..5KB:log", "must begin above 0" },
        { "topology.delay=1us..5KB", "are not two numbers, times, rates or sizes" },
        { "topology.delay=..5us", "are not two numbers" },
    };

    (void)state;
    for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct range r;
        struct err err = { "" };

        assert_true(range_parse(&r, rows[i].text, &err) < 0);
        if (!strstr(err.text, rows[i].why))
            fail_msg("%s: %s", rows[i].text, err.text);
        assert_null(r.key);
    }
}

/* A ':log' range grows by equal factors; libm's pow() is the reference. */
static void value__of_a_log_range_grows_by_equal_factors(void **state)
{
    struct range r = parsed("x=0.001..800:log");
    char text[64];

    (void)state;
    for (int i = 0; i <= 100; i++) {
        double want = 0.001 * pow(800000, i / 100.0);
        double is = strtod(range_value(text, sizeof(text), &r, i / 100.0), NULL);

        assert_true(fabs(is - want) <= (want < 1 ? 1e-6 : 6e-4 * want));
    }
    range_fini(&r);
}

static void free_axes(struct axis *axes, int count)
{
    for (int i = 0; i < count; i++)
        axis_fini(&axes[i]);
    free(axes);
}

static void make__a_grid_has_both_ends_and_no_more_than_the_samples(void **state)
{
    struct range range[2] = { parsed("kmin=100KB..400KB"), parsed("rpg_threshold=1..3") };
    static const char *const want[] = { "kmin=100KB", "kmin=175KB", "kmin=250KB", "kmin=325KB",
                                        "kmin=400KB" };
    struct axis *axes;

    (void)state;
    assert_int_equal(2, points_make(&axes, range, 2, METHOD_GRID, 35, 1, NULL));  /* 5 * 5 <= 35 < 6 * 6 */
    assert_int_equal(5, axes[0].choices);
    for (int i = 0; i < 5; i++)
        assert_string_equal(want[i], axes[0].choice[i].name);
    assert_int_equal(3, axes[1].choices);            /* 1 .. 3 has only three whole numbers */
    free_axes(axes, 2);
    assert_int_equal(-EINVAL, points_make(&axes, range, 2, METHOD_GRID, 3, 1, NULL));
    assert_null(axes);
    range_fini(&range[0]);
    range_fini(&range[1]);
}

/* Each sixteenth of each range has one of 16 Sobol points, shifted or not. */
static void make__sobol_points_are_in_every_part_of_every_range(void **state)
{
    struct range range[3] = { parsed("x=0.0..1"), parsed("y=0.0..1"), parsed("z=0.0..1") };

    (void)state;
    for (uint64_t seed = 0; seed < 5; seed++) {
        struct axis *axes;
        int seen[3][16] = { 0 };

        assert_int_equal(1, points_make(&axes, range, 3, METHOD_SOBOL, 16, seed, NULL));
        assert_int_equal(16, axes[0].choices);
        for (int i = 0; i < 16; i++) {
            assert_int_equal(3, axes[0].choice[i].sets);
            for (int d = 0; d < 3; d++)
                seen[d][(int)(16 * strtod(axes[0].choice[i].set[d] + 2, NULL))]++;
        }
        for (int i = 0; i < 48; i++)
            assert_int_equal(1, seen[i / 16][i % 16]);
        free_axes(axes, 1);
    }
    for (int i = 0; i < 3; i++)
        range_fini(&range[i]);
}

static void make__more_samples_extend_fewer(void **state)
{
    struct range range[2] = { parsed("x=0.0..1"), parsed("kmin=1KB..100MB:log") };

    (void)state;
    for (int method = METHOD_RANDOM; method <= METHOD_SOBOL; method++) {
        struct axis *few, *many, *other;

        points_make(&few, range, 2, (enum sweep_method)method, 10, 7, NULL);
        points_make(&many, range, 2, (enum sweep_method)method, 20, 7, NULL);
        points_make(&other, range, 2, (enum sweep_method)method, 10, 8, NULL);
        for (uint32_t i = 0; i < 10; i++) {
            assert_string_equal(few->choice[i].name, many->choice[i].name);
            assert_string_not_equal(few->choice[i].name, other->choice[i].name);
        }
        free_axes(few, 1);
        free_axes(many, 1);
        free_axes(other, 1);
    }
    range_fini(&range[0]);
    range_fini(&range[1]);
}

/* Each of the four whole numbers gets a quarter of the range. Equal points are listed once. */
static void value__whole_numbers_are_equally_likely(void **state)
{
    struct range r = parsed("rpg_threshold=2..5");
    int seen[8] = { 0 };
    struct axis *axes;
    char text[64];

    (void)state;
    for (int i = 0; i < 4000; i++)
        seen[atoi(range_value(text, sizeof(text), &r, i / 4000.0))]++;
    for (int i = 2; i <= 5; i++)
        assert_int_equal(1000, seen[i]);
    assert_int_equal(1, points_make(&axes, &r, 1, METHOD_RANDOM, 200, 1, NULL));
    assert_int_equal(4, axes->choices);
    free_axes(axes, 1);
    range_fini(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parse__writes_values_in_the_unit_of_the_ends),
        cmocka_unit_test(parse__refuses),
        cmocka_unit_test(value__of_a_log_range_grows_by_equal_factors),
        cmocka_unit_test(value__whole_numbers_are_equally_likely),
        cmocka_unit_test(make__a_grid_has_both_ends_and_no_more_than_the_samples),
        cmocka_unit_test(make__sobol_points_are_in_every_part_of_every_range),
        cmocka_unit_test(make__more_samples_extend_fewer),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
