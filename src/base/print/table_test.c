#include "base/print/table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

static void expect(const struct table *t, int indent, const char *want)
{
    char *got;
    size_t length;
    FILE *f = open_memstream(&got, &length);

    table_print(t, f, indent);
    fclose(f);
    assert_string_equal(want, got);
    free(got);
}

static void print__lines_up(void **unused)
{
    struct table *t = table_new("lr");

    (void)unused;
    table_cell(t, "knob");
    table_cell(t, "value");
    table_cell(t, "rpg_time_reset");
    table_cell(t, "%dus", 300);
    table_cell(t, "kmin");
    table_cell(t, "%dKB", 131071);
    expect(t, 2,
           "  knob               value\n"
           "  --------------  --------\n"
           "  rpg_time_reset     300us\n"
           "  kmin            131071KB\n");
    table_free(t);
}

static void print__ends_no_row_with_blanks(void **unused)
{
    struct table *t = table_new("lll");

    (void)unused;
    table_cell(t, "a");
    table_cell(t, "bb");
    table_cell(t, "ccc");
    table_cell(t, "long");
    table_cell(t, "x  ");
    table_cell(t, "%s", "");
    table_cell(t, "%s", "");
    table_cell(t, "%s", "");
    table_cell(t, " ");
    expect(t, 1,
           " a     bb   ccc\n"
           " ----  ---  ---\n"
           " long  x\n"
           "\n");
    table_free(t);
}

static void print__accepts_an_incomplete_last_row(void **unused)
{
    struct table *t = table_new("lrl");

    (void)unused;
    table_cell(t, "a");
    table_cell(t, "b");
    table_cell(t, "c");
    table_cell(t, "1");
    table_cell(t, "22");
    expect(t, 0,
           "a   b  c\n"
           "-  --  -\n"
           "1  22\n");
    table_free(t);
}

static void print__counts_characters_not_bytes(void **unused)
{
    struct table *t = table_new("ll");

    (void)unused;
    table_cell(t, "name");
    table_cell(t, "n");
    table_cell(t, "\xc2\xb5s\xe2\x86\x92" "e\xcc\x81");      /* micro, s, arrow, accented e in two parts: 4 */
    table_cell(t, "1");
    table_cell(t, "\xe6\x9d\xb1\xe4\xba\xac!");              /* two wide characters and one: 5 */
    table_cell(t, "2");
    table_cell(t, "\xf0\x9f\xa6\x8e");                       /* a lizard: 2 */
    table_cell(t, "3");
    expect(t, 0,
           "name   n\n"
           "-----  -\n"
           "\xc2\xb5s\xe2\x86\x92" "e\xcc\x81   1\n"
           "\xe6\x9d\xb1\xe4\xba\xac!  2\n"
           "\xf0\x9f\xa6\x8e     3\n");
    table_free(t);
}

static void print__ignores_colours_in_widths(void **unused)
{
    struct table *t = table_new("rl");

    (void)unused;
    table_cell(t, "n"), table_cell(t, "what");
    table_cell_coloured(t, "\033[1;32m", "12"), table_cell(t, "x");
    table_cell_coloured(t, NULL, "123"), table_cell(t, "\033[2K");
    expect(t, 0,
           "  n  what\n"
           "---  -------\n"
           " \033[1;32m12\033[0m  x\n"
           "123  \\x1b[2K\n");
    table_free(t);
}

static void print__escapes_invalid_utf8(void **unused)
{
    struct table *t = table_new("l");

    (void)unused;
    table_cell(t, "\xe2");
    table_cell(t, "\x80\x80x");
    expect(t, 0, "\\xe2\n---------\n\\x80\\x80x\n");
    table_free(t);
}

static void print__of_an_empty_table_is_empty(void **unused)
{
    struct table *t = table_new("lr");

    (void)unused;
    expect(t, 4, "");
    table_free(t);
    table_free(NULL);
}

static void cell__accepts_many_and_long_texts(void **unused)
{
    struct table *t = table_new("r");
    char *got;
    size_t length;
    FILE *f = open_memstream(&got, &length);

    (void)unused;
    for (int i = 0; i < 1000; i++)
        table_cell(t, "%0300d", i);
    table_print(t, f, 0);
    fclose(f);
    assert_int_equal(1001 * 301, length);
    free(got);
    table_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(print__lines_up),
        cmocka_unit_test(print__ends_no_row_with_blanks),
        cmocka_unit_test(print__accepts_an_incomplete_last_row),
        cmocka_unit_test(print__counts_characters_not_bytes),
        cmocka_unit_test(print__ignores_colours_in_widths),
        cmocka_unit_test(print__escapes_invalid_utf8),
        cmocka_unit_test(print__of_an_empty_table_is_empty),
        cmocka_unit_test(cell__accepts_many_and_long_texts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
