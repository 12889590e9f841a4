#include "live/controller/trial.h"
#include "base/minmax.h"
#include "live/core/knobset.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define WAITS_MAX    50          /* intervals until all devices are prepared */
#define ABORT_US_MAX 40000000u   /* by then the lease of every device has ended */
#define REFUSED_US   60000000u   /* a setting that a device refused is not tried again before */

static bool has_b(const struct controller *c, const struct peer *p, enum arm arm)
{
    return trial_takes_part(p) && roster_is_in(c, p, c->trial.stage, c->trial.is_whole, arm == ARM_B ? 0 : 1);
}

/* ---- commands to all devices of the trial ---- */

/* Gives the next command to all devices that are at a step. at_us: when they change; 0: at once. */
static void order_all(struct controller *c, enum peer_step from, enum peer_step to, uint64_t at_us,
                      uint64_t now_us)
{
    for (struct peer *p = c->peer; p < c->peer + c->peers; p++)
        if (trial_takes_part(p) && p->step == from)
            command_begin(c, p, to, at_us, "", now_us);
}

static void commit_all(struct controller *c, uint64_t at_us, uint64_t now_us)
{
    trial_speak(c);
    c->trial.has_committed = true;
    order_all(c, STEP_PREPARED, STEP_COMMITTING, at_us, now_us);
}

static void confirm_all(struct controller *c, uint64_t now_us)
{
    trial_enter(c, TRIAL_CONFIRM);
    order_all(c, STEP_APPLIED, STEP_CONFIRMING, 0, now_us);
}

/* ---- beginning ---- */

/* The part of a setting that a device would set, and does not hold yet. */
static struct knob_set part_for(const struct peer *p, const struct knob_set *wanted)
{
    struct knob_set part = knobset_changed(wanted, &p->confirmed);

    for (int i = 0; i < KNOB_COUNT; i++)
        part.is_named[i] &= knob_info[i].where == p->where && !p->is_fixed[i];
    return part;
}

static uint32_t members(const struct controller *c, uint32_t stage)
{
    uint32_t count = 0;

    for (const struct peer *p = c->peer; p < c->peer + c->peers; p++)
        count += trial_takes_part(p) && roster_is_in(c, p, stage, true, 0);
    return count;
}

uint32_t trial_block_length(const struct controller *c)
{
    uint64_t gap_us = 0;

    for (const struct peer *p = c->peer; p < c->peer + c->peers; p++)
        gap_us = p->may_write ? max_u64(gap_us, p->gap_us) : gap_us;
    return max_u32((uint32_t)(gap_us / c->cfg->interval_us) + 2, c->cfg->block_length);
}

static void begin_stage(struct controller *c, uint32_t stage)
{
    struct trial *t = &c->trial;
    double        sd = sqrt(c->aa[stage].squares / max_u32(c->aa[stage].pairs, 1));

    t->stage = stage;
    pairing_init(&t->pairing, trial_block_length(c), c->cfg->burn_in,
                 c->cfg->seed + t->number * STAGES + stage);
    evalue_init(&t->evidence, fmax(sd, 1e-9));
    trial_enter(c, TRIAL_LEAD_IN);
}

/* Stages that would have no more devices than the one before are left out. */
static void next_stage(struct controller *c)
{
    uint32_t stage = c->trial.stage + 1;

    while (stage < STAGE_HALVES && members(c, stage) <= members(c, stage - 1))
        stage++;
    trial_log(c, "stage",
              stage == STAGE_HALVES ? "no harm so far; now halves that take turns"
                                    : "no harm so far; now more devices");
    begin_stage(c, stage);
}

void trial_begin(struct controller *c, const struct knob_set *wanted, const char *why, bool needs_approval,
                 uint64_t now_us)
{
    trial_clear(c);
    c->trial = (struct trial){ .wanted = *wanted, .was = roster_held(c, wanted, false),
                               .metric = roster_metric(c) };
    for (struct peer *p = c->peer; p < c->peer + c->peers; p++)
        if (p->rank != RANK_NONE)
            p->wanted = part_for(p, wanted);
    roster_rank_for_trial(c);
    if (!trial_start(c, why, now_us))
        return;
    if (c->cfg->mode == MODE_DIRECT) {
        trial_enter(c, TRIAL_DIRECT);
        order_all(c, STEP_NONE, STEP_PREPARING, 0, now_us);
    } else if (needs_approval)
        trial_enter(c, TRIAL_WAITING);
    else
        begin_stage(c, STAGE_ONE);
}

