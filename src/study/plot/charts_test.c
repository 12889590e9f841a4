/* src/study/plot/charts_test.c - charts from data: their content, and that equal data give equal bytes. */
#include "study/plot/charts.h"
#include "study/plot/picture.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char one_run[] =
    "{\"kind\":\"run\",\"version\":\"0.2.0\",\"title\":\"a<b&c.yaml\","
    "\"runs\":[{\"name\":\"\",\"seeds\":[\"7\"],"
    "\"sizes\":[{\"bytes_min\":1000,\"bytes_end\":2000,\"flows\":3,\"bytes_mean\":1000,\"p50\":1,"
    "\"p95\":2,\"p99\":5,\"p999\":10},"
    "{\"bytes_min\":1000000,\"bytes_end\":null,\"flows\":3,\"p50\":2,\"p95\":4,\"p99\":50,\"p999\":100}],"
    "\"cdfs\":[{\"label\":\"FCT, all "
    "flows\",\"quantity\":\"FCT\",\"unit\":\"us\",\"x\":[1,10,100],\"p\":[0,0.5,1]}],"
    "\"series\":{\"at_us\":[10,20,30],\"interval_us\":10,\"columns\":[{\"name\":\"goodput_bps\","
    "\"values\":[1e9,null,3e9]},"
    "{\"name\":\"rtt_us_mean\",\"values\":[1,2,3]},{\"name\":\"queue_bytes_max\",\"values\":[0,0,0]}]},"
    "\"windows\":[{\"name\":\"influx\",\"start_us\":10,\"stop_us\":20}]}]}";

static int read_text(const char *text, json_t **page, struct err *err)
{
    char path[] = "charts-XXXXXX";
    int  fd = mkstemp(path), rc;

    assert_true(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text) && close(fd) == 0);
    rc = charts_read(path, page, err);
    unlink(path);
    return rc;
}

static json_t *page_of(const char *text)
{
    struct err err;
    json_t    *page = NULL;

    if (read_text(text, &page, &err))
        fail_msg("%s", err.text);
    return page;
}

static char *svg_of(enum chart chart, const json_t *page)
{
    struct picture p;
    char          *text = NULL;
    size_t         length;
    FILE          *out = open_memstream(&text, &length);

    assert_true(charts_draw(chart, page, &p));
    picture_svg(&p, out);
    fclose(out);
    picture_fini(&p);
    return text;
}

static uint32_t count_word(const char *text, const char *word)
{
    uint32_t n = 0;

    for (; (text = strstr(text, word)); text += strlen(word))
        n++;
    return n;
}

static void read__refuses_other_files(void **unused)
{
    static const char *const rows[] = { "", "<html>", "{}", "{\"runs\":1}", "[1]" };
    struct err err;
    json_t    *page;

    (void)unused;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(-EINVAL, read_text(rows[i], &page, &err));
        assert_non_null(strstr(err.text,
                               ": not a charts.json, which anole run, compare or sweep --out writes"));
    }
    assert_int_equal(-ENOENT, charts_read("nosuch.json", &page, &err));
    assert_string_equal("nosuch.json: No such file or directory", err.text);
}

static void draw__names_its_source(void **unused)
{
    json_t *page = page_of(one_run);
    char   *svg = svg_of(CHART_SLOWDOWN, page), *again = svg_of(CHART_SLOWDOWN, page);

    (void)unused;
    assert_string_equal(svg, again);
    assert_non_null(strstr(svg, "<title>FCT slowdown by flow size</title>"));
    assert_non_null(strstr(svg, "<desc>a&lt;b&amp;c.yaml, seed 7, anole 0.2.0</desc>"));
    assert_non_null(strstr(svg, ">flow size</text>"));
    assert_non_null(strstr(svg, ">1 KB</text>"));
    assert_non_null(strstr(svg, ">p99.9</text>"));
    assert_int_equal(8, count_word(svg, "<circle"));          /* four curves of two points */
    free(svg);
    free(again);
    json_decref(page);
}

/* 1 KB is at the left end of the axis, and 2 MB at its right end; decades have equal widths. */
static void draw__scales_values(void **unused)
{
    json_t        *page = page_of(one_run);
    struct picture p;
    double         x[8] = { 0 }, y[8] = { 0 };
    uint32_t       n = 0;

    (void)unused;
    assert_true(charts_draw(CHART_SLOWDOWN, page, &p));
    for (uint32_t i = 0; i < p.shapes; i++)
        if (p.shape[i].kind == SHAPE_DOT && n < 8) {
            x[n] = p.shape[i].xy[0];
            y[n++] = p.shape[i].xy[1];
        }
    assert_int_equal(8, n);
    for (int i = 2; i < 8; i++)
        assert_true(x[i] == x[i % 2]);
    /* p50 goes from 1 to 2, p99 from 5 to 50: one decade; p99.9 from 10 to 100: the same. */
    assert_true(fabs((y[4] - y[5]) - (y[6] - y[7])) < 1e-6);
    assert_true(fabs((y[0] - y[1]) / (y[4] - y[5]) - log10(2)) < 1e-6);
    picture_fini(&p);
    json_decref(page);
}

