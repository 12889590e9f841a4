/* src/study/report/page_tuning.c - page data: the steps of a tuner with measurements, decisions and
 * settings. */
#include "base/err.h"
#include "study/report/page.h"
#include "study/report/results_json.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define STEPS_MAX 2000           /* keeps a page below 1 MB */

/* ---- selection of steps ---- */

/* True if a step judged or set something, or began a phase. */
static bool is_decision(const struct tuning *g, uint32_t i)
{
    const struct tuning_step *s = &g->step[i];

    return s->note.verdict != TUNER_NO_VERDICT || !knobs_equal(&s->is, &s->was) || i == 0 ||
           s->note.phase != g->step[i - 1].note.phase;
}

/* Marks the steps of one kind: all of them, or evenly spread ones if there are too many. Returns their
 * number. */
static uint32_t keep_some(const struct tuning *g, bool *is_kept, bool of_decisions, uint32_t room)
{
    uint32_t count = 0, seen = 0, kept = 0;

    for (uint32_t i = 0; i < g->steps; i++)
        count += is_decision(g, i) == of_decisions;
    uint32_t every = room && count > room ? (count + room - 1) / room : 1;
    for (uint32_t i = 0; room && i < g->steps; i++)
        if (is_decision(g, i) == of_decisions && seen++ % every == 0) {
            is_kept[i] = true;
            kept++;
        }
    return kept;
}

/* Selects all decisions first, then other steps up to the limit. */
static uint32_t select_steps(const struct tuning *g, uint32_t *step)
{
    bool    *is_kept = xcalloc(g->steps + 1, sizeof(*is_kept));
    uint32_t kept = keep_some(g, is_kept, true, STEPS_MAX), count = 0;

    keep_some(g, is_kept, false, STEPS_MAX - kept);
    for (uint32_t i = 0; i < g->steps; i++)
        if (is_kept[i])
            step[count++] = i;
    free(is_kept);
    return count;
}

/* ---- the tuner ---- */

static json_t *options_json(const struct tuning *g)
{
    const struct key_row *option = g->algo->option;
    json_t *list = json_array();

    for (uint32_t i = 0; option && option[i].name; i++) {
        JSON_ADD(list, { "name", JSON(option[i].name) }, { "value", tuning_option(g, i) },
                 { "is_given", json_boolean(g->values.is_given[i]) }, { "about", JSON(option[i].about) });
    }
    return list;
}

/* ---- its steps ---- */

/* Counts over all steps. The best so far counts as accepted. */
static json_t *totals_json(const struct tuning *g)
{
    uint32_t searches = 0, accepted = 0, rejected = 0;
    enum tuner_phase before = TUNER_NO_PHASE;

    for (uint32_t i = 0; i < g->steps; i++) {
        enum tuner_verdict verdict = g->step[i].note.verdict;
        enum tuner_phase phase = g->step[i].note.phase;

        searches += phase == TUNER_SEARCH && before != TUNER_SEARCH;
        accepted += verdict == TUNER_ACCEPTED || verdict == TUNER_BEST;
        rejected += verdict == TUNER_REJECTED;
        before = phase;
    }
    return JSON_OF(JSON_FIELD(g, steps), { "searches", JSON(searches) },
                   { "accepted", JSON(accepted) }, { "rejected", JSON(rejected) });
}

/* Lists the phases' names in order of appearance. Steps refer to them by index. */
static json_t *phase_json(json_t *names, const char *phase)
{
    json_t *name;
    size_t i;

    if (!*phase)
        return json_null();
    json_array_foreach(names, i, name)
        if (strcmp(json_string_value(name), phase) == 0)
            return json_integer((json_int_t)i);
    json_array_append_new(names, JSON(phase));
    return json_integer((json_int_t)json_array_size(names) - 1);
}

/* Returns [[knob, is, was], ...]. A knob is its index in 'knobs', which gets new ones; place[]: index + 1. */
static json_t *set_json(const struct tuning_step *s, json_t *knobs, uint32_t place[KNOB_COUNT])
{
    json_t *list = json_array();

    for (uint32_t k = 0; k < KNOB_COUNT; k++) {
        if (s->is.value[k] == s->was.value[k])
            continue;
        if (!place[k]) {
            json_array_append_new(knobs, json_pack("{s:s, s:s}", "name", knob_info[k].name, "unit",
                                                   knob_unit_name(knob_info[k].unit)));
            place[k] = (uint32_t)json_array_size(knobs);
        }
        json_array_append_new(list, json_pack("[I, o, o]", (json_int_t)place[k] - 1,
                                              json_of_rounded(s->is.value[k]),
                                              json_of_rounded(s->was.value[k])));
    }
    return list;
}

