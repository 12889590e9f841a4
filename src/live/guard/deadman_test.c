/* src/live/guard/deadman_test.c - the dead-man switch with scripted files and a scripted clock. */
#include "live/guard/deadman.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define S 1000000ull

enum { FILES = 3 };

struct bench {
    struct deadman d;
    uint64_t       now_us, takes_us;     /* takes_us: by each write */
    char           file[FILES][32];
    int            rc[FILES];            /* of writes */
    bool           clamps, is_unreadable;
    unsigned       writes;
};

static uint64_t now_us(void *arg)
{
    return ((struct bench *)arg)->now_us;
}

static int read_file(void *arg, const struct guard_line *line, char text[GUARD_TEXT_SIZE])
{
    struct bench *b = arg;

    snprintf(text, GUARD_TEXT_SIZE, "%s", b->file[line->path[0] - '0']);
    return b->is_unreadable ? -EIO : 0;
}

static int write_file(void *arg, const struct guard_line *line, const char *text)
{
    struct bench *b = arg;
    int           i = line->path[0] - '0';

    b->now_us += b->takes_us;
    b->writes++;
    if (!b->rc[i])
        snprintf(b->file[i], sizeof b->file[i], "%s", b->clamps ? "99" : text);
    return b->rc[i];
}

static struct bench begin(void)
{
    return (struct bench){ .now_us = 1000 * S, .file = { "5", "50", "7" } };
}

static void start(struct bench *b)
{
    const struct deadman_io io = { now_us, read_file, write_file, b };

    deadman_init(&b->d, &io, 3 * S);
}

static struct guard_line line_of(int file, const char *attempt, const char *back)
{
    struct guard_line l = { .target = GUARD_FILE, .path = { (char)('0' + file) } };

    snprintf(l.attempt, sizeof l.attempt, "%s", attempt);
    snprintf(l.back, sizeof l.back, "%s", back);
    return l;
}

/* Tries 50 and 150 where 5 and 50 were. */
static int try_two(struct bench *b, uint64_t lease_us)
{
    struct guard_line two[] = { line_of(0, "50", "5"), line_of(1, "150", "50") };

    return deadman_try(&b->d, two, 2, b->now_us + lease_us);
}

static void assert_files(const struct bench *b, const char *first, const char *second)
{
    assert_string_equal(b->file[0], first);
    assert_string_equal(b->file[1], second);
}

static void try__is_taken_back_when_the_lease_ends(void **unused)
{
    struct bench b = begin();

    (void)unused;
    start(&b);
    assert_true(deadman_timer_us(&b.d) == GUARD_NEVER);
    assert_int_equal(try_two(&b, 2 * S), 0);
    assert_files(&b, "50", "150");
    assert_true(deadman_timer_us(&b.d) == b.now_us + 2 * S);
    b.now_us += 2 * S - 1;
    assert_false(deadman_on_timer(&b.d));
    b.now_us += 1;
    assert_true(deadman_on_timer(&b.d));
    assert_files(&b, "5", "50");
    assert_int_equal(b.d.why, GUARD_LEASE_ENDED);
    assert_true(deadman_timer_us(&b.d) == GUARD_NEVER);
}

static void try__needs_time_for_the_write_and_the_revert(void **unused)
{
    struct bench b = begin();

    (void)unused;
    start(&b);
    assert_int_equal(try_two(&b, 2 * DEADMAN_SLOW_US + DEADMAN_MARGIN_US - 1), -ETIME);
    assert_int_equal(b.writes, 0);
    b.now_us -= S;               /* a lease that has ended */
    assert_int_equal(try_two(&b, 0), -ETIME);
    b.takes_us = S;              /* a device that takes two seconds */
    assert_int_equal(try_two(&b, 9 * S), 0);
    assert_int_equal(deadman_drop(&b.d), 0);
    assert_int_equal(try_two(&b, 4 * S), -ETIME);
    assert_int_equal(b.writes, 2);
    b.now_us += DEADMAN_MEMORY_US;
    b.takes_us = 0;
    assert_int_equal(try_two(&b, S), 0);         /* long ago */
}

static void try__that_outlasts_its_lease_is_taken_back(void **unused)
{
    struct bench b = begin();

    (void)unused;
    start(&b);
    b.takes_us = 60 * S;         /* the first write hangs */
    assert_int_equal(try_two(&b, 3 * S), -ETIME);
    assert_files(&b, "5", "50");
    assert_int_equal(b.writes, 2);               /* the second was never tried */
    assert_int_equal(b.d.why, GUARD_TOO_SLOW);
    assert_int_equal(deadman_drop(&b.d), -ESTALE);
}

