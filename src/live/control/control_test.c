/* src/live/control/control_test.c - what a controller promises operators: it pauses after harm, knows
 * who approved which trial, and a rollback always works. The test plays the devices and their agents. */
#include "live/control/control.h"
#include "live/core/knobset.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEVICES 4
#define HOUR_US 3600000000ull
#define ALICE (&(struct order){ .who = "alice", .why = "a test" })

struct fake {                    /* a device with its agent */
    /* stubborn: refuses changes; storming: a guardrail ends applied changes */
    bool            is_silent, is_frozen, is_stubborn, is_storming;
    bool            is_foreign, is_obedient;     /* why it is frozen; it goes back all the same */
    bool            is_fixed;            /* its agent would not set dce_tcp_g */
    bool            is_unmeasured;       /* it reports no metric while a change is applied */
    enum msg_phase  phase;
    uint64_t        change, leased_us;
    struct knob_set device, confirmed, baseline, wanted;
};

static struct test {
    struct control           k;
    struct controller_config cfg;
    struct fake              fake[DEVICES];
    struct msg               queue[64];          /* answers in flight */
    uint32_t                 link[64], queued;
    char                     state[20000], log[1 << 20];
    size_t                   state_length, log_length;
    bool                     is_full, is_long;
    uint64_t                 log_bytes;
    char                     held[HOLD_SIZE];
    uint64_t                 now_us;
    double                   ai_rate, tcp_g;     /* the tuner's proposal; 0: none */
    char                     told[4000];         /* lines of the journal */
    uint32_t                 declined, kept, dropped;
    struct record            record;
} t;

static bool is_recording;

/* ---- the world ---- */

static int save(void *arg, const char *name, const char *text, size_t length)
{
    (void)arg, (void)name;
    if (t.is_full)
        return -ENOSPC;
    memcpy(t.state, text, length);
    t.state_length = length;
    return 0;
}

static long load(void *arg, const char *name, char *text, size_t size)
{
    (void)arg, (void)name;
    if (!t.state_length)
        return -ENOENT;
    assert_true(t.state_length <= size);
    memcpy(text, t.state, t.state_length);
    return (long)t.state_length;
}

static int append(void *arg, const char *text, size_t length)
{
    (void)arg;
    if (t.is_full && t.is_long)
        return -ENOSPC;
    t.log_bytes += length;
    if (t.is_long)
        t.log_length = 0;                        /* only the last line is kept */
    if (t.is_full)
        return -ENOSPC;
    t.log_bytes += length;
    if (t.is_long)
        t.log_length = 0;                        /* only the last line is kept */
    memcpy(t.log + t.log_length, text, length);
    t.log_length += length;
    t.log[t.log_length] = '\0';
    return 0;
}

/* In place: also on a full disk. */
static int hold(void *arg, const char *text)
{
    (void)arg;
    memcpy(t.held, text, HOLD_SIZE);
    return 0;
}

static int held(void *arg, char *text)
{
    (void)arg;
    memcpy(text, t.held, HOLD_SIZE);
    return *text ? 0 : -ENOENT;
}

static uint64_t wall_us(void *arg)
{
    (void)arg;
    return 1792141200000000 + t.now_us;
}

static bool propose(void *arg, uint64_t now_us, struct knob_set *set, char why[MSG_WHY_SIZE])
{
    (void)arg, (void)now_us;
    if (t.ai_rate > 0)
        knob_set_add(set, KNOB_rpg_ai_rate, t.ai_rate);
    if (t.tcp_g > 0)
        knob_set_add(set, KNOB_dce_tcp_g, t.tcp_g);
    if (knobset_is_empty(set))
        return false;
    snprintf(why, MSG_WHY_SIZE, "a guess");
    return true;
}

static void ended(void *arg, bool is_kept, uint32_t missed, const char *why)
{
    (void)arg, (void)missed, (void)why;
    t.kept += is_kept;
    t.dropped += !is_kept;
}

static void declined(void *arg, const char *why)
{
    (void)arg, (void)why;
    t.declined++;
}

/* ---- devices ---- */

static void say(uint32_t i, struct msg m)
{
    m.incarnation = 1;
    m.set = t.fake[i].device;
    t.link[t.queued] = i;
    t.queue[t.queued++] = m;
    assert_true(t.queued < 64);
}

static void answer(uint32_t i, enum msg_answer answer, uint64_t change, const char *why)
{
    struct msg m = { .kind = MSG_ANSWER, .answer = answer, .change = change };

    snprintf(m.why, sizeof m.why, "%s", why);
    say(i, m);
}

static void hello(uint32_t i)
{
    struct fake *f = &t.fake[i];
    struct msg m = { .kind = MSG_HELLO,
                     .version = MSG_VERSION,
                     .may_write = true,
                     .where = KNOB_NIC,
                     .interval_us = 100000,
                     .confirmed = f->confirmed,
                     .baseline = f->baseline,
                     .is_frozen = f->is_frozen,
                     .phase = f->phase,
                     .change = f->change };

    m.is_fixed[KNOB_dce_tcp_g] = f->is_fixed;
    if (f->is_frozen)
        snprintf(m.why, sizeof m.why, "%s", f->is_foreign ? MSG_FOREIGN ": kmin 1KB" : "frozen: by alice");
    snprintf(m.name, sizeof m.name, "host%u/nic", i);
    say(i, m);
}

static void end_change(uint32_t i, const char *why)
{
    struct fake *f = &t.fake[i];

    f->phase = PHASE_IDLE;
    f->device = f->confirmed;
    answer(i, ANSWER_REVERTED, f->change, why);
}

