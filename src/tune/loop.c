#include "tune/loop.h"
#include "base/text.h"
#include "core/units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- settings ---- */

static void setting_copy(struct loop_setting *to, const struct loop_setting *from, uint32_t queues)
{
    to->knobs = from->knobs;
    to->has_queues = from->has_queues;
    if (to->has_queues)
        memcpy(to->queue, from->queue, queues * sizeof *to->queue);
}

/* ---- from text to a tuner ---- */

/* "acc:FILE" is acc with FILE as the value of its first option of type file. */
static int read_short(const struct loop_request *q, const char *text, const struct tuner_algo *a,
                      struct option_values *v, struct err *err)
{
    const struct key_row *o = a->option;
    struct option_text    given = { .text = (char *)text, .place = (char *)q->place };

    while (o->name && o->unit != KEY_FILE)
        o++;
    if (!o->name)
        return err_set(err, EINVAL, "%s%s takes nothing after a ':'", q->place, a->name);
    given.key = (char *)o->name;
    return option_values_read(a->option, a->name, v, &given, q->beside, err);
}

static int find_tuner(const struct loop_request *q, int length, const struct tuner_algo **algo,
                      const struct tuner_alias **alias, struct err *err)
{
    const char *names[TUNER_NAMES_MAX + 1];
    char        kind[80], near[400];

    snprintf(kind, sizeof kind, "%.*s", length, q->kind);
    *algo = tuner_find(kind, alias);
    if (*algo)
        return 0;
    tuner_list_names(names);
    text_names(near, sizeof near, kind, names);
    return err_set(err, EINVAL, "%s'%.60s' is not a tuner%s", q->place, kind, near);
}

static int read_options(const struct loop_request *q, const struct tuner_algo **algo, struct option_values *v,
                        struct err *err)
{
    const struct tuner_alias *alias;
    const char               *colon = strchr(q->kind, ':');
    int                       rc = find_tuner(q, colon ? (int)(colon - q->kind) : 79, algo, &alias, err);

    if (rc)
        return rc;
    option_values_init((*algo)->option, v);
    if (alias)
        rc = option_values_set((*algo)->option, (*algo)->name, v, alias->option, alias->value, err);
    if (colon && !rc)
        rc = read_short(q, colon + 1, *algo, v, err);
    for (uint32_t i = 0; i < q->options && !rc; i++)
        rc = option_values_read((*algo)->option, (*algo)->name, v, &q->option[i], q->beside, err);
    if (rc)
        option_values_fini(v);
    return rc;
}

/* Returns the place of an option in the configuration, or of the tuner. */
static const char *place_of(const struct loop_request *q, const char *key)
{
    for (uint32_t i = 0; i < q->options && key; i++)
        if (strcmp(q->option[i].key, key) == 0)
            return q->option[i].place;
    return q->place;
}

/* Reports to a watcher (base/text.h) what decides the tuner's work. Files report themselves. */
static void watch_tuner(const struct tuner_algo *algo, const struct option_values *values,
                        const struct knobs *first)
{
    text_watch_text(algo->name);
    for (int i = 0; algo->option[i].name; i++)
        if (values->value[i] != 0) {
            text_watch_text(algo->option[i].name);
            text_watch_real(values->value[i]);
        }
    knobs_watch(first);
}

int loop_open_with(struct loop *l, const struct world *w, const struct tuner_algo *algo,
                   const struct option_values *values, struct err *err)
{
    int rc;

    *l = (struct loop){ .changed_ps = NEVER };
    rc = tuner_open(&l->tuner, algo, w, values, err);
    if (rc)
        return rc;
    tuning_init(&l->tuning, algo, values, &w->start);
    tuner_first(&l->tuner, &l->tuning.first);
    watch_tuner(algo, values, &l->tuning.first);
    l->queues = w->queues;
    l->wanted = xcalloc(l->queues + 1ul, sizeof *l->wanted);
    l->in_force.queue = xcalloc(l->queues + 1ul, sizeof *l->in_force.queue);
    l->target.queue = xcalloc(l->queues + 1ul, sizeof *l->target.queue);
    l->asked.queue = xcalloc(l->queues + 1ul, sizeof *l->asked.queue);
    return 0;
}

