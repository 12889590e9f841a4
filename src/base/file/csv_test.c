/* src/base/file/csv_test.c - reads tables in the format of RFC 4180; errors name the line. */
#include "base/file/csv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

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

/* The examples of RFC 4180, section 2: rules 5 to 7, but for line breaks within quotes. */
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

static void need__tells_what_is_missing(void **unused)
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
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(next__finds_cells_by_the_name_of_their_column),
        cmocka_unit_test(next__reads_quotes),
        cmocka_unit_test(next__refuses_rows_that_are_short_or_cells_that_are_long),
        cmocka_unit_test(next__skips_a_long_cell_that_is_not_read),
        cmocka_unit_test(need__tells_what_is_missing),
        cmocka_unit_test(real__may_be_below_zero),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
