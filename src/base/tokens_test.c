#include "base/tokens.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void next_line__skips_blanks_and_comments_and_counts_all(void **unused)
{
    struct tokens w;

    (void)unused;
    tokens_init(&w, "f", "\n# no\n  a b # c\n \t\r\n#\nlast", NULL);
    assert_true(tokens_next_line(&w));
    assert_int_equal(3, w.line);
    assert_true(tokens_next_line(&w));
    assert_int_equal(6, w.line);
    assert_string_equal("last", tokens_next(&w));
    assert_false(tokens_next_line(&w));
    assert_false(tokens_next_line(&w));
    assert_int_equal(6, w.line);
}

static void next__stays_on_its_line(void **unused)
{
    struct tokens w;

    (void)unused;
    tokens_init(&w, "f", "  one\ttwo#2 \r\nthree", NULL);
    assert_true(tokens_next_line(&w));
    assert_string_equal("one", tokens_next(&w));
    assert_false(tokens_at_end(&w));
    assert_string_equal("two#2", tokens_next(&w));
    assert_true(tokens_at_end(&w));
    assert_null(tokens_next(&w));
    assert_null(tokens_next(&w));
}

static void next__marks_words_that_are_too_long(void **unused)
{
    char text[TOKENS_BYTES + 8];
    struct tokens w;
    struct err err;
    uint64_t value;

    (void)unused;
    for (size_t length = TOKENS_BYTES - 2; length < sizeof text; length++) {
        bool fits = length < TOKENS_BYTES;

        memset(text, '0', sizeof text);
        text[length - 1] = '1';
        text[length] = '\0';
        tokens_init(&w, "f", text, &err);
        assert_true(tokens_next_line(&w));
        assert_int_equal(fits ? 0 : -EINVAL, tokens_uint(&w, "n", UINT64_MAX, &value));
        assert_true(tokens_at_end(&w));
        if (length == sizeof text - 1)
            break;
    }
}

static void uint__reports_place_and_reason(void **unused)
{
    static const struct { const char *text; int want; const char *reason; } row[] = {
        { "7",    0,       NULL },
        { "8",    -ERANGE, "f:1: n: 8 is more than 7" },
        { "x",    -EINVAL, "f:1: n: " },
        { "-1",   -1,      "f:1: n: " },
        { "1 # ", 0,       NULL },
    };
    struct tokens w;
    struct err err;
    uint64_t value = 0;

    (void)unused;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        int rc;

        tokens_init(&w, "f", row[i].text, &err);
        assert_true(tokens_next_line(&w));
        rc = tokens_uint(&w, "n", 7, &value);
        assert_true(row[i].want == -1 ? rc < 0 : rc == row[i].want);
        if (row[i].reason)
            assert_memory_equal(row[i].reason, err.text, strlen(row[i].reason));
    }
    assert_int_equal(1, value);
    assert_int_equal(-EINVAL, tokens_uint(&w, "n", 7, &value));
    assert_string_equal("f:1: nothing is given for n", err.text);
}

static void real__includes_its_bounds(void **unused)
{
    struct tokens w;
    struct err err;
    double value = 0;

    (void)unused;
    tokens_init(&w, "f", "0.25 0.75 0.750001 nan inf", &err);
    assert_true(tokens_next_line(&w));
    assert_int_equal(0, tokens_real(&w, "p", 0.25, 0.75, &value));
    assert_true(value == 0.25);
    assert_int_equal(0, tokens_real(&w, "p", 0.25, 0.75, &value));
    assert_int_equal(-ERANGE, tokens_real(&w, "p", 0.25, 0.75, &value));
    for (int i = 0; i < 2; i++) {
        tokens_init(&w, "f", i ? "inf" : "nan", &err);
        assert_true(tokens_next_line(&w));
        assert_true(tokens_real(&w, "p", 0.25, 0.75, &value) < 0);
    }
    assert_true(value == 0.75);
}

static void rate_and_time__read_units(void **unused)
{
    struct tokens w;
    struct err err;
    uint64_t bps = 0, ps = 0;

    (void)unused;
    tokens_init(&w, "f", "25Gbps 0.001ms 5parsecs", &err);
    assert_true(tokens_next_line(&w));
    assert_int_equal(0, tokens_rate(&w, "rate", &bps));
    assert_int_equal(25000000000, bps);
    assert_int_equal(0, tokens_time(&w, "delay", &ps));
    assert_int_equal(1000000, ps);
    assert_int_equal(-EINVAL, tokens_time(&w, "delay", &ps));
    assert_memory_equal("f:1: delay: ", err.text, 12);
}

