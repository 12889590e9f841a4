#include "live/agent/agent.h"
#include "core/units.h"
#include "live/core/knobset.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PROMPT_US 200000u        /* what is read so soon after a write is what became of it */

/* ---- messages ---- */

static struct msg msg_of(const struct agent *a, enum msg_kind kind)
{
    return (struct msg){ .kind = kind, .term = a->saved.term, .incarnation = a->incarnation,
                         .phase = a->phase, .self = a->self,
                         .is_frozen = *a->saved.frozen || *a->stopped || a->is_lost,
                         .is_broken = a->is_broken || a->self.is_broken,
                         .is_unreadable = a->is_unreadable };
}

void say_answer(struct agent *a, enum msg_answer answer, uint64_t change, const char *why)
{
    struct msg m = msg_of(a, MSG_ANSWER);

    m.answer = answer;
    m.change = change;
    m.set = a->device;
    snprintf(m.why, sizeof m.why, "%s", why);
    a->io.send(a->io.arg, &m);
}

void say_hello(struct agent *a, uint64_t now_us)
{
    struct msg m = msg_of(a, MSG_HELLO);

    a->has_news = false;
    m.version = MSG_VERSION;
    m.stamp_us = now_us;
    m.change = a->change;
    m.where = a->cfg->where;
    m.may_write = a->cfg->may_write && !a->cfg->has_tuner && !agent_refusal(a);
    m.gap_us = a->cfg->gap_us;
    m.interval_us = a->cfg->interval_us;
    m.facts = a->cfg->facts;
    m.set = a->device;
    m.confirmed = a->saved.confirmed;
    m.baseline = a->saved.has_baseline ? a->saved.baseline : a->saved.confirmed;
    for (int i = 0; i < KNOB_COUNT; i++)
        m.is_fixed[i] = a->device.is_named[i] && !a->cfg->limits.may_set[i];
    snprintf(m.name, sizeof m.name, "%s", a->cfg->name);
    snprintf(m.why, sizeof m.why, "%s", a->is_lost ? "its state on the disk is damaged" :
             *a->stopped ? a->stopped : a->saved.frozen);
    a->io.send(a->io.arg, &m);
}

static struct msg_sample brief_of(const struct msg_sample *s)
{
    static struct msg_detail flows;

    if (s->detail)
        flows.fsd = s->detail->fsd;
    return (struct msg_sample){ .interval_us = s->interval_us, .metric = s->metric, .is_brief = true,
                                .paused = NAN, .unknown = MSG_UNKNOWN_ALL,
                                .detail = s->detail ? &flows : NULL };
}

void agent_bye(struct agent *a, uint64_t now_us)
{
    struct msg m = msg_of(a, MSG_BYE);

    m.stamp_us = now_us;
    if (!a->is_broken)           /* a broken device needs attention */
        a->io.send(a->io.arg, &m);
}

void say_learn(struct agent *a, const struct msg_learn *learn, const char *why)
{
    struct msg m = msg_of(a, MSG_LEARN);

    m.learn = learn;
    snprintf(m.why, sizeof m.why, "%s", why);
    a->io.send(a->io.arg, &m);
}

void say_report(struct agent *a, uint64_t now_us)
{
    struct msg m = msg_of(a, MSG_REPORT);
    bool       is_brief = a->is_brief && now_us < a->lease_until_us && a->phase == PHASE_IDLE && !*a->breach;

    m.stamp_us = now_us;
    m.change = a->change;
    m.sample = is_brief ? brief_of(&a->sample) : a->sample;      /* news is always sent in full */
    snprintf(m.why, sizeof m.why, "%s", a->breach);
    a->io.send(a->io.arg, &m);
}

/* ---- the state and the log ---- */

uint64_t device_clock(const struct agent *a, uint64_t now_us)
{
    return a->io.now_us ? a->io.now_us(a->io.arg) : now_us;
}

int device_log(struct agent *a, struct audit_record r, uint64_t now_us)
{
    r.who = a->cfg->name;
    r.term = r.term ? r.term : a->saved.term;
    r.now_us = now_us;
    return audit_write(&a->audit, &a->io.disk, &r);
}

