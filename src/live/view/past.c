#include "live/view/past.h"
#include "base/minmax.h"
#include "base/text.h"
#include "live/core/knobset.h"
#include "live/view/fetch.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define SCRAPED_MS  60000u       /* steps of Prometheus: it scrapes at least so often */
#define GOOD_MS     10000u       /* an answer of Prometheus */
#define ANSWERS     8            /* that are kept */

/* ---- spans ---- */

bool past_read_span(const char *text, uint64_t *span_ms, uint64_t *until_ms)
{
    static const struct { const char *name; uint64_t ms; } spans[] = {
        { "15m", 900000 }, { "1h", PAST_HOUR_MS }, { "6h", 21600000 }, { "24h", 86400000 },
        { "7d", 604800000 }, { "30d", 2592000000 }, { "90d", 7776000000 }, { "365d", 31536000000 },
    };
    size_t     length = strcspn(text, "/");
    struct err ignored;

    *span_ms = *until_ms = 0;
    for (size_t i = 0; i < sizeof spans / sizeof *spans; i++)
        if (strlen(spans[i].name) == length && strncmp(spans[i].name, text, length) == 0)
            *span_ms = spans[i].ms;
    if (!*span_ms || !text[length])
        return *span_ms != 0;
    return text_to_uint(text + length + 1, until_ms, &ignored) == 0 && *until_ms > *span_ms &&
           *until_ms < 1ull << 53;
}

struct past *past_new(uint64_t span_ms, uint64_t until_ms, uint64_t step_ms)
{
    struct past *p = xcalloc(1, sizeof *p);

    p->step_ms = step_ms * max_u64((span_ms / step_ms + PAST_POINTS - 1) / PAST_POINTS, 1);
    p->points = (uint32_t)(span_ms / p->step_ms);
    p->from_ms = until_ms / p->step_ms * p->step_ms - (p->points - 1ull) * p->step_ms;
    p->knobs = json_array();
    for (int i = 0; i < PAST_COLUMNS; i++)
        for (int k = 0; k < TIMELINE_SERIES; k++)
            for (uint32_t n = 0; n < p->points; n++)
                p->value[i][k][n] = NAN;
    return p;
}

void past_free(struct past *p)
{
    if (p)
        json_decref(p->knobs);
    free(p);
}

/* ---- the last hour ---- */

void past_take_timeline(struct past *p, const struct timeline *t)
{
    uint32_t count[TIMELINE_SERIES][PAST_POINTS] = { { 0 } };
    uint64_t first = t->points - min_u64(t->points, TIMELINE_POINTS);

    for (uint64_t i = first; i < t->points; i++) {
        const struct timeline_point *at = &t->point[i % TIMELINE_POINTS];
        uint64_t                     n = (at->wall_ms - p->from_ms) / p->step_ms;

        p->oldest_ms = p->oldest_ms ? min_u64(p->oldest_ms, at->wall_ms) : at->wall_ms;
        for (int k = 0; k < TIMELINE_SERIES && at->wall_ms >= p->from_ms && n < p->points; k++) {
            double x = at->value[k], *mean = &p->value[PAST_MEAN][k][n];

            if (isnan(x))
                continue;
            *mean = (count[k][n] ? *mean : 0) + (x - (count[k][n] ? *mean : 0)) / (count[k][n] + 1);
            p->value[PAST_LEAST][k][n] = fmin(p->value[PAST_LEAST][k][n], x);
            p->value[PAST_MOST][k][n] = fmax(p->value[PAST_MOST][k][n], x);
            count[k][n]++;
        }
    }
    for (uint64_t i = t->changes - min_u64(t->changes, TIMELINE_KNOBS); i < t->changes; i++) {
        const struct timeline_knobs *k = &t->knobs[i % TIMELINE_KNOBS];

        if (k->wall_ms < p->from_ms)
            json_array_clear(p->knobs);          /* that setting held when this time began */
        if (k->wall_ms < p->from_ms + p->points * p->step_ms && !knobset_is_empty(&k->confirmed))
            json_array_append_new(p->knobs, JSON_OF({ "t_ms", json_of_count(k->wall_ms) },
                                                    { "confirmed", knobset_json(&k->confirmed) }));
    }
}

