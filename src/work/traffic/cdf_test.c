#include "work/traffic/cdf.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct cdf parse(const char *text)
{
    struct cdf cdf;
    struct err err;

    if (cdf_read(&cdf, "t", text, &err))
        fail_msg("%s", err.text);
    return cdf;
}

static void parse__reads_rows_and_skips_comments(void **unused)
{
    struct cdf cdf = parse("# sizes\n\n0 0\n  100\t0.5 # half\r\n300 1");

    (void)unused;
    assert_int_equal(3, cdf.count);
    assert_true(cdf.bytes[1] == 100 && cdf.p[1] == 0.5);
    assert_true(cdf.bytes[2] == 300 && cdf.p[2] == 1);
    cdf_fini(&cdf);
    assert_null(cdf.bytes);
}

static void parse__mean_is_the_area(void **unused)
{
    static const struct { const char *text; double want; } row[] = {
        { "0 0\n100 1\n",               50 },        /* uniform from 0 to 100 */
        { "100 0\n100 1\n",             100 },       /* one size */
        { "64 0.5\n64 0.5\n1000 1\n",   298 },       /* half 64, half uniform from 64 to 1000: 32 + 266 */
        { "10 0.25\n20 0.25\n20 1\n",   17.5 },      /* 10 or 20, nothing between */
    };

    (void)unused;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct cdf cdf = parse(row[i].text);

        assert_true(cdf.bytes_mean == row[i].want);
        cdf_fini(&cdf);
    }
}

static void parse__refuses_with_the_line(void **unused)
{
    static const struct { const char *text, *reason; } row[] = {
        { "",                        "t: a table needs two rows" },
        { "# nothing\n",             "t:1: a table needs two rows" },
        { "100 1\n",                 "t:1: a table needs two rows" },
        { "0 0\n100 0.5\n50 1\n",    "t:3: sizes must not decrease" },
        { "0 0.5\n100 0.4\n200 1\n", "t:2: probabilities must not decrease" },
        { "-1 0\n100 1\n",           "t:1: the size" },
        { "0 -0.5\n100 1\n",         "t:1: the probability" },
        { "0 0\ninf 1\n",            "t:2: the size" },
        { "0 0\nnan 1\n",            "t:2: the size" },
        { "0 0\n1e300 1\n",          "t:2: the size" },
        { "0 0\n100 100\n",          "t:2: the probability" },
        { "0 0\n100 0.999\n",        "t:2: the last probability must be 1, not 0.999" },
        { "0 0\n100\n",              "t:2: nothing is given for the probability" },
        { "0 0\n\n100 1 1\n",        "t:3: '1' is one word too many" },
        { "0 0\n0.5 1\n",            "t:2: all sizes are below one byte" },
    };

    (void)unused;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct cdf cdf = { .count = 77 };
        struct err err;

        assert_true(cdf_read(&cdf, "t", row[i].text, &err) < 0);
        assert_memory_equal(row[i].reason, err.text, strlen(row[i].reason));
        assert_int_equal(77, cdf.count);
    }
}

static void read__is_parse_of_a_file(void **unused)
{
    char path[] = "/tmp/cdf_test.XXXXXX";
    int fd = mkstemp(path);
    struct cdf cdf;
    struct err err;

    (void)unused;
    assert_true(fd >= 0);
    assert_int_equal(10, write(fd, "0 0\n100 1\n", 10));
    close(fd);
    assert_int_equal(0, cdf_read(&cdf, path, NULL, &err));
    assert_int_equal(2, cdf.count);
    cdf_fini(&cdf);
    unlink(path);
    assert_int_equal(-ENOENT, cdf_read(&cdf, path, NULL, &err));
}

static void builtin__has_the_published_means(void **unused)
{
    static const struct { const char *name; uint32_t count; double want, within; } row[] = {
        { "FB_Hadoop",          20,  120421,   0.5 },
        { "FB_Hadoop_fine",     461, 121849,   0.5 },
        { "WebSearch",          12,  1711250,  0.5 },
        { "AliStorage2019",     9,   40870,    0.5 },
        { "GoogleRPC",          843, 2892,     0.5 },
        { "SolarRPC",           8,   39424,    0.5 },
        { "DataMining",         13,  12.66e6,  0.005e6 },
        { "DataMining_pkt1460", 9,   7.47e6,   0.005e6 },
        { "Homa_FB_Hadoop_W4",  47,  134854,   0.5 },
    };

    (void)unused;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct cdf cdf;
        double off;

        assert_int_equal(0, cdf_builtin(&cdf, row[i].name));
        off = cdf.bytes_mean - row[i].want;
        if (cdf.count != row[i].count || off > row[i].within || off < -row[i].within)
            fail_msg("%s: %u rows, mean %.3f", row[i].name, cdf.count, cdf.bytes_mean);
        cdf_fini(&cdf);
    }
}