void trial_approve(struct controller *c, const struct order *o)
{
    snprintf(c->trial.by, sizeof c->trial.by, "%s", o->who);
    trial_speak(c);
    trial_log_by(c, o->who, "approve", o->why);
    begin_stage(c, STAGE_ONE);
}

/* ---- aborting ---- */

static void stop_as_before(struct controller *c, enum verdict verdict, const char *why, uint64_t now_us)
{
    if (c->trial.phase == TRIAL_NONE || c->trial.phase == TRIAL_ABORT)
        return;
    c->trial.verdict = verdict;
    snprintf(c->trial.end, sizeof c->trial.end, "%.*s", (int)sizeof c->trial.end - 1, why);
    for (struct peer *p = c->peer; p < c->peer + c->peers; p++)          /* before any disk is asked */
        if (p->step != STEP_NONE && p->step != STEP_CONFIRMED)
            command_begin(c, p, STEP_REVERTING, 0, c->trial.end, now_us);
    if (!c->trial.is_repeat)
        trial_log(c, "abort", c->trial.end);
    trial_enter(c, TRIAL_ABORT);
    if (verdict != VERDICT_NONE)
        caution_drop(&c->caution, &c->trial.wanted, now_us + c->cfg->window_us);
    if (verdict == VERDICT_HARM)
        memory_count_harm(c, now_us);
}

static void stop(struct controller *c, enum verdict verdict, const char *why, uint64_t now_us)
{
    if (c->trial.phase != TRIAL_NONE && c->trial.phase != TRIAL_ABORT)
        trial_speak(c);
    stop_as_before(c, verdict, why, now_us);
}

void trial_abort(struct controller *c, const char *why, uint64_t now_us)
{
    stop(c, VERDICT_NONE, why, now_us);
}

/* The tuner may not want the same again at once. */
void trial_reject(struct controller *c, const struct order *o, uint64_t now_us)
{
    char why[MSG_WHY_SIZE];

    snprintf(c->trial.by, sizeof c->trial.by, "%s", o->who);
    trial_log_by(c, o->who, "reject", o->why);
    snprintf(why, sizeof why, "rejected by %.40s%s%.90s", o->who, *o->why ? ": " : "", o->why);
    stop(c, VERDICT_NO_GAIN, why, now_us);
}

void trial_withdraw(struct controller *c, const char *why, uint64_t now_us)
{
    if (c->trial.phase == TRIAL_WAITING)
        trial_end(c, false, why, now_us);
}

/* One device ends the trial. It becomes the last in rank, so that it does not end the next trial, too. */
static void abort_because_of(struct controller *c, struct peer *p, const char *why, uint64_t now_us)
{
    char text[MSG_NAME_SIZE + MSG_WHY_SIZE + 2];

    p->strikes++;
    snprintf(text, sizeof text, "%s: %s", p->name, why);
    stop(c, VERDICT_NONE, text, now_us);
}

/* A device refuses the setting. It will refuse it again, so the setting is retried after a minute, and the
 * refusal is logged once. */
static void abort_refused(struct controller *c, struct peer *p, const char *why, uint64_t now_us)
{
    struct trial *t = &c->trial;

    char text[MSG_NAME_SIZE + MSG_WHY_SIZE + 2];

    if (strcmp(why, c->refused.why) != 0)
        trial_speak(c);
    caution_code(c->refused.code, 0, 0, &t->wanted);
    snprintf(c->refused.why, sizeof c->refused.why, "%s", why);
    caution_drop(&c->caution, &t->wanted, now_us + REFUSED_US);
    p->strikes++;
    snprintf(text, sizeof text, "%s: %s", p->name, why);
    stop_as_before(c, VERDICT_NONE, text, now_us);
}

static bool is_guardrail(const char *why)
{
    return strncmp(why, "guardrail:", strlen("guardrail:")) == 0;
}

/* A guardrail stopped a change that is about to be kept: the others keep it, but it counts as harm. */
static void count_late_harm(struct controller *c, const char *why, uint64_t now_us)
{
    if (c->trial.verdict == VERDICT_HARM || !is_guardrail(why))
        return;
    c->trial.verdict = VERDICT_HARM;
    memory_count_harm(c, now_us);
}

