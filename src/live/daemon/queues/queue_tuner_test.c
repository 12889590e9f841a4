/* src/live/daemon/queues/queue_tuner_test.c - a tuner of queues with a scripted switch, disk and
 * controller. */
#include "live/daemon/queues/queue_tuner.h"
#include "base/rng.h"
#include "tune/acc/acc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define QUEUES 4
#define FILES  5                 /* two copies of state and queues, the baseline */
#define SLOT   100000ull         /* us */

struct bench {
    struct agent_config       cfg;
    struct agent              agent;
    struct queue_tuner_config tuner_cfg;
    struct queue_tuner       *tuner;
    struct io_queues          io;
    /* coming: the value from comes_us on */
    struct ecn                holds[QUEUES], coming[QUEUES];
    uint64_t                  comes_us[QUEUES];                  /* 0: no pending value */
    uint64_t                  delay_us;                          /* from a write until it takes effect */
    bool                      is_deaf, is_unreadable, is_full, has_no_counters;
    uint32_t                  writes;
    /* accesses to disk and switch until the process is killed; below 0: it is not */
    int                       lives;
    bool                      is_dead;
    struct rng                rng;
    struct file { char name[32], text[1 << 16]; size_t length; } file[FILES];
    char                      log[1 << 20];
    size_t                    log_length;
    uint64_t                  now_us;
    struct msg_learn          heard;     /* the last learning message */
    char                      why[MSG_WHY_SIZE];
    uint32_t                  rows;      /* records that it has sent */
};

static const struct ecn first = { 400000, 1600000, 0.2 };

/* ---- the world ---- */

/* Returns true from the access on at which the process is killed. */
static bool dies(struct bench *b)
{
    if (b->lives >= 0 && b->lives-- == 0)
        b->is_dead = true;
    return b->is_dead;
}

static struct file *file_of(struct bench *b, const char *name)
{
    struct file *f = b->file;

    while (*f->name && strcmp(f->name, name) != 0)
        f++;
    assert_true(f < b->file + FILES);
    return f;
}

static char *queues_of(struct bench *b)
{
    return file_of(b, QUEUE_SAVED_NAME)->text;
}

static int disk_save(void *arg, const char *name, const char *text, size_t length)
{
    struct bench *b = arg;
    struct file  *f = file_of(b, name);

    if (dies(b) || b->is_full)
        return -ENOSPC;
    assert_true(length < sizeof f->text);
    snprintf(f->name, sizeof f->name, "%s", name);
    memcpy(f->text, text, length);
    f->length = length;
    return 0;
}

static long disk_load(void *arg, const char *name, char *text, size_t size)
{
    const struct file *f = file_of(arg, name);

    assert_true(size >= f->length);
    memcpy(text, f->text, f->length);
    return *f->name ? (long)f->length : -ENOENT;
}

