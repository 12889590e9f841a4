#include "live/view/state_json.h"
#include "live/controller/roster.h"
#include "live/core/guard.h"
#include "live/core/knobset.h"
#include "live/view/words.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

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
    json_t *o = JSON_OF({ "number", json_of_count(t->number) },
                        { "phase", json_of_text(words_phase[t->phase]) }, { "why", json_of_text(t->why) },
                        { "by", json_of_text(t->by) });

    if (t->phase == TRIAL_WAITING)
        json_put_text(o, "code", t->code);
    json_object_set_new(o, "set", knobset_json(&t->wanted));
    json_object_set_new(o, "was", was_json(&t->wanted, &t->was));
    if (*words_stage(t->phase, t->stage))
        json_put_text(o, "stage", words_stage(t->phase, t->stage));
    json_put_count(o, "intervals", t->intervals);
    if (e->pairs)
        json_object_update_new(o, JSON_OF(
            { "pairs", json_of_count(e->pairs) }, { "gain", json_of_number(evalue_gain(e)) },
            { "gain_at_least", json_of_number(evalue_bound(e, c->cfg->bound_e)) },
            { "e_gain", json_of_number(evalue_above(e, 0)) },
            { "e_harm", json_of_number(evalue_below(e, -c->cfg->harm * t->metric)) },
            { "accept_e", json_of_number(c->cfg->accept_e) },
            { "reject_e", json_of_number(c->cfg->reject_e) }));
    return o;
}

/* What it holds that is not its baseline, and that baseline. */
static void changed(const struct peer *p, struct knob_set *is, struct knob_set *was)
{
    *is = knobset_changed(&p->device, &p->baseline);
    *was = knobset_part(&p->baseline, is);
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
    struct knob_set is, was;
    char            blind[120];
    json_t         *o;

    changed(p, &is, &was);
    o = JSON_OF({ "name", json_of_text(p->name) }, { "kind", json_of_text(words_kind(p->where)) },
                { "state", json_of_text(words_state[words_state_of(c, p, now_us)]) },
                { "fresh", json_boolean(roster_is_fresh(c, p, now_us)) },
                { "writes", json_boolean(p->may_write) },
                { "held_back", json_boolean(p->may_write && !p->is_frozen && p->rank == RANK_NONE) },
                { "frozen", json_boolean(p->is_frozen) },
                { "why", json_of_text(*p->breach ? p->breach : p->frozen_why) },
                { "has_trial", json_boolean(words_has_trial(p)) }, { "metric", json_of_number(s->metric) },
                { "age_ms", json_of_number(p->heard_us ? (double)(now_us - p->heard_us) / 1e3 : NAN) },
                { "rate_bps", json_of_number(s->rate_bps ? (double)s->rate_bps : NAN) },
                { "utilisation", json_of_number(words_utilisation(s)) },
                { "paused", json_of_number(is_whole ? s->paused : NAN) },
                { "cnps", json_of_number(s->interval_us && has_cnps ? (double)s->cnps : NAN) },
                { "unguarded", json_of_text(is_whole ? guard_blind(blind, sizeof blind, s) : "") },
                { "changed", knobset_json(&is) }, { "was", knobset_json(&was) });
    if (p->self.is_there)
        json_object_set_new(o, "queues", queues_json(&p->self));
    return o;
}

static json_t *devices_json(const struct controller *c, uint64_t now_us)
{
    json_t *list = json_array();

    for (const struct peer *p = c->peer; p < c->peer + c->peers; p++)
        json_array_append_new(list, state_json_device(c, p, now_us));
    return list;
}

static json_t *counts_json(const struct controller *c, uint64_t now_us)
{
    uint32_t count[STATES] = { 0 };
    json_t  *o = json_object();

    for (const struct peer *p = c->peer; p < c->peer + c->peers; p++)
        count[words_state_of(c, p, now_us)]++;
    for (int i = 0; i < STATES; i++)
        json_put_count(o, words_state[i], count[i]);
    return o;
}

/* How many devices have the trial's setting, and how many a trial may set. */
static json_t *reach_json(const struct controller *c)
{
    uint32_t with_trial = 0, settable = 0;

    for (const struct peer *p = c->peer; p < c->peer + c->peers; p++) {
        with_trial += words_has_trial(p);
        settable += p->rank != RANK_NONE;
    }
    return JSON_OF({ "trial", json_of_count(with_trial) }, { "settable", json_of_count(settable) });
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

/* Devices at which guardrails do not see everything: how many, what, and one of them. */
static json_t *unguarded_json(const struct controller *c, uint64_t now_us)
{
    struct msg_sample all = { 0 };
    uint32_t          count = 0, first = 0;
    char              text[120];

    for (uint32_t i = 0; i < c->peers; i++) {
        const struct msg_sample *s = &c->peer[i].sample;

        if (!s->interval_us || s->is_brief || !roster_is_fresh(c, &c->peer[i], now_us) ||
            !*guard_blind(text, sizeof text, s))
            continue;
        first = count++ ? first : i;
        all.unknown |= s->unknown;
        all.paused = isnan(s->paused) ? s->paused : all.paused;
    }
    return JSON_OF({ "devices", json_of_count(count) },
                   { "what", json_of_text(guard_blind(text, sizeof text, &all)) },
                   { "example", json_of_text(count ? c->peer[first].name : "") });
}

/* Devices at which a guardrail is broken: how many, one of them, and which guardrail. */
static json_t *breach_json(const struct controller *c)
{
    uint32_t count = 0, first = 0;

    for (uint32_t i = 0; i < c->peers; i++)
        if (*c->peer[i].breach)
            first = count++ ? first : i;
    return JSON_OF({ "devices", json_of_count(count) },
                   { "example", json_of_text(count ? c->peer[first].name : "") },
                   { "why", json_of_text(count ? c->peer[first].breach : "") });
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
    char        why[MSG_WHY_SIZE];
    const char *name = json_get_text(tuner, "name"), *missing = json_get_text(tuner, "missing");

    if (c->trial.phase != TRIAL_NONE)
        return trial_text(buf, size, &c->trial);
    if (controller_obstacle(c, now_us, why))
        snprintf(buf, size, "nothing is tried: %s", why);
    else if (!*name)
        snprintf(buf, size, "nothing is tried: there is no tuner");
    else if (*missing)
        snprintf(buf, size, "nothing is tried: %s", missing);
    else if (*c->declined)
        snprintf(buf, size, "nothing is tried: %s", c->declined);
    else if (json_is_true(json_object_get(tuner, "thinks")))
        snprintf(buf, size, "nothing is tried yet: tuner %s tries settings on a twin of the network", name);
    else
        snprintf(buf, size, "nothing is tried: tuner %s has nothing to try%s%s", name,
                 *json_get_text(json_object_get(tuner, "last"), "why") ? ": " : "",
                 json_get_text(json_object_get(tuner, "last"), "why"));
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
                   { "declined", json_of_text(c->declined) }, { "in_effect", standing_json(c) },
                   { "drill", drill_json(&c->drill) }, { "unguarded", unguarded_json(c, now_us) },
                   { "breach", breach_json(c) }, { "trial", trial_json(c) });
}

