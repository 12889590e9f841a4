/* src/cmd/cmd_sweep.c - anole sweep: runs a scenario with many settings and ranks them. */
#include "campaign/sweep.h"
#include "base/file/interrupt.h"
#include "base/print/safe.h"
#include "cmd/campaign_options.h"

#include <stdlib.h>
#include <string.h>

#define SAMPLES_DEFAULT 64
#define SAMPLES_MAX     100000
#define SEEDS_DEFAULT   3
#define TOP_DEFAULT     10

struct options {
    struct sweep_request request;
    uint32_t             top;    /* how many are printed */
    enum cmd_format      format;
};

static const char *const method_names[] = { "grid", "random", "sobol", NULL };

static void add_range(void *options, const char *text)
{
    struct sweep_request *r = &((struct options *)options)->request;
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

static const struct cmd_option option_rows[] = {
    { .help = "Settings to try:" },
    { "range", 'r', "KEY=LOW..HIGH[:log]", "Values of KEY, as for --set, between these two; with :log by "
      "equal factors. Repeatable", .add = add_range },
    CAMPAIGN_VARY("Each of these values, with everything else"),
    { "samples", 'N', "N", "Number of settings of all ranges together (default: 64)",
      KEY_AT(struct options, request.samples), KEY_COUNT, 1, SAMPLES_MAX },
    { "method", 0, "NAME", "How they are chosen: sobol (default), random, or grid. A grid has as many "
      "values of each range as make N settings at most", KEY_AT(struct options, request.method),
      .choices = method_names },
    { "sample-seed", 0, "N", "Random seed of the choice (default: 1)",
      KEY_AT(struct options, request.sample_seed), KEY_COUNT },
    CAMPAIGN_OPTIONS("setting", "3", "More figures to print; names may contain *",
                     "report.html and comparison.csv about the best, sweep.csv and runs.csv about all"),
    { "best", 0, "METRIC", "The figure to rank by (default: slowdown_p99)",
      KEY_AT(struct options, request.best) },
    { "top", 0, "N", "Number of the best to print (default: 10)", KEY_AT(struct options, top), KEY_COUNT, 1,
      SAMPLES_MAX },
    CMD_FORMATS(struct options, format, ". csv and json have all settings and figures"),
    { 0 },
};

static const struct cmd_line line = {
    .options = option_rows,
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

static void check_options(struct sweep_request *r)
{
    if (!r->common.seeds)
        campaign_count_seeds(&r->common, SEEDS_DEFAULT);
    if (r->common.paths > 1)
        cmd_usage("one scenario at a time: '%s' is a second one", r->common.path[1]);
    if (r->ranges == 0 && r->common.varies == 0)
        cmd_usage("what shall vary? Give --range KEY=LOW..HIGH or --vary KEY=A,B,C; see anole sweep --help");
}

static void print(const struct options *o, const struct sweep *s)
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
    struct options o = { .request = { .samples = SAMPLES_DEFAULT, .method = METHOD_SOBOL, .sample_seed = 1 },
                         .top = TOP_DEFAULT };
    struct sweep s;
    struct err err;
    int rc;

    executor_hush_worker();
    cmd_parse(&line, argc, argv, &o);
    o.request.argc = argc;
    o.request.argv = argv;
    check_options(&o.request);
    interrupt_catch();
    rc = sweep_run(&s, &o.request, &err);
    if (!rc && !o.request.common.is_quiet && !executor_is_worker())
        print(&o, &s);
    sweep_close(&s);
    if (rc <= 0)                 /* a signal ends all ranks */
        executor_dismiss();
    for (uint32_t i = 0; i < o.request.ranges; i++)
        range_fini(&o.request.range[i]);
    campaign_request_fini(&o.request.common);
    return cmd_end(rc, &err);
}

const struct command command_sweep = { "sweep", "try many settings and rank them",
                                       sweep_main };