int device_save(struct agent *a)
{
    if (a->is_lost)
        return -EBADMSG;         /* people are to find it as it is */
    if (!knobset_is_empty(&a->adopted)) {
        /* the log first: after a restart the saved values count as known, and would never be explained */
        a->is_dirty = true;
        return -EAGAIN;
    }
    a->saved.switches_left = a->switches.left;
    a->saved.lasting_left = a->lasting.left;
    int rc = saved_write(&a->saved, &a->io.disk);
    a->is_dirty = rc != 0;
    return rc;
}

/* ---- whose values ---- */

struct owners { struct knob_set ours, foreign; };        /* values that are not confirmed */

static bool is_ours(const struct saved *s, int knob, double value)
{
    for (uint32_t i = 0; i < s->doubts; i++)
        if (s->doubt[i].is_named[knob] && knobset_is_equal_value(s->doubt[i].knobs.value[knob], value))
            return true;
    return false;
}

/* What the device makes of the old value, which the guard tries to write back, is not foreign. */
static bool is_of_guard(const struct agent *a, int knob, double value)
{
    struct knob_set set = { 0 };

    knob_set_add(&set, (enum knob)knob, value);
    return a->owes_revert && a->wanted.is_named[knob] && a->io.guard.knows &&
           a->io.guard.knows(a->io.guard.arg, &set);
}

static struct owners owners_of(const struct agent *a)
{
    struct owners o = { 0 };

    for (int i = 0; i < KNOB_COUNT; i++) {
        double value = a->device.knobs.value[i];

        if (!a->device.is_named[i] || (a->saved.confirmed.is_named[i] &&
                                       knobset_is_equal_value(value, a->saved.confirmed.knobs.value[i])))
            continue;
        bool is_own = a->owns_all || is_ours(&a->saved, i, value) || is_of_guard(a, i, value);
        knob_set_add(is_own ? &o.ours : &o.foreign, (enum knob)i, value);
    }
    return o;
}

bool device_is_foreign(const struct agent *a)
{
    return strncmp(a->saved.frozen, MSG_FOREIGN, strlen(MSG_FOREIGN)) == 0;
}

/* Logs the origin of values, now or as soon as the audit log can be written. */
static void log_adopted(struct agent *a, uint64_t now_us)
{
    bool is_frozen = *a->saved.frozen;

    if (knobset_is_empty(&a->adopted))
        return;
    if (!device_log(a, (struct audit_record){ .what = is_frozen ? "adopt" : "first", .new = &a->adopted,
                                              .why = is_frozen ? a->saved.frozen : "what the device held" },
                    now_us)) {
        a->adopted = (struct knob_set){ 0 };
        device_save(a);
    }
}

/* What a person froze before stays so: a rollback passes by it. */
static void freeze_as_foreign(struct agent *a, const struct knob_set *foreign)
{
    char     text[100], before[60];
    uint32_t kept = device_is_foreign(a) ? 0 : (uint32_t)strcspn(a->saved.frozen, ";");

    snprintf(before, sizeof before, "%.*s", (int)kept, a->saved.frozen);
    snprintf(a->saved.frozen, sizeof a->saved.frozen, "%s%s: %.70s", kept ? before : MSG_FOREIGN,
             kept ? "; changed outside Anole" : "", knobset_text(text, sizeof text, foreign));
    device_say(a, "changed", a->saved.frozen);
}

/* Foreign values stay, become the baseline, and freeze the device. */
static void adopt(struct agent *a, const struct knob_set *foreign, uint64_t now_us)
{
    knobset_put(&a->saved.confirmed, foreign);
    if (a->saved.has_baseline)
        knobset_put(&a->saved.baseline, foreign);
    freeze_as_foreign(a, foreign);
    knobset_put(&a->adopted, foreign);
    a->has_news = true;
    log_adopted(a, now_us);
}

/* Knobs seen for the first time: their current values are the correct ones, not a foreign edit. But if files
 * are damaged or missing, the device may hold a trial's value; then the correct setting is unknown. */
