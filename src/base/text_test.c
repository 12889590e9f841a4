#include "base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct row {
    const char *text;
    int         rc;
    uint64_t    want;
};

static void check_rows(int (*parse)(const char *, uint64_t *, struct err *), const struct row *row)
{
    for (; row->text; row++) {
        struct err err = { "" };
        uint64_t got = 12345;
        int rc = parse(row->text, &got, &err);

        if (rc != row->rc || got != (rc ? 12345 : row->want))
            fail_msg("'%s': %d, %llu, %s", row->text, rc, (unsigned long long)got, err.text);
        assert_true(rc == 0 || err.text[0] != '\0');
        assert_int_equal(rc, parse(row->text, &got, NULL));
    }
}

static void to_time__reads_every_unit(void **unused)
{
    static const struct row rows[] = {
        { "1ps", 0, 1 }, { "200ns", 0, 200000 }, { "5us", 0, 5000000 }, { "3ms", 0, 3000000000 },
        { "2s", 0, 2000000000000 }, { "5 us", 0, 5000000 }, { "5 \t us", 0, 5000000 }, { "0", 0, 0 },
        { "0.0", 0, 0 }, { "0us", 0, 0 }, { "1.5us", 0, 1500000 }, { ".5us", 0, 500000 },
        { "7.us", 0, 7000000 },
        { "83.84ns", 0, 83840 }, { "0.000000000001s", 0, 1 }, { "007us", 0, 7000000 },
        /* Large values are exact: parsing does not use floating point. */
        { "18446744.073709551615s", 0, UINT64_MAX }, { "9007199254740993ps", 0, 9007199254740993 },
        /* Finer than the smallest unit: rounded to the nearest picosecond. */
        { "83.3333ns", 0, 83333 }, { "83.3335ns", 0, 83334 },
        { "0.3333333333333333333333333s", 0, 333333333333 },
        { NULL, 0, 0 },
    };

    (void)unused;
    check_rows(text_to_time, rows);
}

static void to_time__refuses(void **unused)
{
    static const struct row rows[] = {
        { "", -EINVAL, 0 }, { "5", -EINVAL, 0 }, { "us", -EINVAL, 0 }, { "5 parsecs", -EINVAL, 0 },
        { "1.000000000000000000000000000000000001ps", -EINVAL, 0 },      /* not a whole number */
        { "5US", -EINVAL, 0 }, { "5us ", -EINVAL, 0 }, { " 5us", -EINVAL, 0 }, { "5us5", -EINVAL, 0 },
        { "+5us", -EINVAL, 0 }, { "1e3us", -EINVAL, 0 }, { "0x5us", -EINVAL, 0 }, { ".us", -EINVAL, 0 },
        { ".", -EINVAL, 0 }, { "1.2.3us", -EINVAL, 0 }, { "infs", -EINVAL, 0 }, { "--5us", -EINVAL, 0 },
        { "0.5ps", -EINVAL, 0 }, { "5GB", -EINVAL, 0 },
        { "-5us", -ERANGE, 0 }, { "-0us", -ERANGE, 0 }, { "0.0001ns", -ERANGE, 0 },
        { "18446744.073709551616s", -ERANGE, 0 }, { "18446744073709551616ps", -ERANGE, 0 },
        { "99999999999999999999999999999999999999999999s", -ERANGE, 0 },
        { NULL, 0, 0 },
    };

    (void)unused;
    check_rows(text_to_time, rows);
}

static void to_time__returns_the_reason(void **unused)
{
    static const struct { const char *text, *why; } row[] = {
        { "5 parsecs", "'5 parsecs' is not a time; write 5us, 3ms, 200ns" },
        { "5", "'5' has no unit; write 5us, 3ms, 200ns" },
        { "-5us", "'-5us' is negative" },
        { "1.5ps", "'1.5ps' is not a whole number of picoseconds" },
        { "99999999999s", "'99999999999s' is too large" },
    };

    (void)unused;
    for (int i = 0; i < 5; i++) {
        struct err err;
        uint64_t ps;

        assert_true(text_to_time(row[i].text, &ps, &err) < 0);
        assert_string_equal(row[i].why, err.text);
    }
}

