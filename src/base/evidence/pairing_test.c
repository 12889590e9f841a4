#include "base/evidence/pairing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

static void add__drops_the_burn_in_and_takes_b_less_a(void **unused)
{
    struct pairing p;
    double         d = 0;

    (void)unused;
    pairing_init(&p, 4, 2, 1);
    for (int i = 0; i < 8; i++) {
        bool is_counted = i % 4 >= 2;
        double value = !is_counted ? 1e9 : pairing_arm(&p) == ARM_B ? 7 + i % 2 : 3 - i % 2;

        assert_int_equal(pairing_add(&p, value, &d), i == 7);
    }
    assert_true(d == 7.5 - 2.5);
}

static void add__a_pair_with_an_empty_block_says_nothing(void **unused)
{
    struct pairing p;
    double         d = 42;

    (void)unused;
    pairing_init(&p, 2, 0, 1);
    for (int i = 0; i < 4; i++)
        assert_false(pairing_add(&p, i < 2 ? NAN : 1, &d));
    assert_true(d == 42);
}

static void next_arm__is_what_comes(void **unused)
{
    struct pairing p;
    double         d;

    (void)unused;
    pairing_init(&p, 3, 1, 7);
    for (int block = 0; block < 500; block++) {
        enum arm now = pairing_arm(&p), next = pairing_next_arm(&p);

        assert_int_equal(p.interval, 0);
        for (int i = 0; i < 3; i++) {
            assert_int_equal(pairing_arm(&p), now);
            pairing_add(&p, 0, &d);
        }
        assert_int_equal(pairing_arm(&p), next);
    }
}

static void arm__each_pair_has_both_and_the_coin_is_fair(void **unused)
{
    struct pairing p;
    double         d;
    int            firsts = 0;

    (void)unused;
    pairing_init(&p, 1, 0, 3);
    for (int pair = 0; pair < 10000; pair++) {
        enum arm first = pairing_arm(&p);

        pairing_add(&p, 0, &d);
        assert_int_not_equal(pairing_arm(&p), first);
        pairing_add(&p, 0, &d);
        firsts += first == ARM_B;
    }
    assert_in_range(firsts, 4800, 5200);         /* 4 sd of Binomial(10000, 1/2) */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(add__drops_the_burn_in_and_takes_b_less_a),
        cmocka_unit_test(add__a_pair_with_an_empty_block_says_nothing),
        cmocka_unit_test(next_arm__is_what_comes),
        cmocka_unit_test(arm__each_pair_has_both_and_the_coin_is_fair),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