/* Messages of the controller reach the device at once. Answers wait for deliver(). */
static void send(void *arg, uint32_t link, const struct msg *m)
{
    struct fake *f = &t.fake[link];

    (void)arg;
    if (f->is_silent)
        return;
    if (m->kind == MSG_WHO)
        hello(link);
    else if (m->kind == MSG_LEASE)
        f->leased_us = t.now_us;
    else if (m->kind == MSG_DRILL) {
        f->phase = PHASE_APPLIED;
        f->change = m->change;
        answer(link, ANSWER_APPLIED, m->change, "");
    }
    else if (m->kind == MSG_PREPARE && (f->is_stubborn || (f->is_frozen && !f->is_obedient) ||
                                        (f->is_fixed && m->set.is_named[KNOB_dce_tcp_g])))
        answer(link, ANSWER_REFUSED, m->change, "not now");
    else if (m->kind == MSG_PREPARE) {
        f->phase = PHASE_PREPARED;
        f->change = m->change;
        f->wanted = m->set;
        answer(link, ANSWER_PREPARED, m->change, "");
    } else if (m->kind == MSG_COMMIT && m->change == f->change) {
        f->phase = PHASE_APPLIED;
        knobset_put(&f->device, &f->wanted);
        answer(link, ANSWER_APPLIED, m->change, "");
        if (f->is_storming)
            end_change(link, "guardrail: the watchdog ended 1 pause storms");
    } else if (m->kind == MSG_CONFIRM && m->change == f->change && f->phase == PHASE_APPLIED) {
        f->phase = PHASE_IDLE;
        knobset_put(&f->confirmed, &f->wanted);
        answer(link, ANSWER_CONFIRMED, m->change, "");
    } else if (m->kind == MSG_REVERT)
        end_change(link, "asked for");
}

static void deliver(void)
{
    while (t.queued) {
        struct msg m = t.queue[0];
        uint32_t   link = t.link[0];

        memmove(t.queue, t.queue + 1, --t.queued * sizeof *t.queue);
        memmove(t.link, t.link + 1, t.queued * sizeof *t.link);
        control_msg(&t.k, link, &m, t.now_us);
    }
}

static void tick(void)
{
    t.now_us += t.cfg.interval_us;
    for (uint32_t i = 0; i < DEVICES; i++) {
        struct msg m = { .kind = MSG_REPORT,
                         .incarnation = 1,
                         .stamp_us = t.now_us,
                         .phase = t.fake[i].phase,
                         .change = t.fake[i].change,
                         .is_frozen = t.fake[i].is_frozen,
                         .sample = { .interval_us = 100000,
                                     /* single precision, as on the wire */
                                     .metric = 0.5f + 0.001f * (float)(i + t.now_us / 100000 % 3) } };

        if (t.fake[i].is_unmeasured && t.fake[i].phase == PHASE_APPLIED)
            m.sample.metric = NAN;
        if (!t.fake[i].is_silent)
            control_msg(&t.k, i, &m, t.now_us);
    }
    deliver();
    control_tick(&t.k, t.now_us);
    deliver();
}

static int order_at(enum order_kind kind, const char *device, const struct order *by)
{
    return control_order(&t.k, &(struct order){ by->who, by->why, kind, device, "", 0 }, t.now_us);
}

static int order(enum order_kind kind, const struct order *by)
{
    return order_at(kind, "", by);
}

static int approve(uint64_t number, const char *code, const struct order *by)
{
    struct order o = { by->who, by->why, ORDER_APPROVE, "", code, number };

    return control_order(&t.k, &o, t.now_us);
}

static void ticks(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        tick();
}

static bool wait_for(bool (*is)(void))
{
    for (uint32_t i = 0; i < 700 && !is(); i++)  /* a refused setting waits for a minute */
        tick();
    return is();
}

static bool is_trying(void)  { return t.k.c.trial.phase == TRIAL_RUN; }
static bool is_idle(void)    { return t.k.c.trial.phase == TRIAL_NONE; }
static bool is_waiting(void) { return t.k.c.trial.phase == TRIAL_WAITING; }
static bool is_kept(void)    { return t.kept > 0 && is_idle(); }
static bool is_paused(void)  { return t.now_us < t.k.c.caution.paused_until_us; }

static bool is_at_baseline(void)
{
    for (uint32_t i = 0; i < DEVICES; i++)
        if (!t.fake[i].is_silent && !t.fake[i].is_frozen &&
            (!knobset_is_same(&t.fake[i].device, &t.fake[i].baseline) ||
             !knobset_is_same(&t.fake[i].confirmed, &t.fake[i].baseline)))
            return false;
    return true;
}

/* ---- life ---- */

static void tell(void *arg, const char *line)
{
    size_t used = strlen(t.told);

    (void)arg;
    snprintf(t.told + used, sizeof t.told - used, "%s\n", line);
}

static uint32_t told(const char *what)
{
    uint32_t count = 0;

    for (const char *at = t.told; (at = strstr(at, what)) != NULL; at++)
        count++;
    return count;
}

static void boot(void)
{
    struct control_io io = { .disk = { .save = save, .load = load, .append = append, .wall_us = wall_us },
                                .hold = { hold, held, NULL },
                                .send = send,
                                .propose = propose,
                                .ended = ended,
                                .declined = declined,
                                .log = tell };
    struct audit a;

    audit_init(&a);
    a.seq = t.k.audit.seq;
    memcpy(a.head, t.k.audit.head, sizeof a.head);
    control_fini(&t.k);
    control_init(&t.k, &t.cfg, &io, DEVICES);
    t.k.record = is_recording ? &t.record : NULL;
    assert_int_equal(control_start(&t.k, &a, t.now_us), 0);
    t.queued = 0;
    for (uint32_t i = 0; i < DEVICES; i++)
        control_link(&t.k, i, t.now_us);
    deliver();
}

