#include "live/agent/agent.h"
#include "base/minmax.h"
#include "core/units.h"
#include "live/core/knobset.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define LATE_US      500000u     /* a commit that comes later than this after its instant is refused */
#define AHEAD_US_MAX 10000000u

void agent_config_init(struct agent_config *c, enum knob_where where)
{
    bool is_nic = where == KNOB_NIC;

    *c = (struct agent_config){
        .where = where, .lease_us = is_nic ? 3000000 : 30000000, .interval_us = is_nic ? 100000 : 1000000,
        .gap_us = is_nic ? 1000000 : 5000000, .switches_per_day = is_nic ? 2000 : 200, .lasting_per_day = 20,
        .guard = GUARD_LIMITS,
    };
    limits_init(&c->limits);
}

void agent_init(struct agent *a, const struct agent_config *c, const struct agent_io *io,
                uint64_t incarnation)
{
    *a = (struct agent){ .cfg = c, .io = *io, .incarnation = incarnation, .control = NAN,
                          .self.is_there = c->has_tuner };
    audit_init(&a->audit);
}

/* ---- starting ---- */

static void fit_budget(struct budget *b, uint32_t per_day, double left)
{
    b->per_day = per_day;
    b->left = fmin(left, per_day);
}

void agent_start(struct agent *a, const struct audit *audit, uint64_t now_us)
{
    a->source = saved_read(&a->saved, &a->io.disk);
    a->audit = *audit;
    a->is_lost = a->source == SAVED_LOST;
    if (a->source == SAVED_FIRST && a->cfg->is_rescue)
        a->source = SAVED_LOG;           /* a rescue does not trust the files */
    a->owns_all = a->source == SAVED_LOG || a->source == SAVED_FOUND;
    a->is_dirty |= a->source == SAVED_FIRST;
    a->needs_mending = a->owns_all || a->source == SAVED_COPY;
    bool is_new = a->source == SAVED_NEW || a->source == SAVED_FIRST;
    a->switches.at_us = a->lasting.at_us = now_us;
    fit_budget(&a->switches, a->cfg->switches_per_day, is_new ? INFINITY : a->saved.switches_left);
    fit_budget(&a->lasting, a->cfg->lasting_per_day, is_new ? INFINITY : a->saved.lasting_left);
    a->tick_us = a->read_us = now_us;
    a->doubt_until_us = a->awake_us + DEVICE_DOUBT_US;
    a->late_until_us = a->saved.doubts || a->owns_all ? a->doubt_until_us : 0;
    if (a->saved.doubts || a->owns_all)
        device_restore(a, "the agent has started", now_us);
    else
        device_check(a, now_us);
}

/* Repairs damaged files once the device is restored. Unless a copy was whole, the device is frozen. */
static void mend(struct agent *a, uint64_t now_us)
{
    static const char *const why[] = {
        [SAVED_COPY] = "one of two copies of its state was missing or damaged",
        [SAVED_LOG] = "its state was missing or damaged: it was restored from the audit log",
        [SAVED_FOUND] = "its state and audit log were missing or damaged: its baseline was restored",
    };

    if (!a->needs_mending || a->is_broken || a->is_lost)
        return;
    a->needs_mending = false;
    keep_set_aside(&a->io.disk, SAVED_NAME, SAVED_TEXT_MAX);
    if (a->source != SAVED_COPY && !*a->saved.frozen)
        snprintf(a->saved.frozen, sizeof a->saved.frozen, "frozen: %s", why[a->source]);
    a->has_news = true;
    device_save(a);
    device_log(a, (struct audit_record){ .what = "recover", .why = why[a->source], .new = &a->saved.confirmed,
                                         .seen = &a->device }, now_us);
}

/* ---- the end of a change ---- */

/* The writable part of the confirmed setting. */
static struct knob_set writable(const struct agent *a)
{
    struct knob_set set = a->saved.confirmed;