static void to_rate__reads_and_refuses(void **unused)
{
    static const struct row rows[] = {
        { "1bps", 0, 1 }, { "100Gbps", 0, 100000000000 }, { "100G", 0, 100000000000 },
        { "25Gb/s", 0, 25000000000 }, { "2.5 Gbps", 0, 2500000000 }, { "400Mbps", 0, 400000000 },
        { "64Kbps", 0, 64000 }, { "1.6Tbps", 0, 1600000000000 }, { "0bps", 0, 0 }, { "8b/s", 0, 8 },
        { "9gb/s", 0, 9000000000 }, { "3kbps", 0, 3000 },
        { "3K", 0, 3000 }, { "3M", 0, 3000000 }, { "3T", 0, 3000000000000 },
        { "0", -EINVAL, 0 }, { "100", -EINVAL, 0 }, { "100GB", -EINVAL, 0 }, { "100g", -EINVAL, 0 },
        { "0.5bps", -EINVAL, 0 }, { "-1Gbps", -ERANGE, 0 }, { "18446745Tbps", -ERANGE, 0 },
        { NULL, 0, 0 },
    };

    (void)unused;
    check_rows(text_to_rate, rows);
}

static void to_bytes__reads_and_refuses(void **unused)
{
    static const struct row rows[] = {
        { "1500", 0, 1500 }, { "0", 0, 0 }, { "64B", 0, 64 }, { "100KB", 0, 100000 }, { "1.6MB", 0, 1600000 },
        { "2GB", 0, 2000000000 }, { "3TB", 0, 3000000000000 }, { "1KiB", 0, 1024 }, { "32 MiB", 0, 33554432 },
        { "1GiB", 0, 1073741824 }, { "1TiB", 0, 1099511627776 }, { "0.5KiB", 0, 512 },
        { "1.1MiB", 0, 1153434 },            /* 1153433.6 */
        { "18446744073709551615", 0, UINT64_MAX },
        { "1.5", -EINVAL, 0 }, { "1.5B", -EINVAL, 0 }, { "1kb", -EINVAL, 0 }, { "1KIB", -EINVAL, 0 },
        { "KB", -EINVAL, 0 }, { "-1", -ERANGE, 0 }, { "18446744073709551616", -ERANGE, 0 },
        { "17179869184GiB", -ERANGE, 0 },
        { NULL, 0, 0 },
    };

    (void)unused;
    check_rows(text_to_bytes, rows);
}

static void to_uint__reads_and_refuses(void **unused)
{
    static const struct row rows[] = {
        { "0", 0, 0 }, { "42", 0, 42 }, { "0042", 0, 42 }, { "18446744073709551615", 0, UINT64_MAX },
        { "", -EINVAL, 0 }, { "-", -EINVAL, 0 }, { "4 2", -EINVAL, 0 }, { "42.0", -EINVAL, 0 },
        { "0x2a", -EINVAL, 0 },
        { "1e3", -EINVAL, 0 }, { " 1", -EINVAL, 0 }, { "1 ", -EINVAL, 0 }, { "+1", -EINVAL, 0 },
        { "-1", -ERANGE, 0 }, { "18446744073709551616", -ERANGE, 0 }, { "184467440737095516150", -ERANGE, 0 },
        { NULL, 0, 0 },
    };

    (void)unused;
    check_rows(text_to_uint, rows);
}

static void to_real__reads(void **unused)
{
    static const struct { const char *text; double want; } row[] = {
        { "0.3", 0.3 }, { "30%", 0.3 }, { "30 %", 0.3 }, { "100%", 1 }, { "2", 2 }, { ".5", 0.5 },
        { "1e3", 1000 },
        { "2.5E-2", 0.025 }, { "1e+2", 100 }, { "0", 0 }, { "1e-400", 0 }, { "0.1", 0.1 }, { "12.5%", 0.125 },
    };

    (void)unused;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        double got = -1;

        assert_int_equal(0, text_to_real(row[i].text, &got, NULL));
        assert_true(got == row[i].want);
    }
}