static int set_up(void **unused)
{
    (void)unused;
    memset(&t, 0, sizeof t);
    controller_config_init(&t.cfg);
    snprintf(t.cfg.name, sizeof t.cfg.name, "controller");
    t.cfg.mode = MODE_AUTO;
    t.cfg.gather_us = 200000;
    t.cfg.block_length = 4;
    t.cfg.burn_in = 1;
    t.cfg.aa_pairs = 3;
    t.cfg.stage_pairs = 1;
    t.cfg.halves_intervals_max = 40;
    t.cfg.soak_intervals = 2;
    t.now_us = 5000000;
    for (uint32_t i = 0; i < DEVICES; i++) {
        knob_set_add(&t.fake[i].device, KNOB_rpg_ai_rate, 5);
        knob_set_add(&t.fake[i].device, KNOB_rpg_hai_rate, 50);
        t.fake[i].confirmed = t.fake[i].baseline = t.fake[i].device;
    }
    boot();
    return 0;
}

static int tear_down(void **unused)
{
    (void)unused;
    control_fini(&t.k);
    return 0;
}

static void storm(bool is)
{
    for (uint32_t i = 0; i < DEVICES; i++)
        t.fake[i].is_storming = is;
}

/* Tries a setting until a guardrail ends it. */
static void do_harm(double ai_rate)
{
    uint32_t before = t.dropped;

    storm(true);
    t.ai_rate = ai_rate;
    for (uint32_t i = 0; i < 600 && (t.dropped == before || !is_idle()); i++)
        tick();
    assert_true(t.dropped == before + 1 && is_idle());
    t.ai_rate = 0;
    storm(false);
}

/* Sets all devices to a value, as a trial that is kept does. */
static void keep(double ai_rate)
{
    t.cfg.mode = MODE_DIRECT;
    t.ai_rate = ai_rate;
    assert_true(wait_for(is_kept));
    t.ai_rate = 0;
    t.cfg.mode = MODE_AUTO;
    ticks(30);
    assert_true(is_idle() && !is_at_baseline());
}

/* ---- harm ---- */

static void on_answer__harm_between_ticks_counts(void **unused)
{
    (void)unused;
    do_harm(10);
    assert_false(is_paused());
    do_harm(20);
    assert_true(is_paused());
    assert_non_null(strstr(t.log, "\"what\":\"pause\""));
    t.ai_rate = 30;
    ticks(100);
    assert_int_equal(t.dropped, 2);              /* no other trial */
}

static void start__a_pause_and_its_count_of_harm_survive(void **unused)
{
    uint64_t left_us;

    (void)unused;
    do_harm(10);
    boot();
    do_harm(20);                                 /* the second harm, counted by another process */
    assert_true(is_paused());
    t.now_us += 10 * 60000000ull;
    tick();
    left_us = t.k.c.caution.paused_until_us - t.now_us;
    t.now_us = 1000000;                          /* after a reboot, its clock begins at 0 */
    boot();
    assert_true(is_paused());
    assert_in_range(t.k.c.caution.paused_until_us - t.now_us, left_us, left_us + 61000000);
    t.ai_rate = 30;
    ticks(100);
    assert_int_equal(t.dropped, 2);
    t.now_us += 6 * HOUR_US;
    assert_true(wait_for(is_trying));            /* the pause ends */
}

static void propose__a_dropped_setting_is_not_tried_again_at_once(void **unused)
{
    char why[MSG_WHY_SIZE];

    (void)unused;
    t.cfg.reverts_max = 8;
    do_harm(10);
    for (int life = 0; life < 2; life++) {
        uint32_t before = t.declined;

        t.ai_rate = 10;
        ticks(100);
        assert_int_equal(t.dropped, 1);
        assert_true(is_idle() && t.declined > before);
        assert_non_null(strstr(t.k.c.declined, "dropped before"));
        t.ai_rate = 0;
        boot();
    }
    t.ai_rate = 11;                              /* another setting may be tried */
    assert_true(wait_for(is_trying));
    order(ORDER_FREEZE, ALICE);
    assert_true(wait_for(is_idle));
    assert_non_null(controller_obstacle(&t.k.c, t.now_us, why));
    order(ORDER_THAW, ALICE);      /* an operator allows it again */
    t.ai_rate = 10;
    assert_true(wait_for(is_trying));
}

static void propose__a_dropped_setting_may_be_tried_an_hour_later(void **unused)
{
    (void)unused;
    t.cfg.reverts_max = 8;
    do_harm(10);
    t.now_us += HOUR_US;
    t.ai_rate = 10;
    assert_true(wait_for(is_trying));
}

static uint32_t lines_with(const char *text)
{
    uint32_t count = 0;

    for (const char *at = t.log; (at = strstr(at, text)) != NULL; at++)
        count++;
    return count;
}

static void propose__an_observing_controller_says_the_same_once(void **unused)
{
    (void)unused;
    t.cfg.mode = MODE_OBSERVE;
    t.ai_rate = 10;
    ticks(600);
    assert_int_equal(lines_with("\"what\":\"would try\""), 1);
    assert_non_null(strstr(t.k.c.declined, "it observes only; it would set rpg_ai_rate 10Mbps"));
    assert_int_equal(t.dropped, 0);              /* there was no trial */
}

/* A tuner that wants something else in every interval: less than 1 MB a day, at any interval. */
static void propose__an_observing_controller_writes_little(void **unused)
{
    (void)unused;
    t.cfg.mode = MODE_OBSERVE;
    for (uint32_t i = 0; i < 12000; i++) {       /* twenty minutes */
        t.ai_rate = 10 + i % 7;
        tick();
    }
    assert_true(lines_with("\"what\":\"would try\"") > 1);
    assert_in_range(t.log_length, 1, 1000000 / 72);
}

/* Each refuses for as long as its file says so. */
static void try__a_refused_setting_is_tried_once_a_minute_and_told_once(void **unused)
{
    (void)unused;
    t.cfg.mode = MODE_DIRECT;
    for (uint32_t i = 0; i < DEVICES; i++)
        t.fake[i].is_stubborn = true;
    t.ai_rate = 10;
    ticks(6000);                                 /* ten minutes */
    assert_in_range(t.dropped, 9, 11);
    assert_int_equal(lines_with("\"what\":\"try\""), 1);
    assert_int_equal(lines_with("\"what\":\"abort\""), 1);
    assert_int_equal(lines_with("\"what\":\"drop\""), 1);
    assert_non_null(strstr(t.k.c.declined, "a device refused the tuner's setting: not now; again in"));
    for (uint32_t i = 0; i < DEVICES; i++)
        t.fake[i].is_stubborn = false;
    assert_true(wait_for(is_kept));              /* and told of before it is written */
    assert_int_equal(lines_with("\"what\":\"try\""), 2);
    assert_int_equal(lines_with("\"what\":\"keep\""), 1);
}