/* Built-in tables bypass the parser, so this test checks the parser's guarantees on them. */
static void builtin__all_tables_are_valid(void **unused)
{
    char *text = malloc(1 << 20);

    (void)unused;
    assert_non_null(text);
    for (int i = 0; cdf_names[i]; i++) {
        struct cdf cdf, again;
        struct err err;
        char *end = text;

        assert_int_equal(0, cdf_builtin(&cdf, cdf_names[i]));
        for (uint32_t row = 0; row < cdf.count; row++)
            end += sprintf(end, "%.17g %.17g\n", cdf.bytes[row], cdf.p[row]);
        if (cdf_read(&again, cdf_names[i], text, &err))
            fail_msg("%s", err.text);
        assert_true(again.bytes_mean == cdf.bytes_mean);
        cdf_fini(&cdf);
        cdf_fini(&again);
    }
    free(text);
}

static void builtin__unknown_name(void **unused)
{
    struct cdf cdf;

    (void)unused;
    assert_int_equal(-ENOENT, cdf_builtin(&cdf, "Hadoop"));
    assert_int_equal(-ENOENT, cdf_builtin(&cdf, ""));
}

static void size__interpolates_between_rows(void **unused)
{
    static const struct { double u; uint64_t want; } row[] = {
        { 0, 10 }, { 0.125, 10 },                    /* the share of the first row */
        { 0.25, 10 }, { 0.375, 55 }, { 0.5, 500 },   /* 10 .. 100, then a gap to 500 */
        { 0.625, 625 }, { 0.75, 750 }, { 1 - 0x1p-53, 999 },
    };
    struct cdf cdf = parse("10 0.25\n100 0.5\n500 0.5\n1000 1\n");

    (void)unused;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        assert_int_equal(row[i].want, cdf_size(&cdf, row[i].u));
    cdf_fini(&cdf);
}

static void size__is_one_at_least(void **unused)
{
    struct cdf cdf = parse("0 0\n100 1\n");

    (void)unused;
    assert_int_equal(1, cdf_size(&cdf, 0));
    assert_int_equal(1, cdf_size(&cdf, 0.005));
    assert_int_equal(2, cdf_size(&cdf, 0.02));
    cdf_fini(&cdf);
}

/* Linear search, the reference for the binary search. */
static uint64_t size_slowly(const struct cdf *cdf, double u)
{
    double bytes = cdf->bytes[0];

    for (uint32_t i = 1; i < cdf->count; i++)
        if (cdf->p[i - 1] <= u && u < cdf->p[i])
            bytes = cdf->bytes[i - 1] + (cdf->bytes[i] - cdf->bytes[i - 1])
                    * ((u - cdf->p[i - 1]) / (cdf->p[i] - cdf->p[i - 1]));
    return bytes < 1 ? 1 : (uint64_t)bytes;
}

/* At the midpoints of equal slices of [0, 1): agrees with the linear search, never decreases, averages to the
 * mean. */
static void size__of_every_table(void **unused)
{
    enum { SLICES = 1 << 20, EVERY = 1009 };

    (void)unused;
    for (int i = 0; cdf_names[i]; i++) {
        struct cdf cdf;
        uint64_t last = 0;
        double sum = 0, off;

        assert_int_equal(0, cdf_builtin(&cdf, cdf_names[i]));
        for (int slice = 0; slice < SLICES; slice++) {
            double u = (slice + 0.5) / SLICES;
            uint64_t bytes = cdf_size(&cdf, u);

            if (slice % EVERY == 0)
                assert_int_equal(size_slowly(&cdf, u), bytes);
            if (bytes < last)
                fail_msg("%s decreases at %.17g", cdf_names[i], u);
            last = bytes;
            sum += (double)bytes;
        }
        off = sum / SLICES / cdf.bytes_mean - 1;
        if (off < -0.001 || off > 0.001)
            fail_msg("%s: mean %.1f, but the sizes average %.1f", cdf_names[i], cdf.bytes_mean, sum / SLICES);
        cdf_fini(&cdf);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parse__reads_rows_and_skips_comments),
        cmocka_unit_test(parse__mean_is_the_area),
        cmocka_unit_test(parse__refuses_with_the_line),
        cmocka_unit_test(read__is_parse_of_a_file),
        cmocka_unit_test(builtin__has_the_published_means),
        cmocka_unit_test(builtin__all_tables_are_valid),
        cmocka_unit_test(builtin__unknown_name),
        cmocka_unit_test(size__interpolates_between_rows),
        cmocka_unit_test(size__is_one_at_least),
        cmocka_unit_test(size__of_every_table),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
