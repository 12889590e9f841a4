/* src/live/view/ledger_test.c - the last records, and the decisions in them. */
#include "live/view/ledger.h"
#include "live/core/audit.h"

#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static int full(void *arg, const char *text, size_t length)
{
    (void)text;
    (void)length;
    return *(int *)arg;
}

static uint64_t noon(void *arg)
{
    (void)arg;
    return 43200000000;
}

static void put(struct ledger *l, uint64_t seq, const char *rest)
{
    char line[300];
    int  length = snprintf(line, sizeof line, "{\"seq\":%" PRIu64 "%s}\n", seq, rest);

    ledger_load(l, line, (size_t)length);
}

static void ledger_after__goes_on_after_a_number(void **state)
{
    struct ledger l;
    uint64_t      seq = 0;

    (void)state;
    memset(&l, 0, sizeof l);
    assert_null(ledger_after(&l, 0, &seq));
    assert_int_equal(ledger_last(&l), 0);
    for (uint64_t i = 1; i <= LEDGER_LINES + 10; i++)
        put(&l, i, "");
    assert_string_equal(ledger_after(&l, LEDGER_LINES + 8, &seq), "{\"seq\":521}");
    assert_int_equal(seq, 521);
    assert_non_null(ledger_after(&l, 3, &seq));
    assert_int_equal(seq, 11);                   /* the ten before are gone */
    assert_null(ledger_after(&l, LEDGER_LINES + 10, &seq));
    assert_int_equal(ledger_last(&l), LEDGER_LINES + 10);
    ledger_fini(&l);
}

static void ledger_load__skips_other_lines(void **state)
{
    static const char text[] = "alf a line\"}\n{\"seq\":7}\nnull\n{\"seq\":-1}\n{\"seq\":8}\n{\"seq\":9";
    struct ledger     l;
    uint64_t          seq;

    (void)state;
    memset(&l, 0, sizeof l);
    ledger_load(&l, text, sizeof text - 1);
    assert_int_equal(ledger_last(&l), 8);
    assert_string_equal(ledger_after(&l, 0, &seq), "{\"seq\":7}");
    assert_int_equal(l.count, 2);
    ledger_fini(&l);
}

static void ledger_on_line__gets_written_lines(void **state)
{
    int                 rc = -ENOSPC;
    struct ledger       l;
    struct io_disk      disk = { .append = full, .wall_us = noon, .arg = &rc, .on_line = ledger_on_line,
                                 .on_line_arg = &l };
    struct audit        audit;
    struct audit_record record = { .who = "c1", .what = "begin" };

    (void)state;
    memset(&l, 0, sizeof l);
    audit_init(&audit);
    assert_int_equal(audit_write(&audit, &disk, &record), -ENOSPC);
    assert_int_equal(l.count, 0);
    rc = 0;
    assert_int_equal(audit_write(&audit, &disk, &record), 0);
    assert_int_equal(l.count, 1);
    assert_int_equal(ledger_last(&l), 1);
    ledger_fini(&l);
}

static void ledger_decisions__a_trial_from_its_beginning_to_its_end(void **state)
{
    struct ledger l;
    json_t       *list, *d;

    (void)state;
    memset(&l, 0, sizeof l);
    put(&l, 1, ",\"what\":\"begin\",\"term\":65537");
    put(&l, 2, ",\"time\":\"T2\",\"what\":\"try\",\"term\":65537,\"change\":1,\"why\":\"tuner expert\",\"old\":{\"kmin\":100},\"new\":{\"kmin\":400}");
    put(&l, 3, ",\"what\":\"freeze\",\"why\":\"x\"");
    put(&l, 4, ",\"time\":\"T4\",\"what\":\"stage\",\"term\":65537,\"change\":1,\"evidence\":\"13 pairs\"");
    put(&l, 5, ",\"time\":\"T5\",\"what\":\"keep\",\"term\":65537,\"change\":1,\"why\":\"better\",\"evidence\":\"40 pairs\"");
    put(&l, 6, ",\"time\":\"T6\",\"what\":\"try\",\"term\":131073,\"change\":1,\"why\":\"again\"");
    put(&l, 7, ",\"time\":\"T7\",\"what\":\"drop\",\"term\":131073,\"change\":1,\"why\":\"harm\"");
    put(&l, 8, ",\"time\":\"T8\",\"what\":\"would try\",\"term\":131073,\"why\":\"observing\"");
    list = ledger_decisions(&l);
    assert_int_equal(json_array_size(list), 3);
    d = json_array_get(list, 0);
    assert_string_equal(json_string_value(json_object_get(d, "outcome")), "kept");
    assert_string_equal(json_string_value(json_object_get(d, "evidence")), "40 pairs");
    assert_int_equal(json_integer_value(json_object_get(json_object_get(d, "was"), "kmin")), 100);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(d, "set"), "kmin")), 400);
    assert_string_equal(json_string_value(json_object_get(d, "ended")), "T5");
    assert_string_equal(json_string_value(json_object_get(d, "end")), "better");
    assert_int_equal(json_array_size(json_object_get(d, "steps")), 3);
    d = json_array_get(list, 1);                 /* the same number, from another controller */
    assert_string_equal(json_string_value(json_object_get(d, "outcome")), "dropped");
    assert_int_equal(json_array_size(json_object_get(d, "steps")), 2);
    assert_string_equal(json_string_value(json_object_get(json_array_get(list, 2), "outcome")), "would try");
    json_decref(list);
    ledger_fini(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ledger_after__goes_on_after_a_number),
        cmocka_unit_test(ledger_load__skips_other_lines),
        cmocka_unit_test(ledger_on_line__gets_written_lines),
        cmocka_unit_test(ledger_decisions__a_trial_from_its_beginning_to_its_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
