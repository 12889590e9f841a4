/* tests/chaos/chaos_check.c - see chaos_check.h. */
#include "chaos_check.h"
#include "chaos_guard.h"
#include "base/minmax.h"
#include "live/controller/roster.h"
#include "live/core/knobset.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* An agent that can act must have acted within this time: a retry, an interval and a margin. */
#define MOMENT_US 900000u
#define GUARD_US  350000u        /* two intervals and a margin */
/* Age of a report that no longer counts: the intervals in which it counts as new, and the network delay. */
#define OLD_US    1500000u

static const char *const promise_name[] = {
#define NAME(name, text) #name,
    CHAOS_PROMISES(NAME)
};

static void broken(struct world *w, enum chaos_promise promise, uint32_t device, const char *what)
{
    char text[160];

    if (*w->result->broken)
        return;
    w->result->promise = promise;
    snprintf(w->result->broken, sizeof w->result->broken, "%s: seed %" PRIu64 ", %.3f s, device %u (%s): %s",
             promise_name[promise], w->seed, (double)w->now_us / 1e6, device,
             knobset_text(text, sizeof text, &w->device[device].is), what);
    world_loud(w, "BROKEN %s", w->result->broken);
}

void check_stuck(struct world *w, const struct proc *p, const char *why)
{
    broken(w, PROMISE_lasting, p->is_agent ? p->index : 0, why);
}

static bool has(const struct values *v, double value)
{
    for (uint32_t i = 0; i < v->count; i++)
        if (knobset_is_equal_value(v->value[i], value))
            return true;
    return false;
}

static void add(struct values *v, double value)
{
    if (has(v, value))
        return;
    assert(v->count < WORLD_VALUES_MAX);
    v->value[v->count++] = value;
}

/* ---- what the checks know ---- */

static void note_prepare(struct device *d, const struct msg *m)
{
    uint32_t i = d->prepares++ % WORLD_PREPARED_MAX;

    d->prepared[i].term = m->term;
    d->prepared[i].change = m->change;
    d->prepared[i].set = m->set;
}

/* A value that a controller confirms may stay, from the moment at which the agent could know of it. */
static void note_confirm(struct device *d, const struct msg *m)
{
    for (uint32_t i = 0; i < WORLD_PREPARED_MAX; i++) {
        if (d->prepared[i].term != m->term || d->prepared[i].change != m->change)
            continue;
        for (int k = 0; k < KNOB_COUNT; k++)
            if (d->prepared[i].set.is_named[k])
                add(&d->rest[k], d->prepared[i].set.knobs.value[k]);
    }
}

void check_before_msg(struct world *w, uint32_t device, const struct msg *m)
{
    const struct proc *p = &w->proc[device];
    struct device     *d = &w->device[device];

    if (m->incarnation != p->agent.incarnation || m->term < d->fence)
        return;
    if (m->kind == MSG_PREPARE || m->kind == MSG_COMMIT)
        d->asked_us = w->now_us;
    if (m->kind == MSG_PREPARE)
        note_prepare(d, m);
    else if (m->kind == MSG_CONFIRM)
        note_confirm(d, m);
    else if (m->kind == MSG_LEASE && m->stamp_us <= world_clock(p, w->now_us))
        d->lease_until_us = max_u64(d->lease_until_us, world_true(p, m->stamp_us + d->lease_us));
}

void check_after_msg(struct world *w, uint32_t device, const struct msg *m)
{
    const struct proc *p = &w->proc[device];
    struct device     *d = &w->device[device];

    bool is_obeyed =
        m->incarnation == p->agent.incarnation && m->term >= d->fence && w->now_us >= p->disk.full_until_us;

    if (m->kind != MSG_WHO && m->incarnation == p->agent.incarnation && w->now_us >= p->disk.full_until_us)
        d->fence = max_u64(d->fence, m->term);
    if (m->kind == MSG_FREEZE && is_obeyed && !p->agent.is_lost)
        d->is_frozen = true;
    if (m->kind == MSG_THAW) {
        d->is_frozen = false;
        memset(d->is_foreign, 0, sizeof d->is_foreign);
    }
}

