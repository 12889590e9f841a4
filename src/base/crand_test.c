#include "base/crand.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

/* The first numbers of seed 1 are well known: every program that forgets srand() prints them. */
static void crand_next__known_numbers(void **unused)
{
    const uint32_t known[] = { 1804289383, 846930886, 1681692777, 1714636915, 1957747793 };
    struct crand   r;

    (void)unused;
    crand_init(&r, 1);
    for (int i = 0; i < 5; i++)
        assert_int_equal(crand_next(&r), known[i]);
}

#ifdef __GLIBC__
static void crand_next__is_the_library_s(void **unused)
{
    const uint32_t seeds[] = { 0, 1, 2, 12345, 0x7fffffff, 0x80000000, 0xffffffff };

    (void)unused;
    for (size_t s = 0; s < sizeof seeds / sizeof *seeds; s++) {
        struct crand r;

        srand(seeds[s]);
        crand_init(&r, seeds[s]);
        for (int i = 0; i < 10000; i++)
            assert_int_equal(crand_next(&r), rand());        /* NOLINT(cert-msc30-c,cert-msc50-cpp) */
    }
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crand_next__known_numbers),
#ifdef __GLIBC__
        cmocka_unit_test(crand_next__is_the_library_s),
#endif
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