static void to_real__refuses(void **unused)
{
    static const struct { const char *text; int rc; } row[] = {
        { "", -EINVAL }, { "nan", -EINVAL }, { "inf", -EINVAL }, { "0x10", -EINVAL }, { "1e", -EINVAL },
        { "1e+", -EINVAL }, { "%", -EINVAL }, { "1%%", -EINVAL }, { "1 2", -EINVAL }, { "1,5", -EINVAL },
        { " 1", -EINVAL }, { "+1", -EINVAL }, { "-0.5", -ERANGE }, { "1e400", -ERANGE },
    };

    (void)unused;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        struct err err = { "" };
        double got = 7;

        assert_int_equal(row[i].rc, text_to_real(row[i].text, &got, &err));
        assert_true(got == 7);
        assert_true(err.text[0] == '\'');
    }
}

static void to_units__reads_and_refuses(void **unused)
{
    static const struct { const char *text; uint64_t unit; int rc; uint64_t want; } row[] = {
        { "2.001", 1000000000000, 0, 2001000000000 }, { "2.000005624", 1000000000000, 0, 2000005624000 },
        { "1e-9", 1000000000000, 0, 1000 }, { "1.25e6", 1, 0, 1250000 }, { "1.25E+6", 1, 0, 1250000 },
        { "0", 1000, 0, 0 }, { "0.6", 1000000, 0, 600000 }, { "0.0004999", 1000, 0, 0 },
        { "0.0005", 1000, 0, 1 }, { "25e-5", 1000, 0, 0 }, { "1e-999999999999", 1000, 0, 0 },
        { "0e999999999999", 1000, 0, 0 }, { "18446744073709551615", 1, 0, UINT64_MAX },
        { "18446744.073709551615", 1000000000000, 0, UINT64_MAX },
        { "50000000000000000000000000000000000000e-37", 1, 0, 5 },
        { "0.5", 1ull << 40, 0, 1ull << 39 },
        { "", 1, -EINVAL, 0 }, { "1us", 1, -EINVAL, 0 }, { "1e", 1, -EINVAL, 0 }, { "30%", 1, -EINVAL, 0 },
        { "-1", 1, -ERANGE, 0 }, { "18446744.073709551616", 1000000000000, -ERANGE, 0 },
        { "1e20", 1, -ERANGE, 0 }, { "1e999999999999", 1, -ERANGE, 0 },
    };

    (void)unused;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct err err = { "" };
        uint64_t got = 12345;

        if (text_to_units(row[i].text, row[i].unit, &got, &err) != row[i].rc ||
            got != (row[i].rc ? 12345 : row[i].want))
            fail_msg("'%s': %llu, %s", row[i].text, (unsigned long long)got, err.text);
    }
}

/* Moves the decimal point of a text to the right and rounds to whole numbers, digit by digit. */
static uint64_t worked_out(const char *text, uint32_t places)
{
    uint64_t value = 0;
    bool is_behind = false;

    for (; *text && (!is_behind || places > 0); text++) {
        if (*text == '.') {
            is_behind = true;
            continue;
        }
        value = 10 * value + (uint64_t)(*text - '0');
        places -= is_behind;
    }
    bool is_half = *text >= '5';
    for (; places > 0; places--)
        value *= 10;
    return value + is_half;
}

/* Writes a decimal with up to six digits before the point and 'digits' behind it. */
static void write_decimal(char *text, uint32_t *random, uint32_t digits)
{
    text += sprintf(text, "%u.", (*random = *random * 1664525 + 1013904223) >> 12);
    for (; digits > 0; digits--)
        text += sprintf(text, "%u", (*random = *random * 1664525 + 1013904223) >> 10 & 7);
}

