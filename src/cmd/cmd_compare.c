/* src/cmd/cmd_compare.c - anole compare: runs variants of a scenario with many seeds and finds the
 * differences that are more than chance; and anole sweep: runs a scenario with many settings and ranks
 * them. */
#include "base/bootstrap.h"
#include "base/file/interrupt.h"
#include "base/print/safe.h"
#include "base/text.h"
#include "study/campaign/sweep.h"
#include "cmd/cmd.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define COMPARE_SEEDS 5          /* by default */
#define SWEEP_SEEDS   3
#define SAMPLES_MAX   100000

/* ---- options of both; errors end the program ---- */

static void add_seed(struct campaign_request *r, uint64_t seed)
{
    for (uint32_t i = 0; i < r->seeds; i++)
        if (r->seed[i] == seed)
            cmd_usage("--seed-list: %" PRIu64 " is there twice", seed);
    if (r->seeds == BOOTSTRAP_VALUES_MAX)
        cmd_usage("--seed-list: more than %d seeds", BOOTSTRAP_VALUES_MAX);
    r->seed = xrealloc(r->seed, (r->seeds + 1) * sizeof(*r->seed));
    r->seed[r->seeds++] = seed;
}

static void count_seeds(struct campaign_request *r, uint64_t count)
{
    r->seeds = 0;
    for (uint64_t seed = 1; seed <= count; seed++)
        add_seed(r, seed);
}

static void add_seeds(void *request, const char *text)
{
    count_seeds(request, cmd_count("--seeds", text, 1, BOOTSTRAP_VALUES_MAX));
}

static void list_seeds(void *request, const char *text)
{
    struct campaign_request *r = request;
    char                    *copy = xstrdup(text), *rest = copy, *word;
    struct err               err;
    uint64_t                 seed;

    r->seeds = 0;
    while ((word = strsep(&rest, ","))) {
        if (text_to_uint(word, &seed, &err))
            cmd_usage("--seed-list: %s", err.text);
        add_seed(r, seed);
    }
    free(copy);
}

static void add_vary(void *request, const char *text)
{
    struct campaign_request *r = request;
    struct err               err;

    r->vary = xrealloc(r->vary, (r->varies + 1) * sizeof(*r->vary));
    if (axis_vary(&r->vary[r->varies++], text, &err))
        cmd_usage("%s", err.text);
}

/* Rows of a struct that starts with a struct campaign_request. 'each' names what runs with every seed;
 * 'seeds' is the default, in quotes. */
#define VARY(help) { "vary", 'v', "KEY=A,B,C", help, .add = add_vary }
#define CAMPAIGN(each, seeds, metrics_help, files) \
    { "seeds", 'n', "N", "Run every " each " with the seeds 1 to N (default: " seeds ")", \
      .add = add_seeds }, \
    { "seed-list", 0, "A,B,C", "Run every " each " with these seeds", .add = list_seeds }, \
    CMD_SET(struct campaign_request, set, sets), \
    CMD_UNTIL(struct campaign_request, until_ps), \
    { .help = "Results:" }, \
    { "metrics", 'm', "NAME,...|all", metrics_help, KEY_AT(struct campaign_request, metrics) }, \
    { "out", 'o', "DIR", "Write " files " to DIR, atomically when all runs have ended", \
      KEY_AT(struct campaign_request, out) }, \
    CMD_QUIET(struct campaign_request, is_quiet), \
    { .help = "Runs:" }, \
    { "jobs", 'j', "N", "Parallel runs (default: one per core; under mpirun 1 per rank)", \
      KEY_AT(struct campaign_request, jobs), KEY_COUNT, 1, POOL_WORKERS_MAX }, \
    { "store", 0, "FILE", "Keep finished runs in this SQLite file, and reuse those that it contains " \
      "(default: DIR.sqlite next to --out)", KEY_AT(struct campaign_request, store) }

/* 'options' starts with a struct campaign_request. */
static void parse(const struct cmd_line *line, int argc, char **argv, void *options, uint32_t seeds)
{
    struct campaign_request *r = options;

    executor_hush_worker();
    cmd_parse(line, argc, argv, options);
    if (!r->seeds)
        count_seeds(r, seeds);
    r->argc = argc;
    r->argv = argv;
}

static int end(struct campaign_request *r, int rc, const struct err *err)
{
    if (rc <= 0)                 /* a signal ends all ranks */
        executor_dismiss();
    for (uint32_t i = 0; i < r->varies; i++)
        axis_fini(&r->vary[i]);
    axis_fini(&r->named);
    free(r->vary);
    free(r->path);
    free(r->set);
    free(r->seed);
    return cmd_end(rc, err);
}

static bool is_printed(const struct campaign_request *r, enum cmd_format format, int rc)
{
    return rc == 0 && (!r->is_quiet || format != FORMAT_TABLE) && !executor_is_worker();
}