static void keep__prolongs_the_lease_until_the_agent_is_silent(void **unused)
{
    struct bench b = begin();

    (void)unused;
    start(&b);
    try_two(&b, 3 * S);
    for (int i = 0; i < 20; i++) {
        b.now_us += S;
        deadman_keep(&b.d, b.now_us, b.now_us + 30 * S);
        assert_false(deadman_on_timer(&b.d));
    }
    deadman_keep(&b.d, b.now_us - 9 * S, b.now_us + 30 * S);     /* an old frame is no sign of life */
    assert_true(deadman_timer_us(&b.d) == b.now_us + 3 * S);
    b.now_us += 3 * S;
    assert_true(deadman_on_timer(&b.d));
    assert_int_equal(b.d.why, GUARD_AGENT_SILENT);
    assert_files(&b, "5", "50");
    deadman_keep(&b.d, b.now_us, b.now_us + 30 * S);             /* too late */
    assert_int_equal(deadman_drop(&b.d), -ESTALE);
}

static void keep__may_shorten_a_lease(void **unused)
{
    struct bench b = begin();

    (void)unused;
    start(&b);
    try_two(&b, 3 * S);
    deadman_keep(&b.d, b.now_us, b.now_us + S);
    assert_true(deadman_timer_us(&b.d) == b.now_us + S);
}

static void drop__leaves_what_was_confirmed(void **unused)
{
    struct bench b = begin();

    (void)unused;
    start(&b);
    try_two(&b, S);
    assert_int_equal(deadman_drop(&b.d), 0);
    b.now_us += 9 * S;
    assert_false(deadman_on_timer(&b.d));
    deadman_gone(&b.d);
    assert_files(&b, "50", "150");
}

static void gone__reverts_at_once(void **unused)
{
    struct bench b = begin();

    (void)unused;
    start(&b);
    try_two(&b, 3 * S);
    deadman_gone(&b.d);
    assert_files(&b, "5", "50");
    assert_int_equal(b.d.count, 0);
}

static void revert__is_tried_again_and_one_line_does_not_keep_another(void **unused)
{
    struct bench b = begin();

    (void)unused;
    start(&b);
    try_two(&b, S);
    b.rc[1] = -EIO;
    b.now_us += S;
    assert_false(deadman_on_timer(&b.d));
    assert_files(&b, "5", "150");
    assert_int_equal(try_two(&b, 3 * S), -EBUSY);
    assert_true(deadman_timer_us(&b.d) == b.now_us + DEADMAN_RETRY_US);
    b.now_us += DEADMAN_RETRY_US;
    b.rc[1] = 0;
    assert_true(deadman_on_timer(&b.d));
    assert_files(&b, "5", "50");
    assert_int_equal(try_two(&b, 3 * S), 0);
}

static void revert__leaves_what_someone_else_has_set(void **unused)
{
    struct bench b = begin();

    (void)unused;
    start(&b);
    try_two(&b, S);
    memcpy(b.file[0], "20", 3);
    deadman_gone(&b.d);
    assert_files(&b, "20", "50");
    assert_int_equal(b.d.count, 0);
}

static void revert__knows_what_the_device_made_of_a_value(void **unused)
{
    struct bench b = begin();

    (void)unused;
    start(&b);
    b.clamps = true;
    try_two(&b, S);
    assert_files(&b, "99", "99");
    b.clamps = false;
    deadman_gone(&b.d);
    assert_files(&b, "5", "50");
}

static void revert__is_not_done_while_the_device_changes_the_old_value(void **unused)
{
    struct bench      b = begin();
    struct guard_line one = line_of(0, "5", "5");

    (void)unused;
    start(&b);
    try_two(&b, S);
    b.clamps = true;
    assert_int_equal(deadman_back(&b.d, &one, 1), -EIO);
    assert_int_equal(b.d.count, 2);
    b.now_us += S;
    assert_false(deadman_on_timer(&b.d));
    b.clamps = false;
    b.now_us += S;
    assert_true(deadman_on_timer(&b.d));
    assert_files(&b, "5", "50");
}

