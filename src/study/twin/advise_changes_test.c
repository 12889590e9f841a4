/* src/study/twin/advise_changes_test.c - which changes are allowed, and the scenario of a row with
 * changes. */
#include "study/twin/advise.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void allow__reads_a_list(void **unused)
{
    static const struct { const char *text; uint32_t allowed; } rows[] = {
        { "control", 1u << ALLOW_CONTROL },
        { "mtu,balancer", 1u << ALLOW_MTU | 1u << ALLOW_BALANCER },
        { "ack_every,ack_every", 1u << ALLOW_ACK_EVERY },
        { "retransmission,all", UINT32_MAX },
    };

    (void)unused;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t   allowed = 0;
        struct err err;

        assert_int_equal(advise_allow(&allowed, rows[i].text, &err), 0);
        assert_int_equal(allowed, rows[i].allowed);
    }
}

static void allow__refuses_unknown_words(void **unused)
{
    uint32_t   allowed = 0;
    struct err err;

    (void)unused;
    assert_int_equal(advise_allow(&allowed, "mtu,balanser", &err), -EINVAL);
    assert_non_null(strstr(err.text, "--allow: 'balanser' cannot be allowed; did you mean 'balancer'"));
    assert_int_equal(advise_allow(&allowed, "", &err), -EINVAL);
}

/* The changes of a row follow the texts of --set, so they win. A row without changes has the texts of --set
 * alone. */
static void twin__has_the_changes_of_a_row(void **unused)
{
    static const struct advise_change mtu = { ALLOW_MTU, "host.mtu=4096", "" };
    static const struct advise_change lb = { ALLOW_BALANCER, "lb=spray", "" };
    const char *const  given[] = { "kmin=100KB", "host.mtu=1024" };
    const char        *set[ADVISE_SETS_MAX];
    struct advice     *a = calloc(1, sizeof *a);
    struct advise_row *row = &a->row[1];
    struct twin        t;

    (void)unused;
    a->twin.input.set = given;
    a->twin.input.sets = 2;
    t = advise_twin(a, row, set);
    assert_ptr_equal(t.input.set, given);
    assert_int_equal(t.input.sets, 2);
    row->change[row->changes++] = &mtu;
    row->change[row->changes++] = &lb;
    t = advise_twin(a, row, set);
    assert_int_equal(t.input.sets, 4);
    for (int i = 0; i < 2; i++)
        assert_string_equal(t.input.set[i], given[i]);
    assert_string_equal(t.input.set[2], "host.mtu=4096");
    assert_string_equal(t.input.set[3], "lb=spray");
    free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(allow__reads_a_list),
        cmocka_unit_test(allow__refuses_unknown_words),
        cmocka_unit_test(twin__has_the_changes_of_a_row),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
