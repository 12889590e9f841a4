#include "live/view/state_json.h"
#include "live/core/guard.h"
#include "live/core/knobset.h"
#include "live/view/words.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AUDIT_LINES_MAX 100u
#define VALUES_MAX      8        /* of a knob */

/* ---- parts ---- */

/* What the knobs of a setting were before it; null: devices held several values. */
static json_t *was_json(const struct knob_set *set, const struct knob_set *was)
{
    json_t *old = json_object();

    for (int k = 0; k < KNOB_COUNT; k++)
        if (set->is_named[k])
            json_put_number(old, knob_names[k], was->is_named[k] ? was->knobs.value[k] : NAN);
    return old;
}

static json_t *trial_json(const struct controller *c)
{
    const struct trial  *t = &c->trial;
    const struct evalue *e = &t->evidence;
    const char          *stage = words_stage(t->phase, t->stage);
    json_t *o = JSON_OF({ "number", json_of_count(t->number) },
                        { "phase", json_of_text(words_phase[t->phase]) }, { "why", json_of_text(t->why) },
                        { "by", json_of_text(t->by) },
                        { "code", t->phase == TRIAL_WAITING ? json_of_text(t->code) : NULL },
                        { "set", knobset_json(&t->wanted) }, { "was", was_json(&t->wanted, &t->was) },
                        { "stage", *stage ? json_of_text(stage) : NULL },
                        { "intervals", json_of_count(t->intervals) });

    if (e->pairs)
        JSON_PUT(o, { "pairs", json_of_count(e->pairs) }, { "gain", json_of_number(evalue_gain(e)) },
                 { "gain_at_least", json_of_number(evalue_bound(e, c->cfg->bound_e)) },
                 { "e_gain", json_of_number(evalue_above(e, 0)) },
                 { "e_harm", json_of_number(evalue_below(e, -c->cfg->harm * t->metric)) },
                 { "accept_e", json_of_number(c->cfg->accept_e) },
                 { "reject_e", json_of_number(c->cfg->reject_e) });
    return o;
}

/* Of a tuner at the switch itself. */
static json_t *queues_json(const struct msg_self *s)
{
    return JSON_OF({ "allowed", json_boolean(s->is_allowed) }, { "queues", json_of_count(s->queues) },
                   { "moved", json_of_count(s->moved) }, { "decisions", json_of_count(s->decisions) },
                   { "changes", json_of_count(s->changes) }, { "training", json_boolean(s->is_training) },
                   { "learned", json_boolean(s->net != 0) });
}

json_t *state_json_device(const struct controller *c, const struct peer *p, uint64_t now_us)
{
    const struct msg_sample *s = &p->sample;
    bool            is_whole = s->interval_us && !s->is_brief, has_cnps = !(s->unknown & MSG_UNKNOWN(cnps));
    struct knob_set is = knobset_changed(&p->device, &p->baseline), was = knobset_part(&p->baseline, &is);
    char            blind[120];

    return JSON_OF({ "name", json_of_text(p->name) }, { "kind", json_of_text(words_kind(p->where)) },
                   { "state", json_of_text(words_state[words_state_of(c, p, now_us)]) },
                   { "fresh", json_boolean(roster_is_fresh(c, p, now_us)) },
                   { "writes", json_boolean(p->may_write) },
                   { "held_back", json_boolean(p->may_write && !p->is_frozen && p->rank == RANK_NONE) },
                   { "frozen", json_boolean(p->is_frozen) },
                   { "why", json_of_text(*p->breach ? p->breach : p->frozen_why) },
                   { "has_trial", json_boolean(words_has_trial(p)) }, { "metric", json_of_number(s->metric) },
                   { "age_ms", json_of_number(p->heard_us ? (double)(now_us - p->heard_us) / 1e3 : NAN) },
                   { "rate_bps", json_of_number(s->rate_bps ? (double)s->rate_bps : NAN) },
                   { "utilisation", json_of_number(msg_use(s)) },
                   { "paused", json_of_number(is_whole ? s->paused : NAN) },
                   { "cnps", json_of_number(s->interval_us && has_cnps ? (double)s->cnps : NAN) },
                   { "unguarded", json_of_text(is_whole ? guard_blind(blind, sizeof blind, s) : "") },
                   { "changed", knobset_json(&is) }, { "was", knobset_json(&was) },
                   { "queues", p->self.is_there ? queues_json(&p->self) : NULL });
}