static void end__refuses_another_word(void **unused)
{
    struct tokens w;
    struct err err;

    (void)unused;
    tokens_init(&w, "f", "a # b\nc d", &err);
    assert_true(tokens_next_line(&w));
    tokens_next(&w);
    assert_int_equal(0, tokens_end(&w));
    assert_true(tokens_next_line(&w));
    tokens_next(&w);
    assert_int_equal(-EINVAL, tokens_end(&w));
    assert_string_equal("f:2: 'd' is one word too many on this line", err.text);
}

/* After an error nothing more is read, and the first message is kept. */
static void err__keeps_the_first(void **unused)
{
    static const char *const names[] = { "one", "two", NULL };
    struct tokens w;
    struct err err;
    uint64_t value = 7;

    (void)unused;
    tokens_init(&w, "f", "1\ntow 2\n3", &err);
    assert_true(tokens_need_line(&w, "nothing"));
    assert_true(tokens_need_line(&w, "nothing"));
    tokens_next(&w);
    assert_int_equal(-EINVAL, tokens_refuse_name(&w, "a name", names));
    assert_int_equal(-EINVAL, tokens_uint(&w, "n", 9, &value));
    assert_int_equal(-EINVAL, tokens_err_at(&w, 1, ERANGE, "another"));
    assert_int_equal(-EINVAL, tokens_end(&w));
    assert_null(tokens_next(&w));
    assert_false(tokens_need_line(&w, "nothing"));
    assert_int_equal(7, value);
    assert_int_equal(2, w.line);
    assert_string_equal("f:2: 'tow' is not a name; did you mean 'two'?", err.text);
    assert_int_equal(-EINVAL, tokens_close(&w));
    tokens_init(&w, "f", "", &err);
    assert_false(tokens_need_line(&w, "%d rows are missing", 3));
    assert_string_equal("f: 3 rows are missing", err.text);
}

/* Writes a temporary file and opens it. */
static int open_written(struct tokens *w, const char *bytes, size_t length, size_t max, struct err *err)
{
    char path[] = "/tmp/tokens_test.XXXXXX";
    int fd = mkstemp(path), rc;

    assert_true(fd >= 0);
    assert_int_equal(length, write(fd, bytes, length));
    close(fd);
    rc = tokens_open(w, path, NULL, max, err);
    unlink(path);
    return rc;
}

static void open__reads_text_only(void **unused)
{
    static const struct { const char *bytes, *why; size_t max; } rows[] = {
        { "a\0b\n", "zero byte", 100 }, { "1234", "", 3 },
    };
    struct tokens w;
    struct err    err;

    (void)unused;
    assert_int_equal(0, open_written(&w, "a b\n", 4, 100, &err));
    assert_true(tokens_next_line(&w));
    assert_string_equal("a", tokens_next(&w));
    tokens_close(&w);
    assert_int_equal(0, tokens_open(&w, "f", "a b\n", 0, &err));       /* text in memory has no limit */
    tokens_close(&w);
    for (int i = 0; i < 2; i++) {
        assert_true(open_written(&w, rows[i].bytes, 4, rows[i].max, &err) < 0);
        assert_non_null(strstr(err.text, rows[i].why));
        assert_false(tokens_next_line(&w));
        tokens_close(&w);
    }
    assert_int_equal(-EINVAL, tokens_open(&w, "flow.txt.gz", NULL, 100, &err));
    assert_non_null(strstr(err.text, "gunzip"));
    assert_int_equal(-ENOENT, tokens_open(&w, "/nowhere/at/all", NULL, 100, &err));
    tokens_close(&w);
}

/* ---- csv ---- */

/* Reads tables in the format of RFC 4180; errors name the line. */

enum { WHO, SIZE, COLUMNS };

static const char *const columns[] = { "who", "size", NULL };

static struct csv table_of(const char *text)
{
    struct csv c;

    csv_open(&c, "x.csv", text, strlen(text), columns);
    return c;
}