    for (int i = 0; i < KNOB_COUNT; i++)
        set.is_named[i] &= a->cfg->limits.may_set[i];
    return set;
}

/* Ends a drill: writes the confirmed setting again and reads it back, as if another had been applied. */
static void prove(struct agent *a, const char *why, uint64_t now_us)
{
    struct knob_set set = writable(a);
    char            trouble[MSG_WHY_SIZE];

    a->is_drill = false;
    if (!device_check(a, now_us))
        return;                  /* changed outside Anole, or unreadable */
    if (!device_write(a, &set, NEVER, now_us, trouble))
        device_restore(a, why, now_us);
    device_log(a, (struct audit_record){ .what = "drill", .why = why, .term = a->change_term,
                                         .change = a->change, .new = &set, .seen = &a->device }, now_us);
}

/* Ends the open change: reverts it if it was applied, and answers the controller. */
static void give_up(struct agent *a, const char *why, uint64_t now_us)
{
    bool was_applied = a->phase == PHASE_APPLIED;

    if (a->phase == PHASE_IDLE)
        return;
    a->phase = PHASE_IDLE;
    a->reverted_change = a->change;
    if (was_applied && a->is_drill)
        prove(a, why, now_us);
    else if (was_applied)
        device_restore(a, why, now_us);
    if (!a->is_broken)
        say_answer(a, ANSWER_REVERTED, a->change, why);
}

static void refuse(struct agent *a, uint64_t change, const char *why, uint64_t now_us)
{
    device_say(a, "refuses", why);
    device_log(a, (struct audit_record){ .what = "refuse", .why = why, .change = change }, now_us);
    say_answer(a, ANSWER_REFUSED, change, why);
}

static void refuse_open(struct agent *a, const char *why, uint64_t now_us)
{
    a->phase = PHASE_IDLE;
    refuse(a, a->change, why, now_us);
}

/* ---- prepare ---- */

static const char *stuck(const struct agent *a)
{
    return a->is_broken ? "an earlier change has not been reverted yet" :
           !a->is_seen ? "the device could not be read yet" : NULL;
}

/* Why nothing may be written now; NULL: it may. */
static const char *obstacle(const struct agent *a)
{
    return !a->cfg->may_write ? "the agent observes only; its configuration does not let it write" :
           agent_refusal(a) ? agent_refusal(a) :
           a->is_lost ? "the agent's files are damaged; it observes until they are repaired" :
           *a->stopped ? a->stopped :
           *a->saved.frozen ? a->saved.frozen :
           stuck(a) ? stuck(a) :
           *a->breach ? a->breach : NULL;
}

/* A return to the baseline is always possible: no guardrail, limit or budget prevents it. */
static bool is_baseline(const struct agent *a, const struct knob_set *set)
{
    return a->saved.has_baseline && knobset_has(&a->saved.baseline, set);
}

static bool has_lease(const struct agent *a, uint64_t now_us)
{
    return now_us < a->lease_until_us;
}

/* A foreign edit does not keep other values from going back; what a person froze stays as it is. */
static bool blocks_way_back(const struct agent *a, const char *why)
{
    return why != a->breach && !(why == a->saved.frozen && device_is_foreign(a));
}

/* Why this may not be written now, in a change of the controller's; NULL: it may. 'set' of NULL: a drill. */
static const char *obstacle_to(const struct agent *a, const struct knob_set *set, uint64_t now_us)
{
    const char *why = a->cfg->has_tuner ? "its queues are set by a tuner of the agent's own" : obstacle(a);

    if (why && set && is_baseline(a, set) && !blocks_way_back(a, why))
        why = stuck(a);
    return why ? why : has_lease(a, now_us) ? NULL : "there is no lease";
}

