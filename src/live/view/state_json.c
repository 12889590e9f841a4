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

/* Puts the knobs of a setting, and their values before it; null: devices held several values. */
static void put_change(json_t *o, const struct knob_set *set, const struct knob_set *was)
{
    json_t *old = json_object();

    for (int k = 0; k < KNOB_COUNT; k++)
        if (set->is_named[k])
            json_put_number(old, knob_names[k], was->is_named[k] ? was->knobs.value[k] : NAN);
    json_object_set_new(o, "set", knobset_json(set));
    json_object_set_new(o, "was", old);
}

static json_t *trial_json(const struct controller *c)
{
    const struct trial *t = &c->trial;
    json_t             *o = json_object();

    json_put_count(o, "number", t->number);
    json_put_text(o, "phase", words_phase(t->phase));
    json_put_text(o, "why", t->why);
    json_put_text(o, "by", t->by);
    if (t->phase == TRIAL_WAITING)
        json_put_text(o, "code", t->code);
    put_change(o, &t->wanted, &t->was);
    if (*words_stage(t->phase, t->stage))
        json_put_text(o, "stage", words_stage(t->phase, t->stage));
    json_put_count(o, "intervals", t->intervals);
    if (!t->evidence.pairs)
        return o;
    json_put_count(o, "pairs", t->evidence.pairs);
    json_put_number(o, "gain", evalue_gain(&t->evidence));
    json_put_number(o, "gain_at_least", evalue_bound(&t->evidence, c->cfg->bound_e));
    json_put_number(o, "e_gain", evalue_above(&t->evidence, 0));
    json_put_number(o, "e_harm", evalue_below(&t->evidence, -c->cfg->harm * t->metric));
    json_put_number(o, "accept_e", c->cfg->accept_e);
    json_put_number(o, "reject_e", c->cfg->reject_e);
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
    json_t *o = json_object();

    json_object_set_new(o, "allowed", json_boolean(s->is_allowed));
    json_put_count(o, "queues", s->queues);
    json_put_count(o, "moved", s->moved);
    json_put_count(o, "decisions", s->decisions);
    json_put_count(o, "changes", s->changes);
    json_object_set_new(o, "training", json_boolean(s->is_training));
    json_object_set_new(o, "learned", json_boolean(s->net != 0));
    return o;
}

json_t *state_json_device(const struct controller *c, const struct peer *p, uint64_t now_us)
{
    const struct msg_sample *s = &p->sample;
    json_t         *o = json_object();
    struct knob_set is, was;
    char            blind[120];

    changed(p, &is, &was);
    json_put_text(o, "name", p->name);
    json_put_text(o, "kind", p->where == KNOB_NIC ? "NIC" : "switch");
    json_put_text(o, "state", words_state(words_state_of(c, p, now_us)));
    json_object_set_new(o, "fresh", json_boolean(roster_is_fresh(c, p, now_us)));
    json_object_set_new(o, "writes", json_boolean(p->may_write));
    json_object_set_new(o, "held_back", json_boolean(p->may_write && !p->is_frozen && p->rank == RANK_NONE));
    json_object_set_new(o, "frozen", json_boolean(p->is_frozen));
    json_put_text(o, "why", *p->breach ? p->breach : p->frozen_why);
    json_object_set_new(o, "has_trial", json_boolean(words_has_trial(p)));
    json_put_number(o, "metric", s->metric);
    json_put_number(o, "age_ms", p->heard_us ? (double)(now_us - p->heard_us) / 1e3 : NAN);
    json_put_number(o, "rate_bps", s->rate_bps ? (double)s->rate_bps : NAN);
    json_put_number(o, "utilisation", words_utilisation(s));
    json_put_number(o, "paused", s->interval_us && !s->is_brief ? s->paused : NAN);
    json_put_number(o, "cnps", s->interval_us && !(s->unknown & MSG_UNKNOWN(cnps)) ? (double)s->cnps : NAN);
    json_put_text(o, "unguarded", s->interval_us && !s->is_brief ? guard_blind(blind, sizeof blind, s) : "");
    json_object_set_new(o, "changed", knobset_json(&is));
    json_object_set_new(o, "was", knobset_json(&was));
    if (p->self.is_there)
        json_object_set_new(o, "queues", queues_json(&p->self));
    return o;
}