static void draw__time_has_panels_and_shades(void **unused)
{
    json_t *page = page_of(one_run);
    char   *svg = svg_of(CHART_TIME, page);

    (void)unused;
    assert_int_equal(3, count_word(svg, ">influx</text>"));
    assert_non_null(strstr(svg, ">goodput (Gb/s)</text>"));
    assert_non_null(strstr(svg, ">time (\302\265s)</text>"));
    assert_null(strstr(svg, "nan"));
    free(svg);
    json_decref(page);
}

/* Percentiles of several seeds are averaged by size; the title says so. */
static void draw__says_what_is_averaged(void **unused)
{
    json_t *page = page_of("{\"runs\":[{\"name\":\"a\",\"seeds\":[\"1\",\"2\",\"3\"],\"sizes\":"
                           "[{\"bytes_mean\":1000,\"p99\":5},{\"bytes_mean\":2000,\"p99\":6}]},"
                           "{\"name\":\"b\",\"seeds\":[\"1\",\"2\",\"3\"],\"sizes\":"
                           "[{\"bytes_mean\":1000,\"p99\":7},{\"bytes_mean\":2000,\"p99\":8}]}]}");
    char   *svg = svg_of(CHART_SLOWDOWN, page);

    (void)unused;
    assert_non_null(strstr(svg, "<title>p99 FCT slowdown by flow size, mean of 3 seeds"));
    free(svg);
    json_decref(page);
}

static void draw__nothing_without_data(void **unused)
{
    json_t        *page =
        page_of("{\"runs\":[{\"sizes\":[],\"cdfs\":[],\"series\":null}]}");
    struct picture p;

    (void)unused;
    for (enum chart c = 0; c < CHARTS; c++)
        assert_false(charts_draw(c, page, &p));
    json_decref(page);
}

/* Regression: with more x than p values, or more times than values, reads were out of bounds
 * (AddressSanitizer). */
static void draw__drops_values_without_a_partner(void **unused)
{
    json_t *page =
        page_of("{\"runs\":[{\"cdfs\":[{\"label\":\"FCT, all "
                "flows\",\"quantity\":\"FCT\",\"x\":[1,10,100,2e5,3e5,4e5],"
                           "\"p\":[0,1]}],\"series\":{\"at_us\":[10,20,30,40,50],"
                           "\"columns\":[{\"name\":\"goodput_bps\",\"values\":[1e9,2e9]}]}}]}");
    json_t *even =
        page_of("{\"runs\":[{\"cdfs\":[{\"label\":\"FCT, all "
                "flows\",\"quantity\":\"FCT\",\"x\":[1,10],\"p\":[0,1]}],"
                           "\"series\":{\"at_us\":[10,20],\"columns\":[{\"name\":\"goodput_bps\","
                           "\"values\":[1e9,2e9]}]}}]}");

    (void)unused;
    for (enum chart c = CHART_FCT; c <= CHART_TIME; c++) {
        char *got = svg_of(c, page), *want = svg_of(c, even);

        assert_string_equal(want, got);
        free(got);
        free(want);
    }
    json_decref(page);
    json_decref(even);
}

static bool beats(const double *x, const double *y, uint32_t a, uint32_t b, int sx, int sy)
{
    return sx * x[a] <= sx * x[b] && sy * y[a] <= sy * y[b] &&
           (sx * x[a] < sx * x[b] || sy * y[a] < sy * y[b]);
}

/* Compared with a test of all pairs, in all four directions. */
static void front__matches_all_pairs(void **unused)
{
    double   x[60], y[60];
    uint32_t front[60], state = 7;

    (void)unused;
    for (int i = 0; i < 60; i++) {
        state = state * 1103515245u + 12345u;
        x[i] = state >> 16 & 1023;
        state = state * 1103515245u + 12345u;
        y[i] = state >> 16 & 1023;
    }
    for (int k = 0; k < 4; k++) {
        int      sx = k & 1 ? -1 : 1, sy = k & 2 ? -1 : 1;
        uint32_t n = charts_front(x, y, 60, sx, sy, front), want = 0;

        for (uint32_t i = 0; i < 60; i++) {
            bool is_beaten = false;

            for (uint32_t j = 0; j < 60; j++)
                is_beaten = is_beaten || beats(x, y, j, i, sx, sy);
            want += !is_beaten;
            for (uint32_t j = 0; j < n && is_beaten; j++)
                assert_int_not_equal(front[j], i);
        }
        assert_int_equal(want, n);
    }
}

static void text__formats_marks(void **unused)
{
    struct axis size = { "size", "bytes", true, 1, 1e9 }, time = { "time", "us", false, 0, 5e4 },
                none = { "", "", false, 0, 10 };
    char        buf[32];

    (void)unused;
    assert_string_equal("10 KB", axis_text(buf, &size, 1e4));
    assert_string_equal("500 B", axis_text(buf, &size, 500));
    assert_string_equal("20", axis_text(buf, &time, 2e4));       /* its label has the unit ms */
    assert_string_equal("2.5", axis_text(buf, &none, 2.5));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(read__refuses_other_files),
        cmocka_unit_test(draw__names_its_source),
        cmocka_unit_test(draw__scales_values),
        cmocka_unit_test(draw__time_has_panels_and_shades),
        cmocka_unit_test(draw__says_what_is_averaged),
        cmocka_unit_test(draw__nothing_without_data),
        cmocka_unit_test(draw__drops_values_without_a_partner),
        cmocka_unit_test(front__matches_all_pairs),
        cmocka_unit_test(text__formats_marks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
