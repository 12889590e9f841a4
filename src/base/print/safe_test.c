#include "base/print/safe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

static void printf__escapes_the_whole(void **unused)
{
    char *made = NULL;
    size_t length;
    FILE *out = open_memstream(&made, &length);

    (void)unused;
    safe_printf(out, "%s: %d of '%s'", "a\n", 3, "\033[2J");
    fputc('\n', out);
    fclose(out);
    assert_string_equal("a\\n: 3 of '\\x1b[2J'\n", made);
    free(made);
}

/* The text is longer than any internal buffer, and escaping makes each byte four times as long. */
static void printf__has_no_length_limit(void **unused)
{
    static char many[10001];
    char *made = NULL;
    size_t length;
    FILE *out = open_memstream(&made, &length);

    (void)unused;
    memset(many, '\x9b', sizeof(many) - 1);
    safe_printf(out, "%s", many);
    fclose(out);
    assert_int_equal(40000, length);
    free(made);
}

static void name__is_escaped_and_cut(void **unused)
{
    static char many[1001];

    (void)unused;
    assert_string_equal("h\\x1b[31m0", safe_name("h\033[31m0").buf);
    memset(many, 'x', sizeof(many) - 1);
    assert_int_equal(sizeof(struct safe_name) - 1, strlen(safe_name(many).buf));
}

static void csv__quotes_what_needs_it(void **unused)
{
    static char many[1001];

    (void)unused;
    assert_string_equal("h1>h2:49152", csv_field("h1>h2:49152").buf);
    assert_string_equal("\"a,b\"", csv_field("a,b").buf);
    assert_string_equal("\"s\"\"w\\n\"", csv_field("s\"w\n").buf);
    assert_string_equal("\"tor0\"", csv_quoted("tor0").buf);
    memset(many, '"', sizeof(many) - 1);
    assert_in_range(strlen(csv_quoted(many).buf), 200, sizeof(struct csv_text) - 1);
    assert_int_equal(strlen(csv_quoted(many).buf) % 2, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(printf__escapes_the_whole),
        cmocka_unit_test(printf__has_no_length_limit),
        cmocka_unit_test(name__is_escaped_and_cut),
        cmocka_unit_test(csv__quotes_what_needs_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