/* Times and rates in every unit of a power of ten, with digits finer than a picosecond or a bit too. */
static void to_quantities__equal_exact_decimals(void **unused)
{
    static const struct {
        int (*parse)(const char *, uint64_t *, struct err *);
        const char *unit;
        uint32_t places;
    } row[] = {
        { text_to_time, "ns", 3 }, { text_to_time, "us", 6 }, { text_to_time, "ms", 9 },
        { text_to_time, "s", 12 }, { text_to_rate, "Kbps", 3 }, { text_to_rate, "Mb/s", 6 },
        { text_to_rate, "G", 9 }, { text_to_rate, "Tbps", 12 }, { text_to_bytes, "KB", 3 },
        { text_to_bytes, "MB", 6 }, { text_to_bytes, "GB", 9 }, { text_to_bytes, "TB", 12 },
    };
    uint32_t random = 1;

    (void)unused;
    for (uint32_t i = 0; i < 20000; i++) {
        char number[64], text[80];
        uint64_t want, got;

        for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
            write_decimal(number, &random, i % 19);
            want = worked_out(number, row[k].places);
            snprintf(text, sizeof text, "%s%s", number, row[k].unit);
            if (row[k].parse(text, &got, NULL) || got != want)
                fail_msg("%s: %llu, not %llu", text, (unsigned long long)got, (unsigned long long)want);
            assert_int_equal(text_to_units(number, (uint64_t)(pow(10, row[k].places) + 0.5), &got, NULL), 0);
            assert_int_equal(got, want);
        }
    }
}

static void to_bool__reads_and_refuses(void **unused)
{
    static const char *const yes[] = { "true", "yes", "on", "1", "True", "ON" };
    static const char *const no[] = { "false", "no", "off", "0", "False", "NO" };
    static const char *const neither[] = { "", "y", "2", "truely", "01" };
    int value;

    (void)unused;
    for (int i = 0; i < 6; i++) {
        value = -1;
        assert_int_equal(0, text_to_bool(yes[i], &value, NULL));
        assert_int_equal(1, value);
        assert_int_equal(0, text_to_bool(no[i], &value, NULL));
        assert_int_equal(0, value);
    }
    for (int i = 0; i < 5; i++) {
        value = -1;
        assert_int_equal(-EINVAL, text_to_bool(neither[i], &value, NULL));
        assert_int_equal(-1, value);
    }
}

static void from_time__formats_four_digits(void **unused)
{
    static const struct { uint64_t ps; const char *want; } row[] = {
        { 0, "0 us" }, { 1, "1 ps" }, { 999, "999 ps" }, { 1000, "1 ns" }, { 83840, "83.84 ns" },
        { 83841, "83.84 ns" },
        { 83846, "83.85 ns" }, { 300000000, "300 us" }, { 999949, "999.9 ns" }, { 999950, "1 us" },
        { 1234567, "1.235 us" }, { 99996000, "100 us" }, { 2500000000, "2.5 ms" }, { 1000000000000, "1 s" },
        { 213 * 86400 * 1000000000000ull, "18403200 s" },
    };
    char buf[32];

    (void)unused;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
        assert_string_equal(row[i].want, text_from_time(buf, sizeof(buf), row[i].ps));
}

static void from_rate_and_bytes__format_four_digits(void **unused)
{
    char buf[32];

    (void)unused;
    assert_string_equal("100 Gb/s", text_from_rate(buf, sizeof(buf), 100e9));
    assert_string_equal("84.95 Gb/s", text_from_rate(buf, sizeof(buf), 84.9492e9));
    assert_string_equal("0.25 b/s", text_from_rate(buf, sizeof(buf), 0.25));
    assert_string_equal("0 b/s", text_from_rate(buf, sizeof(buf), 0));
    assert_string_equal("-1.5 Mb/s", text_from_rate(buf, sizeof(buf), -1.5e6));
    assert_string_equal("1.6 MB", text_from_bytes(buf, sizeof(buf), 1.6e6));
    assert_string_equal("999.9 KB", text_from_bytes(buf, sizeof(buf), 999.94e3));
    assert_string_equal("12.35 TB", text_from_bytes(buf, sizeof(buf), 12.3456e12));
    assert_string_equal("1000000 TB", text_from_bytes(buf, sizeof(buf), 1e18));
    assert_string_equal("1.6", text_from_bytes(buf, 4, 1.6e6));          /* cut, not overrun */
    assert_null(strchr(text_from_bytes(buf, sizeof(buf), 1e300), 'e'));
}