/* ---- as JSON, and as metrics ---- */

json_t *past_json(const struct past *p, const char *source)
{
    static const char *const names[PAST_COLUMNS] = { "mean", "least", "most" };
    json_t *times = json_array(), *all = json_object();

    for (uint32_t n = 0; n < p->points; n++)
        json_array_append_new(times, json_of_count(p->from_ms + n * p->step_ms));
    for (int k = 0; k < TIMELINE_SERIES; k++) {
        json_t *series = json_object();

        for (int i = 0; i < PAST_COLUMNS; i++) {
            json_t *column = json_array();

            for (uint32_t n = 0; n < p->points; n++)
                json_array_append_new(column, json_of_number(p->value[i][k][n]));
            json_object_set_new(series, names[i], column);
        }
        json_object_set_new(all, timeline_series[k], series);
    }
    return JSON_OF({ "from_ms", json_of_count(p->from_ms) },
                   { "until_ms", json_of_count(p->from_ms + p->points * p->step_ms) },
                   { "oldest_ms", json_of_count(p->oldest_ms) }, { "step_ms", json_of_count(p->step_ms) },
                   { "source", json_of_text(source) }, { "t_ms", times }, { "series", all },
                   { "knobs", json_deep_copy(p->knobs) });
}

void past_metrics(struct prom *m, const struct timeline *t)
{
    const struct timeline_point *last = t->points ? &t->point[(t->points - 1) % TIMELINE_POINTS] : NULL;
    const struct timeline_knobs *is = t->changes ? &t->knobs[(t->changes - 1) % TIMELINE_KNOBS] : NULL;

    prom_family(m, "anole_controller_fabric", "gauge",
                "What the page shows over time: metric, shares of time and load, CNPs per interval.");
    for (int k = 0; k < TIMELINE_SERIES && last; k++)
        if (!isnan(last->value[k]))
            prom_value(m, last->value[k], "series", timeline_series[k], NULL);
    prom_family(m, "anole_controller_setting", "gauge", "The confirmed value of each knob.");
    for (int i = 0; i < KNOB_COUNT && is; i++)
        if (is->confirmed.is_named[i])
            prom_value(m, is->confirmed.knobs.value[i], "knob", knob_info[i].name, NULL);
}

/* ---- answers of Prometheus ---- */

/* A value of a series, [seconds, "number"], and the point that it ends. False: it has no place here. */
static bool read_value(const struct past *p, const json_t *pair, uint64_t *n, double *value)
{
    double      at_ms = json_number_value(json_array_get(pair, 0)) * 1000;
    const char *text = json_string_value(json_array_get(pair, 1));
    char       *end;

    if (!text || !(at_ms > (double)p->from_ms && at_ms < 1e16))
        return false;
    *n = ((uint64_t)(at_ms + 0.5) - p->from_ms + p->step_ms - 1) / p->step_ms - 1;
    *value = strtod(text, &end);
    return *n < p->points && end != text && isfinite(*value);
}

static void take_series(struct past *p, enum past_column column, const char *name, const json_t *values)
{
    const json_t *pair;
    size_t        i;
    uint64_t      n;
    double        x;

    for (int k = 0; k < TIMELINE_SERIES; k++)
        if (strcmp(timeline_series[k], name) == 0)
            json_array_foreach(values, i, pair)
                if (read_value(p, pair, &n, &x)) {
                    p->value[column][k][n] = x;
                    p->oldest_ms = min_u64(p->oldest_ms ? p->oldest_ms : UINT64_MAX,
                                           p->from_ms + n * p->step_ms - (n == 0));
                }
}