int loop_open(struct loop *l, const struct world *w, const struct loop_request *q, struct err *err)
{
    const struct tuner_algo *algo;
    struct option_values     values;
    const char              *refused = NULL;
    struct err               why;
    int                      rc = read_options(q, &algo, &values, err);

    *l = (struct loop){ .changed_ps = NEVER };
    if (rc)
        return rc;
    if (algo->fill)
        algo->fill(&values);
    values.refused = &refused;
    rc = loop_open_with(l, w, algo, &values, &why);
    option_values_fini(&values);
    return rc ? err_set(err, -rc, "%s%s", place_of(q, refused), why.text) : 0;
}

void loop_close(struct loop *l)
{
    tuner_close(&l->tuner);
    tuning_fini(&l->tuning);
    free(l->in_force.queue);
    free(l->target.queue);
    free(l->asked.queue);
    free(l->wanted);
    *l = (struct loop){ 0 };
}

/* ---- decisions ---- */

static void decide(struct loop *l, bool has_knobs, bool has_queues, struct decision *d)
{
    *d = (struct decision){ 0 };
    if (!has_knobs && !has_queues)
        return;
    *d = (struct decision){ .number = ++l->decisions, .has_knobs = has_knobs, .knobs = l->target.knobs };
    if (l->target.has_queues)
        d->queue = l->target.queue;
}

/* A decision of the tuner, to which its outcome is to be reported, and to the step (from 1; 0: none). */
static void decide_for_tuner(struct loop *l, bool has_knobs, bool has_queues, uint32_t step,
                             struct decision *d)
{
    decide(l, has_knobs, has_queues, d);
    if (!d->number)
        return;
    l->outcome = (struct outcome){ .number = d->number };
    l->outcome_step = step;
}

static bool is_changed_at(const struct loop *l, uint64_t at_ps)
{
    return l->changed_ps == at_ps;
}

/* Takes over new thresholds of the tuner. Returns true if there are any. */
static bool ask_queues(struct loop *l, uint64_t now_ps)
{
    const struct tuner_algo *algo = l->tuner.algo;
    bool                     is_new = false, has_asked = l->asked.has_queues;

    l->asked.has_queues = l->target.has_queues = algo->queues && algo->queues(l->tuner.state, l->wanted);
    for (uint32_t i = 0; l->target.has_queues && i < l->queues; i++) {
        if (has_asked && ecn_equal(&l->wanted[i], &l->asked.queue[i]))
            continue;
        l->target.queue[i] = l->asked.queue[i] = l->wanted[i];
        if (is_changed_at(l, now_ps))
            ecn_put(&l->changed, &l->target.queue[i]);
        is_new = true;
    }
    return is_new;
}

static void forget(struct loop_setting *s, const struct knobs *knobs)
{
    s->knobs = *knobs;
    s->has_queues = false;
}

void loop_start(struct loop *l, const struct knobs *in_force, struct decision *d)
{
    forget(&l->in_force, in_force);
    forget(&l->target, l->tuner.algo && !l->has_started ? &l->tuning.first : in_force);
    forget(&l->asked, &l->target.knobs);
    l->changed_ps = NEVER;
    l->has_started = true;
    *d = (struct decision){ 0 };
    if (!l->tuner.algo)
        return;
    decide_for_tuner(l, !knobs_equal(&l->target.knobs, in_force), ask_queues(l, 0), 0, d);
}

/* ---- an interval ---- */

/* Copies the knobs that the tuner changed into the target and 'is'. Returns true if the target changed. */
static bool merge_knobs(struct loop *l, uint64_t now_ps, const struct knobs *was, const struct knobs *wanted,
                        struct knobs *is)
{
    struct knobs    *target = &l->target.knobs, before = *target;
    struct knob_set  set = { 0 };

    *is = *was;
    for (int i = 0; i < KNOB_COUNT; i++) {
        if (wanted->value[i] == was->value[i] || wanted->value[i] == l->asked.knobs.value[i])
            continue;
        l->asked.knobs.value[i] = target->value[i] = is->value[i] = wanted->value[i];
        knob_set_add(&set, (enum knob)i, wanted->value[i]);
    }
    if (is_changed_at(l, now_ps))
        knobs_apply(target, &l->changed);
    else if (!knobs_equal(target, wanted))               /* must be consistent with changes of others */
        knobs_apply(target, &set);
    return !knobs_equal(target, &before);
}

