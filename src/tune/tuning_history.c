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

static const char *const verdict_names[] = { [TUNER_ACCEPTED] = "accepted", [TUNER_REJECTED] = "rejected",
                                             [TUNER_BEST] = "best", NULL };
static const char *const outcome_names[] = { [OUTCOME_PENDING] = "pending", [OUTCOME_APPLIED] = "applied",
                                             [OUTCOME_PARTLY] = "partly", [OUTCOME_REFUSED] = "refused",
                                             NULL };

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
    size_t              bytes = s->note.tries * sizeof(*s->note.tried);
    struct tuner_tried *copy = bytes ? xmalloc(bytes) : NULL;

    if (bytes)
        memcpy(copy, s->note.tried, bytes);
    s->note.tried = copy;
}

static double paused_us(const struct report *r)
{
    for (uint32_t i = 0; i < r->ports; i++)
        if (report_knows_pauses(r, i))
            return (double)r->paused_ps / (double)PS_PER_US;
    return r->ports ? NAN : (double)r->paused_ps / (double)PS_PER_US;
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

static bool get_count(const json_t *o, const char *key, uint64_t max, uint64_t *count)
{
    const json_t *value = json_object_get(o, key);
    json_int_t    n = json_integer_value(value);

    *count = (uint64_t)n;
    return json_is_integer(value) && n >= 0 && (uint64_t)n <= max;
}

static bool get_share(const json_t *o, const char *key, double *share)
{
    const json_t *value = json_object_get(o, key);

    *share = json_number_value(value);
    return json_is_number(value) && *share >= 0 && *share <= 1;
}

static bool get_ecn(const json_t *o, struct ecn *e)
{
    uint64_t kmin, kmax;
    bool     is_good = get_count(o, "kmin_bytes", UINT32_MAX, &kmin) &&
                       get_count(o, "kmax_bytes", UINT32_MAX, &kmax) && get_share(o, "pmax", &e->pmax);

    if (is_good) {
        e->kmin_bytes = (uint32_t)kmin;
        e->kmax_bytes = (uint32_t)kmax;
    }
    return is_good;
}

bool tuned_queues_read(struct tuned_queues *q, const json_t *o)
{
    const json_t *settings = json_object_get(o, "settings"), *most = json_object_get(o, "most_changed");
    json_t       *row;
    size_t        i;

    *q = (struct tuned_queues){ 0 };
    if (!get_count(o, "queues", INT64_MAX, &q->queues) || !get_count(o, "changed", INT64_MAX, &q->changed) ||
        !get_count(o, "changes", INT64_MAX, &q->changes) || !json_is_array(settings))
        return false;
    json_array_foreach(settings, i, row) {
        if (i >= TUNED_SETTINGS_MAX || !get_ecn(row, &q->setting[i].ecn) ||
            !get_share(row, "share", &q->setting[i].share))
            return false;
        q->settings++;
    }
    json_array_foreach(most, i, row) {
        struct tuned_queue *m = &q->most[i];
        const char         *name = json_string_value(json_object_get(row, "name"));

        if (i >= TUNED_MOST_MAX || !name || !get_count(row, "changes", INT64_MAX, &m->changes) ||
            !get_ecn(row, &m->last))
            return false;
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
    const struct key_row  *option = g->algo->option;
    json_t                    *o = json_object(), *options = json_object();

    for (uint32_t i = 0; option && option[i].name; i++)
        json_object_set_new(options, option[i].name, tuning_option(g, i));
    json_object_set_new(o, "tuner", json_string(g->algo->name));
    json_object_set_new(o, "options", options);
    json_object_set_new(o, "knobs", knobs_of(&g->first, NULL));
    if (g->queues.queues)
        json_object_set_new(o, "queues", tuned_queues_json(&g->queues));
    print_line(out, o);
}

static void put_tried(json_t *o, const struct tuning_step *s)
{
    json_t *list = json_array();

    if (s->note.tries)
        json_object_set(o, "tried", list);
    for (uint32_t i = 0; i < s->note.tries; i++) {
        const struct tuner_tried *t = &s->note.tried[i];
        json_t                   *one = json_object();

        json_object_set_new(one, "name", t->name ? json_string(t->name) : json_null());
        set_real(one, "gain", t->gain);
        set_real(one, "low", t->low);
        set_real(one, "high", t->high);
        json_object_set_new(one, "blocks", json_integer(t->blocks));
        json_object_set_new(one, "out", json_boolean(t->is_out));
        json_object_set_new(one, "set", knobs_of(&t->knobs, &s->was));
        json_array_append_new(list, one);
    }
    json_decref(list);
}

/* 'before' is the setting that the previous step left. */
static void print_step(const struct tuning_step *s, const struct knobs *before, FILE *out)
{
    const struct tuner_note *n = &s->note;
    json_t                  *o = json_object();

    set_real(o, "start_us", (double)s->start_ps / (double)PS_PER_US);
    set_real(o, "end_us", (double)s->end_ps / (double)PS_PER_US);
    json_object_set_new(o, "phase", json_string(n->phase ? n->phase : ""));
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
    put_tried(o, s);
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
    uint32_t        line;
    struct knobs    knobs;       /* after the last line */
    double          end_us;      /* of the last interval */
    uint32_t        steps_max;
    struct err     *err;
};

#define refuse(r, ...) refuse_at((r), 1, __VA_ARGS__)

static int refuse_at(const struct history_reader *r, int column, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static int refuse_at(const struct history_reader *r, int column, const char *format, ...)
{
    char    why[300];
    va_list args;

    va_start(args, format);
    vsnprintf(why, sizeof why, format, args);
    va_end(args);
    return err_set(r->err, EINVAL, "%s:%u:%d: %s", r->name, r->line, column, why);
}

/* ---- values ---- */

/* Escapes what would control a terminal. */
static char *clean_copy(const char *text)
{
    size_t room = strlen(text) * ESCAPE_GROWTH + 1;

    return escape_text(xmalloc(room), room, text);
}

static int get_text(const struct history_reader *r, const json_t *line, const char *key, char **text)
{
    const json_t *value = json_object_get(line, key);

    if (!json_is_string(value))
        return refuse(r, value ? "'%s' must be a text" : "'%s' is missing", key);
    *text = clean_copy(json_string_value(value));
    return 0;
}

/* JSON knows no numbers that are not finite, but 1e999 becomes one. */
static int get_number(const struct history_reader *r, const json_t *line, const char *key, double *number)
{
    const json_t *value = json_object_get(line, key);

    *number = NAN;
    if (!value)
        return 0;
    if (!json_is_number(value) || !isfinite(json_number_value(value)))
        return refuse(r, "'%s' must be a number", key);
    *number = json_number_value(value);
    return 0;
}

static int get_time(const struct history_reader *r, const json_t *line, const char *key, double *us)
{
    int rc = get_number(r, line, key, us);

    if (!rc && !(*us >= 0 && *us < 1e15))
        rc = isnan(*us) ? refuse(r, "'%s' is missing", key) : refuse(r, "'%s' is not a time", key);
    return rc;
}

static int get_knobs(const struct history_reader *r, const json_t *line, const char *key, struct knobs *knobs)
{
    json_t     *map = json_object_get(line, key), *value;
    const char *name;
    char        near[80];

    if (!json_is_object(map))
        return refuse(r, map ? "'%s' must be a map of knobs" : "'%s' is missing", key);
    json_object_foreach(map, name, value) {
        enum knob knob = knob_find(name);
        double    number = json_number_value(value);

        if (knob == KNOB_COUNT)
            return refuse(r, "'%.60s' is not a knob%s", name,
                          text_did_you_mean(near, sizeof near, name, knob_names));
        if (!json_is_number(value) || !(number >= knob_info[knob].min && number <= knob_info[knob].max))
            return refuse(r, "'%s' must be a number %.10g .. %.10g", name, knob_info[knob].min,
                          knob_info[knob].max);
        knobs->value[knob] = number;
    }
    return 0;
}

/* Reads one of the names from 'first' on; 'list' names them in the error. Without the key, *word stays. */
static int get_word(const struct history_reader *r, const json_t *line, const char *key,
                    const char *const *names, int first, const char *list, int *word)
{
    const json_t *value = json_object_get(line, key);
    const char   *text = json_string_value(value);

    for (int i = first; text && names[i]; i++)
        if (strcmp(names[i], text) == 0) {
            *word = i;
            return 0;
        }
    return value ? refuse(r, "'%s' must be %s", key, list) : 0;
}

static int get_verdict(const struct history_reader *r, const json_t *line, enum tuner_verdict *verdict)
{
    int word = TUNER_NO_VERDICT;
    int rc = get_word(r, line, "verdict", verdict_names, TUNER_ACCEPTED, "accepted, rejected or best", &word);

    *verdict = (enum tuner_verdict)word;
    return rc;
}

/* A line without an outcome: the setting was applied. */
static int get_outcome(const struct history_reader *r, const json_t *line, struct history_step *s)
{
    int word = OUTCOME_APPLIED;
    int rc = get_word(r, line, "outcome", outcome_names, OUTCOME_PENDING,
                      "pending, applied, partly or refused", &word);

    s->outcome = (enum outcome_kind)word;
    if (!rc && json_object_get(line, "outcome_why"))
        rc = get_text(r, line, "outcome_why", &s->outcome_why);
    return rc;
}

/* ---- the first line ---- */

static char *option_text(const json_t *value)
{
    char text[40];

    if (json_is_string(value))
        return clean_copy(json_string_value(value));
    if (!json_is_number(value))
        return NULL;
    snprintf(text, sizeof text, "%.10g", json_number_value(value));
    return xstrdup(text);
}

static int read_options(const struct history_reader *r, const json_t *line)
{
    json_t     *map = json_object_get(line, "options"), *value;
    const char *name;

    if (!json_is_object(map))
        return refuse(r, map ? "'options' must be a map" : "'options' is missing");
    r->h->option = xcalloc(json_object_size(map) + 1, sizeof *r->h->option);
    json_object_foreach(map, name, value) {
        char *text = option_text(value);

        if (!text)
            return refuse(r, "option '%.60s' must be a text or a number", name);
        r->h->option[r->h->options++] = (struct history_option){ clean_copy(name), text };
    }
    return 0;
}

static int read_head(struct history_reader *r, const json_t *line)
{
    int rc = get_text(r, line, "tuner", &r->h->tuner);

    if (!rc)
        rc = read_options(r, line);
    if (!rc)
        rc = get_knobs(r, line, "knobs", &r->knobs);
    if (!rc && json_object_get(line, "queues") &&
        !tuned_queues_read(&r->h->queues, json_object_get(line, "queues")))
        rc = refuse(r, "'queues' does not say what was set at queues");
    r->h->first = r->knobs;
    return rc;
}

/* ---- the others ---- */

static int read_times(const struct history_reader *r, const json_t *line, struct history_step *s)
{
    int rc = get_time(r, line, "start_us", &s->start_us);

    if (!rc)
        rc = get_time(r, line, "end_us", &s->end_us);
    if (!rc && s->end_us <= s->start_us)
        rc = refuse(r, "the interval ends before it begins");
    if (!rc && s->start_us < r->end_us)
        rc = refuse(r, "the interval begins before the last has ended");
    return rc;
}

static int read_numbers(const struct history_reader *r, const json_t *line, struct history_step *s)
{
    const struct { const char *key; double *number; } rows[] = {
        { "goodput_gbps", &s->goodput_gbps },
        { "rtt_us", &s->rtt_us },
        { "paused_us", &s->paused_us },
        { "utility", &s->utility },
        { "utility_throughput", &s->utility_throughput },
        { "utility_rtt", &s->utility_rtt },
        { "utility_pfc", &s->utility_pfc },
        { "divergence", &s->divergence },
        { "elephants", &s->elephants },
        { "temperature", &s->temperature },
    };
    int rc = 0;

    for (size_t i = 0; i < sizeof rows / sizeof *rows && !rc; i++)
        rc = get_number(r, line, rows[i].key, rows[i].number);
    return rc;
}

static int read_step(struct history_reader *r, const json_t *line)
{
    struct history      *h = r->h;
    struct history_step *s;
    int                  rc;

    h->step = xgrow(h->step, h->steps, &r->steps_max, 64, sizeof *h->step);
    s = &h->step[h->steps++];
    *s = (struct history_step){ 0 };
    rc = read_times(r, line, s);
    if (!rc)
        rc = get_text(r, line, "phase", &s->phase);
    if (!rc)
        rc = get_text(r, line, "why", &s->why);
    if (!rc)
        rc = read_numbers(r, line, s);
    if (!rc)
        rc = get_verdict(r, line, &s->verdict);
    if (!rc)
        rc = get_outcome(r, line, s);
    if (!rc && json_object_get(line, "changes"))
        rc = get_knobs(r, line, "changes", &r->knobs);
    s->was = r->knobs;
    if (!rc)
        rc = get_knobs(r, line, "set", &r->knobs);
    s->is = r->knobs;
    r->end_us = s->end_us;
    return rc;
}

/* ---- the file ---- */

static int read_line(struct history_reader *r, const char *text, size_t length)
{
    json_error_t why;
    json_t      *line = json_loadb(text, length, JSON_REJECT_DUPLICATES, &why);
    int          rc;

    if (!line)
        return refuse_at(r, why.column > 0 ? why.column : 1, "this is not JSON: %.160s", why.text);
    if (!json_is_object(line))
        rc = refuse(r, "this is no map");
    else
        rc = r->h->tuner ? read_step(r, line) : read_head(r, line);
    json_decref(line);
    return rc;
}

static int read_lines(struct history_reader *r, const char *text, size_t length)
{
    const char *end = text + length;
    int         rc = 0;

    while (text < end && !rc) {
        const char *newline = memchr(text, '\n', (size_t)(end - text)), *stop = newline ? newline : end;

        r->line++;
        rc = read_line(r, text, (size_t)(stop - text));
        text = newline ? newline + 1 : end;
    }
    return rc;
}

int history_parse(struct history *h, const char *name, const char *text, size_t length, struct err *err)
{
    struct history_reader r = { .h = h, .name = name, .err = err };
    int           rc;

    *h = (struct history){ 0 };
    knobs_init(&r.knobs);
    if (length == 0)
        return err_set(err, EINVAL, "%s:1:1: the file is empty", name);
    rc = read_lines(&r, text, length);
    if (rc)
        history_fini(h);
    return rc;
}

void history_fini(struct history *h)
{
    for (uint32_t i = 0; i < h->options; i++) {
        free(h->option[i].name);
        free(h->option[i].text);
    }
    for (uint32_t i = 0; i < h->steps; i++) {
        free(h->step[i].phase);
        free(h->step[i].why);
        free(h->step[i].outcome_why);
    }
    free(h->option);
    free(h->step);
    free(h->tuner);
    *h = (struct history){ 0 };
}