json_t *state_json_status(const struct controller *c, const json_t *tuner, uint64_t now_us)
{
    json_t *o = head_json(c, now_us);
    char    next[900];

    json_put_text(o, "next", state_json_next(next, sizeof next, c, tuner, now_us));
    json_object_set_new(o, "devices", devices_json(c, now_us));
    return o;
}

json_t *state_json_diff(const struct controller *c)
{
    json_t *list = json_array();

    for (const struct peer *p = c->peer; p < c->peer + c->peers; p++) {
        struct knob_set is, was;

        changed(p, &is, &was);
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

    json_object_update_new(o, JSON_OF(
        { "version", json_of_count(STATE_JSON_VERSION) }, { "now_ms", json_of_count(wall_us / 1000) },
        { "interval_ms", json_of_count(c->cfg->interval_us / 1000) },
        { "devices_total", json_of_count(c->peers) }, { "states", counts_json(c, now_us) },
        { "reach", reach_json(c) }, { "evidence", timeline_evidence_json(t, c) },
        { "timeline", timeline_json(t, 1) }));
    return o;
}

json_t *state_json_overview(const struct controller *c, const struct ledger *l, const struct timeline *t,
                            uint64_t now_us, uint64_t wall_us)
{
    json_t *o = state_json_brief(c, t, now_us, wall_us);

    json_object_set_new(o, "timeline", timeline_json(t, TIMELINE_POINTS));
    json_object_set_new(o, "knobs", timeline_knobs_json(t));
    json_object_set_new(o, "decisions", ledger_decisions(l));
    json_object_set_new(o, "audit", ledger_json(l, AUDIT_LINES_MAX));
    return o;
}

json_t *state_json(const struct controller *c, const struct ledger *l, const struct timeline *t,
                   uint64_t now_us, uint64_t wall_us)
{
    json_t *o = state_json_overview(c, l, t, now_us, wall_us);

    json_object_set_new(o, "devices", devices_json(c, now_us));
    return o;
}

/* ---- agreement ---- */

struct held { double value; uint32_t devices; const char *example; };
struct spread { struct held held[VALUES_MAX]; uint32_t values; };

static void count_value(struct spread *s, double value, const char *name)
{
    uint32_t i = 0;

    while (i < s->values && !knobset_is_equal_value(s->held[i].value, value))
        i++;
    if (i == VALUES_MAX)
        return;
    if (i == s->values)
        s->held[s->values++] = (struct held){ value, 0, name };
    s->held[i].devices++;
}

static int compare_held(const void *left, const void *right)
{
    const struct held *a = left, *b = right;

    return a->devices != b->devices ? (a->devices < b->devices) - (a->devices > b->devices) :
           (a->value > b->value) - (a->value < b->value);
}

static json_t *spread_json(struct spread *s, enum knob knob, enum knob_where where)
{
    json_t *list = json_array();

    qsort(s->held, s->values, sizeof *s->held, compare_held);
    for (uint32_t i = 0; i < s->values; i++)
        json_array_append_new(list, JSON_OF({ "value", json_of_number(s->held[i].value) },
                                            { "devices", json_of_count(s->held[i].devices) },
                                            { "example", json_of_text(s->held[i].example) }));
    return JSON_OF({ "knob", json_of_text(knob_info[knob].name) },
                   { "kind", json_of_text(words_kind(where)) }, { "values", list });
}

json_t *state_json_agreement(const struct controller *c)
{
    static struct spread spread[2][KNOB_COUNT];
    json_t              *list = json_array();

    for (int k = 0; k < KNOB_COUNT; k++)
        spread[0][k].values = spread[1][k].values = 0;
    for (const struct peer *p = c->peer; p < c->peer + c->peers; p++)
        for (int k = 0; k < KNOB_COUNT; k++)
            if (p->device.is_named[k])
                count_value(&spread[p->where != KNOB_NIC][k], p->device.knobs.value[k], p->name);
    for (int where = 0; where < 2; where++)
        for (int k = 0; k < KNOB_COUNT; k++)
            if (spread[where][k].values > 1)
                json_array_append_new(list, spread_json(&spread[where][k], (enum knob)k,
                                                        where ? KNOB_SWITCH : KNOB_NIC));
    return list;
}