static void give_knob(uint32_t i, enum knob knob, double value, bool is_fixed)
{
    struct fake *f = &t.fake[i];

    knob_set_add(&f->device, knob, value);
    f->confirmed = f->baseline = f->device;
    f->is_fixed = is_fixed;
    hello(i);
}

static void try__what_no_agent_sets_is_left_out_and_told_once(void **unused)
{
    (void)unused;
    t.cfg.mode = MODE_DIRECT;
    for (uint32_t i = 0; i < DEVICES; i++)
        give_knob(i, KNOB_dce_tcp_g, 1019, true);
    deliver();
    t.ai_rate = 10;
    t.tcp_g = 64;
    assert_true(wait_for(is_kept));
    ticks(700);
    for (uint32_t i = 0; i < DEVICES; i++) {
        assert_true(t.fake[i].confirmed.knobs.value[KNOB_rpg_ai_rate] == 10);
        assert_true(t.fake[i].confirmed.knobs.value[KNOB_dce_tcp_g] == 1019);
    }
    assert_int_equal(told("left out of the tuner's setting, because agents do not set it: dce_tcp_g\n"), 1);
    assert_string_equal(t.k.c.left_out, "dce_tcp_g");
    assert_false(t.k.c.standing.set.is_named[KNOB_dce_tcp_g]);   /* nor said to be in effect */
    t.ai_rate = 0;                               /* nothing else would change: no trial */
    uint64_t trials = t.k.c.trials;
    ticks(700);
    assert_int_equal(t.k.c.trials, trials);
    assert_string_equal(t.k.c.declined, "no agent sets what the tuner would change");
}

static void try__what_some_agents_set_is_set_there(void **unused)
{
    (void)unused;
    t.cfg.mode = MODE_DIRECT;
    for (uint32_t i = 0; i < DEVICES; i++)
        give_knob(i, KNOB_dce_tcp_g, 1019, i == 2);
    deliver();
    t.tcp_g = 64;
    assert_true(wait_for(is_kept));
    for (uint32_t i = 0; i < DEVICES; i++)
        assert_true(t.fake[i].confirmed.knobs.value[KNOB_dce_tcp_g] == (i == 2 ? 1019 : 64));
    assert_int_equal(told("do not set it: dce_tcp_g\n"), 1);
}

/* ---- approvals ---- */

static void approve__needs_the_code_of_the_trial(void **unused)
{
    char     code[CAUTION_CODE_SIZE];
    uint64_t number;

    (void)unused;
    t.cfg.mode = MODE_APPROVE;
    t.ai_rate = 10;
    assert_true(wait_for(is_waiting));
    number = t.k.c.trial.number;
    memcpy(code, t.k.c.trial.code, sizeof code);
    assert_int_equal(approve(number, "", ALICE), -ESTALE);
    boot();                                      /* the trial that waited is gone; another one waits */
    t.ai_rate = 20;
    assert_true(wait_for(is_waiting));
    assert_true(t.k.c.trial.number > number);      /* numbers continue */
    assert_int_equal(approve(number, code, ALICE), -ENOENT);
    assert_int_equal(approve(t.k.c.trial.number, code, ALICE), -ESTALE);
    assert_true(is_waiting());
    assert_int_equal(approve(t.k.c.trial.number, t.k.c.trial.code, ALICE), 0);
    assert_true(wait_for(is_trying));
}

/* Returns true if a line of the log has all of these. */
static bool has_line(const char *what, const char *who, const char *why)
{
    char *copy = strdup(t.log), *rest = copy, *line;
    bool  is = false;

    while ((line = strsep(&rest, "\n")) != NULL)
        is |= strstr(line, what) && strstr(line, who) && strstr(line, why);
    free(copy);
    return is;
}

static void approve__the_log_has_who_and_why(void **unused)
{
    (void)unused;
    t.cfg.mode = MODE_APPROVE;
    t.ai_rate = 10;
    assert_true(wait_for(is_waiting));
    approve(t.k.c.trial.number, t.k.c.trial.code, &(struct order){ .who = "bob", .why = "looks good" });
    assert_true(has_line("\"what\":\"approve\"", "\"who\":\"bob\"", "looks good"));
    assert_string_equal(t.k.c.trial.by, "bob");
    order(ORDER_FREEZE, &(struct order){ .who = "carol", .why = "rack 7" });
    order(ORDER_THAW, &(struct order){ .who = "dave", .why = "done" });
    order_at(ORDER_FREEZE_DEVICE, "host1/nic", &(struct order){ .who = "erin", .why = "odd" });
    order(ORDER_ROLLBACK, &(struct order){ .who = "frank", .why = "enough" });
    assert_true(has_line("\"what\":\"freeze\"", "\"who\":\"carol\"", "rack 7"));
    assert_true(has_line("\"what\":\"thaw\"", "\"who\":\"dave\"", "done"));
    assert_true(has_line("\"what\":\"freeze device\"", "\"who\":\"erin\"", "host1/nic: odd"));
    assert_true(has_line("\"what\":\"rollback\"", "\"who\":\"frank\"", "enough"));
}

