#include "tune/tuning_history.h"
#include "base/err.h"
#include "base/json.h"
#include "base/text.h"
#include "core/units.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VERDICTS = TUNER_BEST + 1, OUTCOMES = OUTCOME_REFUSED + 1 };

static const char *const verdict_names[VERDICTS] = {
    [TUNER_ACCEPTED] = "accepted", [TUNER_REJECTED] = "rejected", [TUNER_BEST] = "best",
};
static const char *const outcome_names[OUTCOMES] = {
    [OUTCOME_PENDING] = "pending", [OUTCOME_APPLIED] = "applied", [OUTCOME_PARTLY] = "partly",
    [OUTCOME_REFUSED] = "refused",
};

/* ---- keeping ---- */

void tuning_init(struct tuning *g, const struct tuner_algo *algo, const struct option_values *values,
                 const struct knobs *first)
{
    *g = (struct tuning){ .algo = algo, .first = *first };
    if (values)
        option_values_copy(&g->values, values);
}

static void step_fini(struct tuning_step *s)
{
    free(s->outcome_why);
    free((void *)s->note.tried);
}

void tuning_fini(struct tuning *g)
{
    option_values_fini(&g->values);
    for (uint32_t i = 0; i < g->steps; i++)
        step_fini(&g->step[i]);
    free(g->step);
    *g = (struct tuning){ 0 };
}

void tuning_step_own(struct tuning_step *s)
{
    s->note.tried = s->note.tries ? xcopy(s->note.tried, s->note.tries, sizeof *s->note.tried) : NULL;
}

static double paused_us(const struct report *r)
{
    bool is_known = r->ports == 0;

    for (uint32_t i = 0; i < r->ports; i++)
        is_known |= report_knows_pauses(r, i);
    return is_known ? (double)r->paused_ps / (double)PS_PER_US : NAN;
}

struct tuning_step *tuning_add(struct tuning *g, const struct report *r, const struct knobs *was)
{
    double              seconds = (double)(r->end_ps - r->start_ps) / (double)PS_PER_S;
    struct tuning_step *s;

    g->step = xgrow(g->step, g->steps, &g->steps_max, 64, sizeof *g->step);
    s = &g->step[g->steps++];
    *s = (struct tuning_step){ .start_ps = r->start_ps, .end_ps = r->end_ps, .paused_us = paused_us(r),
                               .was = *was, .outcome = OUTCOME_APPLIED };
    s->goodput_bps = (double)r->payload_bytes * 8 / seconds;
    s->rtt_us = r->rtt_samples ? (double)r->rtt_ps_sum / (double)r->rtt_samples / (double)PS_PER_US : NAN;
    return s;
}

uint32_t tuning_forget(struct tuning *g, uint32_t keep)
{
    uint32_t count = g->steps >= 2 * keep ? g->steps - keep : 0;         /* rarely, and then many */

    if (!count)
        return 0;
    for (uint32_t i = 0; i < count; i++)
        step_fini(&g->step[i]);
    g->steps -= count;
    memmove(g->step, g->step + count, g->steps * sizeof *g->step);
    if (g->steps)
        g->first = g->step[0].was;
    return count;
}

void tuning_step_judge(struct tuning_step *s, const struct outcome *o)
{
    free(s->outcome_why);
    s->outcome = o->kind;
    s->outcome_why = *o->why ? xstrdup(o->why) : NULL;
}

/* ---- queues ---- */

