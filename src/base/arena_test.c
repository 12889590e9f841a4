#include "base/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void alloc__is_zeroed_aligned_and_apart(void **unused)
{
    struct arena a;
    char *p, *q;

    (void)unused;
    arena_init(&a, 1 << 20);
    p = arena_alloc(&a, 3, 5);
    q = arena_alloc(&a, 100, 1);
    assert_int_equal(0, (uintptr_t)p % 64);
    assert_int_equal(0, (uintptr_t)q % 64);
    assert_true(q >= p + 15);
    for (int i = 0; i < 100; i++)
        assert_int_equal(0, q[i]);
    memset(p, 1, 15);
    assert_int_equal(0, q[0]);
    arena_fini(&a);
    assert_null(a.base);
}

static void alloc__uses_the_last_byte(void **unused)
{
    struct arena a;
    char *p;

    (void)unused;
    arena_init(&a, 8192);
    arena_alloc(&a, 1, 8128);
    p = arena_alloc(&a, 1, 64);
    p[63] = 1;
    assert_int_equal(8192, a.used);
    arena_fini(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alloc__is_zeroed_aligned_and_apart),
        cmocka_unit_test(alloc__uses_the_last_byte),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