static void reject__ends_a_waiting_trial_and_its_setting_waits(void **unused)
{
    uint64_t number;

    (void)unused;
    t.cfg.mode = MODE_APPROVE;
    t.ai_rate = 10;
    assert_true(wait_for(is_waiting));
    number = t.k.c.trial.number;
    assert_int_equal(control_order(&t.k, &(struct order){ "eve", "", ORDER_REJECT, "", "", number + 1 },
                                   t.now_us), -ENOENT);
    assert_int_equal(control_order(&t.k, &(struct order){ "bob", "not now", ORDER_REJECT, "", "", number },
                                   t.now_us), 0);
    assert_true(has_line("\"what\":\"reject\"", "\"who\":\"bob\"", "not now"));
    ticks(200);
    assert_true(is_idle() && t.dropped == 1);    /* not again at once */
    assert_non_null(strstr(t.k.c.declined, "dropped before"));
    t.ai_rate = 20;
    assert_true(wait_for(is_waiting));           /* but another */
}

static void begin__nothing_is_tried_if_its_number_cannot_be_saved(void **unused)
{
    (void)unused;
    ticks(60);
    t.is_full = true;
    t.ai_rate = 10;
    ticks(60);
    assert_true(is_idle() && t.declined > 0);
    t.is_full = false;
    assert_true(wait_for(is_trying));
}

/* ---- freezes ---- */

static void freeze__survives_a_full_disk(void **unused)
{
    (void)unused;
    ticks(60);
    t.is_full = true;
    assert_int_equal(order(ORDER_FREEZE, ALICE), 0);
    ticks(10);
    boot();
    assert_string_equal(t.k.c.frozen, "frozen by alice: a test");
    assert_int_equal(order(ORDER_THAW, ALICE), 0);
    boot();
    assert_string_equal(t.k.c.frozen, "");       /* nor does an older freeze come back */
    t.is_full = false;
    ticks(60);
    assert_int_equal(order(ORDER_ROLLBACK, ALICE), 0);
    t.held[0] = '\0';                            /* the other has it, too */
    boot();
    assert_string_equal(t.k.c.rolled_back.who, "alice");
    assert_string_equal(t.k.c.frozen, "rolled back by alice: a test");
}

static void freeze__a_damaged_one_is_one(void **unused)
{
    (void)unused;
    ticks(60);
    assert_int_equal(order(ORDER_FREEZE, ALICE), 0);
    assert_int_equal(order(ORDER_THAW, ALICE), 0);
    for (uint32_t i = 0; i < 60; i++) {
        t.held[i] ^= 1;
        boot();
        assert_non_null(strstr(t.k.c.frozen, "damaged"));
        t.held[i] ^= 1;
    }
    boot();
    assert_string_equal(t.k.c.frozen, "");
}

/* ---- rollback ---- */

static void rollback__works_in_every_state(void **unused)
{
    (void)unused;
    for (int state = 0; state < 5; state++) {
        tear_down(NULL);
        set_up(NULL);
        keep(10);
        t.cfg.mode = state == 1 ? MODE_APPROVE : MODE_AUTO;
        t.ai_rate = state < 2 ? 20 : 0;
        if (state < 2)
            assert_true(wait_for(state ? is_waiting : is_trying));
        if (state == 2)
            order(ORDER_FREEZE, ALICE);
        if (state == 3)
            t.k.c.caution.paused_until_us = t.now_us + HOUR_US;
        if (state == 4)
            boot();                              /* a new process, before any device reports */
        assert_int_equal(order(ORDER_ROLLBACK, ALICE), 0);
        if (state == 0)
            order(ORDER_FREEZE, ALICE);    /* does not stop the rollback */
        assert_true(wait_for(is_at_baseline));
        ticks(100);
        assert_true(is_at_baseline() && is_idle());      /* no other trial begins */
        assert_true(knobset_is_empty(&t.k.c.standing.set));
        assert_string_equal(t.k.c.standing.by, "alice");
    }
}

static void rollback__goes_on_until_every_device_is_back(void **unused)
{
    (void)unused;
    keep(10);
    t.fake[1].is_stubborn = true;
    t.fake[2].is_silent = true;
    assert_int_equal(order(ORDER_ROLLBACK, ALICE), 0);
    ticks(20);
    assert_true(t.fake[0].confirmed.knobs.value[KNOB_rpg_ai_rate] == 5 &&
                t.fake[3].confirmed.knobs.value[KNOB_rpg_ai_rate] == 5);
    t.fake[1].is_stubborn = false;
    ticks(200);
    assert_true(t.fake[1].confirmed.knobs.value[KNOB_rpg_ai_rate] == 5);
    boot();
    t.fake[2].is_silent = false;                 /* it returns to another process */
    control_link(&t.k, 2, t.now_us);
    deliver();
    assert_true(wait_for(is_at_baseline));
}

static void rollback__asks_a_device_with_a_foreign_edit_but_not_one_that_a_person_froze(void **unused)
{
    (void)unused;
    keep(10);
    for (uint32_t i = 1; i < 3; i++) {
        t.fake[i].is_frozen = true;
        t.fake[i].is_obedient = true;            /* it would go back if it were asked */
        t.fake[i].is_foreign = i == 1;
        hello(i);
    }
    deliver();
    assert_int_equal(order(ORDER_ROLLBACK, ALICE), 0);
    ticks(300);
    assert_true(t.fake[1].confirmed.knobs.value[KNOB_rpg_ai_rate] == 5);
    assert_true(t.fake[2].confirmed.knobs.value[KNOB_rpg_ai_rate] == 10);
}

static void rollback__is_refused_in_observe_mode(void **unused)
{
    (void)unused;
    keep(10);
    t.cfg.mode = MODE_OBSERVE;
    assert_int_equal(order(ORDER_ROLLBACK, ALICE), -EPERM);
    ticks(50);
    assert_false(is_at_baseline());
}

/* ---- drills, and devices that leave ---- */

static bool is_drilled(void) { return t.k.c.drill.wall_us > 0 && is_idle(); }

/* Plays agents whose lease ends, by the last tick with a lease and their own clock. */
static void end_leases(void)
{
    for (uint32_t i = 0; i < DEVICES; i++)
        if (t.fake[i].phase == PHASE_APPLIED && t.now_us > t.fake[i].leased_us + 3000000)
            end_change(i, "the lease ended: no word from the controller");
}

