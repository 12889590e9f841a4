/* src/cmd/compare.c - anole compare: runs variants of a scenario with many seeds and tells which
 * differences are more than chance. */
#include "campaign/compare.h"
#include "base/file/outdir.h"
#include "base/text.h"
#include "campaign/campaign_runs.h"
#include "cmd/cmd.h"
#include "cmd/compare_options.h"
#include "base/file/interrupt.h"
#include "report/page.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#define SCENARIO_BYTES_MAX (64u << 20)

/* What is printed unless --metrics says otherwise, as far as the scenario has it. */
static const char metrics_default[] =
    "slowdown_mean,slowdown_p99,fct_us_p99,mice.slowdown_p99,elephants.slowdown_mean,goodput_bps,rtt_us_mean,"
    "paused_share,queue_bytes_max,marked_share,dropped_packets,during.slowdown_p99,during.goodput_bps,"
    "during.rtt_us_mean,*.iteration_us_mean,*.busbw_bps,*.iops,*.read_us_p99,*.write_us_p99,*.call_us_p99";

/* ---- what is compared ---- */

struct compare {
    struct options       opt;
    struct compare_file *file;
    struct axis          files;
    struct axis         *axis;           /* of files, of --variant, of each --vary; owned by others */
    struct variants      variants;
    struct comparison    comparison;
    char                *title;
    struct outdir       *dir;
    struct campaign     *store;
    char                *store_path;     /* NULL: in memory */
    struct campaign_runs runs;
};

static int read_files(struct compare *c, struct err *err)
{
    int rc = 0;

    c->file = xcalloc(c->opt.paths, sizeof(*c->file));
    for (uint32_t i = 0; i < c->opt.paths && !rc; i++) {
        struct compare_file *f = &c->file[i];

        f->path = c->opt.path[i];
        rc = text_read_file(f->path, SCENARIO_BYTES_MAX, &f->text, &f->text_bytes, err);
    }
    return rc;
}

static int combine(struct compare *c, struct err *err)
{
    const struct options *o = &c->opt;
    uint32_t axes = 0;
    int rc;

    axis_of_files(&c->files, c->file, o->paths);
    c->axis = xcalloc(o->varies + 2ul, sizeof(*c->axis));
    c->axis[axes++] = c->files;
    if (o->named.choices > 0)
        c->axis[axes++] = o->named;
    for (uint32_t i = 0; i < o->varies; i++)
        c->axis[axes++] = o->vary[i];
    rc = variants_init(&c->variants, c->axis, axes, c->file, o->set, o->sets, VARIANTS_MAX, err);
    if (!rc && (uint64_t)c->variants.count * o->seeds > CAMPAIGN_RUNS_MAX)
        rc = err_set(err, EINVAL, "more than %u runs", CAMPAIGN_RUNS_MAX);
    return rc;
}

/* Opens the simulation of each variant, for its digest and its figures, and so that what is wrong is found
 * before anything runs. */
static int check_variants(struct compare *c, struct err *err)
{
    struct metric *list = xcalloc(METRICS_MAX, sizeof(*list));
    int rc = 0;

    for (uint32_t i = 0; i < c->variants.count && !rc; i++) {
        struct variant *v = &c->variants.list[i];
        struct simulation s;
        struct results r;

        rc = variant_open(v, &c->opt.seed[0], &s, &v->digest, err);
        if (rc)
            break;
        results_init(&r, &s);
        comparison_add_metrics(&c->comparison, list, metrics_of(&r, list));
        results_fini(&r);
        simulation_close(&s);
    }
    free(list);
    return rc;
}

/* Marks the figures that a name or pattern stands for; returns how many. */
static uint32_t show(struct comparison *c, const char *pattern)
{
    uint32_t shown = 0;

    for (uint32_t i = 0; i < c->rows; i++)
        if (fnmatch(pattern, c->row[i].metric.name, 0) == 0) {
            c->row[i].is_shown = true;
            shown++;
        }
    return shown;
}

static int refuse_metric(const struct comparison *c, const char *word, struct err *err)
{
    const char **names = xcalloc(c->rows + 2ul, sizeof(*names));
    char hint[160];

    for (uint32_t i = 0; i < c->rows; i++)
        names[i] = c->row[i].metric.name;
    names[c->rows] = "all";
    text_did_you_mean(hint, sizeof(hint), word, names);
    free(names);
    return err_set(err, EINVAL, "--metrics: '%s' is not a figure of these runs%s", word,
                   *hint ? hint : "; --format csv prints them all");
}

static int choose_metrics(struct comparison *c, const char *wanted, struct err *err)
{
    char *copy = xstrdup(wanted ? wanted : metrics_default), *rest = copy, *word;
    int rc = 0;

    while (!rc && (word = strsep(&rest, ",")))
        if (show(c, strcmp(word, "all") == 0 ? "*" : word) == 0 && wanted)
            rc = refuse_metric(c, word, err);
    free(copy);
    return rc;
}

/* "a.yaml, b.yaml" */
static char *title_of(const struct options *o)
{
    size_t length;
    char *text;
    FILE *f = open_memstream(&text, &length);

    if (!f)
        die("no memory");
    for (uint32_t i = 0; i < o->paths; i++) {
        const char *slash = strrchr(o->path[i], '/');

        fprintf(f, "%s%s", i ? ", " : "", slash ? slash + 1 : o->path[i]);
    }
    fclose(f);
    return text;
}

