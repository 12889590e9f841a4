/* src/tune/loop_test.c - the control loop with a scripted tuner and an imaginary network. */
#include "tune/loop.h"
#include "core/units.h"

#include <stdint.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* ---- a scripted tuner ---- */

#define QUEUES 3

static struct {
    struct knob_set    set;              /* set in every step */
    bool               has_queues;
    struct ecn         queue[QUEUES];
    struct knobs       shown;            /* knobs shown to the last step */
    struct outcome     outcome;
    bool               has_outcome;
    uint32_t           steps, slots;
} script;

static int create(void **state, const struct world *w, const struct option_values *v, struct err *err)
{
    (void)w, (void)v, (void)err;
    *state = &script;
    return 0;
}

static void destroy(void *state)
{
    (void)state;
}

static void first(const void *state, struct knobs *k)
{
    (void)state;
    k->value[KNOB_kmin] = 111;
}

static void step(void *state, const struct report *r, struct knobs *knobs, struct tuner_note *note)
{
    (void)state, (void)note;
    script.steps++;
    script.shown = *knobs;
    script.has_outcome = r->outcome != NULL;
    if (r->outcome)
        script.outcome = *r->outcome;
    for (int i = 0; i < KNOB_COUNT; i++)
        if (script.set.is_named[i])
            knobs->value[i] = script.set.knobs.value[i];
}

static uint64_t slot_ps(const void *state)
{
    (void)state;
    return 100 * PS_PER_US;
}

static void slot(void *state, const struct queue_slot *seen)
{
    (void)state, (void)seen;
    script.slots++;
}

static bool queues(const void *state, struct ecn *ecn)
{
    (void)state;
    memcpy(ecn, script.queue, sizeof script.queue);
    return script.has_queues;
}

static const struct key_row none[] = { { 0 } };

static const struct tuner_algo puppet = { .create = create, .destroy = destroy, .first = first, .step = step,
                                          .slot_ps = slot_ps, .slot = slot, .queues = queues,
                                          .name = "puppet", .about = "", .option = none };

/* ---- an imaginary network ---- */

static struct world made_world(void)
{
    struct world w = { .interval_ps = PS_PER_MS, .host_bps = 100000000000, .queues = QUEUES };

    knobs_init(&w.start);
    return w;
}

static void open_puppet(struct loop *l, struct decision *d)
{
    struct world         w = made_world();
    struct option_values v = { 0 };

    memset(&script, 0, sizeof script);
    assert_int_equal(loop_open_with(l, &w, &puppet, &v, NULL), 0);
    loop_start(l, &w.start, d);
}

static void say_applied(struct loop *l, const struct decision *d)
{
    if (d->number)
        loop_on_applied(l, &(struct outcome){ .number = d->number, .kind = OUTCOME_APPLIED });
}

/* Reports the n-th millisecond, from 1. Decisions are applied at once. */
static void report(struct loop *l, uint64_t n, struct decision *d)
{
    struct report r = { .number = n, .start_ps = (n - 1) * PS_PER_MS, .end_ps = n * PS_PER_MS,
                        .payload_bytes = 125000 };

    loop_on_report(l, &r, d);
    say_applied(l, d);
}

static void change(struct loop *l, uint64_t at_ps, enum knob knob, double value, struct decision *d)
{
    struct knob_set set = { 0 };

    knob_set_add(&set, knob, value);
    loop_on_change(l, at_ps, &set, d);
    say_applied(l, d);
}

/* ---- from text ---- */

