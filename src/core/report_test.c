/* src/core/report_test.c - a report owns its arrays, and states which devices are missing. */
#include "core/report.h"
#include "core/units.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static void clear__keeps_only_the_memory(void **state)
{
    struct report r;

    (void)state;
    report_init(&r, 3, 2, 1);
    r.number = 7;
    r.cnps = 9;
    r.port[1].tx_bytes = 5;
    r.device[2] = (struct report_device){ .age_ps = 4, .is_missing = true };
    r.entry_bytes[0] = 6;
    report_add_pair(&r)->src = 1;
    report_clear(&r);
    assert_int_equal(r.number + r.cnps + r.pairs + r.port[1].tx_bytes + r.device[2].age_ps + r.entry_bytes[0],
                     0);
    assert_true(r.devices == 3 && r.ports == 2 && r.entries == 1);
    report_fini(&r);
}

/* Changing or freeing the original does not affect the copy. */
static void copy__is_independent(void **state)
{
    struct report r, copy;

    (void)state;
    report_init(&r, 2, 2, 2);
    for (uint32_t i = 0; i < 200; i++)
        report_add_pair(&r)->dst = i;
    r.number = 3;
    r.monitors = 1;
    r.monitor[0] = (struct report_monitor){ "exact", { .mice = 11 } };
    r.port[1].tx_bytes = 12;
    r.entry_bytes[1] = 13;
    r.device[0].age_ps = 14;
    report_copy(&copy, &r);
    report_clear(&r);
    report_fini(&r);
    assert_int_equal(copy.pairs, 200);
    for (uint32_t i = 0; i < 200; i++)
        assert_int_equal(copy.pair[i].dst, i);
    assert_true(copy.number == 3 && copy.monitor[0].fsd.mice == 11 && copy.port[1].tx_bytes == 12);
    assert_true(copy.entry_bytes[1] == 13 && copy.device[0].age_ps == 14);
    report_add_pair(&copy)->dst = 200;
    assert_int_equal(copy.pairs, 201);
    report_fini(&copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clear__keeps_only_the_memory),
        cmocka_unit_test(copy__is_independent),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