static void note_new(struct device *d, const json_t *new)
{
    struct knob_set set = { 0 };

    if (new && knobset_from_json(&set, new))
        return;
    for (int k = 0; k < KNOB_COUNT; k++)
        if (set.is_named[k])
            add(&d->explained[k], set.knobs.value[k]);
}

void check_log_line(struct world *w, uint32_t device, const char *line, size_t length)
{
    json_t     *o = json_loadb(line, length, 0, NULL);
    const char *what = json_string_value(json_object_get(o, "what"));

    if (!what)
        broken(w, PROMISE_audit, device, "a log line is malformed");
    else {
        note_new(&w->device[device], json_object_get(o, "new"));
        w->result->applied += strcmp(what, "apply") == 0;
        w->result->confirmed += strcmp(what, "confirm") == 0;
        w->result->reverted += strcmp(what, "revert") == 0;
        w->result->adopted += strcmp(what, "adopt") == 0;
    }
    json_decref(o);
}

/* Returns true if the newest controller that the agent knows requested this value. */
static bool is_of_newest(const struct device *d, enum knob knob, double value)
{
    for (uint32_t i = 0; i < WORLD_PREPARED_MAX; i++)
        if (d->prepared[i].set.is_named[knob] && d->prepared[i].set.knobs.value[knob] == value &&
            d->prepared[i].term >= d->fence)
            return true;
    return false;
}

void check_write(struct world *w, uint32_t device, enum knob knob, double value)
{
    struct device *d = &w->device[device];

    if (!has(&d->explained[knob], value))
        broken(w, PROMISE_audit, device, "a value is written that is not in the audit log");
    if (!has(&d->rest[knob], value) && !is_of_newest(d, knob, value))
        broken(w, PROMISE_term, device, "a change of an older controller is written");
    /* a guard at the end of a lease writes the old value over what cannot be read: deadman.h */
    bool is_blind = w->now_us < d->blind_until_us && w->proc[device].is_guarded;
    if (d->is_foreign[knob] && !is_blind && !knobset_is_equal_value(value, d->is.knobs.value[knob]))
        broken(w, PROMISE_foreign, device, "a foreign value is overwritten");
}

void check_foreign(struct world *w, uint32_t device, enum knob knob, double value)
{
    add(&w->device[device].rest[knob], value);
}

/* ---- changes ---- */

static bool is_within(enum knob knob, double value)
{
    for (int i = 0; i < WORLD_KNOBS; i++)
        if (world_bound[i].knob == knob)
            return value >= world_bound[i].min && value <= world_bound[i].max;
    return false;
}

static bool is_small(enum knob knob, double from, double to)
{
    double low = from < to ? from : to, high = from < to ? to : from;

    for (int i = 0; i < WORLD_KNOBS; i++)
        if (world_bound[i].knob == knob)
            return high <= 2 * low || high - low <= 0.25 * (world_bound[i].max - world_bound[i].min);
    return false;
}

/* Checks that unconfirmed values are within the limits. */
static bool check_values(struct world *w, uint32_t device, const struct knob_set *set)
{
    const struct knob_set *confirmed = &w->proc[device].agent.saved.confirmed;
    const struct device   *d = &w->device[device];
    bool                   is_change = false;

    for (int k = 0; k < KNOB_COUNT; k++) {
        double value = set->knobs.value[k];

        if (!set->is_named[k] || has(&d->rest[k], value))
            continue;
        is_change = true;
        if (!is_within((enum knob)k, value))
            broken(w, PROMISE_limits, device, "a value outside its bounds is written");
        if (!is_small((enum knob)k, confirmed->knobs.value[k], value))
            broken(w, PROMISE_step, device, "a change exceeds the largest step");
    }
    return is_change;
}

static void check_pace(struct world *w, uint32_t device)
{
    const struct agent_config *c = &w->agent_cfg[device];
    struct device             *d = &w->device[device];

    if (d->changes && d->kills == d->kills_at_change && w->now_us + 1000 < d->changed_us + c->gap_us)
        broken(w, PROMISE_pace, device, "two changes are too close to each other");
    d->changed_us = w->now_us;
    d->kills_at_change = d->kills;
    if (++d->changes > c->switches_per_day + 2 + d->kills)       /* a kill may lose the last one */
        broken(w, PROMISE_pace, device, "there are more changes than the budget of a day");
}