static void drill__passes_if_the_device_reverts_without_a_lease(void **unused)
{
    (void)unused;
    ticks(30);
    assert_int_equal(order_at(ORDER_DRILL, "", ALICE), 0);
    deliver();
    for (uint32_t i = 0; i < 100 && !is_drilled(); i++) {
        tick();
        end_leases();
        deliver();
    }
    assert_true(is_drilled() && t.k.c.drill.is_passed);
    assert_in_range(t.k.c.drill.took_us, 2900000, 3400000);
    assert_true(has_line("\"what\":\"drill\"", "\"who\":\"alice\"", "a test"));
    assert_true(has_line("\"what\":\"drill\"", "passed: host", "back after 3."));
    tick();
    boot();
    assert_true(t.k.c.drill.is_passed && t.k.c.drill.passed_us);     /* still known after a restart */
}

static void drill__fails_if_the_device_does_not_revert(void **unused)
{
    (void)unused;
    ticks(30);
    assert_int_equal(order_at(ORDER_DRILL, "host1/nic", ALICE), 0);
    deliver();
    for (uint32_t i = 0; i < 1300 && !is_drilled(); i++)
        tick();
    assert_true(is_drilled() && !t.k.c.drill.is_passed && !t.k.c.drill.passed_us);
    assert_string_equal(t.k.c.drill.device, "host1/nic");
}

static void drill__ends_if_the_answer_is_lost(void **unused)
{
    (void)unused;
    ticks(30);
    assert_int_equal(order_at(ORDER_DRILL, "host1/nic", ALICE), 0);
    deliver();
    ticks(5);
    t.fake[1].phase = PHASE_IDLE;                /* for example frozen at the host */
    ticks(15);
    assert_true(is_idle());
    assert_true(t.now_us - t.fake[1].leased_us < 1000000);       /* it gets leases again */
    assert_true(t.k.c.drill.wall_us == 0);
}

static void drill__waits_for_no_trial_and_needs_a_device(void **unused)
{
    (void)unused;
    ticks(30);
    assert_int_equal(order_at(ORDER_DRILL, "no/such", ALICE), -ENOENT);
    t.fake[1].is_silent = true;
    ticks(10);
    assert_int_equal(order_at(ORDER_DRILL, "host1/nic", ALICE), -ENODEV);
    t.fake[1].is_silent = false;
    t.ai_rate = 10;
    assert_true(wait_for(is_trying));
    assert_int_equal(order_at(ORDER_DRILL, "", ALICE), -EBUSY);
    t.cfg.mode = MODE_OBSERVE;
    assert_int_equal(order_at(ORDER_DRILL, "", ALICE), -EPERM);
}

static void drill__runs_automatically_when_it_is_due(void **unused)
{
    uint64_t first;

    (void)unused;
    t.cfg.drill_every_us = 168 * HOUR_US;
    for (uint32_t i = 0; i < 100 && !is_drilled(); i++) {
        tick();
        end_leases();
        deliver();
    }
    assert_true(is_drilled() && t.k.c.drill.is_passed);
    first = t.k.c.drill.wall_us;
    ticks(100);
    assert_true(t.k.c.drill.wall_us == first && is_idle());
    boot();
    t.now_us += 167 * HOUR_US;
    ticks(100);
    assert_true(t.k.c.drill.wall_us == first && is_idle());
    t.now_us += HOUR_US;
    ticks(10);
    assert_int_equal(t.k.c.trial.phase, TRIAL_DRILL);
}

static void bye__ends_the_wait_for_a_device_that_left(void **unused)
{
    char why[MSG_WHY_SIZE];

    (void)unused;
    ticks(60);
    t.fake[1].is_silent = true;
    ticks(10);
    assert_non_null(controller_obstacle(&t.k.c, t.now_us, why));   /* a silent device is waited for */
    t.fake[1].is_silent = false;
    tick();
    control_msg(&t.k, 1, &(struct msg){ .kind = MSG_BYE, .incarnation = 1 }, t.now_us);
    t.fake[1].is_silent = true;
    ticks(10);
    assert_null(controller_obstacle(&t.k.c, t.now_us, why));
    assert_true(roster_coverage(&t.k.c, t.now_us) == 1);
    t.ai_rate = 10;
    assert_true(wait_for(is_trying));
    t.fake[1].is_silent = false;
    hello(1);                                    /* it may come back */
    deliver();
    tick();
    assert_true(roster_is_fresh(&t.k.c, roster_find(&t.k.c, "host1/nic"), t.now_us));
}

static void forget__drops_a_silent_device(void **unused)
{
    char why[MSG_WHY_SIZE];

    (void)unused;
    ticks(60);
    assert_int_equal(order_at(ORDER_FORGET, "host1/nic", ALICE), -EBUSY);
    assert_int_equal(order_at(ORDER_FORGET, "no/such", ALICE), -ENOENT);
    t.fake[1].is_silent = true;
    ticks(10);
    assert_int_equal(order_at(ORDER_FORGET, "host1/nic", ALICE), 0);
    assert_int_equal(t.k.c.peers, DEVICES - 1);
    assert_null(roster_find(&t.k.c, "host1/nic"));
    for (uint32_t i = 0; i < DEVICES; i++)
        assert_true(i == 1 || strcmp(roster_of_link(&t.k.c, i)->name, i == 0   ? "host0/nic"
                                                                    : i == 2 ? "host2/nic"
                                                                             : "host3/nic") == 0);
    ticks(2);
    assert_null(controller_obstacle(&t.k.c, t.now_us, why));
    assert_true(has_line("\"what\":\"forget\"", "\"who\":\"alice\"", "host1/nic"));
    t.fake[1].is_silent = false;
    control_link(&t.k, 1, t.now_us);
    deliver();
    assert_non_null(roster_find(&t.k.c, "host1/nic"));
}

