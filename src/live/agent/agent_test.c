/* src/live/agent/agent_test.c - an agent with a scripted device, disk and controller. */
#include "live/agent/agent.h"
#include "live/core/knobset.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MS 1000ull

enum { STATE, COPY, BASELINE, FILES };

struct bench {
    struct agent_config cfg;
    struct agent        agent;
    struct knob_set     device;
    double              clamp;                   /* the limit on rpg_ai_rate; 0: none */
    bool                refuses, is_unreadable, is_full, is_log_bad;
    uint32_t            writes;
    struct msg_sample   sample;
    /* length: -ENOENT if the file does not exist */
    struct file { const char *name; char text[SAVED_TEXT_MAX]; long length; } file[FILES];
    char                log[1 << 18];
    size_t              log_length;
    bool                was_saved_first;         /* baseline and log were on the disk at the first write */
    struct msg          said;                    /* the last answer */
    struct msg          greeted;                 /* the last hello */
    bool                is_said_unreadable;      /* in the last report */
    struct msg_sample   reported;                /* the last one; its detail pointer is not valid */
    struct msg_detail   detail;                  /* of the last report; empty if it had none */
    uint64_t            now_us;
};

static struct file *file_of(struct bench *b, const char *name)
{
    for (int i = 0; i < FILES; i++)
        if (strcmp(b->file[i].name, name) == 0)
            return &b->file[i];
    fail_msg("%s is not a file of an agent", name);
    return NULL;
}

static int disk_save(void *arg, const char *name, const char *text, size_t length)
{
    struct bench *b = arg;
    struct file  *f = file_of(b, name);

    if (b->is_full)
        return -ENOSPC;
    memcpy(f->text, text, length);
    f->length = (long)length;
    return 0;
}

static long disk_load(void *arg, const char *name, char *text, size_t size)
{
    struct bench      *b = arg;
    const struct file *f = file_of(b, name);

    assert_true((long)size >= f->length);
    if (f->length > 0)
        memcpy(text, f->text, (size_t)f->length);
    return f->length;
}

static void disk_set_aside(void *arg, const char *name)
{
    file_of(arg, name)->length = -ENOENT;
}

static uint64_t disk_replay(void *arg, void (*line)(void *, const char *, size_t), void *ctx)
{
    const struct bench *b = arg;
    uint64_t            count = 0;

    for (size_t at = 0, end; at < b->log_length; at = end + 1, count++) {
        const char *newline = memchr(b->log + at, '\n', b->log_length - at);

        end = newline ? (size_t)(newline - b->log) : b->log_length;
        line(ctx, b->log + at, newline ? end - at : 0);
    }
    return count;
}

static int disk_append(void *arg, const char *text, size_t length)
{
    struct bench *b = arg;

    if (b->is_full || b->is_log_bad)
        return b->is_full ? -ENOSPC : -EBADMSG;
    memcpy(b->log + b->log_length, text, length);
    b->log_length += length;
    return 0;
}

static uint64_t disk_wall(void *arg)
{
    (void)arg;
    return 0;
}

static int device_read(void *arg, struct knob_set *set)
{
    struct bench *b = arg;

    *set = b->device;
    return b->is_unreadable ? -EIO : 0;
}

static int device_put(void *arg, const struct knob_set *set)
{
    struct bench *b = arg;

    if (b->refuses)
        return -EIO;
    if (!b->writes++)
        b->was_saved_first = strstr(b->file[COPY].text, "\"baseline\"") &&
                             strstr(b->log, "\"what\":\"apply\"");
    knobset_put(&b->device, set);
    if (b->clamp > 0 && b->device.knobs.value[KNOB_rpg_ai_rate] > b->clamp)
        b->device.knobs.value[KNOB_rpg_ai_rate] = b->clamp;
    return 0;
}

static int device_sample(void *arg, struct msg_sample *s)
{
    *s = ((struct bench *)arg)->sample;
    return 0;
}

static void hear(void *arg, const struct msg *m)
{
    struct bench *b = arg;

    if (m->kind == MSG_ANSWER)
        b->said = *m;
    if (m->kind == MSG_HELLO)
        b->greeted = *m;
    if (m->kind != MSG_REPORT)
        return;
    b->reported = m->sample;
    b->is_said_unreadable = m->is_unreadable;
    b->detail = m->sample.detail ? *m->sample.detail : (struct msg_detail){ 0 };
}

static void restart(struct bench *b)
{
    struct agent_io io = {
        .disk = { disk_save, disk_load, disk_append, disk_wall, b, disk_set_aside, disk_replay,
                  NULL, NULL },
        .device = { .read = device_read, .write = device_put, .sample = device_sample, .arg = b },
        .send = hear, .arg = b,
    };
    struct audit a;

    b->is_log_bad = audit_resume_tail(&a, b->log, b->log_length) != (long)b->log_length;
    agent_init(&b->agent, &b->cfg, &io, b->agent.incarnation + 1);
    agent_start(&b->agent, &a, b->now_us);
}