/* ---- compare ---- */

struct compare_options {
    struct compare_request request;
    enum cmd_format        format;
    bool                   is_digest;    /* --digest: print digests and run nothing */
};

static void add_variant(void *options, const char *text)
{
    struct campaign_request *r = options;
    struct err               err;

    if (axis_add_variant(&r->named, text, &err))
        cmd_usage("%s", err.text);
}

static const struct cmd_option compare_rows[] = {
    { .help = "Variants:" },
    VARY("One variant for each value; KEY as for --set. Repeatable: all combinations"),
    { "variant", 0, "NAME:KEY=VALUE,...", "A named variant with several settings; NAME alone is the "
      "scenario as it is. Repeatable", .add = add_variant },
    { "baseline", 'b', "NAME", "The variant that others are compared with (default: the first)",
      KEY_AT(struct compare_options, request.baseline) },
    CMD_GOAL(struct compare_options, request.goal, "all main figures count"),
    CAMPAIGN("variant", "5", "Figures to print; names may contain * (default: a dozen)",
             "report.html, comparison.csv, comparison.json, and runs.csv"),
    { "digest", 0, NULL, "Run nothing: print a digest of what each variant resolves to, with all defaults, "
      "files and models", KEY_AT(struct compare_options, is_digest) },
    CMD_FORMATS(struct compare_options, format,
                ". csv and json have all figures unless --metrics says otherwise"),
    { 0 },
};

static const struct cmd_line compare_line = {
    .options = compare_rows,
    .argument = { "scenario", CMD_LIST(struct campaign_request, path, paths) },
    .missing = "which scenarios? anole compare A.yaml B.yaml; see anole compare --help",
    .args = "SCENARIO.yaml...",
    .help =
        "Runs variants of a scenario, each with several seeds and in parallel, and prints which one to use "
        "and why: means over the seeds, changes to the baseline with 95 % confidence intervals, and which "
        "changes are clear. All variants of one seed have the same flows. Variants with other traffic than "
        "the baseline's are shown next to it, without a verdict."
            "\v"
        "Examples:\n"
        "  anole compare a.yaml b.yaml --seeds 10\n"
        "      Two scenarios: judged if they send the same flows, else side by side.\n"
        "  anole compare s.yaml --vary kmin=100KB,400KB --vary kmax=1MB,4MB -o results\n"
        "      Four settings, and a report on all of them.\n"
        "  anole compare s.yaml --variant default --variant big:kmin=1MB,kmax=4MB\n"
        "      Named settings.\n"
        "\n"
        "Run an interrupted comparison again with the same command to resume it: finished runs are in the "
        "file of --store.",
};

static void print_comparison(const struct compare_options *o, const struct comparison *c)
{
    const struct campaign_request *r = &o->request.common;
    bool                           all = !r->metrics;

    switch (o->format) {
    case FORMAT_TABLE: comparison_print_table(c, stdout, cmd_has_colour(stdout)); break;
    case FORMAT_CSV:   comparison_print_csv(c, stdout, all);                      break;
    case FORMAT_JSON:  comparison_print_json(c, stdout, all, NULL);               break;
    }
    if (o->format == FORMAT_TABLE && r->out)
        printf("\nReport: %s/report.html\n", safe_name(r->out).buf);
}

static int print_digests(const struct campaign_request *r, struct err *err)
{
    struct plan plan;
    int         rc = plan_open(&plan, r, NULL, 0, VARIANTS_MAX, err);

    for (uint32_t i = 0; !rc && i < plan.variants.count; i++) {
        struct digest digest;
        char          text[DIGEST_TEXT_SIZE];

        rc = variant_resolve(&plan.variants.list[i], &r->seed[0], &digest, err);
        if (!rc)
            printf("%s %s\n", digest_text(text, &digest), plan.variants.list[i].name);
    }
    plan_close(&plan);
    return rc;
}

static int compare_main(int argc, char **argv)
{
    struct compare_options o = { 0 };
    struct compare         c;
    struct err             err;

    parse(&compare_line, argc, argv, &o, COMPARE_SEEDS);
    if (o.is_digest)
        return end(&o.request.common, print_digests(&o.request.common, &err), &err);
    interrupt_catch();
    int rc = compare_run(&c, &o.request, &err);
    if (is_printed(&o.request.common, o.format, rc))
        print_comparison(&o, &c.comparison);
    compare_close(&c);
    return end(&o.request.common, rc, &err);
}

const struct command command_compare = { "compare", "compare variants of a scenario over several seeds",
                                         compare_main };

/* ---- sweep ---- */

struct sweep_options {
    struct sweep_request request;
    uint32_t             top;    /* how many are printed */
    enum cmd_format      format;
};

static const char *const method_names[] = { "grid", "random", "sobol", NULL };