static const struct {
    const char *name;
    size_t      at;              /* offset of a double in struct tuner_note */
} columns[] = {
    { "utility",            offsetof(struct tuner_note, utility) },
    { "utility_throughput", offsetof(struct tuner_note, throughput) },
    { "utility_rtt",        offsetof(struct tuner_note, rtt) },
    { "utility_pfc",        offsetof(struct tuner_note, pfc) },
    { "divergence",         offsetof(struct tuner_note, divergence) },
    { "elephants",          offsetof(struct tuner_note, elephants) },
    { "temperature",        offsetof(struct tuner_note, temperature) },
};

/* Adds the decisions. 'tuning' gets the lists of names that steps refer to by index. */
static void put_decisions(json_t *tuning, json_t *steps, const struct tuning *g, const uint32_t *step,
                          uint32_t count)
{
    json_t *phases = json_array(), *knobs = json_array();
    json_t *phase = json_array(), *verdict = json_array(), *why = json_array(), *set = json_array();
    uint32_t place[KNOB_COUNT] = { 0 };

    for (uint32_t i = 0; i < count; i++) {
        const struct tuning_step *s = &g->step[step[i]];

        json_array_append_new(phase, phase_json(phases, tuner_phase_names[s->note.phase]));
        json_array_append_new(verdict, json_integer(s->note.verdict));
        json_array_append_new(why, JSON(s->note.why));
        json_array_append_new(set, set_json(s, knobs, place));
    }
    JSON_PUT(steps, { "phase", phase }, { "verdict", verdict }, { "why", why }, { "set", set });
    JSON_PUT(tuning, { "phases", phases }, { "knobs", knobs });
}

/* Adds the times and figures of steps, as one list each. */
static void put_columns(json_t *steps, const struct tuning *g, const uint32_t *step, uint32_t count)
{
    json_t *start = json_array(), *end = json_array();

    for (uint32_t i = 0; i < count; i++) {
        json_array_append_new(start, json_of_us(g->step[step[i]].start_ps));
        json_array_append_new(end, json_of_us(g->step[step[i]].end_ps));
    }
    JSON_PUT(steps, { "start_us", start }, { "end_us", end });
    for (size_t c = 0; c < sizeof(columns) / sizeof(*columns); c++) {
        json_t *values = json_array();

        for (uint32_t i = 0; i < count; i++) {
            double value;

            memcpy(&value, (const char *)&g->step[step[i]].note + columns[c].at, sizeof(value));
            json_array_append_new(values, json_of_rounded(value));
        }
        json_object_set_new(steps, columns[c].name, values);
    }
}

/* Returns [[knob, value],...] for the knobs that differ from the previous setting. */
static json_t *differences_json(const struct knobs *is, const struct knobs *was)
{
    json_t *list = json_array();

    for (int k = 0; k < KNOB_COUNT; k++)
        if (is->value[k] != was->value[k])
            json_array_append_new(list, json_pack("[s, f, s]", knob_info[k].name, is->value[k], 
                                                  knob_unit_name(knob_info[k].unit)));
    return list;
}

static json_t *tried_json(const struct tuner_tried *t, const struct tuning_step *s)
{
    return JSON_OF({ "name", t->name ? JSON(t->name) : json_null() }, { "change", JSON(expm1(t->gain)) },
                   { "change_low", JSON(expm1(t->low)) }, { "change_high", JSON(expm1(t->high)) },
                   JSON_FIELD(t, blocks), { "is_out", json_boolean(t->is_out) },
                   { "is_now", json_boolean(t->is_now) },
                   { "is_chosen", json_boolean(!t->is_now && knobs_equal(&t->knobs, &s->is)) },
                   { "set", differences_json(&t->knobs, &s->was) });
}