static struct bench *bench_new(void)
{
    static const char *const names[FILES] = { SAVED_NAME, SAVED_NAME ".copy", SAVED_BASELINE };
    struct bench            *b = calloc(1, sizeof *b);

    for (int i = 0; i < FILES; i++)
        b->file[i] = (struct file){ .name = names[i], .length = -ENOENT };
    agent_config_init(&b->cfg, KNOB_NIC);
    snprintf(b->cfg.name, sizeof b->cfg.name, "nic");
    b->cfg.may_write = true;
    b->cfg.gap_us = 0;
    b->now_us = 1000000;
    knob_set_add(&b->device, KNOB_rpg_ai_rate, 5);
    knob_set_add(&b->device, KNOB_rpg_hai_rate, 50);
    b->sample.interval_us = 100 * MS;
    restart(b);
    return b;
}

static void bench_free(struct bench *b)
{
    FILE        *log = b->log_length ? fmemopen(b->log, b->log_length, "r") : NULL;
    struct audit a;
    uint64_t     line = 0;

    audit_init(&a);
    assert_true(!log || !audit_check_file(&a, log, &line));
    if (log)
        fclose(log);
    free(b);
}

static double ai_rate(const struct bench *b)
{
    return b->device.knobs.value[KNOB_rpg_ai_rate];
}

static void say(struct bench *b, struct msg m)
{
    m.incarnation = b->agent.incarnation;
    m.term = m.term ? m.term : 1;
    b->said = (struct msg){ 0 };
    agent_on_msg(&b->agent, &m, b->now_us);
}

static void lease(struct bench *b)
{
    say(b, (struct msg){ .kind = MSG_LEASE, .stamp_us = b->now_us });
}

static struct knob_set rate_of(double value)
{
    struct knob_set set = { 0 };

    knob_set_add(&set, KNOB_rpg_ai_rate, value);
    return set;
}

static void prepare(struct bench *b, uint64_t change, double value)
{
    lease(b);
    say(b, (struct msg){ .kind = MSG_PREPARE, .change = change, .set = rate_of(value) });
}

/* Applies a change under a lease, without confirming it. */
static void apply(struct bench *b, uint64_t change, double value)
{
    prepare(b, change, value);
    assert_int_equal(b->said.answer, ANSWER_PREPARED);
    say(b, (struct msg){ .kind = MSG_COMMIT, .change = change });
}

static void expect(const struct bench *b, enum msg_answer answer, const char *why)
{
    assert_int_equal(b->said.kind, MSG_ANSWER);
    assert_int_equal(b->said.answer, answer);
    if (!strstr(b->said.why, why))
        fail_msg("'%s' does not have '%s'", b->said.why, why);
}

static void pass(struct bench *b, uint64_t us)
{
    for (uint64_t end = b->now_us + us; b->now_us < end;) {
        b->now_us += 50 * MS;
        agent_on_timer(&b->agent, b->now_us);
        agent_on_tick(&b->agent, b->now_us);
    }
}

/* ---- */

static void prepare__is_refused_in_observe_mode(void **unused)
{
    struct bench *b = bench_new();

    (void)unused;
    b->cfg.may_write = false;
    prepare(b, 1, 8);
    expect(b, ANSWER_REFUSED, "observes only");
    bench_free(b);
}

static const char *change_nothing(void *arg)
{
    (void)arg;
    return "it changes nothing while it is used";
}

/* Neither a request of the controller nor a drill changes the device. The hello reports this. */
static void prepare__is_refused_if_the_device_rejects_changes(void **unused)
{
    struct bench *b = bench_new();

    (void)unused;
    b->agent.io.device.refuses = change_nothing;
    say_hello(&b->agent, b->now_us);
    assert_false(b->greeted.may_write);
    prepare(b, 1, 8);
    expect(b, ANSWER_REFUSED, "it changes nothing while it is used");
    lease(b);
    say(b, (struct msg){ .kind = MSG_DRILL, .change = 2 });
    expect(b, ANSWER_REFUSED, "it changes nothing while it is used");
    pass(b, 4000 * MS);
    assert_int_equal(b->writes, 0);
    b->agent.io.device.refuses = NULL;
    say_hello(&b->agent, b->now_us);
    assert_true(b->greeted.may_write);
    bench_free(b);
}

static void prepare__is_refused_outside_the_limits(void **unused)
{
    struct bench *b = bench_new();

    (void)unused;
    prepare(b, 1, 0.5);
    expect(b, ANSWER_REFUSED, "outside");
    b->cfg.limits.max[KNOB_rpg_ai_rate] = 100;
    prepare(b, 2, 90);           /* a step of 85 out of 99, to 18 times the value */
    expect(b, ANSWER_REFUSED, "too large a step");
    prepare(b, 3, 29);           /* less than a quarter of the range */
    expect(b, ANSWER_PREPARED, "");
    prepare(b, 4, 10);
    expect(b, ANSWER_REFUSED, "another change is open");
    assert_int_equal(b->writes, 0);
    bench_free(b);
}

