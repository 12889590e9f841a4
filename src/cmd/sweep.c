/* src/cmd/sweep.c - anole sweep: runs a scenario with many settings and tells which is best. */
#include "campaign/sweep.h"
#include "base/text.h"
#include "campaign/campaign_runs.h"
#include "cmd/cmd.h"
#include "campaign/compare.h"
#include "base/file/interrupt.h"
#include "report/page.h"
#include "cmd/sweep_options.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#define SCENARIO_BYTES_MAX (64u << 20)
#define SETTINGS_MAX       100000u
#define REPORTED           8         /* settings on the page */
#define PAGED_RUNS         256       /* with no more runs, all keep what the page shows, some 40 KB each */

static const char best_default[] = "slowdown_p99";
static const char metrics_default[] = "slowdown_mean,fct_us_p99,goodput_bps,dropped_packets";

struct sweep {
    struct sweep_options opt;
    struct compare_file  file;
    struct axis         *axis, *points, files;       /* all of them, of which 'points' are the ranges' */
    uint32_t             axes;
    int                  point_axes;
    struct variants      variants;
    struct sweep_results results;
    struct campaign_runs runs;
    struct outdir       *dir;
    struct campaign     *store;
    char                *store_path;                 /* NULL: in memory */
};

/* ---- which settings ---- */

static int combine(struct sweep *s, struct err *err)
{
    const struct options *o = &s->opt.common;
    int rc;

    s->point_axes = points_make(&s->points, s->opt.range, s->opt.ranges, s->opt.method, s->opt.samples,
                                s->opt.sample_seed, err);
    if (s->point_axes < 0)
        return s->point_axes;
    axis_of_files(&s->files, &s->file, 1);
    s->axis = xcalloc(o->varies + (uint32_t)s->point_axes + 1ul, sizeof(*s->axis));
    s->axis[s->axes++] = s->files;
    for (uint32_t i = 0; i < o->varies; i++)
        s->axis[s->axes++] = o->vary[i];
    for (int i = 0; i < s->point_axes; i++)
        s->axis[s->axes++] = s->points[i];
    rc = variants_init(&s->variants, s->axis, s->axes, &s->file, o->set, o->sets, SETTINGS_MAX, err);
    if (!rc && (uint64_t)s->variants.count * o->seeds > CAMPAIGN_RUNS_MAX)
        rc = err_set(err, EINVAL, "more than %u runs", CAMPAIGN_RUNS_MAX);
    return rc;
}

/* How many settings the ranges have: variants whose number is a multiple of it differ by --vary alone. */
static uint32_t count_points(const struct sweep *s)
{
    uint32_t points = 1;

    for (int i = 0; i < s->point_axes; i++)
        points *= s->points[i].choices;
    return points;
}

/* Ranges may meet where two knobs do not go together, as kmin above kmax. */
static bool is_conflict(const struct sweep *s, const struct err *why)
{
    return s->opt.ranges > 0 && strstr(why->text, "must not be above");
}

/* Finds what is wrong before anything runs, and the digest of each setting. Those in which ranges conflict
 * are left out, unless all are. */
static int check_settings(struct sweep *s, struct err *err)
{
    struct sweep_results *r = &s->results;
    struct err first = { "" };

    r->order = xcalloc(s->variants.count, sizeof(*r->order));
    for (uint32_t i = 0; i < s->variants.count; i++) {
        struct variant *v = &s->variants.list[i];
        struct err why;
        int rc = variant_check(v, &r->seed[0], &v->digest, &why);

        if (rc && !is_conflict(s, &why))
            return err_set(err, -rc, "%s", why.text);
        if (!rc)
            r->order[r->count++] = i;
        else if (!*first.text)
            first = why;
    }
    if (r->count == 0)
        return err_set(err, EINVAL, "%s", first.text);
    if (r->count < s->variants.count && !s->opt.common.is_quiet)
        fprintf(stderr, "anole: %u of %u settings are left out; the first: %s\n",
                s->variants.count - r->count, s->variants.count, first.text);
    return 0;
}

/* ---- which figures ---- */

static int add_metrics_of(struct sweep *s, const struct variant *v, struct err *err)
{
    struct metric *list = xcalloc(METRICS_MAX, sizeof(*list));
    struct simulation simulation;
    struct results results;
    struct digest digest;
    int rc = variant_open(v, &s->results.seed[0], &simulation, &digest, err);

    if (!rc) {
        results_init(&results, &simulation);
        sweep_add_metrics(&s->results, list, metrics_of(&results, list));
        results_fini(&results);
        simulation_close(&simulation);
    }
    free(list);
    return rc;
}

