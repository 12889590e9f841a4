/* src/live/tuner/live_tuner_json.c - see live_tuner.h: the tuner's view of the network, for the page. */
#include "live/tuner/live_tuner.h"
#include "live/core/knobset.h"

#include <math.h>

#define STEPS_TOLD 12u

static const char *outcome_text(enum outcome_kind o)
{
    return o == OUTCOME_PENDING ? "under way" : o == OUTCOME_APPLIED ? "set" :
           o == OUTCOME_PARTLY ? "set at some" : "not set";
}

static struct knob_set difference(const struct knobs *was, const struct knobs *is)
{
    struct knob_set set = { 0 };

    for (int k = 0; k < KNOB_COUNT; k++)
        if (!knobset_is_equal_value(was->value[k], is->value[k]))
            knob_set_add(&set, (enum knob)k, is->value[k]);
    return set;
}

/* Settings tried on a twin, with their predicted slowdowns relative to the current setting in percent;
 * negative is better. */
static json_t *tried_json(const struct tuning_step *s)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < s->note.tries; i++) {
        const struct tuner_tried *t = &s->note.tried[i];
        struct knob_set           set = difference(&s->was, &t->knobs);

        json_array_append_new(list, JSON_OF(
            { "name", json_of_text(t->name ? t->name : "") },
            { "gain", json_of_number(expm1(t->gain) * 100) }, { "low", json_of_number(expm1(t->low) * 100) },
            { "high", json_of_number(expm1(t->high) * 100) }, { "blocks", json_of_count(t->blocks) },
            { "is_out", json_boolean(t->is_out) }, { "is_now", json_boolean(t->is_now) },
            { "set", knobset_json(&set) }));
    }
    return list;
}

static json_t *step_json(const struct live_tuner *t, const struct tuning_step *s)
{
    uint64_t interval_ps = s->end_ps > s->start_ps ? s->end_ps - s->start_ps : 1;
    uint64_t ago_ps = t->end_ps > s->end_ps ? t->end_ps - s->end_ps : 0;
    struct knob_set change = difference(&s->was, &s->is);

    return JSON_OF({ "reports_ago", json_of_count(ago_ps / interval_ps) },
                   { "phase", json_of_text(s->note.phase ? s->note.phase : "") },
                   { "why", json_of_text(s->note.why) },
                   { "outcome", json_of_text(knobset_is_empty(&change) ? "" : outcome_text(s->outcome)) },
                   { "utility", json_of_number(s->note.utility) }, { "set", knobset_json(&change) });
}

/* The last search on a twin; NULL: there was none. */
static json_t *search_json(const struct live_tuner *t)
{
    const struct tuning *all = &t->loop.tuning;

    for (uint32_t i = all->steps; i-- > 0;)
        if (all->step[i].note.tries) {
            json_t *o = step_json(t, &all->step[i]);

            json_object_set_new(o, "tried", tried_json(&all->step[i]));
            return o;
        }
    return NULL;
}

/* Settings that it wanted, the last first: its candidates. */
static json_t *candidates_json(const struct live_tuner *t)
{
    const struct tuning *all = &t->loop.tuning;
    json_t              *list = json_array();

    for (uint32_t i = all->steps; i-- > 0 && json_array_size(list) < STEPS_TOLD;)
        if (!knobs_equal(&all->step[i].was, &all->step[i].is))
            json_array_append_new(list, step_json(t, &all->step[i]));
    return list;
}

json_t *live_tuner_json(const struct live_tuner *t)
{
    json_t *o, *search;
    char    missing[600];

    if (t->thought) {            /* the thinker owns the loop */
        o = json_object();
        json_object_update(o, t->last_status);
        json_object_set_new(o, "thinks", json_true());
        return o;
    }
    o = JSON_OF({ "name", json_of_text(t->file->tuner.kind ? t->file->tuner.kind : "") },
                { "has_begun", json_boolean(t->is_open) },
                { "has_failed", json_boolean(t->has_failed && !t->is_open) },
                { "missing", json_of_text(live_tuner_missing(t, missing, sizeof missing)) });
    if (!t->is_open)
        return o;
    json_put_count(o, "reports", t->number);
    json_object_set_new(o, "waits", json_boolean(t->decision != 0));
    if (t->loop.tuning.steps)
        json_object_set_new(o, "last", step_json(t, &t->loop.tuning.step[t->loop.tuning.steps - 1]));
    json_object_set_new(o, "candidates", candidates_json(t));
    search = search_json(t);
    if (search)
        json_object_set_new(o, "search", search);
    return o;
}