/* Is on the disk before anything can be written: the baseline, and what will be ours. */
static int save_intent(struct agent *a, const struct knob_set *wanted)
{
    struct saved before = a->saved;

    if (!a->saved.has_baseline) {
        a->saved.has_baseline = true;
        a->saved.baseline = a->saved.confirmed;
    }
    bool has_room = saved_doubt(&a->saved, wanted) && a->saved.doubts < SAVED_DOUBTS_MAX;
    int  rc = has_room ? device_save(a) : -EBUSY;
    if (rc)
        a->saved = before;
    return rc;
}

static void open_change(struct agent *a, const struct msg *m, const struct knob_set *set)
{
    a->is_drill = m->kind == MSG_DRILL;
    a->phase = a->is_drill ? PHASE_APPLIED : PHASE_PREPARED;
    a->change = a->ended_change = m->change;     /* ended: once it is no longer open */
    a->change_term = a->ended_term = m->term;
    a->wanted = *set;
    a->at_us = NEVER;
    say_answer(a, a->is_drill ? ANSWER_APPLIED : ANSWER_PREPARED, a->change, "");
}

static void prepare(struct agent *a, const struct msg *m, uint64_t now_us)
{
    const char *why = obstacle_to(a, &m->set, now_us);
    struct err  err;
    int         rc;

    if (why)
        refuse(a, m->change, why, now_us);
    else if (knobset_is_empty(&m->set) || knobset_has(&a->saved.confirmed, &m->set))
        refuse(a, m->change, "there is nothing to change", now_us);
    else if (!is_baseline(a, &m->set) && limits_check(&a->cfg->limits, &a->saved.confirmed, &m->set, &err))
        refuse(a, m->change, err.text, now_us);
    else if (!is_baseline(a, &m->set) &&
             !(budget_has(&a->switches, now_us) && budget_has(&a->lasting, now_us)))
        refuse(a, m->change, "the budget of changes is used up", now_us);
    else if ((rc = save_intent(a, &m->set)) != 0)
        refuse(a, m->change, rc == -EBUSY ? "too many earlier writes may still take effect" :
               "the disk cannot be written", now_us);
    else
        open_change(a, m, &m->set);
}

/* ---- commit ---- */

/* Written in the log before it is in the device. */
static int log_apply(struct agent *a, uint64_t now_us)
{
    struct knob_set old = knobset_part(&a->saved.confirmed, &a->wanted);
    char            who[64];

    snprintf(who, sizeof who, "change %" PRIu64 " of the controller with term %" PRIu64, a->change,
             a->change_term);
    device_tell(a, "applies", &old, &a->wanted, who);
    return device_log(a, (struct audit_record){ .what = "apply", .term = a->change_term, .change = a->change,
                                                .old = &old, .new = &a->wanted }, now_us);
}

/* The disk may have taken long: the lease counts at the write. */
static void write_change(struct agent *a, uint64_t now_us)
{
    char why[MSG_WHY_SIZE] = "the lease ended before it could be written";

    a->phase = PHASE_APPLIED;    /* from here on it is reverted, whatever comes */
    a->owes_revert = a->io.guard.attempt != NULL;
    a->at_us = NEVER;
    now_us = device_clock(a, now_us);
    budget_take(&a->switches, now_us);
    if (has_lease(a, now_us) && device_write(a, &a->wanted, a->lease_until_us, now_us, why))
        say_answer(a, ANSWER_APPLIED, a->change, "");
    else
        give_up(a, why, now_us);
}

static void apply(struct agent *a, uint64_t now_us)
{
    const char *why = obstacle_to(a, &a->wanted, now_us);

    if (why)
        refuse_open(a, why, now_us);
    else if (!is_baseline(a, &a->wanted) && a->written_us && now_us < a->written_us + a->cfg->gap_us)
        refuse_open(a, "the last change was too short a time ago", now_us);
    else if (!device_check(a, now_us))
        refuse_open(a, "the device does not hold what it should, or cannot be read", now_us);
    else if (log_apply(a, now_us))
        refuse_open(a, "the audit log cannot be written", now_us);
    else
        write_change(a, now_us);
}