json_t *tuned_queues_json(const struct tuned_queues *q)
{
    json_t *settings = json_array(), *most = json_array();

    for (uint32_t i = 0; i < q->settings; i++) {
        const struct ecn *e = &q->setting[i].ecn;

        json_array_append_new(settings, JSON_OF({ "kmin_bytes", json_of_count(e->kmin_bytes) },
                                                { "kmax_bytes", json_of_count(e->kmax_bytes) },
                                                { "pmax", json_real(e->pmax) },
                                                { "share", json_real(q->setting[i].share) }));
    }
    for (uint32_t i = 0; i < q->mosts; i++) {
        const struct tuned_queue *m = &q->most[i];

        json_array_append_new(most, JSON_OF({ "name", json_of_text(m->name) },
                                            { "changes", json_of_count(m->changes) },
                                            { "kmin_bytes", json_of_count(m->last.kmin_bytes) },
                                            { "kmax_bytes", json_of_count(m->last.kmax_bytes) },
                                            { "pmax", json_real(m->last.pmax) }));
    }
    return JSON_OF({ "queues", json_of_count(q->queues) }, { "changed", json_of_count(q->changed) },
                   { "changes", json_of_count(q->changes) }, { "settings", settings },
                   { "most_changed", most });
}

static bool get_ecn(json_t *o, struct ecn *e)
{
    json_int_t kmin, kmax;

    if (json_unpack(o, "{s:I, s:I, s:F}", "kmin_bytes", &kmin, "kmax_bytes", &kmax, "pmax", &e->pmax) ||
        kmin < 0 || kmin > UINT32_MAX || kmax < 0 || kmax > UINT32_MAX)
        return false;
    e->kmin_bytes = (uint32_t)kmin;
    e->kmax_bytes = (uint32_t)kmax;
    return e->pmax >= 0 && e->pmax <= 1;
}

/* Reads the object that tuned_queues_json() makes. Returns false if it is invalid. */
static bool read_queues(struct tuned_queues *q, json_t *o)
{
    json_int_t  queues, changed, changes;
    json_t     *settings, *most = NULL, *row;
    const char *name;
    size_t      i;

    if (json_unpack(o, "{s:I, s:I, s:I, s:o, s?o}", "queues", &queues, "changed", &changed,
                    "changes", &changes, "settings", &settings, "most_changed", &most) ||
        queues < 0 || changed < 0 || changes < 0 || !json_is_array(settings))
        return false;
    *q = (struct tuned_queues){ .queues = (uint64_t)queues, .changed = (uint64_t)changed,
                                .changes = (uint64_t)changes };
    json_array_foreach(settings, i, row) {
        struct tuned_setting *s = &q->setting[i];

        if (i >= TUNED_SETTINGS_MAX || !get_ecn(row, &s->ecn) ||
            json_unpack(row, "{s:F}", "share", &s->share) || !(s->share >= 0 && s->share <= 1))
            return false;
        q->settings++;
    }
    json_array_foreach(most, i, row) {
        struct tuned_queue *m = &q->most[i];

        if (i >= TUNED_MOST_MAX || json_unpack(row, "{s:s, s:I}", "name", &name, "changes", &changes) ||
            changes < 0 || !get_ecn(row, &m->last))
            return false;
        m->changes = (uint64_t)changes;
        escape_text(m->name, sizeof m->name, name);
        q->mosts++;
    }
    return true;
}

/* ---- writing ---- */

static void set_real(json_t *o, const char *key, double x)
{
    if (isfinite(x))
        json_object_set_new(o, key, json_of_rounded(x));
}

static void print_line(FILE *out, json_t *o)
{
    json_dumpf(o, out, JSON_COMPACT | JSON_REAL_PRECISION(6));
    fputc('\n', out);
    json_decref(o);
}

static json_t *knobs_of(const struct knobs *is, const struct knobs *was)
{
    json_t *o = json_object();

    for (int i = 0; i < KNOB_COUNT; i++)
        if (!was || is->value[i] != was->value[i])
            set_real(o, knob_info[i].name, is->value[i]);
    return o;
}

json_t *tuning_option(const struct tuning *g, uint32_t option)
{
    const struct key_row  *o = &g->algo->option[option];
    double                     value = g->values.value[option];

    switch (o->unit) {
    case KEY_YES:  return json_string(value != 0 ? "yes" : "no");
    case KEY_NAME: return json_string(o->choices[(int)value]);
    case KEY_FILE: return json_of_text(g->values.text[option] ? g->values.text[option] : "");
    default:       return json_of_rounded(value);
    }
}