static void meet(struct agent *a)
{
    struct knob_set met = knobset_without(&a->device, &a->saved.confirmed);

    if (knobset_is_empty(&met))
        return;
    a->is_lost |= a->owns_all || (a->cfg->is_rescue && a->source == SAVED_NEW);
    if (a->is_lost)
        return;
    knobset_put(&a->saved.confirmed, &met);
    knobset_put(&a->adopted, &met);
}

static int read_device(struct agent *a, uint64_t now_us)
{
    int rc = a->io.device.read(a->io.device.arg, &a->device);

    if (rc)
        return rc;
    a->looked_us = device_clock(a, now_us);
    a->is_seen = true;
    a->read_us = now_us;
    meet(a);
    log_adopted(a, now_us);
    return 0;
}

/* ---- checking ---- */

static void revert_open(struct agent *a, const char *why, uint64_t now_us)
{
    bool was_open = a->phase != PHASE_IDLE;

    a->phase = PHASE_IDLE;
    a->is_drill = false;         /* it ends with the change that was open: the next change is no drill */
    if (was_open)
        a->reverted_change = a->change;
    if (device_restore(a, why, now_us) && was_open)
        say_answer(a, ANSWER_REVERTED, a->change, why);
}

bool device_check(struct agent *a, uint64_t now_us)
{
    if (read_device(a, now_us))
        return false;
    struct knob_set expected = a->saved.confirmed;
    if (a->phase == PHASE_APPLIED)
        knobset_put(&expected, &a->wanted);
    if (knobset_has(&a->device, &expected))
        return true;
    revert_open(a, "the device no longer holds what was set", now_us);
    return false;
}

/* ---- writing ---- */

/* The device was read late after a write that succeeded: someone may have set it since. A guard reads at
 * once what it writes, and knows what became of it. Without one nobody knows; then it counts as ours, because a
 * device that clamps is likelier than a person who sets it in that moment. */
static bool is_set_since(struct agent *a, const struct knob_set *became, int rc, uint64_t written_us)
{
    return !rc && a->looked_us >= written_us + PROMPT_US && a->io.guard.knows &&
           !a->io.guard.knows(a->io.guard.arg, became);
}

/* A NIC may clamp a value silently; the result is ours, too. The list keeps room for it (saved_doubt()). */
static void own_what_came_of_it(struct agent *a, const struct knob_set *written, int rc, uint64_t written_us)
{
    struct knob_set became = knobset_part(&a->device, written);

    if (knobset_has(&a->saved.confirmed, &became) || is_set_since(a, &became, rc, written_us))
        return;                  /* it made nothing of it */
    if (a->saved.doubts == SAVED_DOUBTS_MAX)
        a->saved.doubts--;
    saved_doubt(&a->saved, &became);
}

static int put(struct agent *a, const struct knob_set *set, uint64_t until_us)
{
    struct knob_set back = knobset_part(&a->saved.confirmed, set);

    return until_us != NEVER && a->io.guard.attempt ?
           a->io.guard.attempt(a->io.guard.arg, set, &back, until_us) :
           a->io.device.write(a->io.device.arg, set);
}

static const char *why_not(int rc)
{
    return rc == -ETIME ? "its lease has no time left for the write and the revert" :
           rc == -EEXIST ? "someone else has changed it meanwhile" : strerror(-rc);
}

bool device_write(struct agent *a, const struct knob_set *set, uint64_t until_us, uint64_t now_us,
                  char why[MSG_WHY_SIZE])
{
    a->written_us = now_us;
    a->doubt_until_us = a->awake_us + DEVICE_DOUBT_US;
    int      rc = put(a, set, until_us);
    uint64_t written_us = device_clock(a, now_us);
    if (rc)
        a->late_until_us = a->doubt_until_us;
    if (read_device(a, now_us)) {
        snprintf(why, MSG_WHY_SIZE, "the device could not be read after the write");
        return false;
    }
    if (knobset_has(&a->device, set) && rc != -ETIME)
        return true;
    own_what_came_of_it(a, set, rc, written_us);
    snprintf(why, MSG_WHY_SIZE, rc ? "the device refused it: %s" :
             "the device holds something else after the write", why_not(rc));
    return false;
}