/* Numbers in a range do not change which figures there are; what --vary sets may: one network is built for
 * each of its settings. */
static int find_metrics(struct sweep *s, struct err *err)
{
    uint32_t points = count_points(s), last = UINT32_MAX;
    int rc = 0;

    for (uint32_t i = 0; i < s->results.count && !rc; i++) {
        uint32_t variant = s->results.order[i];

        if (variant / points != last)
            rc = add_metrics_of(s, &s->variants.list[variant], err);
        last = variant / points;
    }
    return rc;
}

static int refuse_metric(const struct sweep_results *r, const char *option, const char *word, struct err *err)
{
    const char **names = xcalloc(r->figures + 1ul, sizeof(*names));
    char hint[160];

    for (uint32_t i = 0; i < r->figures; i++)
        names[i] = r->figure[i].metric.name;
    text_did_you_mean(hint, sizeof(hint), word, names);
    free(names);
    return err_set(err, EINVAL, "%s: '%s' is not a figure of these runs%s", option, word,
                   *hint ? hint : "; --format csv prints them all");
}

static uint32_t show(struct sweep_results *r, const char *pattern)
{
    uint32_t shown = 0;

    for (uint32_t i = 0; i < r->figures; i++)
        if (fnmatch(pattern, r->figure[i].metric.name, 0) == 0) {
            r->figure[i].is_shown = true;
            shown++;
        }
    return shown;
}

static int choose_metrics(struct sweep_results *r, const char *wanted, struct err *err)
{
    char *copy = xstrdup(wanted ? wanted : metrics_default), *rest = copy, *word;
    int rc = 0;

    while (!rc && (word = strsep(&rest, ",")))
        if (show(r, strcmp(word, "all") == 0 ? "*" : word) == 0 && wanted)
            rc = refuse_metric(r, "--metrics", word, err);
    free(copy);
    return rc;
}

static int choose_best(struct sweep_results *r, const char *wanted, struct err *err)
{
    for (uint32_t i = 0; i < r->figures; i++)
        if (strcmp(r->figure[i].metric.name, wanted) == 0) {
            r->best = i;
            if (r->figure[i].metric.better == BETTER_NEITHER)
                return err_set(err, EINVAL, "--best: neither high nor low is good for '%s'", wanted);
            return 0;
        }
    return refuse_metric(r, "--best", wanted, err);
}

static int prepare(struct sweep *s, struct err *err)
{
    const struct options *o = &s->opt.common;
    int rc;

    s->file.path = o->path[0];
    rc = text_read_file(s->file.path, SCENARIO_BYTES_MAX, &s->file.text, &s->file.text_bytes, err);
    if (!rc)
        rc = combine(s, err);
    if (rc)
        return rc;
    s->runs = (struct campaign_runs){ .variants = &s->variants, .seed = o->seed, .seeds = o->seeds,
                                      .slots = o->jobs, .is_quiet = o->is_quiet };
    if (executor_is_worker())
        campaign_runs_serve(&s->runs);
    s->results.variants = &s->variants;
    s->results.seed = o->seed;
    s->results.seeds = o->seeds;
    rc = check_settings(s, err);
    if (!rc)
        rc = find_metrics(s, err);
    if (!rc)
        rc = choose_metrics(&s->results, o->metrics, err);
    if (!rc)
        rc = choose_best(&s->results, s->opt.best ? s->opt.best : best_default, err);
    return rc;
}

/* ---- running ---- */

static int run_all(struct sweep *s, struct err *err)
{
    struct sweep_results *r = &s->results;
    bool with_pages = s->dir && r->count * r->seeds <= PAGED_RUNS;
    int rc;

    s->runs.dir = s->dir;
    s->runs.store = s->store;
    s->runs.store_path = s->store_path;
    rc = campaign_runs_open(&s->runs, err);
    if (!rc)
        rc = campaign_runs_do(&s->runs, r->order, r->count, with_pages, err);
    if (rc)
        return rc;
    campaign_runs_tell(&s->runs);
    rc = sweep_load(r, s->store, err);
    if (rc)
        return rc;
    sweep_rank(r);
    /* Of many runs only the best keep what the page shows: they are run again, and give the same. */
    if (s->dir && !with_pages)
        rc = campaign_runs_do(&s->runs, r->order, r->count < REPORTED ? r->count : REPORTED, true, err);
    return rc;
}