static void print_head(const struct tuning *g, FILE *out)
{
    const struct key_row *option = g->algo->option;
    json_t               *options = json_object(), *o;

    for (uint32_t i = 0; option && option[i].name; i++)
        json_object_set_new(options, option[i].name, tuning_option(g, i));
    o = JSON_OF({ "tuner", json_string(g->algo->name) }, { "options", options },
                { "knobs", knobs_of(&g->first, NULL) });
    if (g->queues.queues)
        json_object_set_new(o, "queues", tuned_queues_json(&g->queues));
    print_line(out, o);
}

static json_t *tried_json(const struct tuner_tried *t, const struct knobs *was)
{
    json_t *o = JSON_OF({ "name", t->name ? json_string(t->name) : json_null() });

    set_real(o, "gain", t->gain);
    set_real(o, "low", t->low);
    set_real(o, "high", t->high);
    JSON_PUT(o, { "blocks", json_integer(t->blocks) }, { "out", json_boolean(t->is_out) },
             { "set", knobs_of(&t->knobs, was) });
    return o;
}

/* 'before' is the setting that the previous step left. */
static void print_step(const struct tuning_step *s, const struct knobs *before, FILE *out)
{
    const struct tuner_note *n = &s->note;
    json_t                  *o = json_object();

    set_real(o, "start_us", (double)s->start_ps / (double)PS_PER_US);
    set_real(o, "end_us", (double)s->end_ps / (double)PS_PER_US);
    json_object_set_new(o, "phase", json_string(tuner_phase_names[n->phase]));
    set_real(o, "goodput_gbps", s->goodput_bps / 1e9);
    set_real(o, "rtt_us", s->rtt_us);
    set_real(o, "paused_us", s->paused_us);
    set_real(o, "utility", n->utility);
    set_real(o, "utility_throughput", n->throughput);
    set_real(o, "utility_rtt", n->rtt);
    set_real(o, "utility_pfc", n->pfc);
    set_real(o, "divergence", n->divergence);
    set_real(o, "elephants", n->elephants);
    set_real(o, "temperature", n->temperature);
    if (n->verdict != TUNER_NO_VERDICT)
        json_object_set_new(o, "verdict", json_string(verdict_names[n->verdict]));
    json_object_set_new(o, "why", json_string(n->why));
    if (!knobs_equal(&s->was, before))
        json_object_set_new(o, "changes", knobs_of(&s->was, before));
    json_object_set_new(o, "set", knobs_of(&s->is, &s->was));
    if (n->tries) {
        json_t *list = json_array();

        for (uint32_t i = 0; i < s->note.tries; i++)
            json_array_append_new(list, tried_json(&s->note.tried[i], &s->was));
        json_object_set_new(o, "tried", list);
    }
    if (s->outcome != OUTCOME_APPLIED)
        json_object_set_new(o, "outcome", json_string(outcome_names[s->outcome]));
    if (s->outcome != OUTCOME_APPLIED && s->outcome_why)
        json_object_set_new(o, "outcome_why", json_of_text(s->outcome_why));
    print_line(out, o);
}

void tuning_print(const struct tuning *g, FILE *out)
{
    print_head(g, out);
    for (uint32_t i = 0; i < g->steps; i++)
        print_step(&g->step[i], i ? &g->step[i - 1].is : &g->first, out);
}

/* ---- reading ---- */

struct history_reader {
    struct history *h;
    const char     *name;
    uint32_t        line, steps_max;
    struct knobs    knobs;       /* after the last line */
    double          end_us;      /* of the last interval */
    int             rc;          /* of the first error; what is read after it is dropped */
    struct err     *err;
};

#define refuse(r, ...) refuse_at((r), 1, __VA_ARGS__)