static void prepare__is_refused_for_unlisted_knobs(void **unused)
{
    struct bench *b = bench_new();
    struct msg    m = { .kind = MSG_PREPARE, .change = 1 };

    (void)unused;
    knob_set_add(&b->device, KNOB_cnp_dscp, 48);
    agent_on_tick(&b->agent, b->now_us);
    knob_set_add(&m.set, KNOB_cnp_dscp, 40);
    lease(b);
    say(b, m);
    expect(b, ANSWER_REFUSED, "not on the list");
    bench_free(b);
}

static void commit__writes_after_baseline_and_log_are_on_the_disk(void **unused)
{
    struct bench *b = bench_new();

    (void)unused;
    apply(b, 1, 8);
    expect(b, ANSWER_APPLIED, "");
    assert_true(ai_rate(b) == 8);
    assert_true(b->was_saved_first);
    say(b, (struct msg){ .kind = MSG_CONFIRM, .change = 1 });
    expect(b, ANSWER_CONFIRMED, "");
    pass(b, 10000 * MS);
    assert_true(ai_rate(b) == 8);
    bench_free(b);
}

static void commit__leaves_knobs_alone_that_are_not_named(void **unused)
{
    struct bench *b = bench_new();

    (void)unused;
    apply(b, 1, 8);
    assert_true(b->device.knobs.value[KNOB_rpg_hai_rate] == 50);
    say(b, (struct msg){ .kind = MSG_CONFIRM, .change = 1 });
    b->device.knobs.value[KNOB_rpg_hai_rate] = 60;               /* a foreign value */
    agent_on_tick(&b->agent, b->now_us);
    assert_true(ai_rate(b) == 8 && b->device.knobs.value[KNOB_rpg_hai_rate] == 60);
    assert_true(b->agent.saved.baseline.knobs.value[KNOB_rpg_hai_rate] == 60);
    bench_free(b);
}

static void commit__happens_at_its_instant(void **unused)
{
    struct bench *b = bench_new();
    uint64_t      at_us = b->now_us + 700 * MS;

    (void)unused;
    prepare(b, 1, 8);
    say(b, (struct msg){ .kind = MSG_COMMIT, .change = 1, .at_us = at_us });
    assert_true(agent_timer_us(&b->agent) == at_us);
    agent_on_timer(&b->agent, at_us - 1);
    assert_true(ai_rate(b) == 5);
    agent_on_timer(&b->agent, at_us);
    assert_true(ai_rate(b) == 8);
    bench_free(b);
}

static void commit__without_a_lease_or_too_late_is_refused(void **unused)
{
    struct bench *b = bench_new();

    (void)unused;
    say(b, (struct msg){ .kind = MSG_PREPARE, .change = 1, .set = rate_of(8) });
    expect(b, ANSWER_REFUSED, "lease");
    prepare(b, 1, 8);
    b->now_us += 3000 * MS;
    say(b, (struct msg){ .kind = MSG_COMMIT, .change = 1 });
    expect(b, ANSWER_REFUSED, "not prepared, or is no longer");
    prepare(b, 2, 8);
    say(b, (struct msg){ .kind = MSG_COMMIT, .change = 2, .at_us = b->now_us - 600 * MS });
    expect(b, ANSWER_REFUSED, "passed");
    say(b, (struct msg){ .kind = MSG_COMMIT, .change = 3 });
    expect(b, ANSWER_REFUSED, "not prepared");
    assert_int_equal(b->writes, 0);
    bench_free(b);
}

static void lease__that_ends_reverts_the_change(void **unused)
{
    struct bench *b = bench_new();
    uint64_t      begin_us = b->now_us;

    (void)unused;
    apply(b, 1, 8);
    pass(b, 2000 * MS);
    /* a late answer to an old report */
    say(b, (struct msg){ .kind = MSG_LEASE, .stamp_us = begin_us + 1000 * MS });
    pass(b, 1900 * MS);
    assert_true(ai_rate(b) == 8);
    pass(b, 200 * MS);
    assert_true(ai_rate(b) == 5);
    expect(b, ANSWER_REVERTED, "lease");
    bench_free(b);
}

static void lease__of_the_future_or_of_another_life_is_ignored(void **unused)
{
    struct bench *b = bench_new();

    (void)unused;
    apply(b, 1, 8);
    say(b, (struct msg){ .kind = MSG_LEASE, .stamp_us = b->now_us + 60000 * MS });
    agent_on_msg(&b->agent, &(struct msg){ .kind = MSG_LEASE, .term = 1, .incarnation = 77,
                                           .stamp_us = b->now_us + 1 }, b->now_us + 2);
    pass(b, 2900 * MS);
    assert_true(ai_rate(b) == 8);
    pass(b, 200 * MS);
    assert_true(ai_rate(b) == 5);
    bench_free(b);
}