void trial_on_refusal(struct controller *c, struct peer *p, bool is_refused, const char *why, uint64_t now_us)
{
    struct trial *t = &c->trial;
    char          text[MSG_NAME_SIZE + MSG_WHY_SIZE + 2];

    snprintf(text, sizeof text, "%s: %s", p->name, why);
    if (t->phase == TRIAL_ROLLBACK) {
        snprintf(t->end, sizeof t->end, "%.*s", (int)sizeof t->end - 1, text);
        p->deadline_us = now_us + c->cfg->answer_us;     /* when it is asked again */
        /* it may hold something else than we think */
        command_send(c, p, &(struct msg){ .kind = MSG_WHO });
    } else if (t->phase == TRIAL_DRILL)
        trial_end_drill(c, p, strncmp(why, "the lease ended", strlen("the lease ended")) == 0, why, now_us);
    else if (t->phase == TRIAL_CONFIRM)
        count_late_harm(c, why, now_us);
    else if (t->phase != TRIAL_ABORT && is_guardrail(why))
        stop(c, VERDICT_HARM, text, now_us);
    else if (t->phase != TRIAL_ABORT && is_refused)
        abort_refused(c, p, why, now_us);
    else if (t->phase != TRIAL_ABORT)
        abort_because_of(c, p, why, now_us);
}

static void on_abort(struct controller *c, uint64_t now_us)
{
    bool is_over = true;

    for (struct peer *p = c->peer; p < c->peer + c->peers; p++) {
        if (p->step != STEP_REVERTING || (*c->rolled_back.who && !roster_is_fresh(c, p, now_us)))
            /* the lease of a silent device ends without us: a rollback of the others does not wait for it */
            continue;
        is_over = false;
        if (!command_on_tick(c, p, now_us))
            command_begin(c, p, STEP_REVERTING, 0, c->trial.end, now_us);
    }
    if (is_over || c->trial.intervals * c->cfg->interval_us > ABORT_US_MAX)
        trial_end(c, false, c->trial.end, now_us);
}

/* ---- blocks ---- */

/* Prepares those that will have the change next and are free. */
static void make_ready(struct controller *c, enum arm arm, uint64_t now_us)
{
    for (struct peer *p = c->peer; p < c->peer + c->peers; p++)
        if (has_b(c, p, arm) && p->step == STEP_NONE)
            command_begin(c, p, STEP_PREPARING, 0, "", now_us);
}

static bool is_ready(const struct peer *p)
{
    return p->step == STEP_PREPARED || p->step == STEP_APPLIED;
}

/* The first device that has the change in this arm, but not what it needs. NULL: none. */
static struct peer *find_without(struct controller *c, enum arm arm, bool (*has)(const struct peer *))
{
    for (struct peer *p = c->peer; p < c->peer + c->peers; p++)
        if (has_b(c, p, arm) && !has(p))
            return p;
    return NULL;
}

/* Schedules what the arm demands of each device. False: one is not prepared, and nothing was done. */
static bool switch_to(struct controller *c, enum arm arm, uint64_t at_us, uint64_t now_us)
{
    if (find_without(c, arm, is_ready))
        return false;
    trial_speak(c);
    for (struct peer *p = c->peer; p < c->peer + c->peers; p++) {
        bool is_b = has_b(c, p, arm);

        if (is_b && p->step == STEP_PREPARED)
            command_begin(c, p, STEP_COMMITTING, at_us, "", now_us);
        else if (!is_b && trial_takes_part(p) && is_ready(p))
            command_begin(c, p, STEP_REVERTING, at_us, "the block is over", now_us);
    }
    return true;
}

/* Has every device what the arm gives it? */
static bool is_settled(const struct controller *c, enum arm arm)
{
    for (const struct peer *p = c->peer; p < c->peer + c->peers; p++) {
        bool has = p->step == STEP_APPLIED,
             has_not = p->step == STEP_NONE || p->step == STEP_PREPARING || p->step == STEP_PREPARED;

        if (trial_takes_part(p) && !(has_b(c, p, arm) ? has : has_not))
            return false;
    }
    return true;
}

static bool is_all(const struct controller *c, bool (*is)(const struct peer *))
{
    for (const struct peer *p = c->peer; p < c->peer + c->peers; p++)
        if (trial_takes_part(p) && !is(p))
            return false;
    return true;
}

static void abort_unprepared(struct controller *c, enum arm arm, uint64_t now_us)
{
    struct peer *p = find_without(c, arm, is_ready);

    if (p)
        abort_because_of(c, p, "it was not prepared in time", now_us);
}