static void refuse_at(struct history_reader *r, int column, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void refuse_at(struct history_reader *r, int column, const char *format, ...)
{
    char    why[300];
    va_list args;

    if (r->rc)
        return;
    va_start(args, format);
    vsnprintf(why, sizeof why, format, args);
    va_end(args);
    r->rc = err_set(r->err, EINVAL, "%s:%u:%d: %s", r->name, r->line, column, why);
}

/* ---- values ---- */

/* Escapes what would control a terminal. */
static char *clean_copy(const char *text)
{
    size_t room = strlen(text) * ESCAPE_GROWTH + 1;

    return escape_text(xmalloc(room), room, text);
}

static void get_text(struct history_reader *r, const json_t *line, const char *key, char **text)
{
    const json_t *value = json_object_get(line, key);

    if (json_is_string(value))
        *text = clean_copy(json_string_value(value));
    else
        refuse(r, value ? "'%s' must be a text" : "'%s' is missing", key);
}

/* JSON knows no numbers that are not finite, but 1e999 becomes one. */
static double get_number(struct history_reader *r, const json_t *line, const char *key)
{
    const json_t *value = json_object_get(line, key);

    if (value && (!json_is_number(value) || !isfinite(json_number_value(value))))
        refuse(r, "'%s' must be a number", key);
    return value ? json_number_value(value) : NAN;
}

static double get_time(struct history_reader *r, const json_t *line, const char *key)
{
    double us = get_number(r, line, key);

    if (!(us >= 0 && us < 1e15))
        refuse(r, isnan(us) ? "'%s' is missing" : "'%s' is not a time", key);
    return us;
}

static void get_knobs(struct history_reader *r, const json_t *line, const char *key)
{
    json_t     *map = json_object_get(line, key), *value;
    const char *name;
    char        near[80];

    if (!json_is_object(map))
        refuse(r, map ? "'%s' must be a map of knobs" : "'%s' is missing", key);
    json_object_foreach(map, name, value) {
        enum knob knob = knob_find(name);
        double    number = json_number_value(value);

        if (knob == KNOB_COUNT)
            refuse(r, "'%.60s' is not a knob%s", name,
                   text_did_you_mean(near, sizeof near, name, knob_names));
        else if (!json_is_number(value) || !(number >= knob_info[knob].min && number <= knob_info[knob].max))
            refuse(r, "'%s' must be a number %.10g .. %.10g", name, knob_info[knob].min, knob_info[knob].max);
        else
            r->knobs.value[knob] = number;
    }
}

/* Returns one of the names, or 'otherwise' without the key; 'list' names them in the error. */
static int get_word(struct history_reader *r, const json_t *line, const char *key, const char *const *names,
                    int names_end, int otherwise, const char *list)
{
    const json_t *value = json_object_get(line, key);
    const char   *text = json_string_value(value);

    for (int i = 0; text && i < names_end; i++)
        if (names[i] && strcmp(names[i], text) == 0)
            return i;
    if (value)
        refuse(r, "'%s' must be %s", key, list);
    return otherwise;
}

/* ---- the first line ---- */

static char *option_text(const json_t *value)
{
    if (json_is_string(value))
        return clean_copy(json_string_value(value));
    return json_is_number(value) ? xprintf("%.10g", json_number_value(value)) : NULL;
}

static void read_head(struct history_reader *r, const json_t *line)
{
    json_t *queues = json_object_get(line, "queues");

    get_text(r, line, "tuner", &r->h->tuner);
    json_t     *map = json_object_get(line, "options"), *value;
    const char *name;
    if (!json_is_object(map))
        refuse(r, map ? "'options' must be a map" : "'options' is missing");
    r->h->option = xcalloc(json_object_size(map) + 1, sizeof *r->h->option);
    json_object_foreach(map, name, value) {
        char *text = option_text(value);
        if (!text)
            refuse(r, "option '%.60s' must be a text or a number", name);
        r->h->option[r->h->options++] = (struct history_option){ clean_copy(name), text };
    }
    get_knobs(r, line, "knobs");
    if (queues && !read_queues(&r->h->queues, queues))
        refuse(r, "'queues' does not say what was set at queues");
    r->h->first = r->knobs;
}

/* ---- the others ---- */

static void read_step(struct history_reader *r, const json_t *line)
{
    struct history      *h = r->h;
    struct history_step *s;

    h->step = xgrow(h->step, h->steps, &r->steps_max, 64, sizeof *h->step);
    s = &h->step[h->steps++];
    *s = (struct history_step){ .start_us = get_time(r, line, "start_us"),
                                .end_us = get_time(r, line, "end_us") };
    if (s->end_us <= s->start_us)
        refuse(r, "the interval ends before it begins");
    if (s->start_us < r->end_us)
        refuse(r, "the interval begins before the last has ended");
    if (!json_object_get(line, "phase"))
        refuse(r, "'%s' is missing", "phase");
    s->phase = (enum tuner_phase)get_word(r, line, "phase", tuner_phase_names, TUNER_PHASES, TUNER_NO_PHASE,
                                          "watch, search, confirm, hold, learn, frozen or empty");
    get_text(r, line, "why", &s->why);
    s->goodput_gbps = get_number(r, line, "goodput_gbps");
    s->rtt_us = get_number(r, line, "rtt_us");
    s->paused_us = get_number(r, line, "paused_us");
    s->utility = get_number(r, line, "utility");
    s->divergence = get_number(r, line, "divergence");
    s->elephants = get_number(r, line, "elephants");
    s->temperature = get_number(r, line, "temperature");
    s->verdict = (enum tuner_verdict)get_word(r, line, "verdict", verdict_names, VERDICTS, TUNER_NO_VERDICT,
                                              "accepted, rejected or best");
    s->outcome = (enum outcome_kind)get_word(r, line, "outcome", outcome_names, OUTCOMES, OUTCOME_APPLIED,
                                             "pending, applied, partly or refused");
    if (json_object_get(line, "outcome_why"))
        get_text(r, line, "outcome_why", &s->outcome_why);
    if (json_object_get(line, "changes"))
        get_knobs(r, line, "changes");
    s->was = r->knobs;
    get_knobs(r, line, "set");
    s->is = r->knobs;
    r->end_us = s->end_us;
}

/* ---- the file ---- */

static void read_line(struct history_reader *r, const char *text, size_t length)
{
    json_error_t why;
    json_t      *line = json_loadb(text, length, JSON_REJECT_DUPLICATES, &why);

    if (!line)
        refuse_at(r, why.column > 0 ? why.column : 1, "this is not JSON: %.160s", why.text);
    else if (!json_is_object(line))
        refuse(r, "this is no map");
    else if (r->h->tuner)
        read_step(r, line);
    else
        read_head(r, line);
    json_decref(line);
}

int history_parse(struct history *h, const char *name, const char *text, size_t length, struct err *err)
{
    struct history_reader r = { .h = h, .name = name, .err = err };
    const char           *end = text + length;

    *h = (struct history){ 0 };
    knobs_init(&r.knobs);
    if (length == 0)
        return err_set(err, EINVAL, "%s:1:1: the file is empty", name);
    while (text < end && !r.rc) {
        const char *newline = memchr(text, '\n', (size_t)(end - text)), *stop = newline ? newline : end;

        r.line++;
        read_line(&r, text, (size_t)(stop - text));
        text = newline ? newline + 1 : end;
    }
    if (r.rc)
        history_fini(h);
    return r.rc;
}

void history_fini(struct history *h)
{
    for (uint32_t i = 0; i < h->options; i++) {
        free(h->option[i].name);
        free(h->option[i].text);
    }
    for (uint32_t i = 0; i < h->steps; i++) {
        free(h->step[i].why);
        free(h->step[i].outcome_why);
    }
    free(h->option);
    free(h->step);
    free(h->tuner);
    *h = (struct history){ 0 };
}
