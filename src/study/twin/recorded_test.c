/* src/study/twin/recorded_test.c - sizes and loads of a recording are those that it was made with. */
#include "study/twin/recorded.h"

#include "work/traffic/cdf.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define GBPS 1000000000ull

struct text { char *text; size_t bytes; FILE *out; };

static void text_open(struct text *t)
{
    t->out = open_memstream(&t->text, &t->bytes);
    assert_non_null(t->out);
}

static struct recorded read_text(struct text *t,
                                 int (*reads)(struct recorded *, const char *, const char *, size_t, uint64_t,
                                              struct err *),
                                 uint64_t rate_bps)
{
    struct recorded r;
    struct err      err;

    fclose(t->out);
    if (reads(&r, "x.csv", t->text, t->bytes, rate_bps, &err))
        fail_msg("%s", err.text);
    free(t->text);
    return r;
}

static void close_to(double is, double want, double share)
{
    if (!(fabs(is - want) <= share * want))
        fail_msg("%g, not %g", is, want);
}

/* One of two hosts sends 1,001 messages of 12,500 bytes, one per microsecond: its link of 100 Gb/s is full,
 * and two links are half full. */
static void messages__load_is_bytes_over_what_links_could_carry(void **unused)
{
    struct text     t;
    struct recorded r;

    (void)unused;
    text_open(&t);
    fputs("start_us,src,dst,bytes\n", t.out);
    for (int i = 0; i <= 1000; i++)
        fprintf(t.out, "%d,a,b,12500\n", i);
    r = read_text(&t, recorded_messages, 100 * GBPS);
    assert_int_equal(r.rows, 1001);
    assert_int_equal(r.hosts, 2);
    close_to(r.seconds, 1e-3, 1e-9);
    close_to(r.load, 0.5, 0.002);
    close_to(r.load_busiest, 1, 0.002);
    close_to(r.load_low, 0.5, 0.03);
    close_to(r.load_high, 0.5, 0.03);
    assert_true(r.sizes == 2 && r.size[0].bytes == 12500 && r.size[0].p == 0 && r.size[1].bytes == 12500 &&
                r.size[1].p == 1);
    recorded_fini(&r);
}

/* The resulting table has the mean and the shares of the recorded sizes. */
static void messages__table_has_the_sizes(void **unused)
{
    static const double size[] = { 100, 1000, 1001, 1100, 50000, 1000000, 30000000 };
    struct text     t;
    struct recorded r;
    struct cdf      cdf = { 0 };
    struct err      err;
    double          sum = 0;
    char           *rows;

    (void)unused;
    text_open(&t);
    fputs("src,dst,bytes,start_ms\n", t.out);
    for (int i = 0; i < 7000; i++) {
        fprintf(t.out, "h%d,h%d,%.0f,%d\n", i % 10, (i + 1) % 10, size[i % 7], i);
        sum += size[i % 7];
    }
    r = read_text(&t, recorded_messages, 100 * GBPS);
    assert_int_equal(r.hosts, 10);
    text_open(&t);
    for (uint32_t i = 0; i < r.sizes; i++)   /* as in a file: a line per row, "bytes probability" */
        fprintf(t.out, "%.15g %.12g\n", r.size[i].bytes, r.size[i].p);
    fclose(t.out);
    rows = t.text;
    assert_int_equal(cdf_read(&cdf, "made", rows, &err), 0);
    close_to(cdf.bytes_mean, sum / 7000, 0.001);
    assert_int_equal(cdf_size(&cdf, 0.05), 100);
    assert_int_equal(cdf_size(&cdf, 0.65), 50000);
    assert_int_equal(cdf_size(&cdf, 0.99), 30000000);
    cdf_fini(&cdf);
    free(rows);
    recorded_fini(&r);
}