void loop_on_report(struct loop *l, const struct report *r, struct decision *d)
{
    struct report       shown = *r;
    struct knobs        was = is_changed_at(l, r->end_ps) ? l->unchanged : l->in_force.knobs, wanted = was;
    struct tuning_step *s;
    bool                has_new;

    *d = (struct decision){ 0 };
    if (!l->tuner.algo)
        return;
    shown.outcome = l->outcome.number ? &l->outcome : NULL;
    s = tuning_add(&l->tuning, r, &was);
    tuner_step(&l->tuner, &shown, &wanted, &s->note);
    tuning_step_own(s);
    has_new = merge_knobs(l, r->end_ps, &was, &wanted, &s->is);
    decide_for_tuner(l, has_new, ask_queues(l, r->end_ps), l->tuning.steps, d);
    if (d->number)
        s->outcome = OUTCOME_PENDING;
}

/* ---- a slot ---- */

uint64_t loop_slot_ps(const struct loop *l)
{
    return l->tuner.algo && l->tuner.algo->slot ? l->tuner.algo->slot_ps(l->tuner.state) : 0;
}

void loop_on_slot(struct loop *l, uint64_t end_ps, const struct queue_slot *seen, struct decision *d)
{
    l->tuner.algo->slot(l->tuner.state, seen);
    decide_for_tuner(l, false, ask_queues(l, end_ps), 0, d);
}

/* ---- others ---- */

void loop_on_change(struct loop *l, uint64_t at_ps, const struct knob_set *set, struct decision *d)
{
    if (!is_changed_at(l, at_ps)) {
        l->unchanged = l->in_force.knobs;
        l->changed = (struct knob_set){ 0 };
        l->changed_ps = at_ps;
    }
    for (int i = 0; i < KNOB_COUNT; i++)
        if (set->is_named[i])
            knob_set_add(&l->changed, (enum knob)i, set->knobs.value[i]);
    knobs_apply(&l->target.knobs, set);
    for (uint32_t i = 0; l->target.has_queues && i < l->queues; i++)
        ecn_put(set, &l->target.queue[i]);
    decide(l, true, false, d);
}

void loop_forget(struct loop *l, uint32_t keep)
{
    uint32_t count = tuning_forget(&l->tuning, keep);

    l->outcome_step = l->outcome_step > count ? l->outcome_step - count : 0;
}

void loop_on_applied(struct loop *l, const struct outcome *o)
{
    bool is_last = o->number == l->decisions;            /* else a newer decision replaces it */

    if (is_last && o->kind == OUTCOME_REFUSED) {         /* any request of the tuner is new again */
        setting_copy(&l->target, &l->in_force, l->queues);
        forget(&l->asked, &l->in_force.knobs);
    } else if (is_last && o->kind != OUTCOME_PENDING)
        setting_copy(&l->in_force, &l->target, l->queues);
    if (o->number != l->outcome.number)                  /* not the tuner's */
        return;
    l->outcome = *o;
    if (l->outcome_step)
        tuning_step_judge(&l->tuning.step[l->outcome_step - 1], o);
}

/* ---- delays ---- */

void lag_init(struct lag *l, uint64_t monitor_ps)
{
    *l = (struct lag){ .monitor_ps = monitor_ps };
}

void lag_fini(struct lag *l)
{
    report_fini(&l->shown);
    for (uint32_t i = 0; i < l->count; i++)
        report_fini(&l->waiting[i]);
    free(l->waiting);
    *l = (struct lag){ 0 };
}

void lag_add(struct lag *l, const struct report *r)
{
    l->waiting = xgrow(l->waiting, l->count, &l->room, 4, sizeof *l->waiting);
    l->waiting[l->count] = (struct report){ 0 };
    report_copy(&l->waiting[l->count++], r);
}

uint64_t lag_next_ps(const struct lag *l)
{
    return l->count ? l->waiting[0].end_ps + l->monitor_ps : NEVER;
}

const struct report *lag_next(struct lag *l, uint64_t now_ps)
{
    bool is_seen = false;

    while (!is_seen && lag_next_ps(l) <= now_ps) {
        report_fini(&l->shown);
        l->shown = l->waiting[0];
        memmove(l->waiting, l->waiting + 1, --l->count * sizeof *l->waiting);
        is_seen = l->shown.start_ps >= l->settled_ps;
    }
    return is_seen ? &l->shown : NULL;
}

void lag_settle(struct lag *l, uint64_t at_ps)
{
    l->settled_ps = at_ps;
}