static void open__refuses_with_the_place(void **state)
{
    static const struct { const char *kind, *key, *text, *why; } rows[] = {
        { "paralon", NULL, NULL, "f:1: 'paralon' is not a tuner; did you mean 'paraleon'?" },
        { "zzz", NULL, NULL, "f:1: 'zzz' is not a tuner; there are fixed, paraleon, " },
        { "paraleon", "thta", "1", "f:2: 'thta' is not an option of paraleon; did you mean 'theta'?" },
        { "paraleon:x", NULL, NULL, "f:1: paraleon takes nothing after a ':'" },
        { "random", "weight_rtt", "0.9", "f:2: weight_rtt: " },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct option_text  option[] = { { (char *)rows[i].key, (char *)rows[i].text, "f:2: " },
                                         { "weights", "fixed", "f:3: " } };
        struct loop_request q = { .kind = rows[i].kind, .place = "f:1: ", .option = option,
                                  .options = !rows[i].key ? 0 : strcmp(rows[i].kind, "random") == 0 ? 2 : 1,
                                  .beside = "f" };
        struct world        w = made_world();
        struct loop         l;
        struct err          err = { "" };

        assert_true(loop_open(&l, &w, &q, &err) < 0);
        if (strncmp(err.text, rows[i].why, strlen(rows[i].why)) != 0)
            fail_msg("%s: %s", rows[i].why, err.text);
        assert_null(l.tuner.algo);
    }
}

/* An alias is a tuner with an option. A text after a colon sets the first option that is a text. */
static void open__reads_aliases_and_texts_after_a_colon(void **state)
{
    static const char *const kinds[] = { "expert", "fixed:expert" };

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct loop_request q = { .kind = kinds[i], .place = "", .beside = "f" };
        struct world        w = made_world();
        struct decision     d;
        struct loop         l;

        assert_int_equal(loop_open(&l, &w, &q, NULL), 0);
        assert_string_equal(l.tuner.algo->name, "fixed");
        assert_string_equal(l.tuning.values.text[0], "expert");
        loop_start(&l, &w.start, &d);
        assert_true(d.has_knobs && d.knobs.value[KNOB_rpg_ai_rate] == 50);
        loop_close(&l);
    }
}

/* ---- the beginning ---- */

static void start__gives_the_first_setting_once(void **state)
{
    struct world    w = made_world();
    struct decision d;
    struct loop     l;

    (void)state;
    open_puppet(&l, &d);
    assert_true(d.number == 1 && d.has_knobs && d.knobs.value[KNOB_kmin] == 111);
    assert_null(d.queue);
    say_applied(&l, &d);
    assert_true(l.in_force.knobs.value[KNOB_kmin] == 111);
    loop_start(&l, &w.start, &d);                /* another network, with a setting of its own */
    assert_int_equal(d.number, 0);
    assert_true(l.in_force.knobs.value[KNOB_kmin] == 400);
    loop_close(&l);
}

static void start__without_a_tuner_keeps_the_current_setting(void **state)
{
    struct loop     l = { 0 };
    struct decision d;
    struct knobs    k;

    (void)state;
    knobs_init(&k);
    loop_start(&l, &k, &d);
    assert_int_equal(d.number, 0);
    report(&l, 1, &d);
    assert_int_equal(d.number, 0);
    change(&l, PS_PER_MS, KNOB_kmin, 7, &d);
    assert_true(d.has_knobs && d.knobs.value[KNOB_kmin] == 7 && d.knobs.value[KNOB_kmax] == 1600);
    change(&l, 2 * PS_PER_MS, KNOB_kmax, 9, &d);
    assert_true(d.knobs.value[KNOB_kmin] == 7 && d.knobs.value[KNOB_kmax] == 9);
    assert_int_equal(loop_slot_ps(&l), 0);
    loop_close(&l);
}

/* ---- intervals ---- */

static void on_report__sends_changes_and_records_steps(void **state)
{
    struct decision d;
    struct loop     l;

    (void)state;
    open_puppet(&l, &d);
    say_applied(&l, &d);
    report(&l, 1, &d);
    assert_int_equal(d.number, 0);               /* the tuner has changed nothing */
    knob_set_add(&script.set, KNOB_pmax, 0.7);
    report(&l, 2, &d);
    assert_true(d.number == 2 && d.has_knobs && d.knobs.value[KNOB_pmax] == 0.7 &&
                d.knobs.value[KNOB_kmin] == 111);
    report(&l, 3, &d);
    assert_int_equal(d.number, 0);
    assert_int_equal(l.tuning.steps, 3);
    assert_true(l.tuning.step[1].was.value[KNOB_pmax] == 0.2 && l.tuning.step[1].is.value[KNOB_pmax] == 0.7);
    assert_true(l.tuning.step[2].was.value[KNOB_pmax] == 0.7);
    assert_int_equal(l.tuning.step[1].end_ps, 2 * PS_PER_MS);
    assert_true(l.tuning.step[1].goodput_bps == 1e9);            /* 125 KB in a millisecond */
    loop_close(&l);
}