/* ---- telling ---- */

/* A comparison of the best few with the best. */
static int compare_best(struct sweep *s, struct variants *few, struct comparison *c, struct err *err)
{
    struct sweep_results *r = &s->results;

    few->count = r->count < REPORTED ? r->count : REPORTED;
    few->list = xcalloc(few->count, sizeof(*few->list));
    for (uint32_t i = 0; i < few->count; i++)
        few->list[i] = s->variants.list[r->order[i]];
    *c = (struct comparison){ .variants = few, .seed = r->seed, .seeds = r->seeds, .title = s->file.path };
    for (uint32_t i = 0; i < r->figures; i++)
        comparison_add_metrics(c, &r->figure[i].metric, 1);
    return comparison_load(c, s->store, err);
}

static int write_file(struct sweep *s, const char *name, void (*print)(const struct sweep_results *, FILE *),
                      struct err *err)
{
    FILE *f = outdir_file(s->dir, name, err);

    if (f)
        print(&s->results, f);
    return f ? 0 : -EIO;
}

static int write_comparison(struct sweep *s, const struct comparison *c, struct err *err)
{
    FILE *page = outdir_file(s->dir, "report.html", err);
    FILE *csv = page ? outdir_file(s->dir, "comparison.csv", err) : NULL;
    FILE *json = csv ? outdir_file(s->dir, "comparison.json", err) : NULL;
    json_t *made = json ? comparison_page(c, s->store, err) : NULL;

    if (!made)
        return -EIO;
    page_print(made, page);
    json_decref(made);
    comparison_print_csv(c, csv, true);
    comparison_print_json(c, json, true);
    return 0;
}

static int write_files(struct sweep *s, struct err *err)
{
    struct variants few = { 0 };
    struct comparison c;
    int rc = compare_best(s, &few, &c, err);

    if (!rc) {
        comparison_judge(&c);
        rc = write_comparison(s, &c, err);
    }
    comparison_fini(&c);
    free(few.list);              /* its variants are those of the sweep */
    if (!rc)
        rc = write_file(s, "sweep.csv", sweep_print_csv, err);
    if (!rc)
        rc = write_file(s, "runs.csv", sweep_print_runs, err);
    if (rc)
        return rc;
    interrupt_hold();
    rc = outdir_commit(s->dir, err);
    s->dir = s->runs.dir = NULL;
    interrupt_end();
    return rc;
}

static void print(const struct sweep *s)
{
    switch (s->opt.common.format) {
    case FORMAT_TABLE: sweep_print_table(&s->results, stdout, s->opt.top); break;
    case FORMAT_CSV:   sweep_print_csv(&s->results, stdout);               break;
    case FORMAT_JSON:  sweep_print_json(&s->results, stdout);              break;
    }
    if (s->opt.common.format == FORMAT_TABLE && s->opt.common.out)
        printf("\nReport on the best: %s/report.html\n", s->opt.common.out);
}

static int sweep_all(struct sweep *s, struct err *err)
{
    const struct options *o = &s->opt.common;
    int rc = prepare(s, err);

    if (!rc)
        rc = campaign_places(o->out, o->store, &s->dir, &s->store, &s->store_path, err);
    if (!rc)
        rc = run_all(s, err);
    if (!rc && s->dir)
        rc = write_files(s, err);
    if (!rc && !o->is_quiet)
        print(s);
    return rc;
}

static void close_all(struct sweep *s)
{
    campaign_runs_close(&s->runs);
    outdir_abort(s->dir);
    campaign_close(s->store);
    sweep_fini(&s->results);
    variants_fini(&s->variants);
    axis_fini(&s->files);
    for (int i = 0; i < s->point_axes; i++)
        axis_fini(&s->points[i]);
    free(s->points);
    free(s->axis);
    free(s->file.text);
    free(s->store_path);
    sweep_options_fini(&s->opt);
}

static int sweep_main(int argc, char **argv)
{
    struct sweep *s = xcalloc(1, sizeof(*s));
    struct err err;
    int rc;

    executor_hush_worker();
    sweep_options_parse(&s->opt, argc, argv);
    interrupt_catch();
    rc = sweep_all(s, &err);
    close_all(s);
    free(s);
    return rc ? cmd_fail(&err) : cmd_close_stdout();
}

const struct command command_sweep = { "sweep", "run a scenario with many settings and tell which is best",
                                       sweep_main };