static void forget__drops_many_while_a_trial_waits(void **unused)
{
    (void)unused;
    t.cfg.mode = MODE_APPROVE;
    t.cfg.lost_max = 1;
    t.ai_rate = 10;
    ticks(60);
    assert_true(wait_for(is_waiting));
    t.fake[1].is_silent = t.fake[2].is_silent = true;
    ticks(10);
    assert_true(is_waiting());
    assert_int_equal(order_at(ORDER_FORGET, "rack*", ALICE), -ENOENT);
    assert_int_equal(order_at(ORDER_FORGET, "host3*", ALICE), -EBUSY);
    assert_int_equal(order_at(ORDER_FORGET, "host*", ALICE), 0);
    assert_int_equal(t.k.c.peers, 2);
    assert_true(has_line("\"what\":\"forget\"", "\"who\":\"alice\"", "host2/nic"));
    assert_true(is_waiting());
    assert_int_equal(approve(t.k.c.trial.number, t.k.c.trial.code, ALICE), 0);
    assert_true(wait_for(is_trying));
}

/* ---- one device does not stop the trials of the others ---- */

static uint32_t first_tried(void)
{
    ticks(40);                   /* ranks, and the noise of every stage */
    for (uint32_t i = 0; i < t.k.c.peers; i++)
        if (t.k.c.peer[i].rank == 0)
            return t.k.c.peer[i].link;
    fail_msg("no device has a rank");
    return 0;
}

static bool is_applied_at_another(uint32_t device)
{
    for (uint32_t i = 0; i < DEVICES; i++)
        if (i != device && t.fake[i].phase == PHASE_APPLIED)
            return true;
    return false;
}

static bool is_tried_elsewhere(uint32_t device)
{
    for (uint32_t i = 0; i < 700 && !is_applied_at_another(device); i++)
        tick();
    return is_applied_at_another(device);
}

static void trial__begins_with_one_device_that_has_something_to_change(void **unused)
{
    uint32_t first = first_tried();

    (void)unused;
    knob_set_add(&t.fake[first].device, KNOB_rpg_ai_rate, 9);
    t.fake[first].confirmed = t.fake[first].device;
    hello(first);
    deliver();
    t.ai_rate = 9;
    assert_true(is_tried_elsewhere(first));
    assert_int_equal(t.k.c.trial.stage, STAGE_ONE);
}

static void trial__a_device_that_always_refuses_is_tried_last(void **unused)
{
    uint32_t first = first_tried();

    (void)unused;
    t.fake[first].is_stubborn = true;
    t.ai_rate = 9;
    assert_true(is_tried_elsewhere(first));
    assert_non_null(strstr(t.log, "not now"));
}

static void trial__a_device_without_a_metric_ends_it_in_time_and_is_tried_last(void **unused)
{
    uint32_t first = first_tried();

    (void)unused;
    t.fake[first].is_unmeasured = true;
    t.ai_rate = 9;
    assert_true(is_tried_elsewhere(first));
    assert_non_null(strstr(t.log, "it reports no metric"));
}

/* ---- a week ---- */

#define MINUTE 60u               /* in intervals, which last a second here */
#define HOUR   3600u
#define DAY    86400u

/* What happens every day: a restart, a device that is silent, one that a person freezes, a full disk, a freeze
 * of the fabric, a tuner with another idea every hour. */
static void live_through(uint32_t second)
{
    uint32_t now = second % DAY;

    t.ai_rate = 6 + second / HOUR % 4;
    t.fake[1].is_silent = now >= 3 * HOUR && now < 3 * HOUR + 10 * MINUTE;
    t.is_full = now >= 5 * HOUR && now < 5 * HOUR + 10 * MINUTE;
    if (now == 4 * HOUR || now == 4 * HOUR + 5 * MINUTE) {
        t.fake[2].is_frozen = now == 4 * HOUR;
        hello(2);
        deliver();
    }
    if (now == 6 * HOUR || now == 6 * HOUR + 30 * MINUTE)
        assert_int_equal(order(now == 6 * HOUR ? ORDER_FREEZE : ORDER_THAW, ALICE), 0);
    if (now == 7 * HOUR)
        boot();
    end_leases();
    tick();
}

/* Environment CHAOS_DAYS: how many days; 1 without. */
static void soak__nothing_grows_and_nothing_stands_still(void **unused)
{
    const char *text = getenv("CHAOS_DAYS");
    uint32_t    days = text ? (uint32_t)strtoul(text, NULL, 10) : 1, busy = 0, drills = 0;
    size_t      first_day = 0;

    (void)unused;
    t.is_long = true;
    t.cfg.interval_us = 1000000;
    t.cfg.drill_every_us = 20 * HOUR_US;
    for (uint32_t day = 0; day < days; day++) {
        uint64_t bytes = t.log_bytes, trials = t.k.c.trials, drilled_us = t.k.c.drill.passed_us;

        for (uint32_t i = 0; i < DAY; i++) {
            live_through(day * DAY + i);
            busy = is_idle() ? 0 : busy + 1;
            assert_true(busy < HOUR);            /* every trial ends */
        }
        assert_in_range(t.log_bytes - bytes, 1000, 2000000);
        assert_true(t.k.c.trials > trials + 10);
        drills += t.k.c.drill.passed_us != drilled_us;
        size_t used = mallinfo2().uordblks;
        first_day = first_day ? first_day : used;
        assert_true(used < first_day + 100000);
    }
    assert_true(drills + 1 >= days * 20 / 24);
    print_message("# %u days: %lu trials, %u kept, %u dropped, %lu bytes of the log a day\n", days,
                  (unsigned long)t.k.c.trials, t.kept, t.dropped, (unsigned long)(t.log_bytes / days));
}

/* ---- records: the same inputs, the same actions ---- */

static char record_path[64];