/* ---- outcomes ---- */

static void on_applied__reports_the_outcome_to_the_tuner(void **state)
{
    static const struct { enum outcome_kind kind; double pmax_shown; } rows[] = {
        { OUTCOME_APPLIED, 0.7 }, { OUTCOME_PARTLY, 0.7 }, { OUTCOME_REFUSED, 0.2 }, { OUTCOME_PENDING, 0.2 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct report   r = { .number = 1, .end_ps = PS_PER_MS };
        struct outcome  o = { .kind = rows[i].kind };
        struct decision d;
        struct loop     l;

        open_puppet(&l, &d);
        say_applied(&l, &d);
        knob_set_add(&script.set, KNOB_pmax, 0.7);
        loop_on_report(&l, &r, &d);
        o.number = d.number;
        snprintf(o.why, sizeof o.why, "%s", rows[i].kind >= OUTCOME_PARTLY ? "two do not answer" : "");
        loop_on_applied(&l, &o);
        script.set = (struct knob_set){ 0 };
        report(&l, 2, &d);
        assert_true(script.has_outcome && script.outcome.number == o.number &&
                    script.outcome.kind == rows[i].kind);
        assert_string_equal(script.outcome.why, o.why);
        assert_true(script.shown.value[KNOB_pmax] == rows[i].pmax_shown);
        assert_int_equal(l.tuning.step[0].outcome, rows[i].kind);
        loop_close(&l);
    }
}

/* A change that was refused may be requested again. One that is pending is not sent twice. */
static void on_applied__refused_is_asked_again_and_pending_is_not(void **state)
{
    static const enum outcome_kind kinds[] = { OUTCOME_REFUSED, OUTCOME_PENDING };

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct report   r = { .number = 1, .end_ps = PS_PER_MS };
        struct decision d;
        struct loop     l;

        open_puppet(&l, &d);
        say_applied(&l, &d);
        knob_set_add(&script.set, KNOB_pmax, 0.7);
        loop_on_report(&l, &r, &d);
        loop_on_applied(&l, &(struct outcome){ .number = d.number, .kind = kinds[i] });
        report(&l, 2, &d);
        assert_int_equal(d.number != 0, kinds[i] == OUTCOME_REFUSED);
        loop_close(&l);
    }
}

/* ---- changes by an operator ---- */

/* A knob that an operator has changed stays until the tuner asks for a new value. Other knobs remain the
 * tuner's. */
static void on_change__holds_until_the_tuner_wants_something_new(void **state)
{
    struct decision d;
    struct loop     l;

    (void)state;
    open_puppet(&l, &d);
    say_applied(&l, &d);
    knob_set_add(&script.set, KNOB_kmin, 100);
    knob_set_add(&script.set, KNOB_kmax, 300);
    report(&l, 1, &d);
    change(&l, PS_PER_MS + 1, KNOB_kmin, 50, &d);
    assert_true(d.has_knobs && d.knobs.value[KNOB_kmin] == 50 && d.knobs.value[KNOB_kmax] == 300);
    report(&l, 2, &d);
    assert_int_equal(d.number, 0);
    assert_true(script.shown.value[KNOB_kmin] == 50);
    knob_set_add(&script.set, KNOB_kmin, 120);
    report(&l, 3, &d);
    assert_true(d.has_knobs && d.knobs.value[KNOB_kmin] == 120);
    loop_close(&l);
}

/* An operator changes a knob just when a report comes. The tuner sees the setting of that interval, and its
 * decision does not undo the change. */
