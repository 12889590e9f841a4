#include "study/campaign/campaign_figures.h"
#include "base/err.h"
#include "base/json.h"
#include "base/print/safe.h"
#include "base/text.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STUCK_PRINTED 5u            /* variants by name */

struct figure *figures_find(const struct figures *f, const char *name)
{
    for (uint32_t i = 0; i < f->count; i++)
        if (strcmp(f->list[i].metric.name, name) == 0)
            return &f->list[i];
    return NULL;
}

void figures_add(struct figures *f, uint64_t runs, const struct metric *metric, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (figures_find(f, metric[i].name))
            continue;
        double *value = xmalloc(runs * sizeof(*value));
        for (uint64_t run = 0; run < runs; run++)
            value[run] = NAN;
        f->list = xrealloc(f->list, (f->count + 1ul) * sizeof(*f->list));
        f->list[f->count++] = (struct figure){ .metric = metric[i], .value = value };
    }
}

void figures_fini(struct figures *f)
{
    for (uint32_t i = 0; i < f->count; i++)
        free(f->list[i].value);
    free(f->list);
    *f = (struct figures){ 0 };
}

int figures_add_of_variant(struct figures *f, uint64_t runs, struct variant *v, const uint64_t *seed,
                           struct err *err)
{
    struct simulation s;
    struct results    r;
    uint32_t          count;
    int               rc = variant_open(v, seed, &s, &v->digest, err);

    if (rc)
        return rc;
    results_init(&r, &s);
    struct metric *list = metrics_new(&r, &count);
    figures_add(f, runs, list, count);
    results_fini(&r);
    variant_describe(v, &s);
    simulation_close(&s);
    free(list);
    return 0;
}

/* ---- which are shown ---- */

int figures_refuse(const struct figures *f, const char *option, const char *word, struct err *err)
{
    const char **names = xcalloc(f->count + 2ul, sizeof(*names));
    char hint[160];

    for (uint32_t i = 0; i < f->count; i++)
        names[i] = f->list[i].metric.name;
    if (strcmp(option, "--metrics") == 0)
        names[f->count] = "all";
    text_did_you_mean(hint, sizeof(hint), word, names);
    free(names);
    return err_set(err, EINVAL, "%s: '%s' is not a figure of these runs%s", option, word,
                   *hint ? hint :
                   "; there are slowdown_p99, goodput_bps, rtt_us_mean and many more: --format csv prints "
                   "all");
}

int figures_choose(struct figures *f, const char *wanted, const char *otherwise, struct err *err)
{
    char *copy = xstrdup(wanted ? wanted : otherwise), *rest = copy, *word;
    int   rc = 0;

    while (!rc && (word = strsep(&rest, ","))) {
        bool is_there = false;

        for (uint32_t i = 0; i < f->count; i++)
            if (strcmp(word, "all") == 0 || fnmatch(word, f->list[i].metric.name, 0) == 0)
                f->list[i].is_shown = is_there = true;
        if (!is_there && wanted)
            rc = figures_refuse(f, "--metrics", word, err);
    }
    free(copy);
    return rc;
}

void figures_hide_empty(struct figures *f, uint64_t runs)
{
    for (uint32_t i = 0; i < f->count; i++)
        f->list[i].is_shown &= isfinite(figures_mean(&f->list[i], 0, (uint32_t)runs));
}

/* ---- values ---- */

/* Which runs have a key, and the values of the figure that is being read. */
struct key_map { json_t *runs; double *value; };

static void store_value(void *arg, const char *key, double value)
{
    const struct key_map *m = arg;
    const json_t         *run;
    size_t                i;

    json_array_foreach(json_object_get(m->runs, key), i, run)
        m->value[json_integer_value(run)] = value;
}

/* Variants with the same settings have the same key. */
static int add_key(struct key_map *m, const char *key, uint64_t run, struct campaign *store, struct err *err)
{
    int rc = campaign_has(store, key, false, err);

    if (rc == 0)
        return err_set(err, ENOENT, "run %s is not in the store any more", key);
    if (!json_object_get(m->runs, key))
        json_object_set_new(m->runs, key, json_array());
    json_array_append_new(json_object_get(m->runs, key), JSON(run));
    return rc < 0 ? rc : 0;
}