static void on_commit(struct agent *a, const struct msg *m, uint64_t now_us)
{
    uint64_t at_us = m->at_us ? m->at_us : now_us;

    if (a->phase == PHASE_IDLE || m->change != a->change)
        refuse(a, m->change, "it was not prepared, or is no longer", now_us);
    else if (a->phase == PHASE_APPLIED)
        say_answer(a, ANSWER_APPLIED, a->change, "");
    else if (a->phase == PHASE_SCHEDULED)
        return;
    else if (at_us + LATE_US < now_us || at_us > now_us + AHEAD_US_MAX)
        refuse_open(a, "the instant of the change has passed, or is too far ahead", now_us);
    else {
        a->phase = PHASE_SCHEDULED;
        a->at_us = at_us;
        agent_on_timer(a, now_us);
    }
}

/* ---- confirm, revert ---- */

/* A guard lets go only of what is on the disk. If the agent dies in between, the guard writes the old
 * values, and the next start must know them as ours. */
static int save_confirmed(struct agent *a, uint64_t now_us)
{
    struct saved    before = a->saved;
    struct knob_set old = knobset_part(&a->saved.confirmed, &a->wanted);

    knobset_put(&a->saved.confirmed, &a->wanted);
    /* else an earlier write may still come over this one, and is ours */
    if (a->awake_us >= a->late_until_us)
        a->saved.doubts = 0;
    uint32_t doubts = a->saved.doubts;
    if (a->io.guard.drop)
        saved_doubt(&a->saved, &old);
    budget_take(&a->lasting, now_us);
    int rc = device_save(a);
    if (!rc && !device_let_go(a))
        rc = -ETIME;
    if (rc) {
        a->is_dirty |= rc == -ETIME;
        a->saved = before;
    } else if (a->io.guard.drop) {
        a->saved.doubts = doubts;
        a->is_dirty = true;
    }
    return rc;
}

static void confirm(struct agent *a, uint64_t now_us)
{
    struct knob_set old = knobset_part(&a->saved.confirmed, &a->wanted);
    int             rc;

    if (!has_lease(a, now_us))
        give_up(a, "the lease ended before it was confirmed", now_us);
    else if (!device_check(a, now_us))
        return;                  /* that has reverted it */
    else if ((rc = save_confirmed(a, now_us)) != 0)
        give_up(a, rc == -ETIME ? "the lease ended while it was confirmed" : "the disk cannot be written",
                now_us);
    else {
        a->phase = PHASE_IDLE;
        a->owes_revert = false;
        a->confirmed_change = a->change;
        device_log(a, (struct audit_record){ .what = "confirm", .term = a->change_term, .change = a->change,
                                             .old = &old, .new = &a->wanted, .seen = &a->device }, now_us);
        say_answer(a, ANSWER_CONFIRMED, a->change, "");
    }
}

static void on_confirm(struct agent *a, const struct msg *m, uint64_t now_us)
{
    if (a->phase == PHASE_APPLIED && m->change == a->change && !a->is_drill)
        confirm(a, now_us);
    else if (m->change == a->confirmed_change)
        say_answer(a, ANSWER_CONFIRMED, m->change, "");
    else
        refuse(a, m->change, "it is not open: it was reverted, or never applied", now_us);
}

static void on_revert(struct agent *a, const struct msg *m, uint64_t now_us)
{
    if (a->phase == PHASE_IDLE || m->change != a->change) {
        if (!a->is_broken)
            say_answer(a, ANSWER_REVERTED, m->change, "it was not open");
    } else if (a->phase == PHASE_APPLIED && m->at_us > now_us && m->at_us < now_us + AHEAD_US_MAX)
        a->at_us = m->at_us;
    else
        give_up(a, *m->why ? m->why : "the controller asked for it", now_us);
}

/* ---- drills ---- */

