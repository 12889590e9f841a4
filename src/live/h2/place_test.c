#include "live/h2/place.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void find__gives_what_is_there_and_nothing_that_is_gone(void **unused)
{
    struct places p = { 0 };
    int           thing[100];
    uint32_t      number[100], again;

    (void)unused;
    for (int i = 0; i < 100; i++)
        number[i] = place_take(&p, &thing[i]);
    for (int i = 0; i < 100; i++)
        assert_ptr_equal(place_find(&p, number[i]), &thing[i]);
    assert_null(place_find(&p, 0x7fffffff));
    place_leave(&p, number[7]);
    assert_null(place_find(&p, number[7]));
    for (int i = 0; i < 1000; i++) {             /* places are used again, numbers are not soon */
        again = place_take(&p, &thing[7]);
        assert_true(again <= INT32_MAX && again != number[7]);
        assert_null(place_find(&p, number[7]));
        assert_ptr_equal(place_find(&p, again), &thing[7]);
        place_leave(&p, again);
    }
    places_fini(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(find__gives_what_is_there_and_nothing_that_is_gone) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