static json_t *devices_json(const struct controller *c, uint64_t now_us)
{
    json_t *list = json_array();

    for (const struct peer *p = c->peer; p < c->peer + c->peers; p++)
        json_array_append_new(list, state_json_device(c, p, now_us));
    return list;
}

/* Devices by state; and how many have the trial's setting, and how many a trial may set. */
static void add_counts(json_t *o, const struct controller *c, uint64_t now_us)
{
    uint32_t count[STATES] = { 0 }, with_trial = 0, settable = 0;
    json_t  *states = json_object();

    for (const struct peer *p = c->peer; p < c->peer + c->peers; p++) {
        count[words_state_of(c, p, now_us)]++;
        with_trial += words_has_trial(p);
        settable += p->rank != RANK_NONE;
    }
    for (int i = 0; i < STATES; i++)
        json_put_count(states, words_state[i], count[i]);
    JSON_PUT(o, { "states", states }, { "reach", JSON_OF({ "trial", json_of_count(with_trial) },
                                                         { "settable", json_of_count(settable) }) });
}

static json_t *time_json(uint64_t wall_us)
{
    return json_of_number(wall_us ? (double)(wall_us / 1000) : NAN);
}

/* The current setting (empty: the baseline of each device), and the baseline values that it replaced. */
static json_t *standing_json(const struct controller *c)
{
    const struct standing *s = &c->standing;
    struct knob_set        was = roster_held(c, &s->set, true);

    return JSON_OF({ "set", knobset_json(&s->set) }, { "was", was_json(&s->set, &was) },
                   { "since_ms", time_json(s->wall_us) }, { "trial", json_of_count(s->trial) },
                   { "by", json_of_text(s->by) }, { "why", json_of_text(s->why) });
}

static json_t *drill_json(const struct drill_result *d)
{
    return JSON_OF({ "passed_ms", time_json(d->passed_us) }, { "last_ms", time_json(d->wall_us) },
                   { "is_passed", json_boolean(d->is_passed) },
                   { "took_ms", json_of_number(d->wall_us ? (double)d->took_us / 1e3 : NAN) },
                   { "device", json_of_text(d->device) }, { "why", json_of_text(d->why) });
}

json_t *state_json_unguarded(const struct controller *c, uint64_t now_us)
{
    struct msg_sample  all = { 0 };
    uint32_t           count = 0;
    const struct peer *first = NULL;
    char               text[120];

    for (const struct peer *p = c->peer; p < c->peer + c->peers; p++) {
        const struct msg_sample *s = &p->sample;

        if (!s->interval_us || s->is_brief || !roster_is_fresh(c, p, now_us) ||
            !*guard_blind(text, sizeof text, s))
            continue;
        first = count++ ? first : p;
        all.unknown |= s->unknown;
        all.paused = isnan(s->paused) ? s->paused : all.paused;
    }
    return JSON_OF({ "devices", json_of_count(count) },
                   { "what", json_of_text(guard_blind(text, sizeof text, &all)) },
                   { "example", json_of_text(first ? first->name : "") });
}

/* Devices at which a guardrail is broken: how many, one of them, and which guardrail. */
static json_t *breach_json(const struct controller *c)
{
    uint32_t           count = 0;
    const struct peer *first = NULL;

    for (const struct peer *p = c->peer; p < c->peer + c->peers; p++)
        if (*p->breach)
            first = count++ ? first : p;
    return JSON_OF({ "devices", json_of_count(count) }, { "example", json_of_text(first ? first->name : "") },
                   { "why", json_of_text(first ? first->breach : "") });
}

