#include "learn/replay_memory.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* Records (i, -i) for i = first .. first + n - 1. */
static void add_records(struct replay *r, int first, int n)
{
    for (int i = first; i < first + n; i++)
        replay_add(r, (float[]){ (float)i, (float)-i });
}

static void add__replaces_the_oldest(void **unused)
{
    struct replay r;

    (void)unused;
    replay_init(&r, 2, 5);
    add_records(&r, 0, 3);
    assert_int_equal(3, r.count);
    assert_true(replay_at(&r, 0)[0] == 0 && replay_at(&r, 2)[1] == -2);
    add_records(&r, 3, 9);
    assert_int_equal(5, r.count);
    assert_int_equal(12, r.added);
    for (uint32_t i = 0; i < 5; i++)
        assert_true(replay_at(&r, i)[0] == (float)(7 + i) && replay_at(&r, i)[1] == -(float)(7 + i));
    replay_fini(&r);
}

/* 50 records of a ring that has wrapped, 100,000 draws: the sum of squares of (count - 2000) / sqrt(2000) has
 * mean 49 and standard deviation sqrt(98). Too even a result is refused as well. */
static void draw__is_uniform(void **unused)
{
    const float *record[10];
    uint32_t count[50] = { 0 };
    double chi = 0;
    struct replay r;
    struct rng rng;

    (void)unused;
    rng_init(&rng, 1, 0);
    replay_init(&r, 2, 50);
    add_records(&r, 0, 120);
    for (int i = 0; i < 10000; i++) {
        replay_draw(&r, &rng, 10, record);
        for (int j = 0; j < 10; j++)
            count[(int)record[j][0] - 70]++;
    }
    for (int i = 0; i < 50; i++)
        chi += (count[i] - 2000.0) * (count[i] - 2000.0) / 2000;
    assert_true(chi > 15 && chi < 49 + 5 * sqrt(98));
    replay_fini(&r);
}

static void draw__uses_existing_records_only(void **unused)
{
    const float *record[100];
    struct replay r;
    struct rng rng;

    (void)unused;
    rng_init(&rng, 1, 0);
    replay_init(&r, 2, 50);
    add_records(&r, 1, 3);
    replay_draw(&r, &rng, 100, record);
    for (int i = 0; i < 100; i++)
        assert_true(record[i][0] >= 1 && record[i][0] <= 3);
    replay_fini(&r);
}

/* 200 records are offered to a memory of 50, 4,000 times: each is kept 1,000 times on average, with a
 * variance of 4,000 / 4 * 3 / 4 = 750. The sum of squares of (count - 1000) / sqrt(750) has mean 200 and
 * standard deviation sqrt(400). */
static void sample__keeps_each_with_the_same_probability(void **unused)
{
    uint32_t count[200] = { 0 };
    double chi = 0;
    struct rng rng;

    (void)unused;
    rng_init(&rng, 1, 0);
    for (int i = 0; i < 4000; i++) {
        struct replay r;

        replay_init(&r, 2, 50);
        for (int j = 0; j < 200; j++)
            replay_sample(&r, &rng, (float[]){ (float)j, (float)-j });
        assert_int_equal(50, r.count);
        assert_int_equal(200, r.added);
        for (uint32_t j = 0; j < 50; j++)
            count[(int)replay_at(&r, j)[0]]++;
        replay_fini(&r);
    }
    for (int i = 0; i < 200; i++)
        chi += (count[i] - 1000.0) * (count[i] - 1000.0) / 750;
    assert_true(chi > 100 && chi < 300);
}

static void add_all__appends_in_order(void **unused)
{
    static const float records[] = { 4, -4, 5, -5, 6, -6 };
    struct replay to;

    (void)unused;
    replay_init(&to, 2, 8);
    add_records(&to, 100, 6);
    replay_add_all(&to, records, 3);
    assert_int_equal(8, to.count);
    assert_true(replay_at(&to, 0)[0] == 101 && replay_at(&to, 4)[0] == 105);
    assert_true(replay_at(&to, 5)[0] == 4 && replay_at(&to, 7)[1] == -6);
    replay_fini(&to);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(add__replaces_the_oldest),
        cmocka_unit_test(draw__is_uniform),
        cmocka_unit_test(draw__uses_existing_records_only),
        cmocka_unit_test(sample__keeps_each_with_the_same_probability),
        cmocka_unit_test(add_all__appends_in_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