void device_tell(struct agent *a, const char *what, const struct knob_set *old, const struct knob_set *new,
                 const char *why)
{
    char   line[1024];
    size_t used = (size_t)snprintf(line, sizeof line, "%s: %s", a->cfg->name, what);

    if (!a->io.tell)
        return;
    for (int i = 0; i < KNOB_COUNT && used < sizeof line; i++)
        if (new->is_named[i])
            used += (size_t)snprintf(line + used, sizeof line - used, " %s %.10g -> %.10g%s,",
                                     knob_info[i].name, old->is_named[i] ? old->knobs.value[i] : NAN,
                                     new->knobs.value[i], knob_unit_name(knob_info[i].unit));
    if (used < sizeof line)
        snprintf(line + used, sizeof line - used, " %s", why);
    a->io.tell(a->io.arg, line);
}

void device_say(struct agent *a, const char *what, const char *why)
{
    char line[MSG_NAME_SIZE + 2 * MSG_WHY_SIZE];

    snprintf(line, sizeof line, "%s: %s%s%s", a->cfg->name, what, *why ? ": " : "", why);
    if (a->io.tell)
        a->io.tell(a->io.arg, line);
}

/* The log has an 'apply', and the device its value no longer: the guard was there first. */
static void log_revert_of_guard(struct agent *a, const char *why, uint64_t now_us)
{
    struct knob_set back = knobset_part(&a->saved.confirmed, &a->wanted);

    if (!a->owes_revert)
        return;
    a->owes_revert = false;
    device_tell(a, "reverted", &a->wanted, &back, why);
    device_log(a, (struct audit_record){ .what = "revert", .why = why, .change = a->change,
                                         .old = &a->wanted, .new = &back, .seen = &a->device }, now_us);
}

/* Writes the confirmed values over ours. Returns whether the device holds them. */
static bool write_back(struct agent *a, const char *why, uint64_t now_us)
{
    char          trouble[MSG_WHY_SIZE];
    struct owners o = owners_of(a);

    if (!knobset_is_empty(&o.foreign))
        adopt(a, &o.foreign, now_us);
    struct knob_set back = knobset_part(&a->saved.confirmed, &o.ours);
    if (knobset_is_empty(&back)) {
        log_revert_of_guard(a, why, now_us);
        return true;
    }
    if (!device_write(a, &back, NEVER, now_us, trouble)) {
        if (!a->is_broken)
            device_tell(a, "could NOT be reverted", &o.ours, &back, trouble);
        return false;
    }
    a->owes_revert = false;
    device_tell(a, "reverted", &o.ours, &back, why);
    device_log(a, (struct audit_record){ .what = "revert", .why = why, .change = a->change,
                                         .old = &o.ours, .new = &back, .seen = &a->device }, now_us);
    return true;
}

bool device_restore(struct agent *a, const char *why, uint64_t now_us)
{
    bool was_broken = a->is_broken;

    a->is_broken = read_device(a, now_us) || !write_back(a, why, now_us);
    if (a->is_broken)
        a->retry_us = now_us + DEVICE_RETRY_US;
    if (a->is_broken && !was_broken)
        snprintf(a->broken_why, sizeof a->broken_why, "%s", why);
    a->owns_all &= a->is_broken;
    if (!a->is_broken && a->phase != PHASE_APPLIED)
        device_let_go(a);
    return !a->is_broken;
}

/* A guard that has ended reverts nothing any more. */
bool device_let_go(struct agent *a)
{
    int rc = a->io.guard.drop ? a->io.guard.drop(a->io.guard.arg) : 0;

    return !rc || rc == -EPIPE;
}

void device_forget_doubts(struct agent *a)
{
    if (!a->saved.doubts || a->phase != PHASE_IDLE || a->is_broken || a->awake_us < a->doubt_until_us)
        return;
    a->saved.doubts = 0;
    device_save(a);
}
