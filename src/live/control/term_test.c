/* src/live/control/term_test.c - terms that agents report. A liar can neither depose a controller nor
 * make it use up its terms. */
#include "live/control/control.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST (1ull << MSG_TERM_ID_BITS)         /* the first term of controller 0 */

struct bench {
    struct controller_config cfg;
    struct control           k;
    char                     log[1 << 16];
    size_t                   log_length;
    struct { char text[1 << 15]; size_t length; } file[2];       /* two copies */
    uint64_t                 now_us;
};

static int disk_save(void *arg, const char *name, const char *text, size_t length)
{
    struct bench *b = arg;
    bool          is_copy = strstr(name, ".copy");

    memcpy(b->file[is_copy].text, text, length);
    b->file[is_copy].length = length;
    return 0;
}

static long disk_load(void *arg, const char *name, char *text, size_t size)
{
    struct bench *b = arg;
    bool          is_copy = strstr(name, ".copy");

    (void)size;
    memcpy(text, b->file[is_copy].text, b->file[is_copy].length);
    return b->file[is_copy].length ? (long)b->file[is_copy].length : -ENOENT;
}

static int disk_append(void *arg, const char *text, size_t length)
{
    struct bench *b = arg;

    assert_true(b->log_length + length < sizeof b->log);
    memcpy(b->log + b->log_length, text, length);
    b->log_length += length;
    return 0;
}

static uint64_t disk_wall(void *arg)
{
    (void)arg;
    return 0;
}

static void forget(void *arg, uint32_t link, const struct msg *m)
{
    (void)arg, (void)link, (void)m;
}

static bool propose(void *arg, uint64_t now_us, struct knob_set *set, char why[MSG_WHY_SIZE])
{
    (void)arg, (void)now_us, (void)set, (void)why;
    return false;
}

static void start(struct bench *b)
{
    struct control_io     io = { .disk = { .save = disk_save, .load = disk_load, .append = disk_append,
                                          .wall_us = disk_wall, .arg = b }, .send = forget,
                                .propose = propose, .arg = b };
    struct audit         audit;

    audit_init(&audit);
    b->now_us += 1000000;
    control_init(&b->k, &b->cfg, &io, 16);
    assert_int_equal(control_start(&b->k, &audit, b->now_us), 0);
}

static struct bench *bench_new(void)
{
    struct bench *b = calloc(1, sizeof *b);

    controller_config_init(&b->cfg);
    start(b);
    return b;
}

static void bench_free(struct bench *b)
{
    control_fini(&b->k);
    free(b);
}

static void hello(struct bench *b, uint32_t link, const char *name, uint64_t term)
{
    struct msg m = { .kind = MSG_HELLO, .version = MSG_VERSION, .incarnation = 1, .where = KNOB_NIC,
                     .term = term, .interval_us = 100000 };

    snprintf(m.name, sizeof m.name, "%s", name);
    control_msg(&b->k, link, &m, b->now_us);
}

static void report(struct bench *b, uint32_t link, uint64_t term)
{
    control_msg(&b->k, link, &(struct msg){ .kind = MSG_REPORT, .incarnation = 1, .term = term,
                                                  .stamp_us = b->now_us },
                      b->now_us);
}

static void tick(struct bench *b)
{
    b->now_us += 100000;
    control_tick(&b->k, b->now_us);
}

static void begin(struct bench *b)
{
    b->now_us += b->cfg.gather_us;
    tick(b);
    assert_int_equal(b->k.c.role, ROLE_ACTIVE);
}

static void on_msg__ignores_the_term_of_a_stranger(void **unused)
{
    struct bench *b = bench_new();

    (void)unused;
    begin(b);
    report(b, 7, 0x70000000);                    /* before any hello */
    tick(b);
    assert_int_equal(b->k.c.role, ROLE_ACTIVE);
    bench_free(b);
}

static void on_msg__one_host_with_many_devices_deposes_no_controller(void **unused)
{
    static const char *const name[] = { "h1/a", "h2/a", "h3/a", "h3/b", "h3/c", "h3/d" };
    struct bench            *b = bench_new();

    (void)unused;
    for (uint32_t i = 0; i < 6; i++)
        hello(b, i, name[i], 0);
    begin(b);
    for (uint32_t i = 0; i < 6; i++)
        report(b, i, i < 2 ? b->k.c.term : 0x70000);
    tick(b);
    assert_int_equal(b->k.c.role, ROLE_ACTIVE);
    report(b, 1, 0x70000);                       /* two of three hosts: a majority */
    tick(b);
    assert_int_equal(b->k.c.role, ROLE_DEPOSED);
    bench_free(b);
}

static void on_msg__with_a_lease_no_agent_deposes(void **unused)
{
    struct bench *b = bench_new();

    (void)unused;
    control_fence(&b->k, 5, b->now_us);
    hello(b, 1, "h1/a", 0);
    begin(b);
    assert_true(b->k.c.term == 6 * FIRST);
    report(b, 1, 9 * FIRST);
    tick(b);
    assert_int_equal(b->k.c.role, ROLE_ACTIVE);
    bench_free(b);
}