static void drill(struct agent *a, const struct msg *m, uint64_t now_us)
{
    struct knob_set set = writable(a);
    const char     *why = obstacle_to(a, NULL, now_us);

    if (why)
        refuse(a, m->change, why, now_us);
    else if (knobset_is_empty(&set))
        refuse(a, m->change, "it has no knob that may be written", now_us);
    else if (device_log(a, (struct audit_record){ .what = "drill", .why = m->why, .term = m->term,
                                                  .change = m->change, .new = &set }, now_us))
        refuse(a, m->change, "the audit log cannot be written", now_us);
    else
        open_change(a, m, &set);
}

/* A change or a drill is to begin. */
static void on_begin(struct agent *a, const struct msg *m, uint64_t now_us)
{
    if (a->phase == PHASE_IDLE && m->term == a->ended_term && m->change <= a->ended_change)
        say_answer(a, ANSWER_REVERTED, m->change, "it is over");
    else if (a->phase != PHASE_IDLE && (m->change != a->change || m->term != a->change_term))
        refuse(a, m->change, "another change is open", now_us);
    else if (a->phase != PHASE_IDLE)
        say_answer(a, a->phase == PHASE_APPLIED ? ANSWER_APPLIED : ANSWER_PREPARED, a->change, "");
    else if (m->kind == MSG_DRILL)
        drill(a, m, now_us);
    else
        prepare(a, m, now_us);
}

/* ---- freeze ---- */

void agent_on_guard(struct agent *a, const char *why, uint64_t now_us)
{
    if (a->phase == PHASE_APPLIED)
        give_up(a, why, now_us);
}

void agent_freeze(struct agent *a, const char *why, uint64_t now_us)
{
    char text[MSG_WHY_SIZE];

    snprintf(text, sizeof text, "frozen: %.140s", why);
    if (*a->saved.frozen && (!device_is_foreign(a) || strncmp(text, MSG_FOREIGN, strlen(MSG_FOREIGN)) == 0))
        return;
    memcpy(a->saved.frozen, text, sizeof text);
    a->has_news = true;
    device_say(a, "freeze", a->saved.frozen);
    device_save(a);
    device_log(a, (struct audit_record){ .what = "freeze", .why = a->saved.frozen }, now_us);
}

static void on_freeze(struct agent *a, const struct msg *m, uint64_t now_us)
{
    const char *by = *m->why ? m->why : "by the controller";
    char        why[MSG_WHY_SIZE];

    /* the disk may take long, and the device comes first */
    snprintf(why, sizeof why, "%s%.140s", *a->saved.frozen ? "" : "frozen: ",
             *a->saved.frozen ? a->saved.frozen : by);
    give_up(a, why, now_us);
    agent_freeze(a, by, now_us);
    say_answer(a, ANSWER_FROZEN, 0, a->saved.frozen);
}

static void on_thaw(struct agent *a, const struct msg *m, uint64_t now_us)
{
    if (*a->saved.frozen) {
        a->saved.frozen[0] = '\0';
        a->has_news = true;
        device_say(a, "thaw", m->why);
        device_save(a);
        device_log(a, (struct audit_record){ .what = "thaw", .why = m->why }, now_us);
    }
    say_answer(a, ANSWER_THAWED, 0, "");
}

/* Of a tuner of its own. */
const char *agent_may_tune(const struct agent *a, uint64_t now_us)
{
    const char *why = obstacle(a);

    return why ? why : !has_lease(a, now_us) ? "the lease ended: no word from the controller" :
           !a->self.is_allowed ? "the controller does not let it" : NULL;
}

void agent_stop_by_file(struct agent *a, const char *why, uint64_t now_us)
{
    bool is_new = *why && !*a->stopped, is_over = !*why && *a->stopped;

    snprintf(a->stopped, sizeof a->stopped, "%s", why);
    a->has_news |= is_new || is_over;
    if (is_new)
        give_up(a, a->stopped, now_us);
    if (!is_new && !is_over)
        return;
    device_say(a, is_new ? "freeze" : "thaw", is_new ? why : "the file is gone");
    device_log(a, (struct audit_record){ .what = is_new ? "freeze" : "thaw", .why = why }, now_us);
}

