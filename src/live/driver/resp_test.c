/* src/live/driver/resp_test.c - bytes as Redis's protocol defines them (RESP 2). A real Redis: sonic_test.c and tests/cli/live_switch*.bats. */
#include "live/driver/resp.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

static char seen[512];

static void take(void *arg, int field, const char *text)
{
    size_t at = strlen(seen);

    assert_ptr_equal(arg, seen);
    snprintf(seen + at, sizeof seen - at, "%d=%s;", field, text);
}

static long read_it(const char *bytes, size_t length, int fields)
{
    seen[0] = '\0';
    return resp_take(bytes, length, fields, take, seen);
}

static void add_get__is_what_Redis_reads(void **unused)
{
    static const char *const field[] = { "a", "bcd" };
    static const char        wanted[] = "*4\r\n$5\r\nHMGET\r\n$8\r\nQUEUE|x \r\n$1\r\na\r\n$3\r\nbcd\r\n*3\r\n$5\r\nHMGET\r\n$1\r\nk\r\n$1\r\na\r\n";
    struct resp_buffer       b = { 0 };

    (void)unused;
    resp_add_get(&b, "QUEUE|x ", field, 2);
    resp_add_get(&b, "k", field, 1);
    assert_int_equal(b.length, strlen(wanted));
    assert_memory_equal(b.bytes, wanted, b.length);
    resp_buffer_fini(&b);
}

static void take__fields_that_are_there(void **unused)
{
    static const char answer[] = "*3\r\n$5\r\n12345\r\n$-1\r\n$0\r\n\r\n*1\r\n";
    size_t            whole = sizeof answer - 1 - 4;

    (void)unused;
    assert_int_equal(read_it(answer, sizeof answer - 1, 3), whole);
    assert_string_equal(seen, "0=12345;2=;");
    for (size_t n = 0; n < whole; n++) {         /* nothing is told of what has not come whole */
        assert_int_equal(read_it(answer, n, 3), 0);
        assert_string_equal(seen, "");
    }
}

static void take__what_is_something_else(void **unused)
{
    static const char *const wrong[] = { "-ERR no\r\n", "+OK\r\n", ":1\r\n", "*2\r\n$1\r\na\r\n$1\r\nb\r\n", "*-1\r\n", "*3\r\n:1\r\n", "*3\r\n$x\r\n",
                                         "*3\r\n$1\r\nabc\r\n", "*3x\r\n", "*3\r\n$99999999999\r\n" };

    (void)unused;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_true(read_it(wrong[i], strlen(wrong[i]), 3) < 0);
        assert_string_equal(seen, "");
    }
}

static void take__a_text_that_is_too_long_is_left_out(void **unused)
{
    char answer[512];
    int  length = snprintf(answer, sizeof answer, "*2\r\n$250\r\n%0250d\r\n$1\r\n7\r\n", 1);

    (void)unused;
    assert_int_equal(read_it(answer, (size_t)length, 2), length);
    assert_string_equal(seen, "1=7;");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(add_get__is_what_Redis_reads),
        cmocka_unit_test(take__fields_that_are_there),
        cmocka_unit_test(take__what_is_something_else),
        cmocka_unit_test(take__a_text_that_is_too_long_is_left_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