static int disk_append(void *arg, const char *text, size_t length)
{
    struct bench *b = arg;

    if (dies(b) || b->is_full)
        return -ENOSPC;
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

static int read_device(void *arg, struct knob_set *set)
{
    (void)arg;
    *set = (struct knob_set){ 0 };
    return 0;
}

static int write_device(void *arg, const struct knob_set *set)
{
    (void)arg, (void)set;
    return -EPERM;
}

static int sample_device(void *arg, struct msg_sample *s)
{
    (void)arg;
    *s = (struct msg_sample){ .interval_us = 1000000, .metric = 0.5 };
    return 0;
}

static void hear(void *arg, const struct msg *m)
{
    struct bench *b = arg;

    if (m->kind != MSG_LEARN)
        return;
    b->heard = *m->learn;
    b->rows += m->learn->rows;
    snprintf(b->why, sizeof b->why, "%s", m->why);
}

static uint32_t list(void *arg, struct queue_facts fact[IO_QUEUES_MAX],
                     char name[IO_QUEUES_MAX][MSG_NAME_SIZE])
{
    (void)arg;
    for (uint32_t i = 0; i < QUEUES; i++) {
        fact[i] = (struct queue_facts){ .rate_bps = 25000000000 };
        snprintf(name[i], MSG_NAME_SIZE, "port%u", i);
    }
    return QUEUES;
}

/* Traffic that always changes. */
static int look(void *arg, struct queue_slot *slot, uint64_t *us)
{
    struct bench *b = arg;

    if (b->has_no_counters)
        return -EAGAIN;
    for (uint32_t i = 0; i < QUEUES; i++)
        slot[i] = (struct queue_slot){ .tx_bytes = rng_below(&b->rng, 312500000),
                                       .marked_bytes = rng_below(&b->rng, 1000000),
                                       .queue_bytes_mean = rng_below(&b->rng, 1000000) };
    *us = SLOT;
    return 0;
}

static void come(struct bench *b)
{
    for (uint32_t i = 0; i < QUEUES; i++)
        if (b->comes_us[i] && b->now_us >= b->comes_us[i]) {
            b->holds[i] = b->coming[i];
            b->comes_us[i] = 0;
        }
}

static int read_queues(void *arg, struct ecn *ecn, bool *is_settled)
{
    struct bench *b = arg;

    if (b->is_unreadable)
        return -EIO;
    come(b);
    for (uint32_t i = 0; i < QUEUES; i++) {
        ecn[i] = b->holds[i];
        is_settled[i] = !b->comes_us[i];
    }
    return 0;
}

/* A value that is written must be on the disk and in the log, unless it is the initial one. */
static void check_announced(struct bench *b, const struct ecn *e)
{
    char text[100];

    if (ecn_equal(e, &first))
        return;
    snprintf(text, sizeof text, "[%u,%u,", e->kmin_bytes, e->kmax_bytes);
    assert_non_null(strstr(queues_of(b), text));
    assert_non_null(strstr(queues_of(b), "\"port0\":[400000,1600000,"));
    assert_non_null(strstr(b->log, "\"what\":\"setting\""));
}

static int write_queue(void *arg, uint32_t queue, const struct ecn *was, const struct ecn *is)
{
    struct bench *b = arg;

    if (dies(b))
        return -EIO;
    if (!ecn_equal(was, b->comes_us[queue] ? &b->coming[queue] : &b->holds[queue]))
        return -EBUSY;
    check_announced(b, is);
    b->writes++;
    b->coming[queue] = *is;
    b->comes_us[queue] = b->is_deaf ? UINT64_MAX : b->now_us + b->delay_us;
    come(b);
    return 0;
}

/* ---- a life ---- */

static void restart(struct bench *b)
{
    struct agent_io io = {
        .disk = { .save = disk_save, .load = disk_load, .append = disk_append,
                  .wall_us = disk_wall, .arg = b },
        .device = { .read = read_device, .write = write_device, .sample = sample_device, .arg = b },
        .send = hear, .arg = b,
    };
    struct audit a;
    struct err   err;

    b->is_dead = false;
    b->lives = -1;
    queue_tuner_free(b->tuner);
    assert_true(audit_resume_tail(&a, b->log, b->log_length) == (long)b->log_length);
    agent_init(&b->agent, &b->cfg, &io, b->agent.incarnation + 1);
    agent_start(&b->agent, &a, b->now_us);
    assert_int_equal(queue_tuner_new(&b->tuner, &b->tuner_cfg, &b->agent, &b->io, b, &err), 0);
    queue_tuner_start(b->tuner, b->now_us);
}

static struct bench *bench_new(void)
{
    static const struct option_text option[] = { { "slot_us", "100000", "" } };
    struct bench *b = calloc(1, sizeof *b);

    agent_config_init(&b->cfg, KNOB_SWITCH);
    snprintf(b->cfg.name, sizeof b->cfg.name, "leaf1/all-3");
    b->cfg.may_write = b->cfg.has_tuner = true;
    b->cfg.lease_us = 3000000;
    b->tuner_cfg = (struct queue_tuner_config){ .tuner = { .kind = "acc:dcqcn", .place = "", .option = option,
                                                           .options = 1, .beside = "" },
                                                .hold_us = 10000000, .changes_per_s = 1000 };
    b->io = (struct io_queues){ list, look, read_queues, write_queue, NULL, 0 };
    b->now_us = 1000000;
    rng_init(&b->rng, 1, 0);
    for (uint32_t i = 0; i < QUEUES; i++)
        b->holds[i] = first;
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
    queue_tuner_free(b->tuner);
    free(b);
}

static void say(struct bench *b, struct msg m)
{
    m.incarnation = b->agent.incarnation;
    m.term = 1;
    agent_on_msg(&b->agent, &m, b->now_us);
}

static void allow(struct bench *b, bool may)
{
    say(b, (struct msg){ .kind = MSG_QUEUES, .self = { .is_there = true, .is_allowed = may } });
}

static void lease(struct bench *b)
{
    say(b, (struct msg){ .kind = MSG_LEASE, .stamp_us = b->now_us });
}

/* Lets slots pass; every tenth ends an interval. */
static void pass(struct bench *b, uint32_t slots)
{
    for (uint32_t i = 0; i < slots && !b->is_dead; i++) {
        b->now_us += SLOT;
        come(b);
        queue_tuner_on_slot(b->tuner, b->now_us);
        if (b->now_us / SLOT % 10)
            continue;
        queue_tuner_on_tick(b->tuner, b->now_us);
        agent_on_tick(&b->agent, b->now_us);
    }
}

static uint32_t moved(const struct bench *b)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < QUEUES; i++)
        count += !ecn_equal(&b->holds[i], &first);
    return count;
}

