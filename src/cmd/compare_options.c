/* src/cmd/compare_options.c */
#include "cmd/compare_options.h"
#include "base/bootstrap.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "campaign/pool.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SEEDS_DEFAULT 5

static const struct argp_option option_rows[] = {
    { "vary", KEY_VARY, "KEY=A,B,C", 0,
      "One variant for each value; KEY as for --set. Given more than once: all "
      "combinations",
      0 },
    { "variant", KEY_VARIANT, "NAME:KEY=VALUE,...", 0,
      "A variant with a name and several settings; NAME alone is the "
      "scenario as it is. May be given more than once",
      0 },
    { "set", KEY_SET, "KEY=VALUE", 0, "Change the scenario in all variants, as in anole run", 0 },
    { "seeds", KEY_SEEDS, "N", 0, "Run every variant with the seeds 1 to N (default: 5)", 0 },
    { "seed-list", KEY_SEED_LIST, "A,B,C", 0, "Run every variant with these seeds", 0 },
    { "baseline", KEY_BASELINE, "NAME", 0, "The variant that others are compared with (default: the first)",
      0 },
    { "metrics", KEY_METRICS, "NAME,...|all", 0,
      "The figures to print; names may have * in them (default: a dozen)", 0 },
    { "jobs", KEY_JOBS, "N", 0, "Runs at the same time (default: as many as there are cores)", 0 },
    { "out", KEY_OUT, "DIR", 0,
      "Write report.html, comparison.csv, comparison.json and runs.csv into DIR. It is there "
      "whole when all runs have ended, or not at all",
      0 },
    { "store", KEY_STORE, "FILE", 0,
      "Keep finished runs in this SQLite file, and do not repeat those that are in it "
      "(default: DIR.sqlite beside --out)",
      0 },
    { "format", KEY_FORMAT, "table|csv|json", 0,
      "How the comparison is printed (default: table). csv and json have all "
      "figures unless --metrics says otherwise",
      0 },
    { "quiet", KEY_QUIET, NULL, 0, "Print no results and no progress, only what is wrong", 0 },
    { 0 },
};

uint32_t options_count(const char *option, const char *text, uint32_t max)
{
    struct err err;
    uint64_t count;

    if (text_to_uint(text, &count, &err))
        cmd_usage("%s: %s", option, err.text);
    if (count < 1 || count > max)
        cmd_usage("%s must be 1 .. %" PRIu32 ", not %s", option, max, text);
    return (uint32_t)count;
}

static void add_seed(struct options *o, uint64_t seed)
{
    for (uint32_t i = 0; i < o->seeds; i++)
        if (o->seed[i] == seed)
            cmd_usage("--seed-list: %" PRIu64 " is there twice", seed);
    if (o->seeds == BOOTSTRAP_VALUES_MAX)
        cmd_usage("--seed-list: more than %d seeds", BOOTSTRAP_VALUES_MAX);
    o->seed = xrealloc(o->seed, (o->seeds + 1) * sizeof(*o->seed));
    o->seed[o->seeds++] = seed;
}

void options_count_seeds(struct options *o, uint32_t count)
{
    free(o->seed);
    o->seed = xcalloc(count, sizeof(*o->seed));
    o->seeds = count;
    for (uint32_t i = 0; i < count; i++)
        o->seed[i] = i + 1;
}

static void list_seeds(struct options *o, const char *text)
{
    char *copy = xstrdup(text), *rest = copy, *word;
    struct err err;
    uint64_t seed;

    o->seeds = 0;
    while ((word = strsep(&rest, ","))) {
        if (text_to_uint(word, &seed, &err))
            cmd_usage("--seed-list: %s", err.text);
        add_seed(o, seed);
    }
    free(copy);
}

static void add_text(const char ***list, uint32_t *count, const char *text)
{
    *list = xrealloc(*list, (*count + 1) * sizeof(**list));
    (*list)[(*count)++] = text;
}

static void add_vary(struct options *o, const char *text)
{
    struct err err;

    o->vary = xrealloc(o->vary, (o->varies + 1) * sizeof(*o->vary));
    if (axis_vary(&o->vary[o->varies++], text, &err))
        cmd_usage("%s", err.text);
}

static void add_variant(struct options *o, const char *text)
{
    struct err err;

    if (axis_add_variant(&o->named, text, &err))
        cmd_usage("%s", err.text);
}

error_t options_take(struct options *o, int key, char *arg)
{
    switch (key) {
    case KEY_VARY:      add_vary(o, arg);                                    break;
    case KEY_SET:       cmd_add_set(&o->set, &o->sets, arg); break;
    case KEY_SEED_LIST: list_seeds(o, arg);                                  break;
    case KEY_METRICS:   o->metrics = arg;                                    break;
    case KEY_JOBS:      o->jobs = options_count("--jobs", arg, POOL_WORKERS_MAX); break;
    case KEY_OUT:       o->out = arg;                                        break;
    case KEY_STORE:     o->store = arg;                                      break;
    case KEY_FORMAT:    o->format = cmd_format(arg);                         break;
    case KEY_QUIET:     o->is_quiet = true;                                  break;
    case ARGP_KEY_ARG:  add_text(&o->path, &o->paths, arg);                  break;
    case KEY_SEEDS:
        options_count_seeds(o, options_count("--seeds", arg, BOOTSTRAP_VALUES_MAX));
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;

    switch (key) {
    case KEY_VARIANT:  add_variant(o, arg);   return 0;
    case KEY_BASELINE: o->baseline = arg;     return 0;
    case ARGP_KEY_NO_ARGS:
        cmd_usage("which scenarios? anole compare A.yaml B.yaml; see anole compare --help");
    default:
        return options_take(o, key, arg);
    }
}

static const struct argp argp = {
    .options = option_rows,
    .parser = parse_option,
    .args_doc = "SCENARIO.yaml...",
    .doc =
        "Runs variants of a scenario, each with several seeds and in parallel, and prints how their figures "
        "differ: "
        "means over the seeds, changes to the baseline with 95 % confidence intervals, and which of them are "
        "more "
        "than chance. All variants of one seed have the same flows."
        "\v"
        "Examples:\n"
        "  anole compare a.yaml b.yaml --seeds 10\n"
        "      Two scenarios.\n"
        "  anole compare s.yaml --vary kmin=100KB,400KB --vary kmax=1MB,4MB --out results\n"
        "      Four settings, and a report over all of them.\n"
        "  anole compare s.yaml --variant default --variant fast:rpg_ai_rate=50,kmin=1MB\n"
        "      Named settings.\n"
        "\n"
        "An interrupted comparison goes on where it was when the same command is given again: runs that are "
        "finished are in the file of --store.",
};

void options_parse(struct options *o, int argc, char **argv)
{
    *o = (struct options){ 0 };
    argp_parse(&argp, argc, argv, 0, NULL, o);
    if (!o->seeds)
        options_count_seeds(o, SEEDS_DEFAULT);
}

void options_fini(struct options *o)
{
    for (uint32_t i = 0; i < o->varies; i++)
        axis_fini(&o->vary[i]);
    axis_fini(&o->named);
    free(o->vary);
    free(o->path);
    free(o->set);
    free(o->seed);
}