/* Returns true if a controller requested a factory value. For a minute, the agent then treats it as its own
 * late write. */
static bool is_first_asked(const struct device *d, const struct knob_set *set)
{
    for (uint32_t i = 0; i < WORLD_PREPARED_MAX; i++)
        for (int k = 0; k < KNOB_COUNT; k++)
            if (set->is_named[k] && d->prepared[i].set.is_named[k] &&
                knobset_is_equal_value(d->prepared[i].set.knobs.value[k], d->first.knobs.value[k]))
                return true;
    return false;
}

void check_set(struct world *w, uint32_t device, const struct knob_set *set)
{
    const struct device *d = &w->device[device];
    const struct proc   *p = &w->proc[device];

    if (d->is_observed)
        broken(w, PROMISE_observe, device, "an agent writes in observe mode");
    /* An agent that was killed while it confirmed a change cannot tell whether its guard has written the
     * values before: for a minute they count as its own, also if they are those of the factory. */
    if (d->loaded_us > d->asked_us && knobset_has(&d->held, set) && !knobset_has(&d->first, set) &&
        !is_first_asked(d, set) &&
        !(p->may_be_guarded && d->kills && w->now_us < d->killed_us + DEVICE_DOUBT_US))
        broken(w, PROMISE_volatile, device, "a setting survives a driver restart");
    if (!check_values(w, device, set))
        return;
    if (d->is_frozen)
        broken(w, PROMISE_freeze, device, "a frozen device is changed");
    if (w->now_us < p->disk.full_until_us || w->now_us < d->blind_until_us)
        broken(w, PROMISE_knowledge, device, "a device is changed that is unreadable, or with a full disk");
    check_pace(w, device);
}

/* ---- controllers ---- */

void check_heard(struct world *w, struct proc *p, const struct event *e)
{
    if (e->kind == EV_MSG && e->msg && e->msg->kind == MSG_REPORT && e->from < w->agents)
        p->heard_us[e->from] = w->now_us;
}

/* Returns true if devices may hold these values permanently, or if an operator has approved them. */
static bool is_known(const struct world *w, const struct knob_set *set, bool may_be_approved)
{
    for (int k = 0; k < KNOB_COUNT; k++) {
        bool is_known = !set->is_named[k] || (may_be_approved && has(&w->approved[k], set->knobs.value[k]));

        for (uint32_t i = 0; i < w->agents && !is_known; i++)
            is_known = has(&w->device[i].rest[k], set->knobs.value[k]);
        if (!is_known)
            return false;
    }
    return true;
}

/* Returns true if the receiver is an honest device. Values reported by others are not checked. */
static bool is_honest(const struct world *w, const struct proc *p, uint32_t link)
{
    struct controller *c = (struct controller *)&p->control.c;
    const struct peer *to = roster_of_link(c, link);

    for (uint32_t i = 0; i < w->agents && to && (link < w->agents || !w->has_lying_relay); i++)
        if (strcmp(to->name, w->agent_cfg[i].name) == 0)
            return true;
    return false;
}

void check_command(struct world *w, const struct proc *p, uint32_t link, const struct msg *m)
{
    enum controller_mode mode = p->control.c.cfg->mode;

    if ((m->kind != MSG_PREPARE && m->kind != MSG_COMMIT) || !is_honest(w, p, link))
        return;
    if (mode == MODE_OBSERVE)
        broken(w, PROMISE_observe, 0, "a controller sends orders in observe mode");
    if (m->kind == MSG_PREPARE && p->is_frozen && !is_known(w, &m->set, false))
        broken(w, PROMISE_freeze, 0, "a frozen controller tries a setting");
    if (m->kind == MSG_PREPARE && mode == MODE_APPROVE && !is_known(w, &m->set, true))
        broken(w, PROMISE_approval, 0, "a trial runs without approval");
    if (m->kind == MSG_COMMIT && !w->relays && link < w->agents && w->now_us > p->heard_us[link] + OLD_US)
        broken(w, PROMISE_knowledge, link, "the device is changed although its last report is old");
}

