/* src/live/daemon/disk_test.c - the audit log in a folder, and kills while it rotates. */
#include "live/daemon/disk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[64];

static int set_up(void **unused)
{
    (void)unused;
    snprintf(folder, sizeof folder, "/tmp/anole-disk-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **unused)
{
    char command[100];

    (void)unused;
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

static void must_open(struct disk *d, struct audit *audit)
{
    struct err err = { "" };

    if (disk_open(d, folder, audit, &err))
        fail_msg("%s", err.text);
    d->log_bytes_max = 1000;     /* a few lines */
    if (disk_mend_log(d, audit, &err))
        fail_msg("a false alarm: %s", err.text);
}

static void write_lines(struct disk *d, struct audit *audit, int count)
{
    struct io_disk io = disk_io(d);

    for (int i = 0; i < count; i++)
        assert_int_equal(audit_write(audit, &io, &(struct audit_record){ .who = "host1", .what = "drill",
                                                                         .why = "a test" }), 0);
}

static uint64_t count_verified(void)
{
    char         path[100];
    struct audit audit;
    uint64_t     records = 0;
    struct err   err = { "" };

    snprintf(path, sizeof path, "%s/" DISK_LOG, folder);
    if (disk_verify(path, &audit, &records, &err))
        fail_msg("a false alarm: %s", err.text);
    return records;
}

static void rename_in_folder(const char *from, const char *to)
{
    char a[100], b[100];

    snprintf(a, sizeof a, "%s/%s", folder, from);
    snprintf(b, sizeof b, "%s/%s", folder, to);
    assert_int_equal(rename(a, b), 0);
}

static void log__rotates_and_goes_on(void **unused)
{
    struct disk  d;
    struct audit audit;

    (void)unused;
    for (int i = 0; i < 3; i++) {
        must_open(&d, &audit);
        write_lines(&d, &audit, 10);
        disk_close(&d);
    }
    assert_true(d.logs >= 3);
    assert_int_equal(count_verified(), 30);
}

/* The first step of a rotation renames the log, the second makes a new one. */
static void log__goes_on_after_a_kill_between_the_steps_of_a_rotation(void **unused)
{
    struct disk  d;
    struct audit audit;

    (void)unused;
    must_open(&d, &audit);
    write_lines(&d, &audit, 2);
    disk_close(&d);
    rename_in_folder(DISK_LOG, "audit.1.jsonl");
    must_open(&d, &audit);       /* makes the new one, and is killed */
    assert_int_equal(audit.seq, 2);
    disk_close(&d);
    must_open(&d, &audit);
    assert_int_equal(audit.seq, 2);
    write_lines(&d, &audit, 9);
    disk_close(&d);
    assert_int_equal(count_verified(), 11);
}

static void log__is_damaged_if_the_one_before_an_empty_one_is(void **unused)
{
    struct disk  d;
    struct audit audit;
    char         path[100];
    struct err   err = { "" };

    (void)unused;
    must_open(&d, &audit);
    write_lines(&d, &audit, 2);
    disk_close(&d);
    rename_in_folder(DISK_LOG, "audit.1.jsonl");
    snprintf(path, sizeof path, "%s/audit.1.jsonl", folder);
    assert_int_equal(truncate(path, 20), 0);
    assert_int_equal(disk_open(&d, folder, &audit, &err), 0);
    assert_true(disk_mend_log(&d, &audit, &err));
    disk_close(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(log__rotates_and_goes_on, set_up, tear_down),
        cmocka_unit_test_setup_teardown(log__goes_on_after_a_kill_between_the_steps_of_a_rotation, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(log__is_damaged_if_the_one_before_an_empty_one_is, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
