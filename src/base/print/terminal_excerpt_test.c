#include "base/print/terminal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char path[] = "/tmp/excerpt-XXXXXX";

static int make_file(void **unused)
{
    static const char text[] = "topology:\n  kind: leaf_spne\r\n\tname: \303\244\303\266: x\n\n  a: \033[2J";
    int               fd = mkstemp(path);

    (void)unused;
    return fd >= 0 && write(fd, text, sizeof text - 1) == sizeof text - 1 && close(fd) == 0 ? 0 : -1;
}

static int remove_file(void **unused)
{
    (void)unused;
    return unlink(path);
}

static void expect(const char *place, const char *want)
{
    char  message[200], *text;
    size_t length;
    FILE  *out = open_memstream(&text, &length);

    snprintf(message, sizeof message, "%s%s what is wrong", path, place);
    excerpt_print(out, message);
    fclose(out);
    assert_string_equal(want, text);
    free(text);
}

static void print__puts_a_caret_below_the_column(void **unused)
{
    (void)unused;
    expect(":2:9:", "  2 |   kind: leaf_spne\n    |         ^\n");
    expect(":1:1:", "  1 | topology:\n    | ^\n");
}

static void print__counts_characters_and_keeps_tabs(void **unused)
{
    (void)unused;
    expect(":3:10:", "  3 | \tname: \303\244\303\266: x\n    | \t        ^\n");
}

static void print__has_no_caret_without_a_column(void **unused)
{
    (void)unused;
    expect(":2:", "  2 |   kind: leaf_spne\n");
}

static void print__replaces_control_characters(void **unused)
{
    (void)unused;
    expect(":5:6:", "  5 |   a: ?[2J\n    |      ^\n");
}

static void print__ignores_other_messages(void **unused)
{
    char  *text;
    size_t length;
    FILE  *out = open_memstream(&text, &length);

    (void)unused;
    expect(":9:1:", "");             /* no such line */
    expect(":4:1:", "");             /* an empty line */
    expect(":0:1:", "");
    expect(":", "");
    excerpt_print(out, "--set kmin=1: no file");
    excerpt_print(out, "nosuch.yaml:1:1: no file");
    excerpt_print(out, "/tmp:1:1: a folder");
    fclose(out);
    assert_string_equal("", text);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(print__puts_a_caret_below_the_column),
        cmocka_unit_test(print__counts_characters_and_keeps_tabs),
        cmocka_unit_test(print__has_no_caret_without_a_column),
        cmocka_unit_test(print__replaces_control_characters),
        cmocka_unit_test(print__ignores_other_messages),
    };

    return cmocka_run_group_tests(tests, make_file, remove_file);
}