static void pass_leased(struct bench *b, uint32_t slots)
{
    for (uint32_t i = 0; i < slots; i++) {
        lease(b);
        pass(b, 1);
    }
}

/* ---- cases ---- */

static void on_slot__needs_permission_and_a_lease(void **state)
{
    struct bench *b = bench_new();

    (void)state;
    pass(b, 20);
    lease(b);
    pass(b, 20);
    assert_int_equal(b->writes, 0);              /* writing was not allowed */
    assert_true(b->agent.self.decisions > 0);    /* it decides nevertheless */
    b->agent.lease_until_us = 0;
    allow(b, true);
    pass(b, 20);
    assert_int_equal(b->writes, 0);              /* no lease */
    pass_leased(b, 20);
    assert_true(b->writes > 0 && moved(b) > 0 && b->agent.self.moved == moved(b) &&
                b->agent.self.changes == b->writes);
    bench_free(b);
}

static struct bench *bench_tuned(void)
{
    struct bench *b = bench_new();

    lease(b);
    allow(b, true);
    pass_leased(b, 20);
    assert_true(moved(b) > 0);
    return b;
}

static void on_timer__restores_all_when_the_lease_ends(void **state)
{
    struct bench *b = bench_tuned();
    uint64_t      end_us = b->agent.lease_until_us;

    (void)state;
    while (b->now_us + SLOT < end_us) {
        pass(b, 1);
        assert_true(b->now_us < end_us);
    }
    assert_true(moved(b) > 0 && queue_tuner_timer_us(b->tuner) == end_us);
    b->now_us = end_us;
    queue_tuner_on_timer(b->tuner, b->now_us);   /* the timer of the agent's loop works, too */
    assert_int_equal(moved(b), 0);
    assert_non_null(strstr(b->log, "the lease ended"));
    pass_leased(b, 20);
    assert_true(moved(b) > 0);                   /* continues when the controller is back */
    bench_free(b);
}