static char *trial_text(char *buf, size_t size, const struct trial *t)
{
    static const char *const where[STAGES] = { "on one device of each kind", "on 5 % of the devices",
                                               "on a quarter of the devices",
                                               "on two halves that take turns" };

    if (t->phase == TRIAL_WAITING)
        snprintf(buf, size, "trial %" PRIu64 " waits for approval", t->number);
    else if (t->phase == TRIAL_DRILL)
        snprintf(buf, size, "no trial: the dead-man switch is being proven at %s", t->device);
    else if (t->phase == TRIAL_ROLLBACK)
        snprintf(buf, size, "no trial: devices go back to their baseline, ordered by %s", t->by);
    else if (t->phase == TRIAL_ABORT)
        snprintf(buf, size, "trial %" PRIu64 " is taken back: %s", t->number, t->end);
    else
        snprintf(buf, size, "trial %" PRIu64 " is under way: %s", t->number,
                 t->phase == TRIAL_LEAD_IN || t->phase == TRIAL_RUN ? where[t->stage]
                 : t->phase == TRIAL_CONFIRM                        ? "it is being confirmed"
                                                                    : "all devices get it");
    return buf;
}

char *state_json_next(char *buf, size_t size, const struct controller *c, const json_t *tuner,
                      uint64_t now_us)
{
    char        text[MSG_WHY_SIZE];
    const char *name = json_get_text(tuner, "name"), *missing = json_get_text(tuner, "missing");
    const char *last = json_get_text(json_object_get(tuner, "last"), "why");

    if (c->trial.phase != TRIAL_NONE)
        return trial_text(buf, size, &c->trial);
    const char *why = controller_obstacle(c, now_us, text);
    why = why ? why : !*name ? "there is no tuner" : *missing ? missing : *c->declined ? c->declined : NULL;
    if (why)
        snprintf(buf, size, "nothing is tried: %s", why);
    else if (json_is_true(json_object_get(tuner, "thinks")))
        snprintf(buf, size, "nothing is tried yet: tuner %s tries settings on a twin of the network", name);
    else
        snprintf(buf, size, "nothing is tried: tuner %s has nothing to try%s%s", name, *last ? ": " : "",
                 last);
    return buf;
}

/* ---- whole answers ---- */

static json_t *head_json(const struct controller *c, uint64_t now_us)
{
    char             buf[MSG_WHY_SIZE];
    const char      *why = controller_obstacle(c, now_us, buf);
    const struct aa *a = &c->aa[STAGE_HALVES];

    return JSON_OF({ "name", json_of_text(c->cfg->name) }, { "role", json_of_text(words_role[c->role]) },
                   { "mode", json_of_text(words_mode[c->cfg->mode]) }, { "term", json_of_count(c->term) },
                   { "frozen", json_of_text(c->frozen) }, { "obstacle", json_of_text(why ? why : "") },
                   { "coverage", json_of_number(roster_coverage(c, now_us)) },
                   { "noise_pairs", json_of_count(a->pairs) },
                   { "noise_e", json_of_number(a->evidence.sd > 0 ? evalue_above(&a->evidence, 0) : NAN) },
                   { "declined", json_of_text(c->declined) },
                   { "left_out", json_of_text(c->left_out) }, { "in_effect", standing_json(c) },
                   { "drill", drill_json(&c->drill) }, { "unguarded", state_json_unguarded(c, now_us) },
                   { "breach", breach_json(c) }, { "trial", trial_json(c) });
}

json_t *state_json_status(const struct controller *c, const json_t *tuner, uint64_t now_us)
{
    json_t *o = head_json(c, now_us);
    char    next[900];

    JSON_PUT(o, { "next", json_of_text(state_json_next(next, sizeof next, c, tuner, now_us)) },
             { "devices", devices_json(c, now_us) });
    return o;
}