/* A load of 50 % in ten of 24 hours, and of 10 % in the others. */
static void counters__range_is_that_of_the_day(void **unused)
{
    struct text     t;
    double          bytes[4] = { 7, 1e12, 0, 3 };
    struct recorded r;

    (void)unused;
    text_open(&t);
    fputs("time_s,port,bytes\n", t.out);
    for (int s = 0; s <= 86400; s += 600)
        for (int p = 0; p < 4; p++) {
            fprintf(t.out, "%d,p%d,%.0f\n", s, p, bytes[p]);
            bytes[p] += 600 * (100e9 / 8) * (s >= 8 * 3600 && s < 18 * 3600 ? 0.5 : 0.1);
        }
    r = read_text(&t, recorded_counters, 100 * GBPS);
    assert_int_equal(0, r.sizes);
    assert_int_equal(r.hosts, 4);
    close_to(r.seconds, 86400, 1e-9);
    close_to(r.load, (10 * 0.5 + 14 * 0.1) / 24, 1e-6);
    close_to(r.load_low, 0.1, 1e-6);
    close_to(r.load_high, 0.5, 1e-6);
    recorded_fini(&r);
}

/* A port that restarts counts from 0. What it sent meanwhile is not known, so this time does not count. */
static void counters__a_restart_is_left_out(void **unused)
{
    struct text     t;
    struct recorded r;

    (void)unused;
    text_open(&t);
    fputs("port,bytes,time_ms\na,1000000,0\na,2250000,1\na,10,2\na,1250010,3\n", t.out);
    r = read_text(&t, recorded_counters, 100 * GBPS);
    assert_int_equal(r.restarts, 1);
    close_to(r.load, 0.1, 1e-9);
    close_to(r.load_busiest, 0.1, 1e-9);
    recorded_fini(&r);
}

/* A race runs at up to 1.2 times the load of the search. That must be the busiest load, if it is higher. */
static void expected__a_race_gets_to_the_busy_hours(void **unused)
{
    (void)unused;
    close_to(1.2 * recorded_expected(0.3, 0.6), 0.6, 1e-9);
    close_to(recorded_expected(0.55, 0.6), 0.55, 1e-9);
    assert_true(recorded_expected(0.9, 1.5) <= 1);
}

static void refuses__in_one_line(void **unused)
{
    static const struct { const char *text, *want; } message[] = {
        { "",
          "x.csv:1: column 'src' is missing; the first line must name the columns: src,dst,bytes,start_us" },
        { "src,dst,bytes\n", "x.csv:1: column 'start_s' is missing" },
        { "src,dst,bytes,start_us\na,b,1,1\n", "x.csv: 1 messages say too little of sizes; 50 are needed" },
        { "src,dst,bytes,start_us\na,b,0,1\n", "x.csv:2: bytes: a message of less than a byte" },
        { "src,dst,bytes,start_us\na,b,-5,1\n", "x.csv:2: bytes: less than nothing" },
        { "src,dst,bytes,start_us\na,,5,1\n", "x.csv:2: dst: there is no name" },
        { "src,dst,bytes,start_us\na,b,5,soon\n", "x.csv:2: start_us: 'soon' is not a number" },
    }, counter[] = {
        { "time_s,port,bytes\n", "x.csv: no time passes in it" },
        { "time_s,port,bytes\n0,a,0\n100,a,0\n",
          "x.csv: links were busy for 0 % of the time; from 0.1 % on there is something to advise" },
        { "time_s,port,bytes\n0,a,0\n0,a,1\n", "x.csv:3: time_s: rows of a port go on in time" },
        { "time_s,port,bytes\n0,a,0\n1,a,50000000000\n",
          "x.csv: links of 100 Gb/s would be busy for 400 % of the time; how fast are they? --rate" },
    };
    struct recorded r;
    struct err      err;

    (void)unused;
    for (size_t i = 0; i < sizeof(message) / sizeof(*message); i++) {
        assert_true(recorded_messages(&r, "x.csv", message[i].text, strlen(message[i].text),
                                      100 * GBPS, &err) < 0);
        assert_memory_equal(err.text, message[i].want, strlen(message[i].want));
    }
    for (size_t i = 0; i < sizeof(counter) / sizeof(*counter); i++) {
        assert_true(recorded_counters(&r, "x.csv", counter[i].text, strlen(counter[i].text),
                                      100 * GBPS, &err) < 0);
        assert_memory_equal(err.text, counter[i].want, strlen(counter[i].want));
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages__load_is_bytes_over_what_links_could_carry),
        cmocka_unit_test(messages__table_has_the_sizes),
        cmocka_unit_test(counters__range_is_that_of_the_day),
        cmocka_unit_test(counters__a_restart_is_left_out),
        cmocka_unit_test(expected__a_race_gets_to_the_busy_hours),
        cmocka_unit_test(refuses__in_one_line),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