static json_t *devices_json(const struct controller *c, uint64_t now_us)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < c->peers; i++)
        json_array_append_new(list, state_json_device(c, &c->peer[i], now_us));
    return list;
}

static json_t *counts_json(const struct controller *c, uint64_t now_us)
{
    uint32_t count[STATES] = { 0 };
    json_t  *o = json_object();

    for (uint32_t i = 0; i < c->peers; i++)
        count[words_state_of(c, &c->peer[i], now_us)]++;
    for (int i = 0; i < STATES; i++)
        json_put_count(o, words_state((enum words_state)i), count[i]);
    return o;
}

/* How many devices an order would reach: those that have the trial's setting, and those that a trial may
 * set. */
static json_t *reach_json(const struct controller *c)
{
    uint32_t with_trial = 0, settable = 0;
    json_t  *o = json_object();

    for (uint32_t i = 0; i < c->peers; i++) {
        with_trial += words_has_trial(&c->peer[i]);
        settable += c->peer[i].rank != RANK_NONE;
    }
    json_put_count(o, "trial", with_trial);
    json_put_count(o, "settable", settable);
    return o;
}

/* The current setting: since when, by whom, why; and the baseline that it replaced. An empty set is the
 * baseline of each device. */
static json_t *standing_json(const struct controller *c)
{
    const struct standing *s = &c->standing;
    struct knob_set        was = roster_held(c, &s->set, true);
    json_t                *o = json_object();

    put_change(o, &s->set, &was);
    json_put_number(o, "since_ms", s->wall_us ? (double)(s->wall_us / 1000) : NAN);
    json_put_count(o, "trial", s->trial);
    json_put_text(o, "by", s->by);
    json_put_text(o, "why", s->why);
    return o;
}

static json_t *drill_json(const struct drill_result *d)
{
    json_t *o = json_object();

    json_put_number(o, "passed_ms", d->passed_us ? (double)(d->passed_us / 1000) : NAN);
    json_put_number(o, "last_ms", d->wall_us ? (double)(d->wall_us / 1000) : NAN);
    json_object_set_new(o, "is_passed", json_boolean(d->is_passed));
    json_put_number(o, "took_ms", d->wall_us ? (double)d->took_us / 1e3 : NAN);
    json_put_text(o, "device", d->device);
    json_put_text(o, "why", d->why);
    return o;
}

/* Devices at which guardrails do not see everything: how many, what, and one of them. */
static json_t *unguarded_json(const struct controller *c, uint64_t now_us)
{
    struct msg_sample all = { 0 };
    uint32_t          count = 0, first = 0;
    char              text[120];
    json_t           *o = json_object();

    for (uint32_t i = 0; i < c->peers; i++) {
        const struct msg_sample *s = &c->peer[i].sample;

        if (!s->interval_us || s->is_brief || !roster_is_fresh(c, &c->peer[i], now_us) ||
            !*guard_blind(text, sizeof text, s))
            continue;
        first = count++ ? first : i;
        all.unknown |= s->unknown;
        all.paused = isnan(s->paused) ? s->paused : all.paused;
    }
    json_put_count(o, "devices", count);
    json_put_text(o, "what", guard_blind(text, sizeof text, &all));
    json_put_text(o, "example", count ? c->peer[first].name : "");
    return o;
}

