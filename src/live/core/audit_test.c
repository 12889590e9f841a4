#include "live/core/audit.h"
#include "live/core/knobset.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct file { char text[65536]; size_t length; bool is_full; };

static int append(void *arg, const char *text, size_t length)
{
    struct file *f = arg;

    if (f->is_full)
        return -ENOSPC;
    memcpy(f->text + f->length, text, length);
    f->length += length;
    return 0;
}

static uint64_t wall_us(void *arg)
{
    (void)arg;
    return 1792141200123456;     /* 2026-10-16T09:00:00.123456Z: date -u -d @1792141200 */
}

static const char *const why[] = { "a \"quoted\" reason\n", "plain", "", "\xff not UTF-8" };

static void write_log(struct audit *a, struct file *f, int records)
{
    struct io_disk  disk = { .append = append, .wall_us = wall_us, .arg = f };
    struct knob_set set = { 0 };

    knob_set_add(&set, KNOB_kmin, 1048.576);
    for (int i = 0; i < records; i++)
        audit_write(a, &disk,
                    &(struct audit_record){ .who = "x", .what = "apply", .why = why[i % 4], .term = 65537,
                                            .change = (uint64_t)i + 1, .now_us = 5, .new = &set });
}

static void log_of(struct file *f, int records)
{
    struct audit a;

    *f = (struct file){ .length = 0 };
    audit_init(&a);
    write_log(&a, f, records);
}

static void write__is_json_with_all_fields(void **unused)
{
    static struct file f;
    json_t            *o;
    struct knob_set    set;

    (void)unused;
    log_of(&f, 1);
    o = json_loadb(f.text, f.length, 0, NULL);
    assert_non_null(o);
    assert_int_equal(json_integer_value(json_object_get(o, "seq")), 1);
    assert_string_equal(json_string_value(json_object_get(o, "time")), "2026-10-16T09:00:00.123Z");
    assert_string_equal(json_string_value(json_object_get(o, "why")), why[0]);
    assert_int_equal(knobset_from_json(&set, json_object_get(o, "new")), 0);
    assert_true(set.knobs.value[KNOB_kmin] == 1048.576);
    json_decref(o);
}

/* Returns NULL if every line of the log continues the one before it. */
static const char *find_error(struct audit *a, const char *text, size_t length, uint64_t *line)
{
    FILE       *file = length ? fmemopen((void *)text, length, "r") : NULL;
    const char *wrong;

    audit_init(a);
    *line = 0;
    wrong = file ? audit_check_file(a, file, line) : NULL;
    if (file)
        fclose(file);
    return wrong;
}

static void verify__every_single_byte_counts(void **unused)
{
    static struct file f;
    struct audit       a;
    uint64_t           line;

    (void)unused;
    log_of(&f, 5);
    assert_null(find_error(&a, f.text, f.length, &line));
    assert_int_equal(a.seq, 5);
    for (size_t i = 0; i < f.length; i++) {
        f.text[i] ^= 1;
        assert_non_null(find_error(&a, f.text, f.length, &line));
        f.text[i] ^= 1;
    }
}

/* Finds the beginnings of the lines. */
static void lines_of(const struct file *f, size_t begin[], int count)
{
    begin[0] = 0;
    for (int i = 1; i <= count; i++)
        begin[i] = (size_t)((char *)memchr(f->text + begin[i - 1], '\n',
                                           f->length - begin[i - 1]) - f->text) + 1;
}

static void verify__names_a_missing_line(void **unused)
{
    static struct file f, cut;
    struct audit       a;
    uint64_t           line;
    size_t             begin[6];

    (void)unused;
    log_of(&f, 5);
    lines_of(&f, begin, 5);
    memcpy(cut.text, f.text, begin[2]);
    memcpy(cut.text + begin[2], f.text + begin[3], f.length - begin[3]);
    cut.length = f.length - (begin[3] - begin[2]);
    assert_non_null(find_error(&a, cut.text, cut.length, &line));
    assert_int_equal(line, 3);
}

static void resume__removes_a_partial_line(void **unused)
{
    static struct file f;
    struct audit       a;
    uint64_t           line;
    size_t             begin[6];

    (void)unused;
    log_of(&f, 5);
    lines_of(&f, begin, 5);
    for (size_t length = begin[3]; length < begin[4]; length++) {
        struct file torn = f;

        torn.length = length;
        assert_int_equal(audit_resume_tail(&a, torn.text, torn.length), begin[3]);
        assert_int_equal(a.seq, 3);
        torn.length = begin[3];
        write_log(&a, &torn, 2);
        assert_null(find_error(&a, torn.text, torn.length, &line));
        assert_int_equal(a.seq, 5);
    }
}

static void write__counts_lost_lines(void **unused)
{
    static struct file f;
    struct audit       a;
    uint64_t           line;

    (void)unused;
    log_of(&f, 0);
    audit_init(&a);
    write_log(&a, &f, 1);
    f.is_full = true;
    write_log(&a, &f, 3);
    f.is_full = false;
    write_log(&a, &f, 1);
    f.text[f.length] = '\0';
    assert_non_null(strstr(f.text, "\"lost\":3"));
    assert_null(find_error(&a, f.text, f.length, &line));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(write__is_json_with_all_fields),
        cmocka_unit_test(verify__every_single_byte_counts),
        cmocka_unit_test(verify__names_a_missing_line),
        cmocka_unit_test(resume__removes_a_partial_line),
        cmocka_unit_test(write__counts_lost_lines),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
