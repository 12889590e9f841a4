#include "base/reader.h"
#include "base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct key_row own_keys[] = {
    { "size", KEY_BYTES, "64KB", "how much" },
    { "prio", KEY_COUNT, "1",    "a kind may have another initial value" },
    { 0 },
};

static const struct key_row common_keys[] = {
    { "kind",  KEY_NAME, "",      "which" },
    { "start", KEY_TIME, "5us",   "when" },
    { "rate",  KEY_RATE, "model", "how fast" },
    { "share", KEY_REAL, "0.5",   "of something" },
    { "on",    KEY_YES,  "no",    "whether" },
    { "prio",  KEY_COUNT, "3",     "class" },
    { "list",  KEY_LIST, "",      "some" },
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
    p->sec = section_open(&p->r, p->doc.root,
                          &(struct section){ .name = "traffic", .kind = "poisson", .own = own_keys,
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

/* A missing key has the initial value of its row. The row of the kind precedes the common row. If that is
 * empty or "model", nothing is stored. */
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

static void section_open__refuses_unknown_keys(void **unused)
{
    static const struct { const char *text, *message; } rows[] = {
        { "{sise: 3}", "f:1:2: 'sise' is not a key of traffic poisson; did you mean 'size'?" },
        { "{colour: 3}", "f:1:2: 'colour' is not a key of traffic poisson; there are kind, start, rate, "
                         "share, on, list, size and prio" },
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

static void add_text(void *arg, const void *bytes, size_t length)
{
    assert_in_range(length, 1, 64);
    strcat(strcat(arg, bytes), " ");
}

/* Rows that are off by default and not given are not reported, so a new key that is off changes no digest. */
static void section_open__reports_effective_values_to_a_watcher(void **unused)
{
    char                    reported[1000] = "";
    const struct text_watch watch = { NULL, add_text, reported };
    struct page             p;

    (void)unused;
    text_watch_reads(&watch);
    page_open(&p, "{start: 7us, list: [a, b]}");
    text_watch_reads(NULL);
    assert_string_equal("traffic poisson size 64KB traffic poisson prio 1 traffic poisson start start 7us "
                        "traffic poisson rate model traffic poisson share 0.5 traffic poisson prio 3 "
                        "traffic poisson list list a b ", reported);
    page_close(&p);
}

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

static void reader_refuse__names_the_option_of_the_command_line(void **unused)
{
    const struct yaml_node made = { .column = 1 };
    struct page            p;

    (void)unused;
    page_open(&p, "{}");
    reader_refuse(&p.r, &made, "too %s", "small");
    assert_string_equal(p.err.text, "--set size=1: too small");
    page_close(&p);
}

static void section_need__names_the_missing_key(void **unused)
{
    struct page p;

    (void)unused;
    page_open(&p, "{start: 1us}");
    assert_non_null(section_need(&p.sec, "start"));
    assert_null(section_need(&p.sec, "kind"));
    assert_string_equal(p.err.text, "f:1:1: 'kind' is missing in traffic poisson");
    page_close(&p);
}

static void section_choice__names_the_choices(void **unused)
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

struct shape { uint32_t hosts, spines; uint64_t rate_bps, fabric_bps; char *file; };

static const struct key_row shape_keys[] = {
    { "hosts",  KEY_COUNT, "",      "", KEY_AT(struct shape, hosts), 1, 100, .is_needed = true },
    { "spines", KEY_COUNT, "2",     "", KEY_AT(struct shape, spines), 1, 9 },
    { "rate",   KEY_RATE,  "1Gbps", "", KEY_AT(struct shape, rate_bps) },
    { "fabric", KEY_RATE,  "",      "", KEY_AT(struct shape, fabric_bps), .like = "rate" },
    { "file",   KEY_FILE,  "",      "", KEY_AT(struct shape, file) },
    { "links",  KEY_LIST,  "",      "read by its own code" },
    { 0 },
};

static struct shape read_shape(const char *text, struct err *err)
{
    struct reader  r = { .name = "folder/f", .what = "a page", .err = err };
    struct shape   made = { 0 };
    struct yaml_doc doc;
    struct section sec;

    *err = (struct err){ 0 };
    assert_int_equal(0, yaml_parse(&doc, "folder/f", text, strlen(text), err));
    sec = section_open(&r, doc.root, &(struct section){ .name = "shape", .own = shape_keys });
    section_read(&sec, shape_keys, &made);
    yaml_fini(&doc);
    return made;
}

static void section_read__fills_a_struct_from_its_rows(void **unused)
{
    struct err   err;
    struct shape a = read_shape("{hosts: 7, rate: 2Gbps, file: x}", &err), b = read_shape("{hosts: 1, "
        "spines: 9, fabric: 3Gbps}", &err);

    (void)unused;
    assert_true(a.hosts == 7 && a.spines == 2 && a.rate_bps == 2000000000 && a.fabric_bps == 2000000000);
    assert_string_equal("folder/x", a.file);
    assert_true(b.hosts == 1 && b.spines == 9 && b.rate_bps == 1000000000 && b.fabric_bps == 3000000000 &&
                !b.file);
    key_free_texts(shape_keys, &a);
}

static void section_read__refuses_with_the_location(void **unused)
{
    static const struct { const char *text, *why; } cases[] = {
        { "{spines: 3}", "folder/f:1:1: 'hosts' is missing in shape" },
        { "{hosts: 101}", "folder/f:1:9: hosts must be 1 .. 100, not 101" },
        { "{hosts: 1, spines: [1]}", "folder/f:1:20: 'spines' must be a single value, not a list" },
        { "{hosts: 1, fabric: fast}", "folder/f:1:20: fabric: 'fast' is not a rate; write 100Gbps, 400Mbps, "
          "25G" },
    };
    struct err err;

    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        read_shape(cases[i].text, &err);
        assert_string_equal(cases[i].why, err.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(section_values__are_read_with_their_units),
        cmocka_unit_test(section_values__not_given),
        cmocka_unit_test(section_open__refuses_unknown_keys),
        cmocka_unit_test(section_open__reports_effective_values_to_a_watcher),
        cmocka_unit_test(reader_refuse__keeps_the_first),
        cmocka_unit_test(reader_refuse__names_the_option_of_the_command_line),
        cmocka_unit_test(section_need__names_the_missing_key),
        cmocka_unit_test(section_choice__names_the_choices),
        cmocka_unit_test(section_list__is_limited),
        cmocka_unit_test(reader_path__is_relative_to_the_file),
        cmocka_unit_test(section_read__fills_a_struct_from_its_rows),
        cmocka_unit_test(section_read__refuses_with_the_location),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
