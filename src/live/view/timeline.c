#include "live/view/timeline.h"
#include "base/minmax.h"
#include "live/controller/trial.h"
#include "live/core/knobset.h"
#include "live/view/words.h"

#include <math.h>

#define PERIOD_US 1000000u
#define JUMP_MS   1000u          /* the time of day was set, and does not only drift */
#define EARLY_US  100000u        /* a tick that comes a little early is not passed over for the next */

/* ---- points ---- */

const char *const timeline_series[TIMELINE_SERIES] = {
    "coverage", "metric", "paused", "utilisation", "cnps", "tried", "with", "without",
};

static struct timeline_point measure(const struct controller *c, uint64_t now_us, uint64_t wall_us)
{
    uint64_t          trial = c->trial.phase == TRIAL_NONE ? 0 : c->trial.number;
    struct words_sums all = { 0 }, nics = { 0 }, arm[2] = { { 0 } };

    for (const struct peer *d = c->peer; d < c->peer + c->peers; d++)
        if (roster_is_fresh(c, d, now_us)) {
            words_sums_add(&all, &d->sample);
            words_sums_add(&arm[words_has_trial(d)], &d->sample);
            if (d->where == KNOB_NIC)
                words_sums_add(&nics, &d->sample);
        }
    return (struct timeline_point){ wall_us / 1000, trial, {
        [TIMELINE_COVERAGE] = c->peers ? roster_coverage(c, now_us) : NAN,
        [TIMELINE_METRIC] = words_mean(all.metric, all.metrics),
        [TIMELINE_PAUSED] = words_mean(nics.paused, nics.pauses),
        [TIMELINE_UTILISATION] = nics.rate_bps > 0 ? nics.sent_bps / nics.rate_bps : NAN,
        [TIMELINE_CNPS] = all.counts_cnps ? (double)all.cnps : NAN,
        [TIMELINE_TRIED] = trial != 0,
        [TIMELINE_WITH] = trial ? words_mean(arm[1].metric, arm[1].metrics) : NAN,
        [TIMELINE_WITHOUT] = trial ? words_mean(arm[0].metric, arm[0].metrics) : NAN,
    } };
}

/* ---- settings ---- */

/* Reading the settings of thousands of devices is expensive: when it is due, and when a trial moves. */
static void look_at_settings(struct timeline *t, const struct controller *c, bool is_due, uint64_t wall_us)
{
    const struct timeline_knobs *last = t->changes ? &t->knobs[(t->changes - 1) % TIMELINE_KNOBS] : NULL;
    struct timeline_knobs        k = { .wall_ms = wall_us / 1000 };

    if (c->trial.phase != TRIAL_NONE)
        k = (struct timeline_knobs){ .wall_ms = k.wall_ms, .trial = c->trial.number, .phase = c->trial.phase,
                                     .stage = c->trial.stage, .tried = c->trial.wanted };
    bool has_moved = !last || last->trial != k.trial || last->phase != k.phase || last->stage != k.stage;
    if (!is_due && !has_moved)
        return;
    k.confirmed = roster_first(c);
    if (has_moved || !knobset_is_same(&last->confirmed, &k.confirmed))
        t->knobs[t->changes++ % TIMELINE_KNOBS] = k;
}

/* ---- evidence ---- */

/* Every other point goes, so that a trial may take as long as it likes. */
static void thin(struct timeline_evidence *e)
{
    for (uint32_t i = 0; 2 * i < e->count; i++) {
        e->pairs[i] = e->pairs[2 * i];
        e->gain[i] = e->gain[2 * i];
        e->harm[i] = e->harm[2 * i];
    }
    e->count = (e->count + 1) / 2;
    e->step *= 2;
}

static void look_at_evidence(struct timeline_evidence *e, const struct controller *c)
{
    const struct trial *t = &c->trial;
    uint32_t            pairs = t->evidence.pairs;

    if (t->phase == TRIAL_NONE || !pairs)
        return;
    if (!e->count || e->trial != t->number || e->stage != t->stage || pairs < e->pairs[e->count - 1])
        *e = (struct timeline_evidence){ .trial = t->number, .stage = t->stage, .step = 1 };
    if (e->count && pairs < e->pairs[e->count - 1] + e->step)
        return;
    if (e->count == TIMELINE_EVIDENCE)
        thin(e);
    e->pairs[e->count] = pairs;
    e->gain[e->count] = evalue_above(&t->evidence, 0);
    e->harm[e->count++] = evalue_below(&t->evidence, -c->cfg->harm * t->metric);
}