void agent_reconfigure(struct agent *a, struct agent_config *cfg, const struct agent_config *new,
                       uint64_t now_us)
{
    assert(a->cfg == cfg && cfg->interval_us == new->interval_us);
    give_up(a, "the agent's configuration was read again", now_us);
    cfg->lease_us = new->lease_us;
    cfg->gap_us = new->gap_us;
    cfg->switches_per_day = new->switches_per_day;
    cfg->lasting_per_day = new->lasting_per_day;
    cfg->may_write = new->may_write;
    cfg->limits = new->limits;
    cfg->guard = new->guard;
    fit_budget(&a->switches, new->switches_per_day, a->switches.left);
    fit_budget(&a->lasting, new->lasting_per_day, a->lasting.left);
    a->has_news = true;
}

bool agent_leave(struct agent *a, const char *why, uint64_t now_us)
{
    give_up(a, why, now_us);
    if (a->is_broken)
        device_restore(a, why, now_us);
    mend(a, now_us);
    return !a->is_broken;
}

int agent_forget_term(struct agent *a, uint64_t now_us)
{
    char why[MSG_WHY_SIZE];

    snprintf(why, sizeof why, "a person asked for it; it had obeyed term %" PRIu64, a->saved.term);
    a->saved.term = 0;
    device_log(a, (struct audit_record){ .what = "forget term", .why = why }, now_us);
    return device_save(a) ? -EIO : 0;
}

int agent_check_back(struct agent *a, struct err *err)
{
    struct knob_set *should = &a->saved.confirmed, seen = { 0 };
    char             is[256], text[256];

    if (a->io.device.read(a->io.device.arg, &seen))
        return err_set(err, EIO, "%s: it cannot be read; it should hold %s", a->cfg->name,
                       knobset_text(text, sizeof text, should));
    if (a->is_lost)
        return err_set(err, EBADMSG, "%s: what it should hold is not known: %s; it holds %s", a->cfg->name,
                       a->source == SAVED_NEW ? "there are neither state nor audit log" :
                       "its files are damaged", knobset_text(is, sizeof is, &seen));
    if (!knobset_has(&seen, should))
        return err_set(err, EIO, "%s: it could not be brought back: it holds %s and should hold %s",
                       a->cfg->name, knobset_text(is, sizeof is, &seen),
                       knobset_text(text, sizeof text, should));
    return 0;
}

/* ---- messages ---- */

/* Obeys a term that is new once it is on the disk; what an older one has open ends. */
static bool take_term(struct agent *a, uint64_t term, uint64_t now_us)
{
    uint64_t before = a->saved.term;

    if (term < before)
        say_answer(a, ANSWER_STALE, 0, "there is a newer controller");
    if (term <= before)
        return term == before;
    a->saved.term = term;
    give_up(a, "another controller has taken over", now_us);     /* before the disk, which may take long */
    if (device_save(a)) {
        a->saved.term = before;
        return false;
    }
    a->lease_until_us = 0;
    a->self.is_allowed = false;
    return true;
}

static void on_lease(struct agent *a, const struct msg *m, uint64_t now_us)
{
    uint64_t until_us = m->stamp_us + a->cfg->lease_us;

    if (m->stamp_us > now_us || until_us <= a->lease_until_us)
        return;
    a->lease_until_us = until_us;
    if (a->phase == PHASE_APPLIED && a->io.guard.keep)
        a->io.guard.keep(a->io.guard.arg, until_us);
    a->is_brief = m->is_brief;
    a->control = m->has_control ? m->control : NAN;
}