/* Settings come as a matrix, a row per knob; wanted are their changes. */
static void take_settings(struct past *p, const json_t *all)
{
    struct knob_set *set = xcalloc(p->points, sizeof *set);
    const json_t    *series, *pair;
    size_t           i, at;
    uint64_t         n;
    double           x;

    json_array_foreach(all, i, series) {
        enum knob knob = knob_find(json_get_text(json_object_get(series, "metric"), "knob"));

        json_array_foreach(json_object_get(series, "values"), at, pair)
            if (knob < KNOB_COUNT && read_value(p, pair, &n, &x))
                knob_set_add(&set[n], knob, x);
    }
    const struct knob_set *was = NULL;
    for (n = 0; n < p->points; n++)
        if (!knobset_is_empty(&set[n]) && !(was && knobset_is_same(&set[n], was))) {
            json_array_append_new(p->knobs, JSON_OF({ "t_ms", json_of_count(p->from_ms + n * p->step_ms) },
                                                    { "confirmed", knobset_json(&set[n]) }));
            was = &set[n];
        }
    free(set);
}

int past_read_matrix(struct past *p, enum past_column column, const char *text, size_t length)
{
    json_t       *o = json_loadb(text, length, 0, NULL);
    const json_t *all = json_object_get(json_object_get(o, "data"), "result"), *series;
    bool          is_one = strcmp(json_get_text(o, "status"), "success") == 0 && json_is_array(all);
    size_t        i;

    if (is_one && column == PAST_COLUMNS)
        take_settings(p, all);
    else if (is_one)
        json_array_foreach(all, i, series)
            take_series(p, column, json_get_text(json_object_get(series, "metric"), "series"),
                        json_object_get(series, "values"));
    json_decref(o);
    return is_one ? 0 : -EBADMSG;
}

/* ---- asking ---- */

struct answer {
    uint64_t     span_ms, until_ms, asked_ms, made_ms, used;
    bool         is_wanted, is_new;
    struct past *past;           /* NULL: none yet, or none for the reason in 'why' */
    char         why[FETCH_WHY_SIZE + 40];
};

struct past_asker {
    char           *url, *match;
    pthread_t       thread;
    pthread_mutex_t lock;        /* protects all fields below */
    pthread_cond_t  changed;
    struct answer   answer[ANSWERS];
    uint64_t        asked;
    bool            is_ending;
};

static bool is_over(void *arg)
{
    struct past_asker *a = arg;

    pthread_mutex_lock(&a->lock);
    bool is = a->is_ending;
    pthread_mutex_unlock(&a->lock);
    return is;
}

static int ask_column(struct past_asker *a, struct past *p, enum past_column column,
                      char why[FETCH_WHY_SIZE])
{
    static const char *const queries[] = {
        [PAST_MEAN] = "avg by (series) (avg_over_time(anole_controller_fabric{%s}[%" PRIu64 "s]))",
        [PAST_LEAST] = "min by (series) (min_over_time(anole_controller_fabric{%s}[%" PRIu64 "s]))",
        [PAST_MOST] = "max by (series) (max_over_time(anole_controller_fabric{%s}[%" PRIu64 "s]))",
        [PAST_COLUMNS] = "max by (knob) (last_over_time(anole_controller_setting{%s}[%" PRIu64 "s]))",
    };
    uint64_t     step_s = p->step_ms / 1000, from_s = p->from_ms / 1000;
    char        *query = xprintf(queries[column], a->match, step_s), *escaped = fetch_escape(query);
    /* each value is of the step that ends at its time */
    char        *url = xprintf("%s/api/v1/query_range?query=%s&start=%" PRIu64 "&end=%" PRIu64
                               "&step=%" PRIu64, a->url, escaped, from_s + step_s,
                               from_s + p->points * step_s, step_s);
    struct fetch f;
    int          rc = fetch_get(&f, url, is_over, a) ? 0 : -EIO;

    if (!rc && (rc = past_read_matrix(p, column, f.text ? f.text : "", f.length)) != 0)
        snprintf(f.why, sizeof f.why, "it answers with status %ld, and without a matrix", f.status);
    memcpy(why, f.why, FETCH_WHY_SIZE);
    free(f.text);
    free(query);
    free(escaped);
    free(url);
    return rc;
}

