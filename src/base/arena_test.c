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

/* Allocates more than was reserved, in small pieces and in one that is larger than the arena. All memory is
 * zeroed and aligned, and earlier pieces keep their contents. */
static void alloc__reserves_more_when_it_is_used_up(void **unused)
{
    struct arena a;
    char        *piece[40], *large;

    (void)unused;
    for (int is_sparse = 0; is_sparse < 2; is_sparse++) {
        if (is_sparse)
            arena_init_sparse(&a, 8192);
        else
            arena_init(&a, 8192);
        for (int i = 0; i < 40; i++) {
            piece[i] = arena_alloc(&a, 1, 1000);
            assert_int_equal(0, (uintptr_t)piece[i] % 64);
            for (int j = 0; j < 1000; j++)
                assert_int_equal(0, piece[i][j]);
            memset(piece[i], i + 1, 1000);
        }
        large = arena_alloc(&a, 100, 1000);
        assert_int_equal(0, (uintptr_t)large % 64);
        assert_int_equal(0, large[0] | large[99999]);
        memset(large, 77, 100000);
        for (int i = 0; i < 40; i++)
            assert_true(piece[i][0] == i + 1 && piece[i][999] == i + 1);
        arena_fini(&a);
        assert_null(a.base);
        assert_null(a.full);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alloc__is_zeroed_aligned_and_apart),
        cmocka_unit_test(alloc__uses_the_last_byte),
        cmocka_unit_test(alloc__reserves_more_when_it_is_used_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