/* Brief reports have flow sizes and the metric only. Reports are full while a change is open, and if the
 * controller has not asked for brief ones for the time of a lease. */
static void lease__brief_gets_flow_sizes_and_the_metric(void **unused)
{
    static struct msg_detail detail = { .fsd = { .elephants = 3 * FSD_ONE, .mice = 7 }, .ports = 1 };
    struct bench            *b = bench_new();

    (void)unused;
    b->sample.tx_bytes = 1000;
    b->sample.metric = 0.75;
    b->sample.detail = &detail;
    pass(b, 200 * MS);
    assert_true(!b->reported.is_brief && b->reported.tx_bytes == 1000 && b->detail.ports == 1);
    say(b, (struct msg){ .kind = MSG_LEASE, .stamp_us = b->now_us, .is_brief = true });
    pass(b, 200 * MS);
    assert_true(b->reported.is_brief && b->reported.tx_bytes == 0 && b->reported.metric == 0.75);
    assert_true(b->detail.fsd.elephants == 3 * FSD_ONE && b->detail.fsd.mice == 7 && b->detail.ports == 0);
    /* a lease that arrives late does not count */
    say(b, (struct msg){ .kind = MSG_LEASE, .stamp_us = b->now_us - 150 * MS });
    say(b, (struct msg){ .kind = MSG_LEASE, .stamp_us = b->now_us, .is_brief = true });
    pass(b, 200 * MS);
    assert_true(b->reported.is_brief);
    prepare(b, 1, 8);                            /* its lease asks for full reports */
    pass(b, 200 * MS);
    assert_true(!b->reported.is_brief && b->reported.tx_bytes == 1000);
    say(b, (struct msg){ .kind = MSG_LEASE, .stamp_us = b->now_us, .is_brief = true });
    pass(b, 200 * MS);
    assert_false(b->reported.is_brief);          /* a change is open */
    bench_free(b);
    b = bench_new();
    b->sample.tx_bytes = 1000;
    say(b, (struct msg){ .kind = MSG_LEASE, .stamp_us = b->now_us, .is_brief = true });
    pass(b, 200 * MS);
    assert_true(b->reported.is_brief);
    pass(b, 3100 * MS);                          /* no brief lease for the time of a lease */
    assert_false(b->reported.is_brief);
    bench_free(b);
}

static void term__of_an_older_controller_is_refused(void **unused)
{
    struct bench *b = bench_new();

    (void)unused;
    apply(b, 1, 8);
    say(b, (struct msg){ .kind = MSG_LEASE, .term = 2, .stamp_us = b->now_us });
    expect(b, ANSWER_REVERTED, "another controller");
    assert_true(ai_rate(b) == 5);
    prepare(b, 5, 8);
    expect(b, ANSWER_STALE, "newer");
    restart(b);
    prepare(b, 6, 8);
    expect(b, ANSWER_STALE, "newer");            /* the term is on the disk */
    bench_free(b);
}

static void term__the_highest_comes_back_from_the_disk(void **unused)
{
    struct bench *b = bench_new();

    (void)unused;
    say(b, (struct msg){ .kind = MSG_LEASE, .stamp_us = b->now_us, .term = MSG_TERM_MAX });
    restart(b);
    assert_true(b->agent.saved.term == MSG_TERM_MAX);
    assert_false(b->agent.is_lost);
    bench_free(b);
}

static void read_back__that_differs_reverts_the_change(void **unused)
{
    struct bench *b = bench_new();

    (void)unused;
    b->clamp = 7;
    apply(b, 1, 8);
    expect(b, ANSWER_REVERTED, "something else");
    assert_true(ai_rate(b) == 5);
    assert_string_equal(b->agent.saved.frozen, "");
    bench_free(b);
}

static void restore__is_retried_until_it_succeeds(void **unused)
{
    struct bench *b = bench_new();

    (void)unused;
    apply(b, 1, 8);
    b->refuses = true;
    say(b, (struct msg){ .kind = MSG_REVERT, .change = 1 });
    assert_int_equal(b->said.kind, MSG_NONE);    /* it is not reverted, and no message claims so */
    assert_true(b->agent.is_broken);
    pass(b, 1000 * MS);
    prepare(b, 2, 9);
    expect(b, ANSWER_REFUSED, "not been reverted yet");
    b->refuses = false;
    pass(b, 600 * MS);
    assert_true(ai_rate(b) == 5);
    expect(b, ANSWER_REVERTED, "at last");
    bench_free(b);
}

static void start__reverts_unconfirmed_changes(void **unused)
{
    struct bench *b = bench_new();

    (void)unused;
    apply(b, 1, 8);
    restart(b);
    assert_true(ai_rate(b) == 5);
    assert_string_equal(b->agent.saved.frozen, "");
    apply(b, 1, 8);
    say(b, (struct msg){ .kind = MSG_CONFIRM, .change = 1 });
    restart(b);
    assert_true(ai_rate(b) == 8);
    bench_free(b);
}

