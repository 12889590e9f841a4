#include "base/reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct section_key own_keys[] = {
    { "size", "bytes", "64KB", "how much" },
    { "prio", "count", "1",    "a kind may have another initial value" },
    { 0 },
};

static const struct section_key common_keys[] = {
    { "kind",  "name",   "",      "which" },
    { "start", "time",   "5us",   "when" },
    { "rate",  "rate",   "model", "how fast" },
    { "share", "share",  "0.5",   "of something" },
    { "on",    "yes/no", "no",    "whether" },
    { "prio",  "count",  "3",     "class" },
    { "list",  "list",   "",      "some" },
    { 0 },
};

struct page {                    /* a section of its own file */
    struct err      err;
    struct yaml_doc doc;
    struct reader   r;
    struct section  sec;
};

static void page_open(struct page *p, const char *text)
{
    static const char *const sets[] = { "size=1" };

    memset(p, 0, sizeof *p);
    p->r = (struct reader){ .name = "f", .what = "a page", .set = sets, .err = &p->err };
    assert_int_equal(yaml_parse(&p->doc, "f", text, strlen(text), &p->err), 0);
    p->sec = section_open(&p->r, p->doc.root, &(struct section){ .name = "traffic", .kind = "poisson", .own = own_keys,
                                                                 .common = common_keys });
}

static void page_close(struct page *p)
{
    yaml_fini(&p->doc);
}

static void section_values__are_read_with_their_units(void **unused)
{
    uint64_t    ps = 0, bps = 0, bytes = 0;
    uint32_t    prio = 0;
    double      share = 0;
    bool        on = false;
    struct page p;

    (void)unused;
    page_open(&p, "{start: 1.5ms, rate: 25Gbps, share: 20%, on: yes, size: 4KiB, prio: 7}");
    section_time(&p.sec, "start", &ps);
    section_rate(&p.sec, "rate", &bps);
    section_real(&p.sec, "share", 0, 1, &share);
    section_bool(&p.sec, "on", &on);
    section_bytes(&p.sec, "size", 1, 1 << 20, &bytes);
    section_count(&p.sec, "prio", 0, 7, &prio);
    assert_int_equal(p.r.rc, 0);
    assert_int_equal(ps, 1500000000);
    assert_int_equal(bps, 25000000000);
    assert_true(share == 0.2 && on);
    assert_int_equal(bytes, 4096);
    assert_int_equal(prio, 7);
    page_close(&p);
}

/* What is not given has the initial value of its row, that of the kind before that of all kinds; where the row leaves
 * it open, nothing is written. */
static void section_values__not_given(void **unused)
{
    uint64_t    ps = 0, bps = 77, bytes = 0;
    uint32_t    prio = 0;
    struct page p;

    (void)unused;
    page_open(&p, "{}");
    section_time(&p.sec, "start", &ps);
    section_rate(&p.sec, "rate", &bps);
    section_bytes(&p.sec, "size", 1, 1 << 20, &bytes);
    section_count(&p.sec, "prio", 0, 7, &prio);
    assert_int_equal(p.r.rc, 0);
    assert_int_equal(ps, 5000000);
    assert_int_equal(bps, 77);
    assert_int_equal(bytes, 64000);
    assert_int_equal(prio, 1);
    p.sec.given_only = true;
    bytes = 5;
    section_bytes(&p.sec, "size", 1, 1 << 20, &bytes);
    assert_int_equal(bytes, 5);
    page_close(&p);
}

static void section_open__refuses_what_is_in_no_table(void **unused)
{
    static const struct { const char *text, *message; } rows[] = {
        { "{sise: 3}", "f:1:2: 'sise' is not a key of traffic poisson; did you mean 'size'?" },
        { "{colour: 3}", "f:1:2: 'colour' is not a key of traffic poisson; there are kind, start, rate, share, on, list, "
                         "size and prio" },
        { "7", "f:1:1: traffic poisson must be a map of 'key: value'" },
    };

    (void)unused;
    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct page p;

        page_open(&p, rows[i].text);
        assert_int_equal(p.r.rc, -EINVAL);
        assert_string_equal(p.err.text, rows[i].message);
        page_close(&p);
    }
}