static void add_range(void *options, const char *text)
{
    struct sweep_request *r = &((struct sweep_options *)options)->request;
    struct err            err;

    if (r->ranges == RANGES_MAX)
        cmd_usage("--range: more than %d ranges", RANGES_MAX);
    if (range_parse(&r->range[r->ranges], text, &err))
        cmd_usage("%s", err.text);
    for (uint32_t i = 0; i < r->ranges; i++)
        if (strcmp(r->range[i].key, r->range[r->ranges].key) == 0)
            cmd_usage("--range: '%s' is there twice", r->range[i].key);
    r->ranges++;
}

static const struct cmd_option sweep_rows[] = {
    { .help = "Settings to try:" },
    { "range", 'r', "KEY=LOW..HIGH[:log]", "Values of KEY, as for --set, between these two; with :log by "
      "equal factors. Repeatable", .add = add_range },
    VARY("Each of these values, with everything else"),
    { "samples", 'N', "N", "Number of settings of all ranges together (default: 64)",
      KEY_AT(struct sweep_options, request.samples), KEY_COUNT, 1, SAMPLES_MAX },
    { "method", 0, "NAME", "How they are chosen: sobol (default), random, or grid. A grid has as many "
      "values of each range as make N settings at most", KEY_AT(struct sweep_options, request.method),
      .choices = method_names },
    { "sample-seed", 0, "N", "Random seed of the choice (default: 1)",
      KEY_AT(struct sweep_options, request.sample_seed), KEY_COUNT },
    CAMPAIGN("setting", "3", "More figures to print; names may contain *",
             "report.html and comparison.csv about the best, sweep.csv and runs.csv about all"),
    { "best", 0, "METRIC", "The figure to rank by (default: slowdown_p99)",
      KEY_AT(struct sweep_options, request.best) },
    { "top", 0, "N", "Number of the best to print (default: 10)", KEY_AT(struct sweep_options, top),
      KEY_COUNT, 1, SAMPLES_MAX },
    CMD_FORMATS(struct sweep_options, format, ". csv and json have all settings and figures"),
    { 0 },
};

static const struct cmd_line sweep_line = {
    .options = sweep_rows,
    .argument = { "scenario", CMD_LIST(struct campaign_request, path, paths) },
    .missing = "which scenario? anole sweep S.yaml --range kmin=50KB..800KB; see anole sweep --help",
    .args = "SCENARIO.yaml",
    .help = "Runs a scenario with many settings and with its own, each with several seeds and in parallel. "
            "Ranks them and says whether the best is clearly better than the scenario's own setting."
            "\v"
            "Examples:\n"
            "  anole sweep s.yaml --range kmin=50KB..1600KB:log --range pmax=0.01..1\n"
            "      64 settings of the two.\n"
            "  anole sweep s.yaml --range kmin=5KB..1MB --vary cc=dcqcn,none --method grid\n"
            "      A grid, for each of two congestion controls.\n"
            "  mpirun anole sweep s.yaml -r rpg_ai_rate=5..500:log -N 1000 --out results\n"
            "      On all hosts of an MPI job.\n"
            "\n"
            "Run an interrupted sweep again with the same command to resume it, with mpirun or without: "
            "finished runs are in the file of --store.",
};

static void print_sweep(const struct sweep_options *o, const struct sweep *s)
{
    switch (o->format) {
    case FORMAT_TABLE: sweep_print_table(s, stdout, o->top, cmd_has_colour(stdout)); break;
    case FORMAT_CSV:   sweep_print_csv(&s->results, stdout);                         break;
    case FORMAT_JSON:  sweep_print_json(s, stdout);                                  break;
    }
    if (o->format == FORMAT_TABLE && o->request.common.out)
        printf("\nReport on the best: %s/report.html\n", safe_name(o->request.common.out).buf);
}

static int sweep_main(int argc, char **argv)
{
    struct sweep_options o = { .request = { .samples = 64, .method = METHOD_SOBOL, .sample_seed = 1 },
                               .top = 10 };
    struct sweep         s;
    struct err           err;

    parse(&sweep_line, argc, argv, &o, SWEEP_SEEDS);
    if (o.request.common.paths > 1)
        cmd_usage("one scenario at a time: '%s' is a second one", o.request.common.path[1]);
    if (o.request.ranges == 0 && o.request.common.varies == 0)
        cmd_usage("what shall vary? Give --range KEY=LOW..HIGH or --vary KEY=A,B,C; see anole sweep --help");
    interrupt_catch();
    int rc = sweep_run(&s, &o.request, &err);
    if (is_printed(&o.request.common, o.format, rc))
        print_sweep(&o, &s);
    sweep_close(&s);
    for (uint32_t i = 0; i < o.request.ranges; i++)
        range_fini(&o.request.range[i]);
    return end(&o.request.common, rc, &err);
}

const struct command command_sweep = { "sweep", "try many settings and rank them", sweep_main };