static void on_msg__an_impossible_term_is_ignored_and_its_sender_named(void **unused)
{
    static const uint64_t impossible[] = { 0xFFFFFFFFFFFE0000, MSG_TERM_MAX, MSG_TERM_MAX - FIRST,
                                           (1ull << 40) };

    (void)unused;
    for (size_t i = 0; i < sizeof impossible / sizeof *impossible; i++) {
        struct bench *b = bench_new();

        hello(b, 1, "h1/honest", 3 * FIRST);
        hello(b, 2, "h2/liar", impossible[i]);
        begin(b);
        assert_true(b->k.c.term == 4 * FIRST);     /* above the term of the honest agent */
        assert_int_equal(b->k.c.peers, 1);
        assert_non_null(strstr(b->log, "h2/liar: it claims the impossible term"));
        report(b, 1, impossible[i]);
        tick(b);
        assert_int_equal(b->k.c.role, ROLE_ACTIVE);
        bench_free(b);
    }
}

/* A liar must not make a controller use up its terms: what it said would outlive it on every disk. */
static void become_active__one_host_does_not_raise_the_term(void **unused)
{
    struct bench *b = bench_new();

    (void)unused;
    hello(b, 1, "h1/a", 3 * FIRST);
    hello(b, 2, "h2/a", 3 * FIRST);
    hello(b, 3, "h3/liar", ((1ull << 20) - 1) * FIRST);
    hello(b, 4, "h3/liar2", ((1ull << 20) - 1) * FIRST);
    begin(b);
    assert_true(b->k.c.term == 4 * FIRST);
    report(b, 3, ((1ull << 20) - 1) * FIRST);
    report(b, 1, b->k.c.term);
    tick(b);
    assert_int_equal(b->k.c.role, ROLE_ACTIVE);
    bench_free(b);
}

/* It lost its state, or an older backup was restored: what most hosts claim is so. */
static void become_active__goes_above_what_most_hosts_obey(void **unused)
{
    struct bench *b = bench_new();

    (void)unused;
    hello(b, 1, "h1/a", (5ull << 20) * FIRST);
    hello(b, 2, "h2/a", (5ull << 20) * FIRST);
    hello(b, 3, "h3/a", ((5ull << 20) + 2) * FIRST);     /* has seen two starts more */
    hello(b, 4, "h4/liar", (9ull << 32) * FIRST);
    begin(b);
    assert_true(b->k.c.term == ((5ull << 20) + 3) * FIRST);
    assert_int_equal(b->k.c.peers, 3);
    bench_free(b);
}

static void become_active__terms_end_and_do_not_wrap(void **unused)
{
    struct bench *b = bench_new();
    char          buf[MSG_WHY_SIZE];

    (void)unused;
    control_fence(&b->k, MSG_TERM_COUNTER_MAX - 1, b->now_us);
    begin(b);
    assert_true(b->k.c.term == MSG_TERM_COUNTER_MAX << MSG_TERM_ID_BITS);
    control_fini(&b->k);
    start(b);                                    /* from the state on the disk */
    b->now_us += b->cfg.gather_us;
    tick(b);
    assert_int_equal(b->k.c.role, ROLE_GATHER);
    assert_non_null(strstr(controller_obstacle(&b->k.c, b->now_us, buf), "terms are used up"));
    bench_free(b);
}

static void start__one_damaged_byte_changes_nothing(void **unused)
{
    struct bench *b = bench_new();

    (void)unused;
    control_fence(&b->k, 41, b->now_us);
    begin(b);
    struct order freeze = { "a person", "maintenance", ORDER_FREEZE, "", "", 0 };
    assert_int_equal(control_order(&b->k, &freeze, b->now_us), 0);
    for (size_t i = 0; i < b->file[0].length; i++) {
        int file = i % 2;

        b->file[file].text[i] = (char)(b->file[file].text[i] ^ 1);
        control_fini(&b->k);
        start(b);
        assert_int_equal(b->k.c.counter, 42);
        assert_non_null(strstr(b->k.c.frozen, "maintenance"));
        b->file[file].text[i] = (char)(b->file[file].text[i] ^ 1);
    }
    bench_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_msg__ignores_the_term_of_a_stranger),
        cmocka_unit_test(on_msg__one_host_with_many_devices_deposes_no_controller),
        cmocka_unit_test(on_msg__with_a_lease_no_agent_deposes),
        cmocka_unit_test(on_msg__an_impossible_term_is_ignored_and_its_sender_named),
        cmocka_unit_test(start__one_damaged_byte_changes_nothing),
        cmocka_unit_test(become_active__one_host_does_not_raise_the_term),
        cmocka_unit_test(become_active__goes_above_what_most_hosts_obey),
        cmocka_unit_test(become_active__terms_end_and_do_not_wrap),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