static void on_timer__restores_all_when_forbidden_or_frozen(void **state)
{
    struct bench *b = bench_tuned();

    (void)state;
    allow(b, false);
    pass_leased(b, 1);
    assert_int_equal(moved(b), 0);
    allow(b, true);
    pass_leased(b, 20);
    assert_true(moved(b) > 0);
    say(b, (struct msg){ .kind = MSG_FREEZE, .why = "maintenance" });
    pass_leased(b, 20);
    assert_int_equal(moved(b), 0);
    say(b, (struct msg){ .kind = MSG_THAW });
    pass_leased(b, 20);
    assert_true(moved(b) > 0);
    agent_stop_by_file(&b->agent, "frozen: the file is there", b->now_us);
    pass_leased(b, 1);
    assert_int_equal(moved(b), 0);
    bench_free(b);
}

static void on_timer__holds_back_after_a_guardrail(void **state)
{
    struct bench *b = bench_tuned();

    (void)state;
    snprintf(b->agent.breach, sizeof b->agent.breach, "guardrail: test");
    queue_tuner_on_timer(b->tuner, b->now_us);
    assert_int_equal(moved(b), 0);
    b->agent.breach[0] = '\0';
    pass_leased(b, 90);
    assert_int_equal(moved(b), 0);               /* for hold_us */
    pass_leased(b, 40);
    assert_true(moved(b) > 0);
    bench_free(b);
}

static void on_tick__adopts_foreign_settings(void **state)
{
    static const struct ecn theirs = { 123000, 456000, 0.07 };
    struct bench *b = bench_tuned();

    (void)state;
    b->holds[2] = theirs;
    pass_leased(b, 20);
    assert_true(ecn_equal(&b->holds[2], &theirs));
    assert_int_equal(moved(b), 1);               /* the others have the initial setting */
    assert_non_null(strstr(b->agent.saved.frozen, "port2"));
    restart(b);
    pass_leased(b, 10);
    assert_true(ecn_equal(&b->holds[2], &theirs));
    assert_true(strstr(queues_of(b), "[123000,456000,") != NULL);
    bench_free(b);
}

static void on_tick__leaves_reset_queues_alone(void **state)
{
    struct bench *b = bench_tuned();

    (void)state;
    for (uint32_t i = 0; i < QUEUES; i++)
        b->holds[i] = first;                     /* the switch has restarted */
    pass_leased(b, 80);
    assert_int_equal(moved(b), 0);
    assert_string_equal(b->agent.saved.frozen, "");
    pass_leased(b, 60);
    assert_true(moved(b) > 0);
    bench_free(b);
}

static void change__keeps_within_limits_and_budget(void **state)
{
    struct bench *b = bench_new();

    (void)state;
    b->cfg.limits.min[KNOB_kmin] = 50;           /* KB */
    b->cfg.limits.max[KNOB_kmax] = 300;
    b->cfg.limits.max[KNOB_pmax] = 0.1;
    b->tuner_cfg.changes_per_s = 2;
    restart(b);
    lease(b);
    allow(b, true);
    for (int i = 0; i < 200; i++) {
        pass_leased(b, 1);
        for (uint32_t k = 0; k < QUEUES; k++)
            if (!ecn_equal(&b->holds[k], &first))
                assert_true(b->holds[k].kmin_bytes >= 50000 && b->holds[k].kmax_bytes <= 300000 &&
                            b->holds[k].pmax <= 0.1 && b->holds[k].kmin_bytes <= b->holds[k].kmax_bytes);
    }
    assert_true(moved(b) > 0);
    assert_in_range(b->writes, 4, 2 + 2 * 20);   /* 20 s of slots */
    bench_free(b);
}

static void change__never_without_disk_or_log(void **state)
{
    struct bench *b = bench_new();

    (void)state;
    b->is_full = true;
    lease(b);
    b->is_full = false;
    lease(b);
    allow(b, true);
    b->is_full = true;
    pass_leased(b, 20);
    assert_int_equal(b->writes, 0);
    b->is_full = false;
    pass_leased(b, 20);
    assert_true(b->writes > 0);
    bench_free(b);
}