static void foreign_edit__stays_and_freezes_the_device(void **unused)
{
    struct bench *b = bench_new();

    (void)unused;
    apply(b, 1, 8);
    b->device.knobs.value[KNOB_rpg_hai_rate] = 70;       /* a foreign edit while a change is open */
    pass(b, 50 * MS);
    assert_true(ai_rate(b) == 5);
    assert_true(b->device.knobs.value[KNOB_rpg_hai_rate] == 70);
    prepare(b, 2, 9);
    expect(b, ANSWER_REFUSED, "changed outside Anole: rpg_hai_rate 70");
    restart(b);
    prepare(b, 3, 9);
    expect(b, ANSWER_REFUSED, "changed outside Anole");
    say(b, (struct msg){ .kind = MSG_THAW });
    apply(b, 4, 9);
    expect(b, ANSWER_APPLIED, "");
    bench_free(b);
}

static void foreign_edit__stays_while_our_values_go_back(void **unused)
{
    struct bench *b = bench_new();

    (void)unused;
    apply(b, 1, 8);
    say(b, (struct msg){ .kind = MSG_CONFIRM, .change = 1 });
    b->device.knobs.value[KNOB_rpg_hai_rate] = 70;
    pass(b, 50 * MS);
    assert_true(ai_rate(b) == 8 && *b->agent.saved.frozen);
    prepare(b, 2, 9);
    expect(b, ANSWER_REFUSED, "changed outside Anole");
    apply(b, 3, 5);                              /* the baseline: a rollback */
    say(b, (struct msg){ .kind = MSG_CONFIRM, .change = 3 });
    expect(b, ANSWER_CONFIRMED, "");
    assert_true(ai_rate(b) == 5 && b->device.knobs.value[KNOB_rpg_hai_rate] == 70);
    assert_true(*b->agent.saved.frozen);
    bench_free(b);
}

/* Whether a person froze it before the foreign edit or after it. */
static void freeze__by_a_person_stays_for_a_rollback(void **unused)
{
    (void)unused;
    for (int is_after = 0; is_after < 2; is_after++) {
        struct bench *b = bench_new();

        apply(b, 1, 8);
        say(b, (struct msg){ .kind = MSG_CONFIRM, .change = 1 });
        if (!is_after)
            say(b, (struct msg){ .kind = MSG_FREEZE, .why = "alice" });
        b->device.knobs.value[KNOB_rpg_hai_rate] = 70;
        pass(b, 50 * MS);
        if (is_after)
            say(b, (struct msg){ .kind = MSG_FREEZE, .why = "alice" });
        prepare(b, 3, 5);
        expect(b, ANSWER_REFUSED, "alice");
        assert_true(ai_rate(b) == 8);
        bench_free(b);
    }
}

/* The machine is suspended for an hour between a failed write and its late effect. Only time awake counts
 * until such a value is a foreign edit. */
static void late_write__after_a_sleep_is_reverted(void **unused)
{
    struct bench *b = bench_new();

    (void)unused;
    b->refuses = true;
    apply(b, 1, 8);
    b->refuses = false;
    b->now_us += 3600000 * MS;
    pass(b, 50 * MS);
    b->device = rate_of(8);
    knob_set_add(&b->device, KNOB_rpg_hai_rate, 50);
    pass(b, 50 * MS);
    assert_true(ai_rate(b) == 5 && !*b->agent.saved.frozen);
    pass(b, 61000 * MS);
    b->device.knobs.value[KNOB_rpg_ai_rate] = 8;
    pass(b, 50 * MS);
    assert_true(ai_rate(b) == 8 && *b->agent.saved.frozen);
    bench_free(b);
}

/* Its files are gone for longer than a moment: it says so, and the trial, which nobody can check, ends. */
static void read__parameters_that_vanish_end_the_trial_and_are_told(void **unused)
{
    struct bench *b = bench_new();

    (void)unused;
    apply(b, 1, 8);
    b->is_unreadable = true;
    for (int i = 0; i < 15; i++) {
        lease(b);
        pass(b, 100 * MS);
    }
    assert_true(b->agent.phase == PHASE_APPLIED && !b->is_said_unreadable);
    for (int i = 0; i < 15; i++) {
        lease(b);
        pass(b, 100 * MS);
    }
    assert_true(b->agent.phase == PHASE_IDLE && b->is_said_unreadable);
    b->is_unreadable = false;
    pass(b, 600 * MS);
    assert_true(ai_rate(b) == 5 && !b->is_said_unreadable);
    bench_free(b);
}

