/* src/cmd/sweep_options.c */
#include "cmd/sweep_options.h"
#include "base/text.h"
#include "cmd/cmd.h"

#include <stdlib.h>
#include <string.h>

#define SAMPLES_DEFAULT 64
#define SAMPLES_MAX     100000
#define SEEDS_DEFAULT   3
#define TOP_DEFAULT     10

static const char *const method_names[] = { "grid", "random", "sobol", NULL };

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
    { "set", KEY_SET, "KEY=VALUE", 0, "Change the scenario in all runs, as in anole run", 0 },
    { "seeds", KEY_SEEDS, "N", 0, "Run every setting with the seeds 1 to N (default: 3)", 0 },
    { "seed-list", KEY_SEED_LIST, "A,B,C", 0, "Run every setting with these seeds", 0 },
    { "metrics", KEY_METRICS, "NAME,...|all", 0, "The other figures to print; names may have * in them", 0 },
    { "jobs", KEY_JOBS, "N", 0,
      "Runs at the same time (default: as many as there are cores; under mpirun 1 a rank)", 0 },
    { "out", KEY_OUT, "DIR", 0,
      "Write report.html and comparison.csv about the best, sweep.csv and runs.csv about all into DIR. It is "
      "there whole when all runs have ended, or not at all",
      0 },
    { "store", KEY_STORE, "FILE", 0,
      "Keep finished runs in this SQLite file, and do not repeat those that are in it "
      "(default: DIR.sqlite beside --out)",
      0 },
    { "format", KEY_FORMAT, "table|csv|json", 0,
      "How results are printed (default: table). csv and json have all settings and figures", 0 },
    { "quiet", KEY_QUIET, NULL, 0, "Print no results and no progress, only what is wrong", 0 },
    { 0 },
};

static enum sweep_method method_of(const char *word)
{
    char hint[64];

    for (int i = 0; method_names[i]; i++)
        if (strcmp(method_names[i], word) == 0)
            return (enum sweep_method)i;
    text_did_you_mean(hint, sizeof(hint), word, method_names);
    cmd_usage("--method: '%s' is not a method%s", word, *hint ? hint : "; there are grid, random and sobol");
}

static void add_range(struct sweep_options *o, const char *text)
{
    struct err err;

    if (o->ranges == RANGES_MAX)
        cmd_usage("--range: more than %d ranges", RANGES_MAX);
    if (range_parse(&o->range[o->ranges], text, &err))
        cmd_usage("%s", err.text);
    for (uint32_t i = 0; i < o->ranges; i++)
        if (strcmp(o->range[i].key, o->range[o->ranges].key) == 0)
            cmd_usage("--range: '%s' is there twice", o->range[i].key);
    o->ranges++;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct sweep_options *o = state->input;

    switch (key) {
    case KEY_RANGE:       add_range(o, arg);                                        return 0;
    case KEY_SAMPLES:     o->samples = options_count("--samples", arg, SAMPLES_MAX); return 0;
    case KEY_METHOD:      o->method = method_of(arg);                               return 0;
    case KEY_SAMPLE_SEED: o->sample_seed = cmd_seed("--sample-seed", arg); return 0;
    case KEY_BEST:        o->best = arg;                                            return 0;
    case KEY_TOP:         o->top = options_count("--top", arg, SAMPLES_MAX);        return 0;
    case ARGP_KEY_NO_ARGS:
        cmd_usage("which scenario? anole sweep S.yaml --range kmin=50KB..800KB; see anole sweep --help");
    default:
        return options_take(&o->common, key, arg);
    }
}

static const struct argp argp = {
    .options = option_rows,
    .parser = parse_option,
    .args_doc = "SCENARIO.yaml",
    .doc = "Runs a scenario with many settings, each with several seeds and in parallel, and prints the best."
           "\v"
           "Examples:\n"
           "  anole sweep s.yaml --range kmin=50KB..3200KB:log --range pmax=0.01..1 --samples 64\n"
           "      64 settings of the two.\n"
           "  anole sweep s.yaml --range kmin=5KB..1MB --vary cc=dcqcn,none --method grid --top 3\n"
           "      A grid, for each of two congestion controls.\n"
           "  mpirun anole sweep s.yaml --range rpg_ai_rate=5..500:log --samples 1000 --out results\n"
           "      On all hosts of an MPI job.\n"
           "\n"
           "An interrupted sweep goes on where it was when the same command is given again, with mpirun or "
           "without: runs that are finished are in the file of --store.",
};

void sweep_options_parse(struct sweep_options *o, int argc, char **argv)
{
    *o = (struct sweep_options){ .samples = SAMPLES_DEFAULT, .top = TOP_DEFAULT, .method = METHOD_SOBOL,
                                 .sample_seed = 1 };
    argp_parse(&argp, argc, argv, 0, NULL, o);
    if (!o->common.seeds)
        options_count_seeds(&o->common, SEEDS_DEFAULT);
    if (o->common.paths > 1)
        cmd_usage("one scenario at a time: '%s' is a second one", o->common.path[1]);
    if (o->ranges == 0 && o->common.varies == 0)
        cmd_usage("what shall vary? Give --range KEY=LOW..HIGH or --vary KEY=A,B,C; see anole sweep --help");
}

void sweep_options_fini(struct sweep_options *o)
{
    for (uint32_t i = 0; i < o->ranges; i++)
        range_fini(&o->range[i]);
    options_fini(&o->common);
}
