/* src/base/print/terminal_test.c - line breaks at the width of a terminal, and sparklines, computed by
 * hand. */
#include "base/print/terminal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static char *words(const char *text, int at, int hang, int width)
{
    char  *made = NULL;
    size_t length;
    FILE  *f = open_memstream(&made, &length);

    terminal_words(f, text, at, hang, width);
    fclose(f);
    return made;
}

static void terminal_words__breaks_lines_at_the_width(void **state)
{
    static const struct { const char *text; int at, hang, width; const char *want; } rows[] = {
        { "one two three", 0, 0, 0, "one two three\n" },
        { "one two three", 0, 0, 13, "one two three\n" },
        { "one two three", 0, 0, 12, "one two\nthree\n" },
        { "one two three", 4, 4, 11, "one two\n    three\n" },
        { "  one  two", 0, 2, 5, "  one\n  two\n" },
        { "longer than it", 0, 1, 3, "longer\n than\n it\n" },
        { "äöü äöü", 0, 0, 7, "äöü äöü\n" },
        { "äöü äöü", 0, 0, 6, "äöü\näöü\n" },
        { "at 100 Gb/s, x", 0, 0, 13, "at 100 Gb/s,\nx\n" },
        { "at 100 Gb/s, x", 0, 0, 10, "at\n100 Gb/s,\nx\n" },         /* a number stays with its unit */
        { "at 100 bits", 0, 0, 6, "at 100\nbits\n" },
        { "", 0, 0, 5, "\n" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *made = words(rows[i].text, rows[i].at, rows[i].hang, rows[i].width);

        assert_string_equal(made, rows[i].want);
        free(made);
    }
}

static void terminal_width__is_0_for_a_file_and_known_for_a_terminal(void **state)
{
    struct winsize size = { .ws_col = 97, .ws_row = 24 };
    int            master = posix_openpt(O_RDWR | O_NOCTTY);
    FILE          *file = tmpfile(), *terminal;

    (void)state;
    assert_int_equal(terminal_width(file), 0);
    fclose(file);
    if (master < 0 || grantpt(master) || unlockpt(master))
        skip();
    terminal = fopen(ptsname(master), "r+");
    if (!terminal)
        skip();
    assert_int_equal(ioctl(fileno(terminal), TIOCSWINSZ, &size), 0);
    assert_int_equal(terminal_width(terminal), 97);
    fclose(terminal);
    close(master);
}

/* ---- spark ---- */

static void draw__goes_from_the_least_to_the_largest(void **state)
{
    const double values[] = { 10, 11, 12, 13, 14, 15, 16, 17 };
    char         buf[SPARK_BYTES];

    (void)state;
    assert_string_equal(spark_draw(buf, values, 8, true), "▁▂▃▄▅▆▇█");
    assert_string_equal(spark_draw(buf, values, 8, false), "_.-:=+*#");
}

static void draw__leaves_blanks_for_missing_values(void **state)
{
    const double values[] = { NAN, 1, NAN, NAN, 9, NAN };
    char         buf[SPARK_BYTES];

    (void)state;
    assert_string_equal(spark_draw(buf, values, 6, true), " ▁  █ ");
}

static void draw__shows_whether_a_flat_line_is_zero(void **state)
{
    const double zero[] = { 0, 0, 0 }, five[] = { 5, 5, 5 };
    char         buf[SPARK_BYTES];

    (void)state;
    assert_string_equal(spark_draw(buf, zero, 3, true), "▁▁▁");
    assert_string_equal(spark_draw(buf, five, 3, true), "▄▄▄");
}

static void draw__without_values_is_blank(void **state)
{
    const double none[] = { NAN, NAN };
    char         buf[SPARK_BYTES];

    (void)state;
    assert_string_equal(spark_draw(buf, NULL, 0, true), "");
    assert_string_equal(spark_draw(buf, none, 2, true), "  ");
}

static void draw__is_never_wider_than_the_limit(void **state)
{
    double values[2 * SPARK_COLUMNS];
    char   buf[SPARK_BYTES];

    (void)state;
    for (uint32_t i = 0; i < 2 * SPARK_COLUMNS; i++)
        values[i] = i;
    assert_int_equal(strlen(spark_draw(buf, values, 2 * SPARK_COLUMNS, true)), 3 * SPARK_COLUMNS);
    assert_int_equal(strlen(spark_draw(buf, values, 2 * SPARK_COLUMNS, false)), SPARK_COLUMNS);
    assert_string_equal(buf + SPARK_COLUMNS - 1, "#");   /* the largest value drawn */
}

static void range__skips_nan(void **state)
{
    const double values[] = { NAN, 3, -2, NAN, 7 };
    double       low = 1, high = 1;

    (void)state;
    assert_true(spark_range(values, 5, &low, &high));
    assert_true(low == -2 && high == 7);
    assert_false(spark_range(values, 1, &low, &high));
}

static void is_utf8__checks_lc_all_then_lc_ctype_then_lang(void **state)
{
    static const struct { const char *all, *ctype, *lang; bool is; } rows[] = {
        { "",  "",            "",            false },
        { "",  "",            "C.UTF-8",     true },
        { "",  "en_US.utf8",  "C",           true },
        { "C", "en_US.UTF-8", "en_US.UTF-8", false },
        { "",  "C",           "en_US.UTF-8", false },
        { "",  "",            "de_DE.ISO-8859-1", false },
        { "",  "",            "sr_RS.UTF-8@latin", true },
    };

    (void)state;
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        setenv("LC_ALL", rows[i].all, 1);
        setenv("LC_CTYPE", rows[i].ctype, 1);
        setenv("LANG", rows[i].lang, 1);
        assert_int_equal(spark_is_utf8(), rows[i].is);
    }
    unsetenv("LC_ALL");
    unsetenv("LC_CTYPE");
    unsetenv("LANG");
    assert_false(spark_is_utf8());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(terminal_words__breaks_lines_at_the_width),
        cmocka_unit_test(terminal_width__is_0_for_a_file_and_known_for_a_terminal),
        cmocka_unit_test(draw__goes_from_the_least_to_the_largest),
        cmocka_unit_test(draw__leaves_blanks_for_missing_values),
        cmocka_unit_test(draw__shows_whether_a_flat_line_is_zero),
        cmocka_unit_test(draw__without_values_is_blank),
        cmocka_unit_test(draw__is_never_wider_than_the_limit),
        cmocka_unit_test(range__skips_nan),
        cmocka_unit_test(is_utf8__checks_lc_all_then_lc_ctype_then_lang),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