int figures_load(struct figures *f, const struct figures_runs *runs, struct campaign *store, struct err *err)
{
    struct key_map map = { .runs = json_object() };
    char           key[DIGEST_TEXT_SIZE];
    int            rc = 0;

    for (uint64_t i = 0; i < (uint64_t)runs->count * runs->seeds && !rc; i++) {
        uint32_t variant = runs->which ? runs->which[i / runs->seeds] : (uint32_t)(i / runs->seeds);
        uint32_t seed = (uint32_t)(i % runs->seeds);

        variant_key(key, &runs->variants->list[variant], runs->seed[seed]);
        rc = add_key(&map, key, (uint64_t)variant * runs->seeds + seed, store, err);
    }
    for (uint32_t i = 0; i < f->count && !rc; i++) {
        map.value = f->list[i].value;
        rc = campaign_each_value(store, f->list[i].metric.name, store_value, &map, err);
    }
    json_decref(map.runs);
    return rc;
}

double figures_mean(const struct figure *f, uint32_t variant, uint32_t seeds)
{
    const double *value = &f->value[(uint64_t)variant * seeds];
    double sum = 0;
    uint32_t count = 0;

    for (uint32_t s = 0; s < seeds; s++)
        if (isfinite(value[s])) {
            sum += value[s];
            count++;
        }
    return count ? sum / count : NAN;
}

uint32_t figures_stuck(const struct figures *all, uint32_t variant, uint32_t seeds)
{
    const struct figure *f = figures_find(all, "flows_stuck");
    uint32_t stuck = 0;

    for (uint32_t s = 0; f && s < seeds; s++)
        stuck += f->value[(uint64_t)variant * seeds + s] > 0;    /* not of NAN */
    return stuck;
}

void figures_print_stuck(const struct figures *all, const struct variants *variants, uint32_t seeds,
                         FILE *out)
{
    uint32_t printed = 0;

    for (uint32_t v = 0; v < variants->count; v++) {
        uint32_t stuck = figures_stuck(all, v, seeds);

        if (stuck && printed++ < STUCK_PRINTED)
            fprintf(out, "PARTIAL: with '%s' nothing moved any more in %u of %u runs: its figures are of "
                    "what came before; anole run says what is stuck.\n",
                    safe_name(variants->list[v].name).buf, stuck, seeds);
    }
    if (printed > STUCK_PRINTED)
        fprintf(out, "PARTIAL: so are those of %u more.\n", printed - STUCK_PRINTED);
}

void figures_print_words(const struct figures *all, FILE *out)
{
    bool is_used = false;

    for (uint32_t i = 0; i < all->count && !is_used; i++)
        is_used = all->list[i].is_shown && strstr(all->list[i].metric.name, "slowdown");
    if (is_used)
        fputs("Slowdown: FCT / FCT of the same flow alone in the network.\n", out);
}

/* ---- as CSV ---- */

void figures_print_quoted(FILE *out, const char *text)
{
    size_t room = strlen(text) * ESCAPE_GROWTH + 1;
    char  *shown = escape_text(xmalloc(room), room, text);

    fputc('"', out);
    for (const char *c = shown; *c; c++)
        fprintf(out, *c == '"' ? "\"%c" : "%c", *c);
    fputc('"', out);
    free(shown);
}

void figures_print_number(FILE *out, double value)
{
    fprintf(out, isfinite(value) ? ",%.17g" : ",", value);
}

void figures_print_names(const struct figures *f, FILE *out)
{
    for (uint32_t i = 0; i < f->count; i++) {
        fputc(',', out);
        figures_print_quoted(out, f->list[i].metric.name);
    }
    fputc('\n', out);
}

void figures_print_run(const struct figures *f, uint64_t run, FILE *out)
{
    for (uint32_t i = 0; i < f->count; i++)
        figures_print_number(out, f->list[i].value[run]);
    fputc('\n', out);
}