static void guardrail__reverts_the_change_at_once(void **unused)
{
    struct bench *b = bench_new();

    (void)unused;
    apply(b, 1, 8);
    b->sample.lossless_drops = 1;
    pass(b, 50 * MS);
    assert_true(ai_rate(b) == 5);
    expect(b, ANSWER_REVERTED, "lossless");
    prepare(b, 2, 9);
    expect(b, ANSWER_REFUSED, "guardrail");
    b->sample.lossless_drops = 0;
    pass(b, 50 * MS);
    b->sample.paused = 0.06;
    apply(b, 3, 9);
    pass(b, 50 * MS);
    assert_true(ai_rate(b) == 9);                /* one interval is not enough */
    pass(b, 50 * MS);
    assert_true(ai_rate(b) == 5);
    bench_free(b);
}

static void disk__that_is_full_stops_changes_but_not_reverts(void **unused)
{
    struct bench *b = bench_new();

    (void)unused;
    apply(b, 1, 8);
    b->is_full = true;
    say(b, (struct msg){ .kind = MSG_CONFIRM, .change = 1 });
    expect(b, ANSWER_REVERTED, "disk");
    assert_true(ai_rate(b) == 5);
    prepare(b, 2, 9);
    expect(b, ANSWER_REFUSED, "disk");
    b->is_full = false;
    bench_free(b);
}

/* ---- damaged files ---- */

/* Returns an agent that was killed with an open change. */
static struct bench *killed_new(void)
{
    struct bench *b = bench_new();

    apply(b, 1, 8);
    assert_true(ai_rate(b) == 8);
    b->cfg.is_rescue = true;
    return b;
}

/* The device holds the baseline, or an error names it and its knobs. */
static void check_rescue(struct bench *b, bool must_succeed)
{
    struct err err;
    int        rc;

    restart(b);
    agent_leave(&b->agent, "rescue", b->now_us);
    rc = agent_check_back(&b->agent, &err);
    if (!rc && ai_rate(b) == 5)
        return;
    if (must_succeed || !rc)
        fail_msg("the device holds %g: %s", ai_rate(b), rc ? err.text : "and the rescue reports success");
    if (!strstr(err.text, "nic: ") || !strstr(err.text, "rpg_ai_rate"))
        fail_msg("'%s' does not name the device and its knobs", err.text);
}

enum damage { FLIP, CUT, GARBLE, REMOVE };

static void damage(struct file *f, enum damage how, long at)
{
    if (f->length < 0)
        return;
    if (how == FLIP)
        f->text[at] = (char)(f->text[at] ^ 1 << at % 8);
    else if (how == GARBLE)
        memset(f->text, '?', (size_t)f->length);
    else
        f->length = how == CUT ? at : -ENOENT;
}

/* Damages the files in the mask: flips a bit of every byte, cuts to every length, garbles, removes. Also
 * removes the files in 'gone'. */
static void damage_everywhere(const struct bench *killed, unsigned files, unsigned gone, bool must_succeed)
{
    struct bench *b = malloc(sizeof *b);

    for (int how = FLIP; how <= REMOVE; how++)
        for (long at = 0; at == 0 || (how <= CUT && at < killed->file[STATE].length); at++) {
            *b = *killed;
            for (int i = 0; i < FILES; i++) {
                if (files & 1u << i)
                    damage(&b->file[i], how, at < b->file[i].length ? at : 0);
                if (gone & 1u << i)
                    b->file[i].length = -ENOENT;
            }
            if (gone & 1u << FILES)
                b->log_length = 0;
            check_rescue(b, must_succeed);
        }
    free(b);
}

static void rescue__any_damage_of_state_leaves_the_baseline(void **unused)
{
    enum { ANY_STATE = 1 << STATE | 1 << COPY, NO_LOG = 1 << FILES };
    struct bench *b = killed_new();

    (void)unused;
    damage_everywhere(b, 1 << STATE, 0, true);
    damage_everywhere(b, 1 << COPY, 0, true);
    damage_everywhere(b, 1 << COPY, 1 << STATE, true);           /* restored from the log */
    damage_everywhere(b, ANY_STATE, 0, true);
    damage_everywhere(b, ANY_STATE | 1 << BASELINE, 0, true);
    damage_everywhere(b, ANY_STATE, NO_LOG, true);               /* restored from the baseline alone */
    damage_everywhere(b, ANY_STATE | 1 << BASELINE, NO_LOG, false);
    bench_free(b);
}

/* Flips a bit of every byte of the log, and cuts it to every length. Removes the files in 'gone'. */
static void damage_log(const struct bench *killed, unsigned gone, bool must_succeed)
{
    struct bench *b = malloc(sizeof *b);

    for (size_t at = 0; at < 2 * killed->log_length; at++) {
        *b = *killed;
        if (at < b->log_length)
            b->log[at] = (char)(b->log[at] ^ 1 << at % 8);
        else
            b->log_length = at - b->log_length;
        for (int i = 0; i < FILES; i++)
            if (gone & 1u << i)
                b->file[i].length = -ENOENT;
        check_rescue(b, must_succeed);
    }
    free(b);
}