void agent_on_msg(struct agent *a, const struct msg *m, uint64_t now_us)
{
    if (m->kind == MSG_WHO) {
        say_hello(a, now_us);
        return;
    }
    agent_on_timer(a, now_us);   /* what was due before the message */
    if (m->incarnation != a->incarnation || a->is_lost || !take_term(a, m->term, now_us))
        return;
    switch (m->kind) {
    case MSG_LEASE:   on_lease(a, m, now_us);   break;
    case MSG_DRILL:
    case MSG_PREPARE: on_begin(a, m, now_us);   break;
    case MSG_COMMIT:  on_commit(a, m, now_us);  break;
    case MSG_CONFIRM: on_confirm(a, m, now_us); break;
    case MSG_REVERT:  on_revert(a, m, now_us);  break;
    case MSG_FREEZE:  on_freeze(a, m, now_us);  break;
    case MSG_THAW:    on_thaw(a, m, now_us);    break;
    case MSG_QUEUES:  a->self.is_allowed = m->self.is_allowed && a->cfg->has_tuner; break;
    case MSG_LEARN:
        if (a->on_learn && m->learn)
            a->on_learn(a->learn_arg, m, now_us);
        break;
    default:          break;
    }
}

/* ---- time ---- */

uint64_t agent_timer_us(const struct agent *a)
{
    uint64_t retry_us = a->is_broken ? a->retry_us : NEVER;

    return a->phase == PHASE_IDLE ? retry_us : min_u64(retry_us, min_u64(a->lease_until_us, a->at_us));
}

void agent_on_timer(struct agent *a, uint64_t now_us)
{
    if (a->is_broken && now_us >= a->retry_us && device_restore(a, a->broken_why, now_us))
        say_answer(a, ANSWER_REVERTED, a->reverted_change, "reverted at last");
    if (a->phase != PHASE_IDLE && !has_lease(a, now_us))
        give_up(a, "the lease ended: no word from the controller", now_us);
    else if (a->phase == PHASE_SCHEDULED && now_us >= a->at_us)
        apply(a, now_us);
    else if (a->phase == PHASE_APPLIED && now_us >= a->at_us)
        give_up(a, "the controller asked for it", now_us);
}

static struct msg_sample nothing_known(void)
{
    return (struct msg_sample){ .metric = NAN, .paused = NAN, .unknown = MSG_UNKNOWN_ALL };
}

static void watch(struct agent *a, uint64_t now_us)
{
    bool is_open = a->phase == PHASE_APPLIED || a->self.moved;

    a->sample = nothing_known();
    a->breach[0] = '\0';
    if (a->io.device.sample(a->io.device.arg, &a->sample))
        a->sample = nothing_known();
    if (guard_check(&a->guard, &a->cfg->guard, &a->sample, is_open, has_lease(a, now_us) ? a->control : NAN,
                    a->breach) && is_open)
        give_up(a, a->breach, now_us);
}

/* A trial that can no longer be checked ends. */
static void watch_reads(struct agent *a, uint64_t now_us)
{
    bool is_unreadable = now_us > a->read_us + max_u64(DEVICE_UNREAD_US, 3 * a->cfg->interval_us);

    if (is_unreadable == a->is_unreadable)
        return;
    a->is_unreadable = is_unreadable;
    if (is_unreadable)
        give_up(a, "its parameters can no longer be read", now_us);
}

void agent_on_tick(struct agent *a, uint64_t now_us)
{
    /* A machine that slept finds its clock ahead. What its driver had not done before may be done after. */
    a->awake_us += min_u64(now_us - a->tick_us, 2 * a->cfg->interval_us);
    a->tick_us = now_us;
    if (a->is_dirty)
        device_save(a);
    agent_on_timer(a, now_us);
    mend(a, now_us);
    watch(a, now_us);
    if (!a->is_broken)
        device_check(a, now_us);
    watch_reads(a, now_us);
    if (a->phase == PHASE_APPLIED && a->io.guard.keep)
        a->io.guard.keep(a->io.guard.arg, a->lease_until_us);
    device_forget_doubts(a);
    if (a->has_news)
        say_hello(a, now_us);
    say_report(a, now_us);
}