static void on_lead_in(struct controller *c, uint64_t now_us)
{
    enum arm arm = pairing_arm(&c->trial.pairing);
    bool     is_waiting = c->trial.intervals < c->trial.pairing.length;

    make_ready(c, arm, now_us);
    if (c->trial.has_committed)
        trial_enter(c, TRIAL_RUN);
    else if (!is_waiting && switch_to(c, arm, now_us + c->cfg->interval_us, now_us))
        c->trial.has_committed = true;
    else if (c->trial.intervals > c->trial.pairing.length + WAITS_MAX)
        abort_unprepared(c, arm, now_us);
}

/* A pair is complete: decides whether the stage ends. */
static void judge(struct controller *c, uint64_t now_us)
{
    const struct controller_config *cfg = c->cfg;
    struct trial *t = &c->trial;

    if (evalue_below(&t->evidence, -cfg->harm * t->metric) >= cfg->reject_e)
        stop(c, VERDICT_HARM, "harm: it does worse with it than without", now_us);
    else if (t->stage != STAGE_HALVES) {
        if (t->evidence.pairs >= cfg->stage_pairs)
            next_stage(c);
    } else if (evalue_above(&t->evidence, 0) >= cfg->accept_e &&
               evalue_bound(&t->evidence, cfg->bound_e) > 0) {
        trial_log(c, "spread", "the evidence for a gain is large enough");
        trial_enter(c, TRIAL_SPREAD);
    } else if (t->intervals >= cfg->halves_intervals_max)
        stop(c, VERDICT_NO_GAIN, "no difference: the old setting stays", now_us);
}

static double value_of(const struct controller *c)
{
    const struct trial *t = &c->trial;
    double              scale = t->stage == STAGE_HALVES && !t->is_whole && c->ranked[KNOB_NIC] > 1 ? 0.5 : 1;

    return is_settled(c, pairing_arm(&t->pairing)) ? roster_value(c, t->stage, t->is_whole) * scale : NAN;
}

/* The last interval of a block begins: devices that switch with the next block must be prepared. If one is
 * not, the block is extended by uncounted intervals; this does not depend on the measurements. */
static void turn(struct controller *c, uint64_t now_us)
{
    struct trial *t = &c->trial;

    if (t->pairing.interval != t->pairing.length - 1)
        return;
    if (switch_to(c, pairing_next_arm(&t->pairing), now_us + c->cfg->interval_us, now_us))
        t->waits = 0;
    else if (++t->waits > WAITS_MAX)
        abort_unprepared(c, pairing_next_arm(&t->pairing), now_us);
}

static bool is_measured(const struct peer *p)
{
    return p->metrics;
}

/* No pair has been complete for long. */
static void abort_unmeasured(struct controller *c, uint64_t now_us)
{
    struct peer *p = find_without(c, ARM_B, is_measured);

    if (p)
        abort_because_of(c, p, "it reports no metric", now_us);
    else
        trial_abort(c, "nothing could be measured", now_us);
}

static void on_run(struct controller *c, uint64_t now_us)
{
    struct trial *t = &c->trial;
    double        d;

    if (!t->waits && pairing_add(&t->pairing, value_of(c), &d)) {
        t->measured = t->intervals;
        evalue_add(&t->evidence, d);
        judge(c, now_us);
    }
    if (t->phase == TRIAL_RUN && t->intervals - t->measured > c->cfg->halves_intervals_max)
        abort_unmeasured(c, now_us);
    if (t->phase != TRIAL_RUN)
        return;
    make_ready(c, pairing_next_arm(&t->pairing), now_us);
    turn(c, now_us);
}

/* ---- all devices ---- */

static bool is_applied(const struct peer *p)
{
    return p->step == STEP_APPLIED;
}

static void on_spread(struct controller *c, uint64_t now_us)
{
    struct trial *t = &c->trial;
    /* devices need a pause between changes */
    bool          is_waiting = t->intervals < trial_block_length(c);

    order_all(c, STEP_NONE, STEP_PREPARING, 0, now_us);
    if (is_all(c, is_applied))
        trial_enter(c, TRIAL_SOAK);
    else if (!t->has_committed && !is_waiting && is_all(c, is_ready))
        commit_all(c, now_us + c->cfg->interval_us, now_us);
}

static void on_soak(struct controller *c, uint64_t now_us)
{
    if (c->trial.intervals < c->cfg->soak_intervals)
        return;
    trial_log(c, "confirm", "it is kept");
    confirm_all(c, now_us);
}