/* The printed value, parsed back, is within half a unit of the fourth digit. */
static void from_time__is_parsed_back(void **unused)
{
    char buf[32];

    (void)unused;
    for (uint64_t ps = 1; ps < UINT64_MAX / 3; ps += ps / 7 + 1) {
        uint64_t back = 0;
        double off;

        assert_int_equal(0, text_to_time(text_from_time(buf, sizeof(buf), ps), &back, NULL));
        off = back > ps ? (double)(back - ps) : (double)(ps - back);
        assert_true(off <= (double)ps * 0.000501);
        assert_true(ps >= 999950000000000 || strcspn(buf, " ") <= 5);
    }
}

/* web/src/format.test.ts reads the same file: terminal and page format numbers equally. */
static void figure__matches_the_web_pages(void **unused)
{
    FILE *f = fopen("tests/data/figures.csv", "r");
    char line[128], unit[16], want[64], buf[64];
    uint32_t rows = 0;
    double value;

    (void)unused;
    assert_non_null(f);
    assert_non_null(fgets(line, sizeof(line), f));           /* the heading */
    for (; fgets(line, sizeof(line), f); rows++) {
        char *comma = strchr(line, ',');

        assert_non_null(comma);
        value = strtod(line, NULL);
        unit[0] = '\0';
        if (comma[1] == ',')
            assert_int_equal(1, sscanf(comma, ",,\"%63[^\"]\"", want));
        else
            assert_int_equal(2, sscanf(comma, ",%15[^,],\"%63[^\"]\"", unit, want));
        assert_string_equal(want, text_figure(buf, sizeof(buf), unit, value));
    }
    fclose(f);
    assert_true(rows > 50);
}

static void figure__is_a_dash_without_a_value(void **unused)
{
    char buf[64];

    (void)unused;
    assert_string_equal("-", text_figure(buf, sizeof(buf), "us", NAN));
    assert_string_equal("-", text_figure(buf, sizeof(buf), "bus", INFINITY));
    assert_string_equal("25.", text_figure(buf, 4, "bps", 25e9));            /* cut, not overrun */
}

static void from_count__groups_digits(void **unused)
{
    char buf[32];

    (void)unused;
    assert_string_equal("0", text_from_count(buf, sizeof(buf), 0));
    assert_string_equal("999", text_from_count(buf, sizeof(buf), 999));
    assert_string_equal("1,000", text_from_count(buf, sizeof(buf), 1000));
    assert_string_equal("1,234,567", text_from_count(buf, sizeof(buf), 1234567));
    assert_string_equal("18,446,744,073,709,551,615", text_from_count(buf, sizeof(buf), UINT64_MAX));
    assert_string_equal("1,2", text_from_count(buf, 4, 1234567));
}

static void nearest__finds_the_intended_name(void **unused)
{
    static const char *const names[] = { "kmin", "kmax", "pmax", "rpg_time_reset", "rpg_byte_reset", NULL };
    static const struct { const char *word, *want; } row[] = {
        { "kmim", "kmin" }, { "kmni", "kmin" }, { "kmi", "kmin" }, { "KMAX", "kmax" }, { "kkmax", "kmax" },
        { "pmxa", "pmax" }, { "rpg_time_rest", "rpg_time_reset" }, { "rgp_tmie_reste", "rpg_time_reset" },
        { "rpg-time-reset", "rpg_time_reset" }, { "time_reset", NULL }, { "bandwidth", NULL }, { "", NULL },
        { "kmin", "kmin" }, { "kxxn", NULL },
    };

    (void)unused;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        const char *got = text_nearest(row[i].word, names);

        if (got != row[i].want && (!got || !row[i].want || strcmp(got, row[i].want) != 0))
            fail_msg("'%s': %s", row[i].word, got ? got : "none");
    }
}