void check_approval(struct world *w, const struct knob_set *set)
{
    for (int k = 0; k < KNOB_COUNT; k++)
        if (set->is_named[k])
            add(&w->approved[k], set->knobs.value[k]);
}

void check_order(struct world *w, struct proc *p, const char *verb, int rc)
{
    bool is_acting = p->control.c.role == ROLE_ACTIVE && p->control.c.cfg->mode != MODE_OBSERVE;

    if (rc == -EIO)
        rc = 0;                  /* the disk is full; the order is carried out nevertheless */
    else if (strcmp(verb, "thaw") != 0 && rc == 0)
        p->is_frozen = true;
    if (strcmp(verb, "thaw") == 0) {
        p->is_frozen = false;
        p->harms = 0;
        p->rests_until_us = 0;
    }
    if (strcmp(verb, "rollback") == 0 && rc && is_acting)
        broken(w, PROMISE_rollback, 0, "a rollback is refused");
}

static void note_harm(struct world *w, struct proc *p)
{
    const struct controller_config *c = p->control.c.cfg;

    p->harmed_us = w->now_us;
    p->rested_until_us = p->rests_until_us;
    if (++p->harms >= c->reverts_max)
        p->rests_until_us = w->now_us + c->pause_us;
}

/* A controller that is killed while it records harm may forget it. */
void check_kill_controller(struct world *w, struct proc *p)
{
    if (!p->harms || p->harmed_us != w->now_us)
        return;
    p->harms--;
    p->rests_until_us = p->rested_until_us;
}

void check_controller_line(struct world *w, struct proc *p, const char *line, size_t length)
{
    json_t     *o = json_loadb(line, length, 0, NULL);
    const char *what = json_string_value(json_object_get(o, "what")),
               *why = json_string_value(json_object_get(o, "why"));

    if (what && strcmp(what, "abort") == 0 && why && (strstr(why, "harm:") || strstr(why, "guardrail:")))
        note_harm(w, p);
    if (what && strcmp(what, "try") == 0 && w->now_us < p->rests_until_us && !*p->control.c.rolled_back.who)
        broken(w, PROMISE_pause, 0, "a trial begins in the pause after harmful ones");
    json_decref(o);
}

/* Once the agent has forgotten its write, the resulting value cannot be distinguished from one that an
 * operator set: it stays. */
void check_kill(struct world *w, uint32_t device)
{
    struct device *d = &w->device[device];

    d->kills++;
    d->killed_us = w->now_us;
    for (int k = 0; k < KNOB_COUNT; k++)
        if (d->is.is_named[k] && d->is_clamped[k])
            add(&d->rest[k], d->is.knobs.value[k]);
}

/* ---- after every event ---- */

static bool is_well(const struct world *w, const struct device *d)
{
    return w->now_us >= d->refuses_until_us && w->now_us >= d->busy_until_us &&
           w->now_us >= d->blind_until_us && w->now_us >= d->clamps_until_us && w->now_us >= d->late_until_us;
}

static void follow(struct world *w, uint32_t device)
{
    struct device     *d = &w->device[device];
    const struct proc *p = &w->proc[device];
    bool               is_exposed = false, is_unexplained = false;

    if (!p->is_alive || w->now_us < p->paused_until_us || !is_well(w, d))
        d->able_us = w->now_us;
    if (d->able_us == w->now_us || w->now_us < p->disk.full_until_us)
        d->able_log_us = w->now_us;
    if (p->is_guarded && !chaos_guard_is_able(p))
        d->guard_stopped_us = w->now_us;
    for (int i = 0; i < WORLD_KNOBS; i++) {
        enum knob k = world_knob[i];

        if (!d->is.is_named[k])
            continue;
        is_exposed |= !has(&d->rest[k], d->is.knobs.value[k]);
        is_unexplained |= !has(&d->explained[k], d->is.knobs.value[k]);
    }
    if (is_exposed && !d->is_exposed)
        d->exposed_us = w->now_us;
    if (is_unexplained && !d->is_unexplained)
        d->unexplained_us = w->now_us;
    d->is_late &= is_exposed;
    if ((!chaos_guard_is_able(p) || d->is_late || !is_well(w, d)) && d->able_us == w->now_us)
        d->guard_able_us = w->now_us;
    d->is_exposed = is_exposed;
    d->is_unexplained = is_unexplained;
}

