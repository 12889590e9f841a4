/* src/core/option_test.c - rows, values and their locations. */
#include "core/option.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

enum { SIZE, TIMES, ON, HOW, WHAT };

static const char *const ways[] = { "slow", "fast", "fastest", NULL };
static const char *const known[] = { "usual", NULL };

static const struct key_row table[] = {
    [SIZE] = { "size", KEY_REAL, "0.5", "a share", .min = 0, .max = 1 },
    [TIMES] = { "times", KEY_COUNT, "3", "a count", .min = 1, .max = 10 },
    [ON] = { "on", KEY_YES, "yes", "yes or no" },
    [HOW] = { "how", KEY_NAME, "fast", "a word", .choices = ways },
    [WHAT] = { "what", KEY_FILE, "usual", "a word or a file", .choices = known },
    { 0 },
};

static void init__gives_the_values_of_the_rows(void **state)
{
    struct option_values v;

    (void)state;
    option_values_init(table, &v);
    assert_true(v.value[SIZE] == 0.5 && v.value[TIMES] == 3 && v.value[ON] == 1 && v.value[HOW] == 1);
    assert_string_equal(v.text[WHAT], "usual");
    for (int i = 0; i < OPTIONS_MAX; i++)
        assert_false(v.is_given[i]);
    option_values_fini(&v);
    assert_null(v.text[WHAT]);
}

static void copy__has_separate_texts(void **state)
{
    struct option_values v, copy;

    (void)state;
    option_values_init(table, &v);
    assert_int_equal(option_values_set(table, "it", &v, "times", "7", NULL), 0);
    option_values_copy(&copy, &v);
    assert_int_equal(option_values_set(table, "it", &v, "what", "else", NULL), 0);
    option_values_fini(&v);
    assert_string_equal(copy.text[WHAT], "usual");
    assert_true(copy.value[TIMES] == 7 && copy.is_given[TIMES] && !copy.is_given[WHAT]);
    option_values_fini(&copy);
}

static void set__refuses_and_keeps_the_old_value(void **state)
{
    static const struct { const char *name, *text, *why; } rows[] = {
        { "sise", "1", "'sise' is not an option of it; did you mean 'size'?" },
        { "colour", "1", "'colour' is not an option of it; there are size, times, on, how and what" },
        { "size", "1.5", "size must be 0 .. 1, not 1.5" },
        { "times", "2.5", "times: '2.5' is not a whole number" },
        { "on", "maybe", "on: 'maybe' is neither true nor false" },
        { "how", "fasd", "'fasd' is not a value of how; did you mean 'fast'?" },
        { "what", "", "what must not be empty" },
    };
    struct option_values v, before;

    (void)state;
    option_values_init(table, &v);
    before = v;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct err err = { "" };

        assert_true(option_values_set(table, "it", &v, rows[i].name, rows[i].text, &err) < 0);
        assert_string_equal(err.text, rows[i].why);
        assert_memory_equal(&v, &before, sizeof v);
    }
    option_values_fini(&v);
}

static void read__errors_start_with_the_location(void **state)
{
    struct option_text   wrong = { "times", "many", "f.yaml:3:9: " };
    struct option_values v;
    struct err           err;

    (void)state;
    option_values_init(table, &v);
    assert_true(option_values_read(table, "it", &v, &wrong, "f.yaml", &err) < 0);
    assert_string_equal(err.text, "f.yaml:3:9: times: 'many' is not a whole number");
    option_values_fini(&v);
}

/* A choice is not a file name. A file is relative to the file that names it, unless it was named on the
 * command line and exists there. */
static void read__finds_files_relative_to_the_file_that_names_them(void **state)
{
    static const struct { const char *text, *place, *base_path, *want; } rows[] = {
        { "usual", "d/f.yaml:1:1: ", "d/f.yaml", "usual" },
        { "k.yaml", "d/f.yaml:1:1: ", "d/f.yaml", "d/k.yaml" },
        { "k.yaml", "f.yaml:1:1: ", "f.yaml", "k.yaml" },
        { "/k.yaml", "d/f.yaml:1:1: ", "d/f.yaml", "/k.yaml" },
        { "nowhere.yaml", "--set what=nowhere.yaml: ", "d/f.yaml", "d/nowhere.yaml" },
        { "here.yaml", "--set what=here.yaml: ", "d/f.yaml", "here.yaml" },
    };
    char folder[] = "/tmp/anole-option-XXXXXX";
    char was[4096];

    (void)state;
    assert_non_null(mkdtemp(folder));
    assert_non_null(getcwd(was, sizeof was));
    assert_int_equal(chdir(folder), 0);
    fclose(fopen("here.yaml", "w"));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct option_text   given = { "what", (char *)rows[i].text, (char *)rows[i].place };
        struct option_values v;

        option_values_init(table, &v);
        assert_int_equal(option_values_read(table, "it", &v, &given, rows[i].base_path, NULL), 0);
        assert_string_equal(v.text[WHAT], rows[i].want);
        option_values_fini(&v);
    }
    unlink("here.yaml");
    assert_int_equal(chdir(was), 0);
    rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(init__gives_the_values_of_the_rows),
        cmocka_unit_test(copy__has_separate_texts),
        cmocka_unit_test(set__refuses_and_keeps_the_old_value),
        cmocka_unit_test(read__errors_start_with_the_location),
        cmocka_unit_test(read__finds_files_relative_to_the_file_that_names_them),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