/* The word has six letters or more, so 2 edits are allowed and 3 are not. */
static void nearest__counts_edits(void **unused)
{
    static const struct { const char *word, *name; int near; } row[] = {
        { "abcdef", "abcdef", 1 },
        { "abdcfe", "abcdef", 1 },           /* two swaps */
        { "badcfe", "abcdef", 0 },           /* three swaps */
        { "bxacdef", "abcdef", 1 },          /* one swap around an insertion: 2 without restrictions */
        { "abcxyz", "abcdef", 0 },           /* three replacements */
        { "abcdefgh", "abcdef", 1 }, { "abcdefghi", "abcdef", 1 }, { "abcdefgxhi", "abcdef", 0 },
    };

    (void)unused;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        const char *const names[] = { row[i].name, NULL };

        assert_int_equal(row[i].near, text_nearest(row[i].word, names) != NULL);
    }
}

static void nearest__takes_the_nearest_and_then_the_first(void **unused)
{
    static const char *const names[] = { "paraleom_x", "paraleon", "paraleom", "paraleos", NULL };

    (void)unused;
    assert_string_equal("paraleom", text_nearest("paraleom", names));
    assert_string_equal("paraleon", text_nearest("paraleoq", names));
}

static void nearest__gives_up_on_very_long_words(void **unused)
{
    char word[200];
    const char *const names[] = { word, "x", NULL };

    (void)unused;
    memset(word, 'a', 199);
    word[199] = '\0';
    assert_null(text_nearest(word, names));
    assert_string_equal("x", text_nearest("y", names));
    word[63] = '\0';
    assert_ptr_equal(word, text_nearest(word, names));
}

static void did_you_mean__suggests_or_is_empty(void **unused)
{
    static const char *const names[] = { "kmin", "kmax", NULL };
    char buf[64], small[12];

    (void)unused;
    assert_string_equal("; did you mean 'kmin'?", text_did_you_mean(buf, sizeof(buf), "kmim", names));
    assert_string_equal("", text_did_you_mean(buf, sizeof(buf), "bandwidth", names));
    assert_string_equal("; did you m", text_did_you_mean(small, sizeof(small), "kmim", names));
}

static void file_name__names_standard_input(void **unused)
{
    (void)unused;
    assert_string_equal("standard input", text_file_name("-"));
    assert_string_equal("./-", text_file_name("./-"));
    assert_string_equal("a.yaml", text_file_name("a.yaml"));
}

static char *make_file(const char *text, size_t length)
{
    static char path[] = "/tmp/anole-text-XXXXXX";
    int fd;

    memcpy(path + sizeof(path) - 7, "XXXXXX", 6);
    fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(length, write(fd, text, length));
    close(fd);
    return path;
}

static void read_file__reads_the_whole_file(void **unused)
{
    static char large[300000];
    char *path, *text;
    size_t length;

    (void)unused;
    memset(large, 'x', sizeof(large));
    large[1000] = '\0';
    path = make_file(large, sizeof(large));
    assert_int_equal(0, text_read_file(path, sizeof(large), &text, &length, NULL));
    assert_int_equal(sizeof(large), length);
    assert_memory_equal(large, text, sizeof(large));
    assert_int_equal('\0', text[length]);
    free(text);
    unlink(path);
}

static void read_file__refuses_large_files(void **unused)
{
    struct err err;
    char *path = make_file("12345", 5), *text, want[100];
    size_t length;

    (void)unused;
    assert_int_equal(0, text_read_file(path, 5, &text, &length, &err));
    free(text);
    assert_int_equal(-EFBIG, text_read_file(path, 4, &text, &length, &err));
    snprintf(want, sizeof(want), "%s: larger than 4 bytes", path);
    assert_string_equal(want, err.text);
    assert_int_equal(-EFBIG, text_read_file("/dev/zero", 100000, &text, &length, &err));
    unlink(path);
}