static void on_change__at_the_end_of_an_interval(void **state)
{
    struct decision d;
    struct loop     l;

    (void)state;
    open_puppet(&l, &d);
    say_applied(&l, &d);
    change(&l, PS_PER_MS, KNOB_kmin, 50, &d);
    knob_set_add(&script.set, KNOB_kmin, 100);
    knob_set_add(&script.set, KNOB_pmax, 0.6);
    report(&l, 1, &d);
    assert_true(script.shown.value[KNOB_kmin] == 111);
    assert_true(l.tuning.step[0].was.value[KNOB_kmin] == 111);
    assert_true(d.has_knobs && d.knobs.value[KNOB_kmin] == 50 && d.knobs.value[KNOB_pmax] == 0.6);
    report(&l, 2, &d);
    assert_true(script.shown.value[KNOB_kmin] == 50 && script.shown.value[KNOB_pmax] == 0.6);
    assert_true(script.has_outcome && script.outcome.kind == OUTCOME_APPLIED);
    loop_close(&l);
}

/* An operator's kmin is above the tuner's kmax, so kmax is raised. A later kmax of the tuner lowers kmin. */
static void on_change__settings_go_together(void **state)
{
    struct decision d;
    struct loop     l;

    (void)state;
    open_puppet(&l, &d);
    say_applied(&l, &d);
    knob_set_add(&script.set, KNOB_kmax, 300);
    report(&l, 1, &d);
    change(&l, PS_PER_MS + 1, KNOB_kmin, 500, &d);
    assert_true(d.knobs.value[KNOB_kmin] == 500 && d.knobs.value[KNOB_kmax] == 500);
    knob_set_add(&script.set, KNOB_kmin, 111);             /* not a new value, so the operator's stays */
    knob_set_add(&script.set, KNOB_kmax, 400);
    report(&l, 2, &d);
    assert_true(d.knobs.value[KNOB_kmin] == 400 && d.knobs.value[KNOB_kmax] == 400);
    loop_close(&l);
}

/* ---- queues ---- */

static void assert_queue(const struct ecn *e, uint32_t kmin, uint32_t kmax, double pmax)
{
    assert_true(e->kmin_bytes == kmin && e->kmax_bytes == kmax && e->pmax == pmax);
}

static void on_slot__sends_changes_and_keeps_the_operators(void **state)
{
    struct queue_slot seen[QUEUES] = { { 0 } };
    struct decision   d;
    struct loop       l;

    (void)state;
    open_puppet(&l, &d);
    say_applied(&l, &d);
    assert_int_equal(loop_slot_ps(&l), 100 * PS_PER_US);
    loop_on_slot(&l, 1, seen, &d);
    assert_int_equal(d.number, 0);               /* it leaves queues alone */
    script.has_queues = true;
    for (int i = 0; i < QUEUES; i++)
        script.queue[i] = (struct ecn){ 10000 * (i + 1), 100000, 0.5 };
    loop_on_slot(&l, 2, seen, &d);
    assert_true(d.number && !d.has_knobs && d.queue);
    assert_queue(&d.queue[2], 30000, 100000, 0.5);
    say_applied(&l, &d);
    change(&l, 3, KNOB_pmax, 0.1, &d);
    assert_queue(&d.queue[0], 10000, 100000, 0.1);
    assert_queue(&d.queue[2], 30000, 100000, 0.1);
    loop_on_slot(&l, 4, seen, &d);
    assert_int_equal(d.number, 0);               /* the tuner has nothing new, so the change stays */
    script.queue[1] = (struct ecn){ 5000, 50000, 1 };
    loop_on_slot(&l, 5, seen, &d);
    assert_queue(&d.queue[0], 10000, 100000, 0.1);
    assert_queue(&d.queue[1], 5000, 50000, 1);
    say_applied(&l, &d);
    change(&l, 6, KNOB_kmin, 60, &d);
    script.queue[2] = (struct ecn){ 1000, 2000, 0.3 };
    loop_on_slot(&l, 6, seen, &d);               /* at the same instant */
    assert_queue(&d.queue[1], 60000, 60000, 1);
    assert_queue(&d.queue[2], 60000, 60000, 0.3);
    assert_int_equal(script.slots, 5);
    loop_close(&l);
}