/* A device that cannot be confirmed reverts on its own; the others stay. */
static void on_confirm(struct controller *c, uint64_t now_us)
{
    bool is_over = true;

    for (struct peer *p = c->peer; p < c->peer + c->peers; p++) {
        if (p->step == STEP_CONFIRMING && !command_on_tick(c, p, now_us))
            p->step = STEP_NONE;
        is_over &= p->step != STEP_CONFIRMING;
    }
    if (is_over)
        trial_end(c, true, c->trial.why, now_us);
}

/* ---- without evidence ---- */

static void on_direct(struct controller *c, uint64_t now_us)
{
    if (!c->trial.has_committed && is_all(c, is_ready)) {
        c->trial.at_us = now_us + c->cfg->dispatch_us;
        commit_all(c, c->cfg->dispatch_us ? c->trial.at_us : 0, now_us);
    }
    if (is_all(c, is_applied))
        confirm_all(c, now_us);
}

void trial_on_answer(struct controller *c, uint64_t now_us)
{
    if (c->trial.phase == TRIAL_DIRECT)
        on_direct(c, now_us);
    else if (c->trial.phase == TRIAL_ROLLBACK)
        trial_on_rollback(c, now_us);
    else if (c->trial.phase == TRIAL_CONFIRM && c->cfg->mode == MODE_DIRECT)
        on_confirm(c, now_us);
}

/* ---- every interval ---- */

/* Leaves out devices that have fallen silent. With too many of them the trial cannot continue. */
static bool has_enough(struct controller *c, uint64_t now_us)
{
    uint32_t all = 0, lost = 0;

    for (struct peer *p = c->peer; p < c->peer + c->peers; p++) {
        if (knobset_is_empty(&p->wanted))
            continue;
        p->is_lost |= !roster_is_fresh(c, p, now_us);
        all++;
        lost += p->is_lost;
    }
    return lost <= c->cfg->lost_max * all;
}

/* NULL: all have answered, or still have time to. */
static struct peer *find_silent(struct controller *c, uint64_t now_us)
{
    for (struct peer *p = c->peer; p < c->peer + c->peers; p++)
        if (trial_takes_part(p) && !command_on_tick(c, p, now_us))
            return p;
    return NULL;
}

/* What ends a trial in any phase in which something may be written; true: it has been ended. */
static bool check(struct controller *c, uint64_t now_us)
{
    const struct peer *p = roster_breach(c, now_us);
    struct peer       *silent;
    char               why[MSG_WHY_SIZE + MSG_NAME_SIZE + 2];

    if (p) {
        snprintf(why, sizeof why, "%s: %s", p->name, p->breach);
        stop(c, VERDICT_HARM, why, now_us);
    } else if (!has_enough(c, now_us))
        trial_abort(c, "too many of its devices fell silent", now_us);
    else if ((silent = find_silent(c, now_us)) != NULL)
        abort_because_of(c, silent, "it did not answer in time", now_us);
    return c->trial.phase == TRIAL_ABORT;
}

/* is_checked: something may be written, and check() may end the trial. Other phases end on their own. */
static const struct { void (*on_tick)(struct controller *, uint64_t now_us); bool is_checked; } phases[] = {
    [TRIAL_NONE] = { NULL, false },          [TRIAL_WAITING] = { NULL, false },
    [TRIAL_LEAD_IN] = { on_lead_in, true },  [TRIAL_RUN] = { on_run, true },
    [TRIAL_SPREAD] = { on_spread, true },    [TRIAL_SOAK] = { on_soak, true },
    [TRIAL_DIRECT] = { on_direct, true },    [TRIAL_CONFIRM] = { on_confirm, false },
    [TRIAL_ABORT] = { on_abort, false },     [TRIAL_ROLLBACK] = { trial_on_rollback, false },
    [TRIAL_DRILL] = { trial_on_drill, false },
};

void trial_on_tick(struct controller *c, uint64_t now_us)
{
    struct trial *t = &c->trial;

    t->intervals++;
    /* no device had reported at the start: without this no harm would ever be found */
    if (isnan(t->metric))
        t->metric = roster_metric(c);
    if (phases[t->phase].on_tick && !(phases[t->phase].is_checked && check(c, now_us)))
        phases[t->phase].on_tick(c, now_us);
}

bool trial_has(const struct controller *c, const struct peer *p)
{
    return c->trial.phase != TRIAL_NONE && !p->is_lost && p->step != STEP_NONE && p->change == p->open_change;
}