static void rescue__any_damage_of_the_log_leaves_the_baseline(void **unused)
{
    struct bench *b = killed_new();

    (void)unused;
    damage_log(b, 0, true);
    damage_log(b, 1 << STATE, true);
    damage_log(b, 1 << STATE | 1 << COPY, true);
    damage_log(b, 1 << STATE | 1 << COPY | 1 << BASELINE, false);
    bench_free(b);
}

static void rescue__without_any_file_names_the_device(void **unused)
{
    struct bench *b = killed_new();

    (void)unused;
    for (int i = 0; i < FILES; i++)
        b->file[i].length = -ENOENT;
    b->log_length = 0;
    check_rescue(b, false);
    /* the trial's value did not become the baseline */
    assert_true(b->agent.is_lost && b->file[STATE].length == -ENOENT);
    bench_free(b);
}

/* The process was killed after it had logged the initial values of the device. A value that an operator
 * sets before the next start stays. */
static void start__after_an_interrupted_first_start_owns_nothing(void **unused)
{
    struct bench *b = bench_new();

    (void)unused;
    for (int i = 0; i < FILES; i++)
        b->file[i].length = -ENOENT;
    assert_true(b->log_length > 0);
    b->device.knobs.value[KNOB_rpg_ai_rate] = 7;
    restart(b);
    assert_int_equal(b->agent.source, SAVED_FIRST);
    assert_true(ai_rate(b) == 7 && *b->agent.saved.frozen);
    bench_free(b);
}

static void start__after_damage_freezes_and_restores_its_files(void **unused)
{
    struct bench *b = killed_new();

    (void)unused;
    b->cfg.is_rescue = false;
    b->file[STATE].text[5] ^= 1;
    b->file[COPY].length = 0;
    restart(b);
    assert_true(ai_rate(b) == 5);
    agent_on_tick(&b->agent, b->now_us);
    prepare(b, 2, 8);
    expect(b, ANSWER_REFUSED, "audit log");
    restart(b);
    assert_int_equal(b->agent.source, SAVED_WHOLE);
    assert_true(b->agent.saved.baseline.knobs.value[KNOB_rpg_ai_rate] == 5 && b->agent.saved.term == 1);
    say(b, (struct msg){ .kind = MSG_THAW });
    pass(b, 5000ull * 1000 * MS);                /* the budget was lost, so it began empty */
    prepare(b, 3, 8);
    expect(b, ANSWER_PREPARED, "");
    bench_free(b);
}

static void freeze__by_file_reverts_and_refuses(void **unused)
{
    struct bench *b = bench_new();

    (void)unused;
    apply(b, 1, 8);
    agent_stop_by_file(&b->agent, "the file freeze is there", b->now_us);
    assert_true(ai_rate(b) == 5);
    prepare(b, 2, 9);
    expect(b, ANSWER_REFUSED, "the file");
    agent_stop_by_file(&b->agent, "", b->now_us);
    prepare(b, 3, 9);
    expect(b, ANSWER_PREPARED, "");
    bench_free(b);
}

static void budget__that_is_used_up_refuses(void **unused)
{
    struct bench *b = bench_new();

    (void)unused;
    b->cfg.switches_per_day = 2;
    restart(b);
    for (uint64_t i = 1; i <= 2; i++) {
        apply(b, i, 8);
        say(b, (struct msg){ .kind = MSG_REVERT, .change = i });
    }
    prepare(b, 3, 8);
    expect(b, ANSWER_REFUSED, "budget");
    bench_free(b);
}

static void prepare__the_baseline_is_always_allowed(void **unused)
{
    struct bench *b = bench_new();

    (void)unused;
    b->cfg.switches_per_day = 1;
    b->cfg.gap_us = 3600000 * MS;
    restart(b);
    apply(b, 1, 8);
    say(b, (struct msg){ .kind = MSG_CONFIRM, .change = 1 });
    expect(b, ANSWER_CONFIRMED, "");
    /* a guardrail, the budget and the gap forbid any other change */
    b->sample.lossless_drops = 1;
    pass(b, 50 * MS);
    prepare(b, 2, 9);
    expect(b, ANSWER_REFUSED, "guardrail");
    apply(b, 3, 5);
    expect(b, ANSWER_APPLIED, "");
    say(b, (struct msg){ .kind = MSG_CONFIRM, .change = 3 });
    expect(b, ANSWER_CONFIRMED, "");
    assert_true(ai_rate(b) == 5);
    bench_free(b);
}