static void change__waits_until_a_queue_has_settled(void **state)
{
    struct bench *b = bench_new();
    uint32_t      writes;

    (void)state;
    b->delay_us = 15 * SLOT;                     /* longer than a slot, but within the limit */
    lease(b);
    allow(b, true);
    pass_leased(b, 100);
    assert_true(b->writes > QUEUES && b->writes <= QUEUES * 8);
    b->is_deaf = true;
    pass_leased(b, 60);
    writes = b->writes;
    pass_leased(b, 20);
    /* it has given up and reports it */
    assert_true(b->writes <= writes + QUEUES && b->agent.self.is_broken);
    for (uint32_t i = 0; i < QUEUES; i++)
        b->comes_us[i] = b->comes_us[i] ? 1 : 0;
    b->is_deaf = false;
    pass_leased(b, 30);
    assert_int_equal(moved(b), 0);
    assert_false(b->agent.self.is_broken);
    assert_non_null(strstr(b->log, "did not take what was written"));
    bench_free(b);
}

static void on_tick__changes_nothing_if_unreadable(void **state)
{
    struct bench *b = bench_tuned();
    uint32_t      writes;

    (void)state;
    b->has_no_counters = true;
    writes = b->writes;
    pass_leased(b, 30);
    assert_int_equal(b->writes, writes);
    bench_free(b);
}

static void leave__restores_all(void **state)
{
    struct bench *b = bench_tuned();

    (void)state;
    b->delay_us = 3 * SLOT;
    assert_false(queue_tuner_leave(b->tuner, "the agent ends", b->now_us));
    b->now_us += 4 * SLOT;
    assert_true(queue_tuner_leave(b->tuner, "the agent ends", b->now_us));
    assert_int_equal(moved(b), 0);
    bench_free(b);
}

/* Killed at any access to disk or switch. The next process restores all queues, and does not take its own
 * values for foreign ones. */
static void start__after_a_kill_at_any_moment(void **state)
{
    (void)state;
    for (int kill_at = 0; kill_at < 300; kill_at++) {
        struct bench *b = bench_new();

        rng_init(&b->rng, (uint64_t)kill_at, 0);
        b->delay_us = kill_at % 3 * SLOT / 2;
        lease(b);
        allow(b, true);
        b->lives = kill_at;
        pass_leased(b, 60);
        b->now_us += SLOT;
        come(b);
        restart(b);
        pass(b, 10);
        assert_int_equal(moved(b), 0);
        assert_string_equal(b->agent.saved.frozen, "");
        bench_free(b);
    }
}

static void start__damaged_state_freezes(void **state)
{
    struct bench *b = bench_tuned();
    uint32_t      writes;

    (void)state;
    queues_of(b)[3] = file_of(b, QUEUE_SAVED_NAME ".copy")->text[3] = 'x';
    restart(b);
    writes = b->writes;
    allow(b, true);
    pass_leased(b, 30);
    assert_int_equal(b->writes, writes);
    assert_non_null(strstr(b->agent.saved.frozen, "damaged"));
    bench_free(b);
}

/* ---- learning ---- */

static const struct option_text learning[] = {
    { "slot_us", "100000", "" }, { "train", "yes", "" }, { "learner", "central", "" }, { "epsilon", "0", "" },
    { "epsilon_min", "0", "" }, { "idle", "never", "" },
};

/* Opens the learner of a controller, and an agent that may set its queues. */
static struct bench *learning_new(struct loop *far)
{
    struct bench *b = bench_new();
    struct world  w = { .seed = 1 };
    struct err    err;

    b->tuner_cfg.tuner.option = learning;
    b->tuner_cfg.tuner.options = sizeof learning / sizeof *learning;
    restart(b);
    assert_int_equal(loop_open(far, &w, &b->tuner_cfg.tuner, &err), 0);
    lease(b);
    allow(b, true);
    return b;
}

static struct acc_learner *learner_of(struct loop *far)
{
    return &acc_central(&far->tuner)->learner;
}

