/* src/study/run/passes_test.c - when the passes of a program begin and end. */
#include "study/run/passes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static void add__ends_a_pass_with_its_last_rank(void **state)
{
    struct passes    p;
    struct op_result whole = { 0 }, r = { .kind = OP_ITERATION, .start_ps = 10, .ranks = 2, .took_ps = 90 };

    (void)state;
    passes_init(&p, 1);
    assert_false(passes_add(&p, &r, &whole));
    r.pass = 1;                                  /* the first rank is ahead */
    r.took_ps = 150;
    assert_false(passes_add(&p, &r, &whole));
    r.pass = 0;
    r.took_ps = 110;
    assert_true(passes_add(&p, &r, &whole));
    assert_true(whole.start_ps == 10 && whole.took_ps == 110);
    r.pass = 1;
    r.took_ps = 190;
    assert_true(passes_add(&p, &r, &whole));
    assert_true(whole.start_ps == 120 && whole.took_ps == 80);
    passes_fini(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(add__ends_a_pass_with_its_last_rank) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