static void drill__without_a_lease_restores_the_confirmed_setting(void **unused)
{
    struct bench *b = bench_new();
    uint64_t      writes;

    (void)unused;
    lease(b);
    writes = b->writes;
    say(b, (struct msg){ .kind = MSG_DRILL, .change = 1 });
    expect(b, ANSWER_APPLIED, "");
    assert_true(ai_rate(b) == 5 && b->writes == writes);
    say(b, (struct msg){ .kind = MSG_CONFIRM, .change = 1 });
    expect(b, ANSWER_REFUSED, "not open");       /* a drill cannot be confirmed */
    pass(b, 3100 * MS);                          /* no lease */
    assert_true(ai_rate(b) == 5 && b->writes > writes);
    assert_int_equal(b->agent.phase, PHASE_IDLE);
    assert_non_null(strstr(b->log, "\"what\":\"drill\""));
    assert_non_null(strstr(b->log, "the lease ended"));
    say(b, (struct msg){ .kind = MSG_DRILL, .change = 1 });
    assert_true(b->agent.phase == PHASE_IDLE);   /* a late copy does not start another drill */
    bench_free(b);
}

static void drill__leaves_foreign_settings(void **unused)
{
    struct bench *b = bench_new();

    (void)unused;
    lease(b);
    say(b, (struct msg){ .kind = MSG_DRILL, .change = 1 });
    knob_set_add(&b->device, KNOB_rpg_ai_rate, 7);
    pass(b, 4000 * MS);
    assert_true(ai_rate(b) == 7);
    bench_free(b);
}

/* A foreign edit ends the drill. The next change is not a drill: it is not written again at its end. */
static void drill__ends_at_a_foreign_edit(void **unused)
{
    struct bench *b = bench_new();

    (void)unused;
    lease(b);
    say(b, (struct msg){ .kind = MSG_DRILL, .change = 1 });
    b->device.knobs.value[KNOB_rpg_ai_rate] = 7;
    pass(b, 50 * MS);
    assert_true(b->agent.phase == PHASE_IDLE && !b->agent.is_drill);
    say(b, (struct msg){ .kind = MSG_THAW });
    apply(b, 2, 9);
    expect(b, ANSWER_APPLIED, "");
    say(b, (struct msg){ .kind = MSG_CONFIRM, .change = 2 });
    expect(b, ANSWER_CONFIRMED, "");
    bench_free(b);
}

static void leave__reverts_an_open_change(void **unused)
{
    struct bench *b = bench_new();

    (void)unused;
    apply(b, 1, 8);
    assert_true(agent_leave(&b->agent, "the agent ends", b->now_us));
    assert_true(ai_rate(b) == 5);
    bench_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prepare__is_refused_in_observe_mode),
        cmocka_unit_test(prepare__is_refused_if_the_device_rejects_changes),
        cmocka_unit_test(prepare__is_refused_outside_the_limits),
        cmocka_unit_test(prepare__is_refused_for_unlisted_knobs),
        cmocka_unit_test(commit__writes_after_baseline_and_log_are_on_the_disk),
        cmocka_unit_test(commit__leaves_knobs_alone_that_are_not_named),
        cmocka_unit_test(commit__happens_at_its_instant),
        cmocka_unit_test(commit__without_a_lease_or_too_late_is_refused),
        cmocka_unit_test(lease__that_ends_reverts_the_change),
        cmocka_unit_test(lease__of_the_future_or_of_another_life_is_ignored),
        cmocka_unit_test(lease__brief_gets_flow_sizes_and_the_metric),
        cmocka_unit_test(term__of_an_older_controller_is_refused),
        cmocka_unit_test(term__the_highest_comes_back_from_the_disk),
        cmocka_unit_test(read_back__that_differs_reverts_the_change),
        cmocka_unit_test(restore__is_retried_until_it_succeeds),
        cmocka_unit_test(start__reverts_unconfirmed_changes),
        cmocka_unit_test(foreign_edit__stays_and_freezes_the_device),
        cmocka_unit_test(foreign_edit__stays_while_our_values_go_back),
        cmocka_unit_test(freeze__by_a_person_stays_for_a_rollback),
        cmocka_unit_test(late_write__after_a_sleep_is_reverted),
        cmocka_unit_test(read__parameters_that_vanish_end_the_trial_and_are_told),
        cmocka_unit_test(guardrail__reverts_the_change_at_once),
        cmocka_unit_test(disk__that_is_full_stops_changes_but_not_reverts),
        cmocka_unit_test(rescue__any_damage_of_state_leaves_the_baseline),
        cmocka_unit_test(rescue__any_damage_of_the_log_leaves_the_baseline),
        cmocka_unit_test(rescue__without_any_file_names_the_device),
        cmocka_unit_test(start__after_an_interrupted_first_start_owns_nothing),
        cmocka_unit_test(start__after_damage_freezes_and_restores_its_files),
        cmocka_unit_test(freeze__by_file_reverts_and_refuses),
        cmocka_unit_test(budget__that_is_used_up_refuses),
        cmocka_unit_test(prepare__the_baseline_is_always_allowed),
        cmocka_unit_test(drill__without_a_lease_restores_the_confirmed_setting),
        cmocka_unit_test(drill__leaves_foreign_settings),
        cmocka_unit_test(drill__ends_at_a_foreign_edit),
        cmocka_unit_test(leave__reverts_an_open_change),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