/* Returns a net in which this action has the largest value in every state. */
static struct msg_learn net_with(struct loop *far, uint64_t version, uint32_t action)
{
    const struct net *net = &learner_of(far)->net;
    struct msg_learn  m = { .version = version, .seed = 5, .floats = net->parameters };

    memcpy(m.value, net->parameter, net->parameters * sizeof *m.value);
    m.value[m.floats - net_shape_outputs(&net->shape) + action] = 1000;
    m.checksum = acc_checksum(m.value, m.floats);
    return m;
}

static void give(struct bench *b, const struct msg_learn *m)
{
    say(b, (struct msg){ .kind = MSG_LEARN, .learn = m });
}

static bool all_alike(const struct bench *b)
{
    for (uint32_t i = 1; i < QUEUES; i++)
        if (!ecn_equal(&b->holds[i], &b->holds[0]))
            return false;
    return moved(b) == QUEUES;
}

static void learn__records_go_out_and_nets_decide(void **state)
{
    struct loop      far;
    struct bench    *b = learning_new(&far);
    struct msg_learn net[2] = { net_with(&far, 1, 0), net_with(&far, 2, 3) }, own = { 0 };
    struct ecn       before;

    (void)state;
    assert_true(b->agent.self.is_training);
    pass_leased(b, 30);
    assert_int_equal(b->rows, 0);                /* the controller has no learner */
    give(b, &net[0]);
    assert_int_equal(b->agent.self.net, net[0].checksum);
    assert_non_null(strstr(b->log, "version 1, checksum"));
    pass_leased(b, 30);
    assert_int_equal(b->rows, 30 * QUEUES);
    for (uint32_t i = 0; i < b->heard.rows; i++) {
        assert_null(acc_learner_flaw(learner_of(&far), b->heard.value + (size_t)i * 27));
        assert_true(b->heard.queue[i] == i % QUEUES && b->heard.slot[i] == i / QUEUES);
    }
    assert_true(all_alike(b));
    before = b->holds[0];
    give(b, &net[1]);
    pass_leased(b, 2);
    assert_true(all_alike(b) && !ecn_equal(&before, &b->holds[0]));
    give(b, &own);                               /* the operator stops learning */
    assert_int_equal(b->agent.self.net, 0);
    assert_non_null(strstr(b->log, "the initial net is back"));
    b->rows = 0;
    pass_leased(b, 30);
    assert_false(all_alike(b));
    assert_int_equal(b->rows, 0);
    loop_close(&far);
    bench_free(b);
}

static void learn__refuses_an_invalid_net_and_keeps_the_old_one(void **state)
{
    struct loop      far;
    struct bench    *b = learning_new(&far);
    struct msg_learn good = net_with(&far, 1, 0);
    static const char *const row[] = { "is not a number", "parameters", "checksum" };

    (void)state;
    give(b, &good);
    for (int i = 0; i < 3; i++) {
        struct msg_learn bad = net_with(&far, 2 + (uint64_t)i, 3);

        if (i == 0) {
            bad.value[7] = (float)NAN;
            bad.checksum = acc_checksum(bad.value, bad.floats);
        }
        bad.floats -= i == 1;
        bad.checksum ^= i == 2;
        b->heard = (struct msg_learn){ .rows = 1 };
        give(b, &bad);
        assert_non_null(strstr(b->why, row[i]));
        assert_non_null(strstr(b->why, "the old one stays"));
        assert_non_null(strstr(b->log, b->why));
        assert_true(b->heard.rows == 0 && b->heard.version == bad.version);
        assert_int_equal(b->agent.self.net, good.checksum);
    }
    loop_close(&far);
    bench_free(b);
}