json_t *state_json_diff(const struct controller *c)
{
    json_t *list = json_array();

    for (const struct peer *p = c->peer; p < c->peer + c->peers; p++) {
        struct knob_set is = knobset_changed(&p->device, &p->baseline), was = knobset_part(&p->baseline, &is);

        json_array_append_new(list, JSON_OF({ "name", json_of_text(p->name) },
                                            { "baseline", knobset_json(&was) },
                                            { "device", knobset_json(&is) }));
    }
    return list;
}

json_t *state_json_brief(const struct controller *c, const struct timeline *t, uint64_t now_us,
                         uint64_t wall_us)
{
    json_t *o = head_json(c, now_us);

    JSON_PUT(o, { "version", json_of_count(STATE_JSON_VERSION) }, { "now_ms", json_of_count(wall_us / 1000) },
             { "interval_ms", json_of_count(c->cfg->interval_us / 1000) },
             { "devices_total", json_of_count(c->peers) });
    add_counts(o, c, now_us);
    JSON_PUT(o, { "evidence", timeline_evidence_json(t, c) }, { "timeline", timeline_json(t, 1) });
    return o;
}

json_t *state_json(const struct controller *c, const struct ledger *l, const struct timeline *t,
                   bool has_devices, uint64_t now_us, uint64_t wall_us)
{
    json_t *o = state_json_brief(c, t, now_us, wall_us);

    JSON_PUT(o, { "timeline", timeline_json(t, TIMELINE_SHOWN) }, { "knobs", timeline_knobs_json(t) },
             { "decisions", ledger_decisions(l) }, { "audit", ledger_json(l, AUDIT_LINES_MAX) },
             { "devices", has_devices ? devices_json(c, now_us) : NULL });
    return o;
}

/* ---- agreement ---- */

struct held { double value; uint32_t devices; const char *example; };

static void count_value(struct held held[VALUES_MAX], double value, const char *name)
{
    for (struct held *h = held; h < held + VALUES_MAX; h++) {
        if (h->devices && !knobset_is_equal_value(h->value, value))
            continue;
        if (!h->devices)
            *h = (struct held){ value, 0, name };
        h->devices++;
        return;
    }
}

static int compare_held(const void *left, const void *right)
{
    const struct held *a = left, *b = right;

    return a->devices != b->devices ? (a->devices < b->devices) - (a->devices > b->devices) :
           (a->value > b->value) - (a->value < b->value);
}

static json_t *held_json(struct held held[VALUES_MAX])
{
    json_t *list = json_array();

    qsort(held, VALUES_MAX, sizeof *held, compare_held);
    for (const struct held *h = held; h < held + VALUES_MAX && h->devices; h++)
        json_array_append_new(list, JSON_OF({ "value", json_of_number(h->value) },
                                            { "devices", json_of_count(h->devices) },
                                            { "example", json_of_text(h->example) }));
    return list;
}

json_t *state_json_agreement(const struct controller *c)
{
    static struct held held[2][KNOB_COUNT][VALUES_MAX];  /* of NICs and switches */
    json_t            *list = json_array();

    memset(held, 0, sizeof held);
    for (const struct peer *p = c->peer; p < c->peer + c->peers; p++)
        for (int k = 0; k < KNOB_COUNT; k++)
            if (p->device.is_named[k])
                count_value(held[p->where != KNOB_NIC][k], p->device.knobs.value[k], p->name);
    for (int i = 0; i < 2 * KNOB_COUNT; i++) {
        int k = i % KNOB_COUNT, is_switch = i / KNOB_COUNT;

        if (held[is_switch][k][1].devices)
            json_array_append_new(list, JSON_OF(
                { "knob", json_of_text(knob_info[k].name) },
                { "kind", json_of_text(words_kind(is_switch ? KNOB_SWITCH : KNOB_NIC)) },
                { "values", held_json(held[is_switch][k]) }));
    }
    return list;
}