/* Lists what was tried on a twin, by decision. The next verdict says what happened. */
static json_t *twins_json(const struct tuning *g)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < g->steps; i++) {
        const struct tuning_step *s = &g->step[i];
        const char               *came = "";

        if (!s->note.tries)
            continue;
        json_t *tried = json_array();
        for (uint32_t k = 0; k < s->note.tries; k++)
            json_array_append_new(tried, tried_json(&s->note.tried[k], s));
        for (uint32_t k = i + 1; k < g->steps && !g->step[k].note.tries && !*came; k++)
            came = g->step[k].note.why;
        JSON_ADD(list, { "end_us", json_of_us(s->end_ps) }, { "why", JSON(s->note.why) },
                 { "came", JSON(came) }, { "tried", tried });
    }
    return list;
}

json_t *page_tuning(const struct tuning *g)
{
    if (!g || !g->algo)
        return json_null();
    uint32_t *step = xcalloc(g->steps + 1, sizeof(*step)), count = select_steps(g, step);
    json_t *steps = json_object();
    json_t *o = JSON_OF({ "tuner", JSON(g->algo->name) }, { "about", JSON(g->algo->about) },
                        { "options", options_json(g) }, { "totals", totals_json(g) });

    put_columns(steps, g, step, count);
    put_decisions(o, steps, g, step, count);
    JSON_PUT(o, { "steps", steps }, { "twins", twins_json(g) });
    free(step);
    return o;
}

/* ---- queues ---- */

#define LINES_MAX   8            /* queues with a curve; there are as many colours */
#define CHANGES_MAX 512          /* per queue */

struct rank { uint64_t changes; uint32_t port; };

static int by_changes(const void *a, const void *b)
{
    const struct rank *x = a, *y = b;

    if (x->changes != y->changes)
        return x->changes > y->changes ? -1 : 1;
    return x->port < y->port ? -1 : x->port > y->port;
}

struct line { json_t *at, *kmin, *kmax, *pmax; };

static void add_point(struct line *l, uint64_t at_ps, const struct ecn *e)
{
    json_array_append_new(l->at, json_of_us(at_ps));
    json_array_append_new(l->kmin, json_integer(e->kmin_bytes));
    json_array_append_new(l->kmax, json_integer(e->kmax_bytes));
    json_array_append_new(l->pmax, json_of_rounded(e->pmax));
}

/* Of more than CHANGES_MAX changes, the last one in each of CHANGES_MAX equal parts of the run is kept. */
static json_t *line_json(const struct results *r, const struct rank *rank)
{
    const struct queue_log    *q = r->queues;
    const struct queue_change *held = NULL;
    struct line  l = { json_array(), json_array(), json_array(), json_array() };
    uint64_t     part_ps = rank->changes > CHANGES_MAX ? r->end_ps / CHANGES_MAX + 1 : 1;
    char         name[64];

    add_point(&l, 0, &q->first[rank->port]);
    for (uint32_t i = 0; i < q->count; i++) {
        const struct queue_change *c = &q->change[i];

        if (c->port != rank->port)
            continue;
        if (held && c->at_ps / part_ps != held->at_ps / part_ps)
            add_point(&l, held->at_ps, &held->ecn);
        held = c;
    }
    if (held)
        add_point(&l, held->at_ps, &held->ecn);
    queue_log_name(name, sizeof(name), r->sim, rank->port);
    return JSON_OF({ "name", JSON(name) }, JSON_FIELD(rank, changes), { "at_us", l.at },
                   { "kmin_bytes", l.kmin }, { "kmax_bytes", l.kmax }, { "pmax", l.pmax });
}

json_t *page_queues(const struct results *r)
{
    const struct queue_log *q = r->queues;
    struct rank *rank = xcalloc(q->ports + 1ul, sizeof(*rank));
    json_t *o = tuned_queues_json(&r->tuning->queues), *lines = json_array();

    for (uint32_t i = 0; i < q->ports; i++)
        rank[i] = (struct rank){ q->changes_of[i], i };
    qsort(rank, q->ports, sizeof(*rank), by_changes);
    for (uint32_t i = 0; i < q->ports && i < LINES_MAX && rank[i].changes; i++)
        json_array_append_new(lines, line_json(r, &rank[i]));
    json_object_set_new(o, "lines", lines);
    free(rank);
    return o;
}