/* Called with the lock, which it gives away while it asks. */
static void make_answer(struct past_asker *a, struct answer *out)
{
    struct answer made = *out;
    char          why[FETCH_WHY_SIZE] = "";
    int           rc = 0;

    pthread_mutex_unlock(&a->lock);
    made.past = past_new(made.span_ms, made.until_ms ? made.until_ms : made.asked_ms, SCRAPED_MS);
    for (int i = 0; i <= PAST_COLUMNS && !rc; i++)
        rc = ask_column(a, made.past, (enum past_column)i, why);
    if (rc) {
        past_free(made.past);
        made.past = NULL;
    }
    pthread_mutex_lock(&a->lock);
    if (out->span_ms != made.span_ms || out->until_ms != made.until_ms) {
        past_free(made.past);    /* its place was given away meanwhile */
        return;
    }
    past_free(out->past);
    *out = (struct answer){ made.span_ms, made.until_ms, out->asked_ms, made.asked_ms, out->used, false, true,
                            made.past, "" };
    if (rc)
        snprintf(out->why, sizeof out->why, "Prometheus: %s", why);
}

static void *keep_asking(void *arg)
{
    struct past_asker *a = arg;

    pthread_mutex_lock(&a->lock);
    while (!a->is_ending) {
        bool had_work = false;

        for (int i = 0; i < ANSWERS && !a->is_ending; i++)
            if (a->answer[i].is_wanted) {
                make_answer(a, &a->answer[i]);
                had_work = true;
            }
        if (!had_work && !a->is_ending)
            pthread_cond_wait(&a->changed, &a->lock);
    }
    pthread_mutex_unlock(&a->lock);
    return NULL;
}

static struct answer *place_for(struct past_asker *a, uint64_t span_ms, uint64_t until_ms)
{
    struct answer *oldest = &a->answer[0];

    for (struct answer *i = a->answer; i < a->answer + ANSWERS; i++) {
        if (i->span_ms == span_ms && i->until_ms == until_ms)
            return i;
        if (i->used < oldest->used)
            oldest = i;
    }
    past_free(oldest->past);
    *oldest = (struct answer){ .span_ms = span_ms, .until_ms = until_ms };
    return oldest;
}

json_t *past_ask(struct past_asker *a, uint64_t span_ms, uint64_t until_ms, uint64_t now_ms, int *rc)
{
    json_t *o = NULL;

    *rc = 0;
    pthread_mutex_lock(&a->lock);
    struct answer *is = place_for(a, span_ms, until_ms);
    is->used = ++a->asked;
    /* Returned once whatever its age: if Prometheus is slow it is never fresh, and the caller would wait
     * forever. */
    if ((is->past || *is->why) && (is->is_new || now_ms - is->made_ms <= GOOD_MS)) {
        o = is->past ? past_json(is->past, "Prometheus") : JSON_OF({ "error", json_of_text(is->why) });
        *rc = is->past ? 0 : -EIO;
        is->is_new = false;
    } else {
        is->asked_ms = now_ms;
        is->is_wanted = true;
        pthread_cond_broadcast(&a->changed);
    }
    pthread_mutex_unlock(&a->lock);
    return o;
}

/* ---- opening ---- */

int past_open(struct past_asker **out, const char *url, const char *match, struct err *err)
{
    struct past_asker *a = xcalloc(1, sizeof *a);
    size_t             length = strlen(url);

    *out = NULL;
    *a = (struct past_asker){ .match = xstrdup(match ? match : "") };
    a->url = xprintf("%.*s", (int)(length - (length && url[length - 1] == '/')), url);
    pthread_mutex_init(&a->lock, NULL);
    pthread_cond_init(&a->changed, NULL);
    if (pthread_create(&a->thread, NULL, keep_asking, a)) {
        free(a->url);
        free(a->match);
        free(a);
        return err_set(err, EAGAIN, "cannot start a thread");
    }
    *out = a;
    return 0;
}

void past_close(struct past_asker *a)
{
    if (!a)
        return;
    pthread_mutex_lock(&a->lock);
    a->is_ending = true;
    pthread_cond_broadcast(&a->changed);
    pthread_mutex_unlock(&a->lock);
    pthread_join(a->thread, NULL);
    for (int i = 0; i < ANSWERS; i++)
        past_free(a->answer[i].past);
    pthread_cond_destroy(&a->changed);
    pthread_mutex_destroy(&a->lock);
    free(a->url);
    free(a->match);
    free(a);
}
