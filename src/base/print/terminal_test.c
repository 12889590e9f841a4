/* src/base/print/terminal_test.c - lines as wide as a terminal, counted by hand. */
#include "base/print/terminal.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <cmocka.h>

static char *words(const char *text, int at, int hang, int width)
{
    char  *made = NULL;
    size_t length;
    FILE  *f = open_memstream(&made, &length);

    terminal_words(f, text, at, hang, width);
    fclose(f);
    return made;
}

static void terminal_words__breaks_before_the_word_that_is_too_much(void **state)
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

static void terminal_width__a_file_has_none_a_terminal_its_own(void **state)
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(terminal_words__breaks_before_the_word_that_is_too_much),
        cmocka_unit_test(terminal_width__a_file_has_none_a_terminal_its_own),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