static void next__finds_cells_by_the_name_of_their_column(void **unused)
{
    struct csv c = table_of("size,other,who\r\n1,a,b\r\n2,,c\n3,x,d");
    uint64_t   size;

    (void)unused;
    for (uint64_t i = 1; i <= 3; i++) {
        assert_int_equal(csv_next(&c, NULL), 1);
        assert_int_equal(csv_uint(&c, SIZE, &size, NULL), 0);
        assert_int_equal(size, i);
        assert_int_equal(c.cell[WHO][0], 'a' + i);
        assert_int_equal(c.line, i + 1);
    }
    assert_int_equal(csv_next(&c, NULL), 0);
}

/* The examples of RFC 4180, section 2, rules 5 to 7, without line breaks inside quotes. */
static void next__reads_quotes(void **unused)
{
    struct csv c = table_of("\"who\",size\n\"a,b\",1\n\"b\"\"b\",2\n\"\",3\n");

    (void)unused;
    assert_int_equal(csv_next(&c, NULL), 1);
    assert_string_equal(c.cell[WHO], "a,b");
    assert_string_equal(c.cell[SIZE], "1");
    assert_int_equal(csv_next(&c, NULL), 1);
    assert_string_equal(c.cell[WHO], "b\"b");
    assert_int_equal(csv_next(&c, NULL), 1);
    assert_string_equal(c.cell[WHO], "");
    assert_int_equal(csv_next(&c, NULL), 0);
}

static void next__refuses_rows_that_are_short_or_cells_that_are_long(void **unused)
{
    static const char long_cell[] =
        "who,size\n0123456789012345678901234567890123456789012345678901234567890123,1\n";
    struct csv c = table_of("who,size\na\n");
    struct err err;

    (void)unused;
    assert_true(csv_next(&c, &err) < 0);
    assert_string_equal(err.text, "x.csv:2: has fewer cells than the first line");
    c = table_of(long_cell);
    assert_true(csv_next(&c, &err) < 0);
    assert_string_equal(err.text, "x.csv:2: who: too long");
}

static void next__skips_a_long_cell_that_is_not_read(void **unused)
{
    struct csv c =
        table_of("a,who,size\n0123456789012345678901234567890123456789012345678901234567890123456789,b,1\n");

    (void)unused;
    assert_int_equal(csv_next(&c, NULL), 1);
    assert_string_equal(c.cell[WHO], "b");
}

static void need__names_the_missing_column(void **unused)
{
    struct csv c = table_of("who\na\n"), empty = table_of("");
    struct err err;

    (void)unused;
    assert_int_equal(csv_need(&c, WHO, "who,size", &err), 0);
    assert_true(csv_need(&c, SIZE, "who,size", &err) < 0);
    assert_string_equal(err.text, "x.csv:1: column 'size' is missing; the first line must name the columns: "
        "who,size");
    assert_true(csv_need(&empty, WHO, "who,size", &err) < 0);
    assert_int_equal(csv_next(&empty, &err), 0);
}

static void real__may_be_below_zero(void **unused)
{
    struct csv c = table_of("who,size\na,-2.5\nb,five\n");
    struct err err;
    double     value;

    (void)unused;
    assert_int_equal(csv_next(&c, NULL), 1);
    assert_int_equal(csv_real(&c, SIZE, &value, NULL), 0);
    assert_true(value == -2.5);
    assert_int_equal(csv_next(&c, NULL), 1);
    assert_true(csv_real(&c, SIZE, &value, &err) < 0);
    assert_memory_equal(err.text, "x.csv:3: size: 'five' is not a number", 37);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(next_line__skips_blanks_and_comments_and_counts_all),
        cmocka_unit_test(next__stays_on_its_line),
        cmocka_unit_test(next__marks_words_that_are_too_long),
        cmocka_unit_test(uint__reports_place_and_reason),
        cmocka_unit_test(real__includes_its_bounds),
        cmocka_unit_test(rate_and_time__read_units),
        cmocka_unit_test(end__refuses_another_word),
        cmocka_unit_test(err__keeps_the_first),
        cmocka_unit_test(open__reads_text_only),
        cmocka_unit_test(next__finds_cells_by_the_name_of_their_column),
        cmocka_unit_test(next__reads_quotes),
        cmocka_unit_test(next__refuses_rows_that_are_short_or_cells_that_are_long),
        cmocka_unit_test(next__skips_a_long_cell_that_is_not_read),
        cmocka_unit_test(need__names_the_missing_column),
        cmocka_unit_test(real__may_be_below_zero),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