/* A decision on knobs of the whole network includes the setting of each queue. */
static void on_report__includes_queues(void **state)
{
    struct decision d;
    struct loop     l;

    (void)state;
    open_puppet(&l, &d);
    say_applied(&l, &d);
    script.has_queues = true;
    script.queue[1] = (struct ecn){ 5000, 50000, 1 };
    knob_set_add(&script.set, KNOB_kmax, 900);
    report(&l, 1, &d);
    assert_true(d.has_knobs && d.knobs.value[KNOB_kmax] == 900);
    assert_queue(&d.queue[1], 5000, 50000, 1);
    loop_close(&l);
}

/* Adds the report of the n-th millisecond. */
static void add(struct lag *l, uint64_t number)
{
    struct report r = { 0 };

    report_init(&r, 2, 3, 0);
    r.number = number;
    r.start_ps = (number - 1) * PS_PER_MS;
    r.end_ps = number * PS_PER_MS;
    r.port[2].tx_bytes = number;
    lag_add(l, &r);
    report_fini(&r);
}

static void take__sees_every_report_without_delay(void **unused)
{
    struct lag l;

    (void)unused;
    lag_init(&l, 0);
    assert_true(lag_next_ps(&l) == NEVER && !lag_next(&l, 0));
    for (uint64_t i = 1; i <= 9; i++) {
        const struct report *r;

        add(&l, i);
        assert_true(lag_next_ps(&l) == i * PS_PER_MS);
        r = lag_next(&l, i * PS_PER_MS);
        assert_true(r && r->number == i && r->port[2].tx_bytes == i);
        assert_null(lag_next(&l, i * PS_PER_MS));
        lag_settle(&l, i * PS_PER_MS);           /* the decision is applied at once */
    }
    lag_fini(&l);
}

static void take__delays_reports(void **unused)
{
    struct lag           l;
    const struct report *r;

    (void)unused;
    lag_init(&l, 2500 * PS_PER_US);
    add(&l, 1);
    add(&l, 2);
    assert_true(lag_next_ps(&l) == 3500 * PS_PER_US);
    assert_null(lag_next(&l, 3499 * PS_PER_US));
    r = lag_next(&l, 3500 * PS_PER_US);
    assert_true(r && r->number == 1);
    assert_null(lag_next(&l, 3500 * PS_PER_US));
    lag_fini(&l);                /* frees the report that is left */
}

/* The decision on report 1 is made at 2 ms and applied at 5 ms. The next report is that of the interval
 * from 5 to 6 ms. */
static void take__skips_intervals_that_began_before_the_change(void **unused)
{
    struct lag           l;
    const struct report *r = NULL;

    (void)unused;
    lag_init(&l, PS_PER_MS);
    add(&l, 1);
    assert_non_null(lag_next(&l, 2 * PS_PER_MS));
    lag_settle(&l, 5 * PS_PER_MS);
    for (uint64_t i = 2; i <= 7 && !r; i++) {
        add(&l, i);
        r = lag_next(&l, i * PS_PER_MS);
    }
    assert_true(r && r->number == 6);
    lag_settle(&l, NEVER);       /* not known when it will be applied */
    add(&l, 8);
    assert_null(lag_next(&l, 100 * PS_PER_MS));
    lag_fini(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open__refuses_with_the_place),
        cmocka_unit_test(open__reads_aliases_and_texts_after_a_colon),
        cmocka_unit_test(start__gives_the_first_setting_once),
        cmocka_unit_test(start__without_a_tuner_keeps_the_current_setting),
        cmocka_unit_test(on_report__sends_changes_and_records_steps),
        cmocka_unit_test(on_applied__reports_the_outcome_to_the_tuner),
        cmocka_unit_test(on_applied__refused_is_asked_again_and_pending_is_not),
        cmocka_unit_test(on_change__holds_until_the_tuner_wants_something_new),
        cmocka_unit_test(on_change__at_the_end_of_an_interval),
        cmocka_unit_test(on_change__settings_go_together),
        cmocka_unit_test(on_slot__sends_changes_and_keeps_the_operators),
        cmocka_unit_test(on_report__includes_queues),
        cmocka_unit_test(take__sees_every_report_without_delay),
        cmocka_unit_test(take__delays_reports),
        cmocka_unit_test(take__skips_intervals_that_began_before_the_change),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