static json_t *numbers_json(const double *value, uint32_t count)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < count; i++)
        json_array_append_new(list, json_of_number(value[i]));
    return list;
}

json_t *timeline_evidence_json(const struct timeline *t, const struct controller *c)
{
    const struct timeline_evidence *e = &t->evidence;
    uint32_t                        block = trial_block_length(c);
    json_t                         *pairs = e->count ? json_array() : NULL;

    for (uint32_t i = 0; i < e->count; i++)
        json_array_append_new(pairs, json_integer(e->pairs[i]));
    return !e->count ? json_null() :
           JSON_OF({ "trial", json_of_count(e->trial) },
                   { "stage", json_of_text(words_stage(TRIAL_RUN, e->stage)) }, { "pairs", pairs },
                   { "gain", numbers_json(e->gain, e->count) }, { "harm", numbers_json(e->harm, e->count) },
                   { "accept_e", json_of_number(c->cfg->accept_e) },
                   { "reject_e", json_of_number(c->cfg->reject_e) },
                   { "ends_at", json_of_count(e->stage == STAGE_HALVES ?
                     c->cfg->halves_intervals_max / (2 * (block ? block : 1)) : c->cfg->stage_pairs) });
}

/* If the time of day was set, what was measured keeps its distance from now: no point lies in the future. */
static void follow_clock(struct timeline *t, uint64_t now_us, uint64_t wall_us)
{
    uint64_t ahead_ms = wall_us / 1000 - now_us / 1000, by_ms = ahead_ms - t->ahead_ms;

    if (t->points && by_ms + JUMP_MS <= 2 * JUMP_MS)
        return;
    t->ahead_ms = ahead_ms;
    for (uint32_t i = 0; i < min_u64(t->points, TIMELINE_POINTS); i++)
        t->point[i].wall_ms += by_ms;
    for (uint32_t i = 0; i < min_u64(t->changes, TIMELINE_KNOBS) && t->points; i++)
        t->knobs[i].wall_ms += by_ms;
}

bool timeline_tick(struct timeline *t, const struct controller *c, uint64_t now_us, uint64_t wall_us)
{
    bool is_due = now_us + EARLY_US >= t->next_us;

    follow_clock(t, now_us, wall_us);
    look_at_evidence(&t->evidence, c);
    look_at_settings(t, c, is_due, wall_us);
    if (!is_due)
        return false;
    t->next_us = (t->next_us && now_us < t->next_us + PERIOD_US ? t->next_us : now_us) + PERIOD_US;
    t->point[t->points++ % TIMELINE_POINTS] = measure(c, now_us, wall_us);
    return true;
}

/* ---- as JSON ---- */

json_t *timeline_json(const struct timeline *t, uint32_t max)
{
    json_t  *o = json_object(), *at = json_array(), *trial = json_array(), *column[TIMELINE_SERIES];
    uint64_t first = t->points - min_u64(t->points, min_u64(max, TIMELINE_POINTS));

    JSON_PUT(o, { "t_ms", at }, { "trial", trial });
    for (int i = 0; i < TIMELINE_SERIES; i++)
        if (i != TIMELINE_TRIED)    /* 'trial' has it */
            json_object_set_new(o, timeline_series[i], column[i] = json_array());
    for (uint64_t i = first; i < t->points; i++) {
        const struct timeline_point *p = &t->point[i % TIMELINE_POINTS];

        json_array_append_new(at, json_of_count(p->wall_ms));
        json_array_append_new(trial, json_of_count(p->trial));
        for (int k = 0; k < TIMELINE_SERIES; k++)
            if (k != TIMELINE_TRIED)
                json_array_append_new(column[k], json_of_number(p->value[k]));
    }
    return o;
}

json_t *timeline_knobs_json(const struct timeline *t)
{
    json_t *list = json_array();

    for (uint64_t i = t->changes - min_u64(t->changes, TIMELINE_KNOBS); i < t->changes; i++) {
        const struct timeline_knobs *k = &t->knobs[i % TIMELINE_KNOBS];
        json_t *o = JSON_OF({ "t_ms", json_of_count(k->wall_ms) },
                            { "confirmed", knobset_json(&k->confirmed) });

        if (k->trial)
            JSON_PUT(o, { "trial", json_of_count(k->trial) },
                     { "phase", json_of_text(words_phase[k->phase]) },
                     { "stage", json_of_text(words_stage(k->phase, k->stage)) },
                     { "tried", knobset_json(&k->tried) });
        json_array_append_new(list, o);
    }
    return list;
}