/* A life with a kept setting, harm, a freeze, a drill and a rollback. */
static void record_life(void)
{
    struct err err;

    snprintf(record_path, sizeof record_path, "/tmp/anole-record-%d.jsonl", getpid());
    unlink(record_path);
    assert_int_equal(record_open(&t.record, record_path, &t.cfg, DEVICES, &err), 0);
    is_recording = true;
    boot();
    t.ai_rate = 10;
    ticks(300);
    do_harm(20);
    order(ORDER_FREEZE, ALICE);
    ticks(5);
    order(ORDER_THAW, ALICE);
    assert_int_equal(order_at(ORDER_DRILL, "", ALICE), 0);
    ticks(20);
    t.is_full = true;
    order(ORDER_ROLLBACK, ALICE);
    ticks(100);
    is_recording = false;
    t.k.record = NULL;
    assert_int_equal(record_close(&t.record), 0);
    assert_true(t.record.steps > 1000);
}

static void replay__the_same_actions_follow(void **unused)
{
    uint64_t   steps;
    struct err err = { "" };
    char      *text;
    size_t     length;
    FILE      *f = open_memstream(&text, &length);

    (void)unused;
    record_life();
    int rc = record_replay(record_path, f, &steps, &err);
    fclose(f);
    if (rc)
        fail_msg("%s", err.text);
    assert_int_equal(steps, t.record.steps);
    assert_non_null(strstr(text, "alice: rollback: a test"));    /* its audit log once more */
    assert_non_null(strstr(text, "controller: pause") ? text : strstr(text, "guardrail: the watchdog"));
    free(text);
    unlink(record_path);
}

/* Copies the record with one text replaced. */
static void replace(const char *from, const char *to)
{
    static char text[32 << 20];
    FILE       *f = fopen(record_path, "r");
    size_t      length = fread(text, 1, sizeof text - 1, f);
    char       *at;

    fclose(f);
    text[length] = '\0';
    at = strstr(text, from);
    assert_non_null(at);
    f = fopen(record_path, "w");
    fwrite(text, 1, (size_t)(at - text), f);
    fputs(to, f);
    fputs(at + strlen(from), f);
    fclose(f);
}

static void replay__another_input_is_found(void **unused)
{
    static const char *const change[][2] = {
        { "\"gather_us\":200000", "\"gather_us\":300000" },
        { "\"who\":\"alice\"", "\"who\":\"bob\"" },
    };
    uint64_t   steps;
    struct err err;

    (void)unused;
    for (int i = 0; i < 2; i++) {
        tear_down(NULL);
        set_up(NULL);
        record_life();
        replace(change[i][0], change[i][1]);
        assert_int_equal(record_replay(record_path, NULL, &steps, &err), -EILSEQ);
        assert_non_null(strstr(err.text, "other actions follow"));
    }
    replace("\"in\":\"tick\"", "\"in\":\"stored\"");     /* nobody asked */
    assert_int_equal(record_replay(record_path, NULL, &steps, &err), -EBADMSG);
    unlink(record_path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(on_answer__harm_between_ticks_counts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(start__a_pause_and_its_count_of_harm_survive, set_up, tear_down),
        cmocka_unit_test_setup_teardown(propose__a_dropped_setting_is_not_tried_again_at_once, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(propose__a_dropped_setting_may_be_tried_an_hour_later, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(propose__an_observing_controller_says_the_same_once, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(propose__an_observing_controller_writes_little, set_up, tear_down),
        cmocka_unit_test_setup_teardown(try__a_refused_setting_is_tried_once_a_minute_and_told_once, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(try__what_no_agent_sets_is_left_out_and_told_once, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(try__what_some_agents_set_is_set_there, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(approve__needs_the_code_of_the_trial, set_up, tear_down),
        cmocka_unit_test_setup_teardown(approve__the_log_has_who_and_why, set_up, tear_down),
        cmocka_unit_test_setup_teardown(reject__ends_a_waiting_trial_and_its_setting_waits, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(begin__nothing_is_tried_if_its_number_cannot_be_saved, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(freeze__survives_a_full_disk, set_up, tear_down),
        cmocka_unit_test_setup_teardown(freeze__a_damaged_one_is_one, set_up, tear_down),
        cmocka_unit_test_setup_teardown(rollback__works_in_every_state, set_up, tear_down),
        cmocka_unit_test_setup_teardown(rollback__goes_on_until_every_device_is_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(
            rollback__asks_a_device_with_a_foreign_edit_but_not_one_that_a_person_froze, set_up, tear_down),
        cmocka_unit_test_setup_teardown(rollback__is_refused_in_observe_mode, set_up, tear_down),
        cmocka_unit_test_setup_teardown(drill__passes_if_the_device_reverts_without_a_lease, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(drill__fails_if_the_device_does_not_revert, set_up, tear_down),
        cmocka_unit_test_setup_teardown(drill__ends_if_the_answer_is_lost, set_up, tear_down),
        cmocka_unit_test_setup_teardown(drill__waits_for_no_trial_and_needs_a_device, set_up, tear_down),
        cmocka_unit_test_setup_teardown(drill__runs_automatically_when_it_is_due, set_up, tear_down),
        cmocka_unit_test_setup_teardown(bye__ends_the_wait_for_a_device_that_left, set_up, tear_down),
        cmocka_unit_test_setup_teardown(forget__drops_a_silent_device, set_up, tear_down),
        cmocka_unit_test_setup_teardown(forget__drops_many_while_a_trial_waits, set_up, tear_down),
        cmocka_unit_test_setup_teardown(trial__begins_with_one_device_that_has_something_to_change,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(trial__a_device_that_always_refuses_is_tried_last, set_up, tear_down),
        cmocka_unit_test_setup_teardown(trial__a_device_without_a_metric_ends_it_in_time_and_is_tried_last,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(soak__nothing_grows_and_nothing_stands_still, set_up, tear_down),
        cmocka_unit_test_setup_teardown(replay__the_same_actions_follow, set_up, tear_down),
        cmocka_unit_test_setup_teardown(replay__another_input_is_found, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