/* The agent writes a baseline without a trial, and hangs before it can try again. */
static void back__tries_again_what_was_not_held(void **unused)
{
    struct bench      b = begin();
    struct guard_line one = line_of(0, "5", "5");

    (void)unused;
    start(&b);
    b.clamps = true;
    assert_int_equal(deadman_back(&b.d, &one, 1), -EIO);
    assert_files(&b, "99", "50");
    b.clamps = false;
    b.now_us += S;
    assert_true(deadman_on_timer(&b.d));
    assert_files(&b, "5", "50");
    assert_int_equal(b.d.count, 0);
}

/* Someone sets the value before it is tried again: it stays. */
static void back__leaves_what_someone_sets_meanwhile(void **unused)
{
    struct bench      b = begin();
    struct guard_line one = line_of(0, "5", "5");

    (void)unused;
    start(&b);
    b.clamps = true;
    assert_int_equal(deadman_back(&b.d, &one, 1), -EIO);
    b.clamps = false;
    snprintf(b.file[0], sizeof b.file[0], "8");
    b.now_us += S;
    assert_true(deadman_on_timer(&b.d));
    assert_files(&b, "8", "50");
}

static void revert__writes_what_it_cannot_read(void **unused)
{
    struct bench b = begin();

    (void)unused;
    start(&b);
    try_two(&b, S);
    b.is_unreadable = true;
    deadman_gone(&b.d);
    assert_files(&b, "5", "50");
}

static void revert__of_a_failed_trial_writes_every_line(void **unused)
{
    struct bench b = begin();

    (void)unused;
    start(&b);
    b.rc[1] = -EIO;
    assert_int_equal(try_two(&b, S), -EIO);
    memcpy(b.file[1], "150", 4);         /* it took effect all the same */
    b.rc[1] = 0;
    deadman_gone(&b.d);
    assert_files(&b, "5", "50");
}

static void back__reverts_for_the_agent(void **unused)
{
    struct bench      b = begin();
    struct guard_line two[] = { line_of(0, "5", "5"), line_of(2, "8", "8") };

    (void)unused;
    start(&b);
    try_two(&b, S);
    assert_int_equal(deadman_back(&b.d, two, 2), 0);
    assert_string_equal(b.file[0], "5");
    assert_string_equal(b.file[2], "8");
    assert_int_equal(b.d.count, 1);              /* the other line of the trial */
    b.now_us += S;
    assert_true(deadman_on_timer(&b.d));
    assert_files(&b, "5", "50");
}

static void try__holds_no_more_lines_than_there_is_room_for(void **unused)
{
    static struct guard_line many[GUARD_LINES_MAX];
    struct bench             b = begin();

    (void)unused;
    start(&b);
    for (int i = 0; i < GUARD_LINES_MAX; i++) {
        many[i] = line_of(0, "50", "5");
        snprintf(many[i].path, sizeof many[i].path, "0%d", i);
    }
    assert_int_equal(deadman_try(&b.d, many, GUARD_LINES_MAX, b.now_us + 9 * S), 0);
    assert_int_equal(deadman_try(&b.d, many, 3, b.now_us + 9 * S), 0);           /* those that it has */
    assert_int_equal(try_two(&b, 9 * S), -ENOSPC);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(try__is_taken_back_when_the_lease_ends),
        cmocka_unit_test(try__needs_time_for_the_write_and_the_revert),
        cmocka_unit_test(try__that_outlasts_its_lease_is_taken_back),
        cmocka_unit_test(keep__prolongs_the_lease_until_the_agent_is_silent),
        cmocka_unit_test(keep__may_shorten_a_lease),
        cmocka_unit_test(drop__leaves_what_was_confirmed),
        cmocka_unit_test(gone__reverts_at_once),
        cmocka_unit_test(revert__is_tried_again_and_one_line_does_not_keep_another),
        cmocka_unit_test(revert__leaves_what_someone_else_has_set),
        cmocka_unit_test(revert__knows_what_the_device_made_of_a_value),
        cmocka_unit_test(revert__is_not_done_while_the_device_changes_the_old_value),
        cmocka_unit_test(revert__writes_what_it_cannot_read),
        cmocka_unit_test(revert__of_a_failed_trial_writes_every_line),
        cmocka_unit_test(back__reverts_for_the_agent),
        cmocka_unit_test(back__tries_again_what_was_not_held),
        cmocka_unit_test(back__leaves_what_someone_sets_meanwhile),
        cmocka_unit_test(try__holds_no_more_lines_than_there_is_room_for),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
