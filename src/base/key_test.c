/* src/base/key_test.c - values of every unit are stored into fields of every type, or refused. */
#include "base/key.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

struct all {
    bool     on;
    uint8_t  tiny;
    uint16_t small;
    uint32_t count, choice;
    uint64_t time_us, bytes, rate_bps, window;
    double   share;
    char    *text;
};

static const char *const colours[] = { "red", "green", "blue", NULL };

static const struct key_row rows[] = {
    { "on",     KEY_YES,   "no",   "", KEY_AT(struct all, on) },
    { "tiny",   KEY_COUNT, "",     "", KEY_AT(struct all, tiny) },
    { "small",  KEY_COUNT, "",     "", KEY_AT(struct all, small), 5, 1000 },
    { "count",  KEY_COUNT, "",     "", KEY_AT(struct all, count) },
    { "choice", KEY_NAME,  "red",  "", KEY_AT(struct all, choice), .choices = colours },
    { "time",   KEY_TIME,  "0",    "", KEY_AT(struct all, time_us), 1000000, 2e12, .per = 1000000 },
    { "bytes",  KEY_BYTES, "",     "", KEY_AT(struct all, bytes), 64, 9000 },
    { "rate",   KEY_RATE,  "",     "", KEY_AT(struct all, rate_bps) },
    { "window", KEY_BYTES, "none", "", KEY_AT(struct all, window), 1, 1000,
      .words = KEY_WORDS({ "none", 0 }, { "all", UINT64_MAX }) },
    { "share",  KEY_REAL,  "",     "", KEY_AT(struct all, share), 0, 0.5 },
    { "cut",    KEY_REAL,  "",     "", KEY_AT(struct all, share), 0, 10, .per = 1 },
    { "text",   KEY_NAME,  "x",    "", KEY_AT(struct all, text) },
    { 0 },
};

static int put(struct all *a, const char *name, const char *text, struct err *err)
{
    const struct key_row *row = key_find(rows, name);
    struct key_value      v;
    int                   rc = key_parse(row, text, &v, err);

    if (!rc)
        key_store(row, &v, a);
    return rc;
}

static void key_store__writes_only_its_field(void **unused)
{
    static const struct { const char *name, *text; struct all want; } cases[] = {
        { "on", "yes", { .on = true } },
        { "tiny", "255", { .tiny = 255 } },
        { "small", "5", { .small = 5 } },
        { "small", "1e3", { .small = 1000 } },
        { "count", "4294967295", { .count = UINT32_MAX } },
        { "choice", "blue", { .choice = 2 } },
        { "time", "2s", { .time_us = 2000000 } },
        { "time", "1us", { .time_us = 1 } },
        { "bytes", "9KB", { .bytes = 9000 } },
        { "rate", "25Gbps", { .rate_bps = 25000000000 } },
        { "window", "all", { .window = UINT64_MAX } },
        { "window", "none", { .window = 0 } },
        { "window", "1", { .window = 1 } },
        { "share", "50%", { .share = 0.5 } },
        { "cut", "2.9", { .share = 2 } },
    };

    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct all a;
        struct err err;

        memset(&a, 0, sizeof a);
        assert_int_equal(0, put(&a, cases[i].name, cases[i].text, &err));
        assert_memory_equal(&a, &cases[i].want, sizeof a);
    }
}

static void key_parse__refuses(void **unused)
{
    static const struct { const char *name, *text, *why; } cases[] = {
        { "on", "maybe", "on: 'maybe' is neither true nor false" },
        { "tiny", "256", "tiny must be 0 .. 255, not 256" },
        { "small", "4", "small must be 5 .. 1000, not 4" },
        { "count", "4294967296", "count must be 0 .. 4294967295, not 4294967296" },
        { "count", "1.5", "count: '1.5' is not a whole number" },
        { "count", "1e-1", "count: '1e-1' is not a whole number" },
        { "choice", "gren", "'gren' is not a value of choice; did you mean 'green'?" },
        { "choice", "x", "'x' is not a value of choice; there are red, green and blue" },
        { "time", "999ns", "time must be 1 us .. 2 s, not 999ns" },
        { "time", "soon", "time: 'soon' is not a time; write 5us, 3ms, 200ns" },
        { "bytes", "9001", "bytes must be 64 B .. 9 KB, not 9001" },
        { "window", "0", "window must be 1 B .. 1 KB, not 0" },
        { "share", "51%", "share must be 0 .. 0.5, not 51%" },
        { "text", "", "text must not be empty" },
    };
    struct all a = { 0 }, none = { 0 };

    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct err err;

        assert_true(put(&a, cases[i].name, cases[i].text, &err) < 0);
        assert_string_equal(cases[i].why, err.text);
        assert_memory_equal(&a, &none, sizeof a);
    }
}

static void key_store__frees_the_previous_text(void **unused)
{
    struct all a = { 0 };
    struct err err;

    (void)unused;
    assert_int_equal(0, put(&a, "text", "one", &err));
    assert_int_equal(0, put(&a, "text", "two", &err));
    assert_string_equal("two", a.text);
    key_free_texts(rows, &a);
    assert_null(a.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(key_store__writes_only_its_field),
        cmocka_unit_test(key_parse__refuses),
        cmocka_unit_test(key_store__frees_the_previous_text),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