/* Devices at which a guardrail is broken: how many, one of them, and which guardrail. */
static json_t *breach_json(const struct controller *c)
{
    uint32_t count = 0, first = 0;
    json_t  *o = json_object();

    for (uint32_t i = 0; i < c->peers; i++)
        if (*c->peer[i].breach)
            first = count++ ? first : i;
    json_put_count(o, "devices", count);
    json_put_text(o, "example", count ? c->peer[first].name : "");
    json_put_text(o, "why", count ? c->peer[first].breach : "");
    return o;
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
    json_t          *o = json_object();

    json_put_text(o, "name", c->cfg->name);
    json_put_text(o, "role", words_role(c->role));
    json_put_text(o, "mode", words_mode(c->cfg->mode));
    json_put_count(o, "term", c->term);
    json_put_text(o, "frozen", c->frozen);
    json_put_text(o, "obstacle", why ? why : "");
    json_put_number(o, "coverage", roster_coverage(c, now_us));
    json_put_count(o, "noise_pairs", a->pairs);
    json_put_number(o, "noise_e", a->evidence.sd > 0 ? evalue_above(&a->evidence, 0) : NAN);
    json_put_text(o, "declined", c->declined);
    json_object_set_new(o, "in_effect", standing_json(c));
    json_object_set_new(o, "drill", drill_json(&c->drill));
    json_object_set_new(o, "unguarded", unguarded_json(c, now_us));
    json_object_set_new(o, "breach", breach_json(c));
    json_object_set_new(o, "trial", trial_json(c));
    return o;
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

    for (uint32_t i = 0; i < c->peers; i++) {
        struct knob_set is, was;
        json_t         *o = json_object();

        changed(&c->peer[i], &is, &was);
        json_put_text(o, "name", c->peer[i].name);
        json_object_set_new(o, "baseline", knobset_json(&was));
        json_object_set_new(o, "device", knobset_json(&is));
        json_array_append_new(list, o);
    }
    return list;
}

json_t *state_json_brief(const struct controller *c, const struct timeline *t, uint64_t now_us,
                         uint64_t wall_us)
{
    json_t *o = head_json(c, now_us);

    json_put_count(o, "version", STATE_JSON_VERSION);
    json_put_count(o, "now_ms", wall_us / 1000);
    json_put_count(o, "interval_ms", c->cfg->interval_us / 1000);
    json_put_count(o, "devices_total", c->peers);
    json_object_set_new(o, "states", counts_json(c, now_us));
    json_object_set_new(o, "reach", reach_json(c));
    json_object_set_new(o, "evidence", timeline_evidence_json(t, c));
    json_object_set_new(o, "timeline", timeline_json(t, 1));
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
    json_t *o = json_object(), *list = json_array();

    qsort(s->held, s->values, sizeof *s->held, compare_held);
    for (uint32_t i = 0; i < s->values; i++) {
        json_t *v = json_object();

        json_put_number(v, "value", s->held[i].value);
        json_put_count(v, "devices", s->held[i].devices);
        json_put_text(v, "example", s->held[i].example);
        json_array_append_new(list, v);
    }
    json_put_text(o, "knob", knob_info[knob].name);
    json_put_text(o, "kind", where == KNOB_NIC ? "NIC" : "switch");
    json_object_set_new(o, "values", list);
    return o;
}

json_t *state_json_agreement(const struct controller *c)
{
    static struct spread spread[2][KNOB_COUNT];
    json_t              *list = json_array();

    for (int k = 0; k < KNOB_COUNT; k++)
        spread[0][k].values = spread[1][k].values = 0;
    for (uint32_t i = 0; i < c->peers; i++)
        for (int k = 0; k < KNOB_COUNT; k++)
            if (c->peer[i].device.is_named[k])
                count_value(&spread[c->peer[i].where != KNOB_NIC][k], c->peer[i].device.knobs.value[k],
                            c->peer[i].name);
    for (int where = 0; where < 2; where++)
        for (int k = 0; k < KNOB_COUNT; k++)
            if (spread[where][k].values > 1)
                json_array_append_new(list, spread_json(&spread[where][k], (enum knob)k,
                                                        where ? KNOB_SWITCH : KNOB_NIC));
    return list;
}