/* What is wrong first stays; everything after it does nothing. */
static void reader_refuse__keeps_the_first(void **unused)
{
    uint64_t    ps = 1, bytes = 2;
    struct page p;

    (void)unused;
    page_open(&p, "{start: soon, size: 9TB}");
    section_time(&p.sec, "start", &ps);
    section_bytes(&p.sec, "size", 1, 100, &bytes);
    assert_null(section_get(&p.sec, "size"));
    assert_string_equal(p.err.text, "f:1:9: start: 'soon' is not a time; write 5us, 3ms, 200ns");
    assert_true(ps == 1 && bytes == 2);
    page_close(&p);
}

static void reader_refuse__names_what_the_command_line_set(void **unused)
{
    const struct yaml_node made = { .column = 1 };
    struct page            p;

    (void)unused;
    page_open(&p, "{}");
    reader_refuse(&p.r, &made, "too %s", "small");
    assert_string_equal(p.err.text, "--set size=1: too small");
    page_close(&p);
}

static void section_need__says_what_is_missing(void **unused)
{
    struct page p;

    (void)unused;
    page_open(&p, "{start: 1us}");
    assert_non_null(section_need(&p.sec, "start"));
    assert_null(section_need(&p.sec, "kind"));
    assert_string_equal(p.err.text, "f:1:1: 'kind' is missing in traffic poisson");
    page_close(&p);
}

static void section_choice__names_those_there_are(void **unused)
{
    static const char *const names[] = { "red", "green", "blue", NULL };
    static const struct { const char *text, *message; } rows[] = {
        { "{kind: gren}", "f:1:8: 'gren' is not a colour; did you mean 'green'?" },
        { "{kind: x}", "f:1:8: 'x' is not a colour; there are red, green and blue" },
    };
    struct page p;

    (void)unused;
    page_open(&p, "{kind: blue}");
    assert_int_equal(section_choice(&p.sec, "kind", "a colour", names), 2);
    page_close(&p);
    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        page_open(&p, rows[i].text);
        assert_int_equal(section_choice(&p.sec, "kind", "a colour", names), -1);
        assert_string_equal(p.err.text, rows[i].message);
        page_close(&p);
    }
}

static void section_list__is_limited(void **unused)
{
    struct page p;

    (void)unused;
    page_open(&p, "{list: [1, 2, 3]}");
    assert_string_equal(section_list(&p.sec, "list", 3)->text, "1");
    assert_null(section_list(&p.sec, "list", 2));
    assert_string_equal(p.err.text, "f:1:8: 'list' has 3 entries; 2 are the most");
    page_close(&p);
}

static void reader_path__is_relative_to_the_file(void **unused)
{
    static const struct { const char *base, *file, *path; } rows[] = {
        { "a/b/s.yaml", "f", "a/b/f" }, { "s.yaml", "f", "f" }, { "a/s.yaml", "/f", "/f" },
        { "s.yaml", "-", "./-" },       { "a/s.yaml", "../f", "a/../f" },
    };

    (void)unused;
    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *path = reader_path(rows[i].base, rows[i].file);

        assert_string_equal(path, rows[i].path);
        free(path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(section_values__are_read_with_their_units),
        cmocka_unit_test(section_values__not_given),
        cmocka_unit_test(section_open__refuses_what_is_in_no_table),
        cmocka_unit_test(reader_refuse__keeps_the_first),
        cmocka_unit_test(reader_refuse__names_what_the_command_line_set),
        cmocka_unit_test(section_need__says_what_is_missing),
        cmocka_unit_test(section_choice__names_those_there_are),
        cmocka_unit_test(section_list__is_limited),
        cmocka_unit_test(reader_path__is_relative_to_the_file),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