static int prepare(struct compare *c, struct err *err)
{
    int baseline, rc = read_files(c, err);

    if (!rc)
        rc = combine(c, err);
    if (rc)
        return rc;
    c->runs = (struct campaign_runs){ .variants = &c->variants, .seed = c->opt.seed, .seeds = c->opt.seeds,
                                      .slots = c->opt.jobs, .is_quiet = c->opt.is_quiet };
    if (executor_is_worker())
        campaign_runs_serve(&c->runs);
    c->title = title_of(&c->opt);
    c->comparison = (struct comparison){ .variants = &c->variants, .seed = c->opt.seed, .seeds = c->opt.seeds,
                                         .title = c->title };
    baseline = c->opt.baseline ? variants_find(&c->variants, c->opt.baseline, err) : 0;
    if (baseline < 0)
        return baseline;
    c->comparison.baseline = (uint32_t)baseline;
    rc = check_variants(c, err);
    if (!rc)
        rc = choose_metrics(&c->comparison, c->opt.metrics, err);
    return rc;
}

/* ---- where it goes ---- */

static int open_places(struct compare *c, struct err *err)
{
    const struct options *o = &c->opt;
    int rc = campaign_places(o->out, o->store, &c->dir, &c->store, &c->store_path, err);

    c->runs.dir = c->dir;
    c->runs.store = c->store;
    c->runs.store_path = c->store_path;
    return rc;
}

/* ---- running ---- */

static int run_all(struct compare *c, struct err *err)
{
    uint32_t *all = xcalloc(c->variants.count, sizeof(*all));
    int rc = campaign_runs_open(&c->runs, err);

    for (uint32_t i = 0; i < c->variants.count; i++)
        all[i] = i;
    if (!rc)
        rc = campaign_runs_do(&c->runs, all, c->variants.count, c->store_path != NULL, err);
    if (!rc)
        campaign_runs_tell(&c->runs);
    free(all);
    return rc;
}

/* ---- telling ---- */

static int write_page_file(struct compare *c, struct err *err)
{
    FILE *f = outdir_file(c->dir, "report.html", err);
    json_t *page = f ? comparison_page(&c->comparison, c->store, err) : NULL;

    if (!page)
        return -EIO;
    page_print(page, f);
    json_decref(page);
    return 0;
}

static void print_csv(const struct comparison *c, FILE *f)
{
    comparison_print_csv(c, f, true);
}

static void print_json(const struct comparison *c, FILE *f)
{
    comparison_print_json(c, f, true);
}

static int write_files(struct compare *c, struct err *err)
{
    static const struct { const char *name; void (*print)(const struct comparison *, FILE *);
    } files[] = {
        { "comparison.csv", print_csv },
        { "comparison.json", print_json },
        { "runs.csv", comparison_print_runs },
    };
    int rc = write_page_file(c, err);

    for (unsigned i = 0; i < sizeof(files) / sizeof(*files) && !rc; i++) {
        FILE *f = outdir_file(c->dir, files[i].name, err);

        if (f)
            files[i].print(&c->comparison, f);
        rc = f ? 0 : -EIO;
    }
    if (rc)
        return rc;
    interrupt_hold();
    rc = outdir_commit(c->dir, err);
    c->dir = NULL;
    interrupt_end();
    return rc;
}

static void print(const struct compare *c)
{
    bool all = !c->opt.metrics;

    switch (c->opt.format) {
    case FORMAT_TABLE: comparison_print_table(&c->comparison, stdout, cmd_has_colour(stdout)); break;
    case FORMAT_CSV:   comparison_print_csv(&c->comparison, stdout, all);                      break;
    case FORMAT_JSON:  comparison_print_json(&c->comparison, stdout, all);                     break;
    }
    if (c->opt.format == FORMAT_TABLE && c->opt.out)
        printf("\nReport: %s/report.html\n", c->opt.out);
}

static int compare_all(struct compare *c, struct err *err)
{
    int rc = prepare(c, err);

    if (!rc)
        rc = open_places(c, err);
    if (!rc)
        rc = run_all(c, err);
    if (!rc)
        rc = comparison_load(&c->comparison, c->store, err);
    if (rc)
        return rc;
    comparison_judge(&c->comparison);
    if (c->dir)
        rc = write_files(c, err);
    if (!rc && !c->opt.is_quiet)
        print(c);
    return rc;
}

static void compare_fini(struct compare *c)
{
    campaign_runs_close(&c->runs);
    outdir_abort(c->dir);
    campaign_close(c->store);
    comparison_fini(&c->comparison);
    variants_fini(&c->variants);
    axis_fini(&c->files);
    for (uint32_t i = 0; c->file && i < c->opt.paths; i++)
        free(c->file[i].text);
    free(c->file);
    free(c->axis);
    free(c->store_path);
    free(c->title);
    options_fini(&c->opt);
}

static int compare_main(int argc, char **argv)
{
    struct compare c = { 0 };
    struct err err;
    int rc;

    executor_hush_worker();
    options_parse(&c.opt, argc, argv);
    interrupt_catch();
    rc = compare_all(&c, &err);
    compare_fini(&c);
    return rc ? cmd_fail(&err) : cmd_close_stdout();
}

const struct command command_compare = { "compare", "run variants of a scenario and tell how they differ",
                                         compare_main };