static void learn__without_lease_or_permission_nets_are_frozen(void **state)
{
    struct loop      far;
    struct bench    *b = learning_new(&far);
    struct msg_learn net = net_with(&far, 1, 0);

    (void)state;
    give(b, &net);
    pass_leased(b, 10);
    b->rows = 0;
    allow(b, false);
    pass_leased(b, 20);
    assert_int_equal(b->rows, 0);
    allow(b, true);
    pass(b, 60);                                 /* the controller is gone: the lease lasts 3 s */
    b->rows = 0;
    pass(b, 60);
    assert_int_equal(b->rows, 0);
    assert_int_equal(moved(b), 0);
    assert_int_equal(b->agent.self.net, net.checksum);
    say(b, (struct msg){ .kind = MSG_LEARN });   /* a relay has removed the content */
    assert_int_equal(b->agent.self.net, net.checksum);
    pass_leased(b, 20);
    assert_true(b->rows > 0 && all_alike(b));
    loop_close(&far);
    bench_free(b);
}

/* An agent that does not train accepts no net. */
static void learn__only_for_training_agents(void **state)
{
    struct loop      far;
    struct bench    *b = learning_new(&far), *other = bench_new();
    struct msg_learn net = net_with(&far, 1, 0);

    (void)state;
    give(other, &net);
    assert_false(other->agent.self.is_training);
    assert_int_equal(other->agent.self.net, 0);
    loop_close(&far);
    bench_free(other);
    bench_free(b);
}

static void check__refuses_options_that_are_not_for_agents(void **state)
{
    static const struct option_text train = { "train", "yes", "" }, central = { "agents", "central", "" };
    static const struct option_text large[] = { { "model", "none", "" }, { "train", "yes", "" },
                                                { "learner", "central", "" }, { "actions", "text", "" } };
    struct err err;

    (void)state;
    assert_int_equal(queue_tuner_check(&(struct loop_request){ .kind = "acc", .place = "", .beside = "" },
                                       &err), 0);
    assert_true(queue_tuner_check(&(struct loop_request){ .kind = "paraleon", .place = "a:1: ",
                                                          .beside = "" }, &err) < 0);
    assert_non_null(strstr(err.text, "a:1: paraleon does not set queues"));
    assert_true(queue_tuner_check(&(struct loop_request){ .kind = "acc", .place = "", .option = &train,
                                                          .options = 1, .beside = "" }, &err) < 0);
    assert_non_null(strstr(err.text, "add learner: central"));
    assert_true(queue_tuner_check(&(struct loop_request){ .kind = "acc", .place = "", .option = large,
                                                          .options = 4, .beside = "" }, &err) < 0);
    assert_non_null(strstr(err.text, "does not fit a message"));
    assert_true(queue_tuner_check(&(struct loop_request){ .kind = "acc", .place = "", .option = &central,
                                                          .options = 1, .beside = "" }, &err) < 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_slot__needs_permission_and_a_lease),
        cmocka_unit_test(on_timer__restores_all_when_the_lease_ends),
        cmocka_unit_test(on_timer__restores_all_when_forbidden_or_frozen),
        cmocka_unit_test(on_timer__holds_back_after_a_guardrail),
        cmocka_unit_test(on_tick__adopts_foreign_settings),
        cmocka_unit_test(on_tick__leaves_reset_queues_alone),
        cmocka_unit_test(change__keeps_within_limits_and_budget),
        cmocka_unit_test(change__never_without_disk_or_log),
        cmocka_unit_test(change__waits_until_a_queue_has_settled),
        cmocka_unit_test(on_tick__changes_nothing_if_unreadable),
        cmocka_unit_test(leave__restores_all),
        cmocka_unit_test(start__after_a_kill_at_any_moment),
        cmocka_unit_test(start__damaged_state_freezes),
        cmocka_unit_test(learn__records_go_out_and_nets_decide),
        cmocka_unit_test(learn__refuses_an_invalid_net_and_keeps_the_old_one),
        cmocka_unit_test(learn__without_lease_or_permission_nets_are_frozen),
        cmocka_unit_test(learn__only_for_training_agents),
        cmocka_unit_test(check__refuses_options_that_are_not_for_agents),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