static void read_file__names_the_file(void **unused)
{
    struct err err;
    char *text;
    size_t length;

    (void)unused;
    assert_int_equal(-ENOENT, text_read_file("/no/such/file", 100, &text, &length, &err));
    assert_string_equal("/no/such/file: No such file or directory", err.text);
    assert_int_equal(-EISDIR, text_read_file("/tmp", 100, &text, &length, &err));
    assert_string_equal("/tmp: Is a directory", err.text);
}

static void read_file__reads_standard_input(void **unused)
{
    int ends[2], saved = dup(STDIN_FILENO);
    char *text;
    size_t length;

    (void)unused;
    assert_int_equal(0, pipe(ends));
    assert_int_equal(6, write(ends[1], "kmin: ", 6));
    close(ends[1]);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    assert_int_equal(0, text_read_file("-", 100, &text, &length, NULL));
    assert_string_equal("kmin: ", text);
    free(text);
    if (saved >= 0) {
        dup2(saved, STDIN_FILENO);
        close(saved);
    }
}

struct seen { uint32_t reads; size_t bytes; };

static void count_read(void *arg, const char *text, size_t length)
{
    struct seen *seen = arg;

    assert_int_equal(strlen(text), length);
    seen->reads++;
    seen->bytes += length;
}

static void watch_reads__sees_reads_until_it_is_removed(void **unused)
{
    char path[] = "/tmp/text_test.XXXXXX", *text;
    struct seen seen = { 0 };
    const struct text_watch watch = { count_read, NULL, &seen };
    size_t length;
    int fd = mkstemp(path);

    (void)unused;
    assert_int_equal(5, write(fd, "12345", 5));
    close(fd);
    text_watch_reads(&watch);
    assert_int_equal(0, text_read_file(path, 5, &text, &length, NULL));
    free(text);
    assert_int_not_equal(0, text_read_file(path, 4, &text, &length, NULL));
    text_watch_reads(NULL);
    assert_int_equal(0, text_read_file(path, 5, &text, &length, NULL));
    free(text);
    unlink(path);
    assert_int_equal(1, seen.reads);
    assert_int_equal(5, seen.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(to_time__reads_every_unit),
        cmocka_unit_test(to_time__refuses),
        cmocka_unit_test(to_time__returns_the_reason),
        cmocka_unit_test(to_rate__reads_and_refuses),
        cmocka_unit_test(to_bytes__reads_and_refuses),
        cmocka_unit_test(to_uint__reads_and_refuses),
        cmocka_unit_test(to_real__reads),
        cmocka_unit_test(to_real__refuses),
        cmocka_unit_test(to_units__reads_and_refuses),
        cmocka_unit_test(to_quantities__equal_exact_decimals),
        cmocka_unit_test(to_bool__reads_and_refuses),
        cmocka_unit_test(from_time__formats_four_digits),
        cmocka_unit_test(from_rate_and_bytes__format_four_digits),
        cmocka_unit_test(from_time__is_parsed_back),
        cmocka_unit_test(figure__matches_the_web_pages),
        cmocka_unit_test(figure__is_a_dash_without_a_value),
        cmocka_unit_test(from_count__groups_digits),
        cmocka_unit_test(nearest__finds_the_intended_name),
        cmocka_unit_test(nearest__counts_edits),
        cmocka_unit_test(nearest__takes_the_nearest_and_then_the_first),
        cmocka_unit_test(nearest__gives_up_on_very_long_words),
        cmocka_unit_test(did_you_mean__suggests_or_is_empty),
        cmocka_unit_test(file_name__names_standard_input),
        cmocka_unit_test(read_file__reads_the_whole_file),
        cmocka_unit_test(read_file__refuses_large_files),
        cmocka_unit_test(read_file__names_the_file),
        cmocka_unit_test(read_file__reads_standard_input),
        cmocka_unit_test(watch_reads__sees_reads_until_it_is_removed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
