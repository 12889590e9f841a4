/* src/base/file/sorter_test.c - pairs in order, whether they fit into memory or not. */
#include "base/file/sorter.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#define PAIRS 20000u

/* A permutation of 0 .. PAIRS-1 (7919 is prime and none of its factors); every key is there twice. */
static void expect_order(uint32_t in_memory)
{
    struct sorter     *s = sorter_new(in_memory);
    struct sorter_pair p;

    for (uint32_t i = 0; i < PAIRS; i++) {
        uint32_t n = (uint32_t)((uint64_t)i * 7919 % PAIRS);

        assert_int_equal(sorter_add(s, (1ull << 40) + n / 2, n), 0);
    }
    assert_int_equal(sorter_begin(s), 0);
    for (uint32_t i = 0; i < PAIRS; i++) {
        assert_int_equal(sorter_next(s, &p), 1);
        assert_int_equal(p.key, (1ull << 40) + i / 2);
        assert_int_equal(p.value, i);
    }
    assert_int_equal(sorter_next(s, &p), 0);
    sorter_free(s);
}

static void next__in_order_from_one_run_or_many(void **unused)
{
    (void)unused;
    expect_order(PAIRS + 1);
    expect_order(PAIRS);
    expect_order(PAIRS - 1);
    expect_order(4096);
    expect_order(7);
}

static void next__nothing_of_nothing(void **unused)
{
    struct sorter     *s = sorter_new(4);
    struct sorter_pair p;

    (void)unused;
    assert_int_equal(sorter_begin(s), 0);
    assert_int_equal(sorter_next(s, &p), 0);
    sorter_free(s);
}

static void add__tells_that_there_is_no_room(void **unused)
{
    struct sorter *s = sorter_new(1);

    (void)unused;
    setenv("TMPDIR", "/there/is/none", 1);
    assert_int_equal(sorter_add(s, 1, 1), 0);
    assert_int_equal(sorter_add(s, 2, 2), -ENOENT);
    unsetenv("TMPDIR");
    sorter_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(next__in_order_from_one_run_or_many),
        cmocka_unit_test(next__nothing_of_nothing),
        cmocka_unit_test(add__tells_that_there_is_no_room),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