static void check_device(struct world *w, uint32_t device)
{
    struct device *d = &w->device[device];
    uint64_t       since_us;

    follow(w, device);
    since_us = max_u64(d->guard_able_us, d->exposed_us);
    uint64_t agent_us = max_u64(d->able_us, d->guard_stopped_us);
    if (d->is_exposed && w->now_us > max_u64(since_us, d->lease_until_us) + MOMENT_US)
        broken(w, PROMISE_lease, device, "an unconfirmed value is in the device after its lease");
    if (d->is_exposed && w->now_us < d->breach_until_us &&
        w->now_us > max_u64(max_u64(d->exposed_us, d->breach_since_us) + GUARD_US, agent_us + MOMENT_US))
        broken(w, PROMISE_guard, device,
               "an unconfirmed value is in the device after a guardrail was broken");
    if (d->is_unexplained && w->now_us > max_u64(d->able_log_us, d->unexplained_us) + MOMENT_US)
        broken(w, PROMISE_audit, device, "the audit log does not explain a value");
}

/* A single controller has no other that could take over. A relay that lies speaks for all agents behind it,
 * and two liars may outnumber the others. */
static void check_role(struct world *w)
{
    const struct proc *first = &w->proc[w->agents], *second = first + 1;

    if (second->life == 1 && !second->is_alive && first->control.c.role == ROLE_DEPOSED &&
        !w->has_lying_relay && w->liars < 2)
        broken(w, PROMISE_deposed, 0, "the only controller considers itself deposed");
}

void check_all(struct world *w)
{
    for (uint32_t i = 0; i < w->agents; i++)
        check_device(w, i);
    check_role(w);
}

static void check_log(struct world *w, uint32_t proc)
{
    const struct disk *d = &w->proc[proc].disk;
    struct audit       a = { .is_part = d->is_part };
    uint64_t           line = 0;
    FILE              *file = d->log_length ? fmemopen(d->log, d->log_length, "r") : NULL;
    const char        *wrong = NULL;

    if (!a.is_part)
        audit_init(&a);
    if (file)
        wrong = audit_check_file(&a, file, &line);
    if (wrong && !(d->is_damaged && proc < w->agents))
        broken(w, PROMISE_audit, proc < w->agents ? proc : 0, wrong);
    if (file)
        fclose(file);
}

/* No message may prevent agents from obeying a controller permanently: no files have to be wiped. */
void check_leave(struct world *w)
{
    bool has_active = false;

    for (uint32_t i = 0; i < w->controllers; i++) {
        const struct proc *p = &w->proc[w->agents + i];

        has_active |= p->is_alive && p->control.c.role == ROLE_ACTIVE;
        world_loud(w, "controller %u: %s, role %d, term %" PRIx64, i, p->is_alive ? "alive" : "dead",
                   (int)p->control.c.role, p->control.c.term);
    }
    if (!has_active && w->liars < 2)             /* two liars may outvote the others */
        broken(w, PROMISE_lasting, 0, "no controller is active, long after the last fault");
    for (uint32_t i = 0; i < w->agents; i++) {
        const struct proc *p = &w->proc[i];

        if (p->is_alive && w->now_us >= p->paused_until_us && !w->device[i].is_misled && w->liars < 2 &&
            p->agent.lease_until_us <= world_clock(p, w->now_us))
            broken(w, PROMISE_lasting, i, "its agent obeys no controller, long after the last fault");
    }
    if (w->is_calm && !w->result->applied)
        broken(w, PROMISE_others, 0, "liars have stopped all trials");
}

void check_end(struct world *w)
{
    for (uint32_t i = 0; i < w->agents; i++) {
        if (w->device[i].is_exposed)
            broken(w, PROMISE_lease, i, "an unconfirmed value is in the device in the end");
        if (!knobset_has(&w->device[i].is, &w->proc[i].agent.saved.confirmed))
            broken(w, PROMISE_lasting, i, "it does not hold the confirmed setting in the end");
    }
    for (uint32_t i = 0; i < w->agents + w->controllers; i++)
        check_log(w, i);
}
