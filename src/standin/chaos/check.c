/* src/standin/chaos/check.c - see check.h. */
#include "standin/chaos/check.h"
#include "base/minmax.h"
#include "live/core/knobset.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MOMENT_US 900000u        /* an agent that can act must have acted: a retry, an interval, and a little */
#define GUARD_US  350000u        /* two intervals, and a little */

static void broken(struct world *w, uint32_t device, const char *what)
{
    char text[160];

    if (*w->result->broken)
        return;
    snprintf(w->result->broken, sizeof w->result->broken, "seed %" PRIu64 ", %.3f s, device %u (%s): %s", w->seed,
             (double)w->now_us / 1e6, device, knobset_text(text, sizeof text, &w->device[device].is), what);
    world_loud(w, "BROKEN %s", w->result->broken);
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

/* ---- what is known ---- */

static void note_prepare(struct device *d, const struct msg *m)
{
    uint32_t i = d->prepares++ % WORLD_PREPARED_MAX;

    d->prepared[i].term = m->term;
    d->prepared[i].change = m->change;
    d->prepared[i].set = m->set;
}

/* What a controller confirms may stay, from the moment the agent could know of it. */
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
    if (m->kind == MSG_PREPARE)
        note_prepare(d, m);
    else if (m->kind == MSG_CONFIRM)
        note_confirm(d, m);
    else if (m->kind == MSG_LEASE)
        d->lease_until_us = max_u64(d->lease_until_us, world_true(p, m->stamp_us + d->lease_us));
}

void check_after_msg(struct world *w, uint32_t device, const struct msg *m)
{
    const struct proc *p = &w->proc[device];
    struct device     *d = &w->device[device];

    if (m->kind != MSG_WHO && m->incarnation == p->agent.incarnation && w->now_us >= p->disk.full_until_us)
        d->fence = max_u64(d->fence, m->term);
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
        broken(w, device, "a line of the log is not what it should be");
    else {
        note_new(&w->device[device], json_object_get(o, "new"));
        w->result->applied += strcmp(what, "apply") == 0;
        w->result->confirmed += strcmp(what, "confirm") == 0;
        w->result->reverted += strcmp(what, "revert") == 0;
        w->result->adopted += strcmp(what, "adopt") == 0;
    }
    json_decref(o);
}

/* Has the newest controller that the agent knows asked for it? */
static bool is_of_newest(const struct device *d, enum knob knob, double value)
{
    for (uint32_t i = 0; i < WORLD_PREPARED_MAX; i++)
        if (d->prepared[i].set.is_named[knob] && d->prepared[i].set.knobs.value[knob] == value && d->prepared[i].term >= d->fence)
            return true;
    return false;
}

void check_write(struct world *w, uint32_t device, enum knob knob, double value)
{
    struct device *d = &w->device[device];

    if (!has(&d->explained[knob], value))
        broken(w, device, "a value is written that is not in the audit log");
    if (!has(&d->rest[knob], value) && !is_of_newest(d, knob, value))
        broken(w, device, "two writers: a change of an older controller is written");
}

void check_foreign(struct world *w, uint32_t device, enum knob knob, double value)
{
    add(&w->device[device].rest[knob], value);
}

/* What a device made of a write cannot be told from what a person has set, once the agent has forgotten it: it stays. */
void check_kill(struct world *w, uint32_t device)
{
    struct device *d = &w->device[device];

    for (int k = 0; k < KNOB_COUNT; k++)
        if (d->is.is_named[k] && d->is_clamped[k])
            add(&d->rest[k], d->is.knobs.value[k]);
}

/* ---- after every event ---- */

static bool is_well(const struct world *w, const struct device *d)
{
    return w->now_us >= d->refuses_until_us && w->now_us >= d->blind_until_us && w->now_us >= d->clamps_until_us &&
           w->now_us >= d->late_until_us;
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
    d->is_exposed = is_exposed;
    d->is_unexplained = is_unexplained;
}

static void check_device(struct world *w, uint32_t device)
{
    struct device *d = &w->device[device];
    uint64_t       since_us;

    follow(w, device);
    since_us = max_u64(d->able_us, d->exposed_us);
    if (d->is_exposed && w->now_us > max_u64(since_us, d->lease_until_us) + MOMENT_US)
        broken(w, device, "a value that is not confirmed is there after its lease");
    if (d->is_exposed && w->now_us < d->breach_until_us &&
        w->now_us > max_u64(max_u64(d->exposed_us, d->breach_since_us) + GUARD_US, d->able_us + MOMENT_US))
        broken(w, device, "a value that is not confirmed is there after a guardrail was broken");
    if (d->is_unexplained && w->now_us > max_u64(d->able_log_us, d->unexplained_us) + MOMENT_US)
        broken(w, device, "the audit log does not explain a value");
}

void check_all(struct world *w)
{
    for (uint32_t i = 0; i < w->agents; i++)
        check_device(w, i);
}

static void check_log(struct world *w, uint32_t proc)
{
    struct audit a;
    struct err   err;

    if (audit_verify(&a, "log", w->proc[proc].disk.log, w->proc[proc].disk.log_length, &err))
        broken(w, proc < w->agents ? proc : 0, err.text);
}

void check_end(struct world *w)
{
    for (uint32_t i = 0; i < w->agents; i++) {
        if (w->device[i].is_exposed)
            broken(w, i, "a value that is not confirmed is there in the end");
        if (!knobset_has(&w->device[i].is, &w->proc[i].agent.saved.confirmed))
            broken(w, i, "it does not hold what is confirmed in the end");
    }
    for (uint32_t i = 0; i < w->agents + w->controllers; i++)
        check_log(w, i);
}
