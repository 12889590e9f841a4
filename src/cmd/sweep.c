/* src/cmd/sweep.c - anole sweep: runs a scenario with many settings and tells which is best. */
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

enum { KEY_RANGE = 'r', KEY_SAMPLES = 'N', KEY_METHOD = KEY_OWN, KEY_SAMPLE_SEED, KEY_BEST, KEY_TOP };

static const struct argp_option option_rows[] = {
    { "range", KEY_RANGE, "KEY=LOW..HIGH[:log]", 0,
      "Try values of KEY, a knob or a path of keys as for --set, between these two; with :log by equal "
      "factors. May be given more than once",
      0 },
    { "vary", KEY_VARY, "KEY=A,B,C", 0, "Try each of these values, with everything else", 0 },
    { "samples", KEY_SAMPLES, "N", 0, "How many settings of all ranges together (default: 64)", 0 },
    { "method", KEY_METHOD, "sobol|random|grid", 0,
      "How they are chosen (default: sobol). A grid has as many values of each range as make N settings at "
      "most",
      0 },
    { "sample-seed", KEY_SAMPLE_SEED, "N", 0, "Where the choice starts (default: 1)", 0 },
    { "best", KEY_BEST, "METRIC", 0, "What is best: the figure to sort by (default: slowdown_p99)", 0 },
    { "top", KEY_TOP, "N", 0, "How many of the best are printed (default: 10)", 0 },
    CAMPAIGN_OPTIONS("setting", "3", "The other figures to print; names may have * in them",
                     "report.html and comparison.csv about the best, sweep.csv and runs.csv about all",
                     "How results are printed (default: table). csv and json have all settings and figures"),
    { 0 },
};

static enum sweep_method method_of(const char *word)
{
    static const char *const names[] = { "grid", "random", "sobol", NULL };

    return (enum sweep_method)cmd_choice("--method", word, names);
}

static void add_range(struct sweep_request *r, const char *text)
{
    struct err err;

    if (r->ranges == RANGES_MAX)
        cmd_usage("--range: more than %d ranges", RANGES_MAX);
    if (range_parse(&r->range[r->ranges], text, &err))
        cmd_usage("%s", err.text);
    for (uint32_t i = 0; i < r->ranges; i++)
        if (strcmp(r->range[i].key, r->range[r->ranges].key) == 0)
            cmd_usage("--range: '%s' is there twice", r->range[i].key);
    r->ranges++;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    struct sweep_request *r = &o->request;

    switch (key) {
    case KEY_RANGE:       add_range(r, arg);                                          return 0;
    case KEY_SAMPLES:     r->samples = campaign_count("--samples", arg, SAMPLES_MAX); return 0;
    case KEY_METHOD:      r->method = method_of(arg);                                 return 0;
    case KEY_SAMPLE_SEED: r->sample_seed = cmd_seed("--sample-seed", arg);            return 0;
    case KEY_BEST:        r->best = arg;                                              return 0;
    case KEY_TOP:         o->top = campaign_count("--top", arg, SAMPLES_MAX);         return 0;
    case ARGP_KEY_NO_ARGS:
        cmd_usage("which scenario? anole sweep S.yaml --range kmin=50KB..800KB; see anole sweep --help");
    default:
        return campaign_take_option(&r->common, &o->format, key, arg);
    }
}

static const struct argp argp = {
    .options = option_rows,
    .parser = parse_option,
    .args_doc = "SCENARIO.yaml",
    .doc = "Runs a scenario with many settings and with its own, each with several seeds and in parallel. Ranks them and says "
           "whether the best is clearly better than the scenario's own setting."
           "\v"
           "Examples:\n"
           "  anole sweep s.yaml --range kmin=50KB..3200KB:log --range pmax=0.01..1 --samples 64\n"
           "      64 settings of the two.\n"
           "  anole sweep s.yaml --range kmin=5KB..1MB --vary cc=dcqcn,none --method grid --top 3\n"
           "      A grid, for each of two congestion controls.\n"
           "  mpirun anole sweep s.yaml --range rpg_ai_rate=5..500:log --samples 1000 --out results\n"
           "      On all hosts of an MPI job.\n"
           "\n"
           "Run an interrupted sweep again with the same command to resume it, with mpirun or without: finished runs are in "
           "the file of --store.",
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

static void free_request(struct sweep_request *r)
{
    for (uint32_t i = 0; i < r->ranges; i++)
        range_fini(&r->range[i]);
    campaign_request_fini(&r->common);
}

static int sweep_main(int argc, char **argv)
{
    struct options o = { .request = { .samples = SAMPLES_DEFAULT, .method = METHOD_SOBOL, .sample_seed = 1 },
                         .top = TOP_DEFAULT };
    struct sweep s;
    struct err err;
    int rc;

    executor_hush_worker();
    argp_parse(&argp, argc, argv, 0, NULL, &o);
    check_options(&o.request);
    interrupt_catch();
    rc = sweep_run(&s, &o.request, &err);
    if (!rc && !o.request.common.is_quiet && !executor_is_worker())
        print(&o, &s);
    sweep_close(&s);
    if (rc <= 0)                 /* a signal ends all ranks */
        executor_dismiss();
    free_request(&o.request);
    return cmd_end(rc, &err);
}

const struct command command_sweep = { "sweep", "try many settings of a scenario and rank them",
                                       sweep_main };
