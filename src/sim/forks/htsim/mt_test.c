/* src/sim/forks/htsim/mt_test.c - oracles: numbers of the C++ library's mt19937, and hashes of uet-htsim. */
#include "sim/forks/htsim/htsim_world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void mt_next__low_31_bits_of_mt19937(void **unused)
{
    static const uint32_t want[] = { 1192722770, 461027504, 1020231754, 1543757328, 1392765670 };
    struct mt             m;

    (void)unused;
    mt_init(&m, 13);
    for (int i = 0; i < 5; i++)
        assert_int_equal(mt_next(&m), want[i]);
    assert_int_equal(m.draws, 5);
}

/* The C++ standard: the 10000th number of a generator with the default seed, 5489, is 4123659995. */
static void mt_next__ten_thousandth(void **unused)
{
    struct mt m;

    (void)unused;
    mt_init(&m, 5489);
    for (int i = 1; i < 10000; i++)
        mt_next(&m);
    assert_int_equal(mt_next(&m), 4123659995u & MT_MAX);
}

static void htsim_hash__known_values(void **unused)
{
    (void)unused;
    assert_int_equal(htsim_hash(1, 0, 0), 539485162);
    assert_int_equal(htsim_hash(1, 5, 1192722770), 95203297);
    assert_int_equal(htsim_hash(1000000001, 65535, 2147483647), 659744281);
    assert_int_equal(htsim_hash(240, 4097, 12345), 1412060490);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mt_next__low_31_bits_of_mt19937),
        cmocka_unit_test(mt_next__ten_thousandth),
        cmocka_unit_test(htsim_hash__known_values),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
