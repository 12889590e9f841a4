/* src/live/controller/finder_test.c - against a search through all. */
#include "live/controller/finder.h"
#include "base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void next__finds_all_of_a_hash_and_nothing_else(void **unused)
{
    enum { COUNT = 5000 };
    static uint64_t hash[COUNT];
    struct finder   f = { 0 };
    struct rng      rng;

    (void)unused;
    rng_init(&rng, 1, 0);
    assert_int_equal(finder_next(&f, 7, &(uint32_t){ 0 }), FINDER_NONE);
    for (uint32_t i = 0; i < COUNT; i++) {
        hash[i] = rng_below(&rng, 2000);         /* several of most */
        finder_add(&f, hash[i], i);
    }
    for (uint64_t h = 0; h < 2010; h++) {
        uint32_t at = 0, number, found = 0, wanted = 0;

        while ((number = finder_next(&f, h, &at)) != FINDER_NONE) {
            assert_true(hash[number] == h);
            found++;
        }
        for (uint32_t i = 0; i < COUNT; i++)
            wanted += hash[i] == h;
        assert_int_equal(found, wanted);
    }
    finder_fini(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(next__finds_all_of_a_hash_and_nothing_else) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
