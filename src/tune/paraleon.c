/* src/tune/paraleon.c - PARALEON's tuner: guided simulated annealing over all parameters of DCQCN and ECN.
 *
 * In a nutshell (anneal.c, search.c): when the distribution of flow sizes changes, search. In every monitor
 * interval measure a setting, accept it or not, and mutate the accepted one, each parameter with probability
 * min(mu, eta) in the direction that favours the dominant flows, whose share is mu.
 *
 * Algorithm 1 and table III of the PARALEON paper. Two of its lines can be read in two ways: line 11 replaces
 * the solution, line 15 mutates "the solution", which may be the accepted one (mutate_from=current, as the
 * artifact does it) or the best one (mutate_from=best).
 *
 * With the printed constants utility is at most 1 and temperatures are 90 to 10: everything is accepted, and
 * annealing is a random walk that remembers its best sample. A setting is judged by one millisecond in which
 * the queues are still those of the previous setting, the luckiest is kept, and 280 of them are tried however
 * bad they are. In the artifact every search begins at the defaults.
 *
 * 'corrected' keeps the guided walk and changes the rest, each difference by an option of its own in the
 * table below. Utility is in percent, so that temperatures have an effect. Presets are tried first and the
 * walk begins at the best of them, in safe bounds, a few parameters at a time, always from the best. Each
 * setting gets time to settle and several intervals, unless it is clearly worse. A search gives up early:
 * after 28 settings, or 6 in a row in vain. The winner is measured again. Traffic is compared with that for
 * which the setting was chosen, and results are remembered.
 */
#include "tune/anneal.h"

#define COOLING 0.85             /* table III; no variant has another */

enum {
    PRESET, TEMPERATURE_START, TEMPERATURE_END, ITERATIONS, ETA, GUIDED, MUTATE_FROM, FIRST_ALWAYS,
    MUTATE_COUNT, UTILITY_SCALE
};

static const char *const preset_names[] = { "published", "corrected", "artifact", NULL };
static const char *const from_names[] = { "current", "best", NULL };

extern const struct tuner_preset paraleon_presets[];
const struct tuner_preset paraleon_presets[] = {
    /* option                  published     corrected    artifact */
    { "temperature_start",   { "90",         "9",         "80" } },
    { "temperature_end",     { "10",         "1",         "10" } },
    { "iterations",          { "20",         "2",         "10" } },
    { "eta",                 { "0.8",        "0.8",       "0.8" } },
    { "guided",              { "yes",        "yes",       "yes" } },
    { "mutate_from",         { "current",    "best",      "current" } },
    { "first_always",        { "no",         "no",        "yes" } },
    { "trigger",             { "change",     "change",    "change" } },
    { "theta",               { "0.01",       "0.05",      "0.01" } },
    { "epsilon",             { "0.001",      "0.05",      "0.001" } },
    { "weights",             { "fixed",      "share",     "dominant" } },
    { "weight_throughput",   { "0.2",        "0.2",       "0.2" } },
    { "weight_rtt",          { "0.5",        "0.5",       "0.5" } },
    { "weight_pfc",          { "0.3",        "0.3",       "0.3" } },
    { "metrics",             { "published",  "corrected", "artifact" } },
    { "utility_scale",       { "1",          "100",       "1" } },
    { "space",               { "paper",      "safe",      "artifact" } },
    { "directions",          { "physical",   "physical",  "artifact" } },
    { "start_from",          { "default",    "running",   "default" } },
    { "reread",              { "yes",        "yes",       "no" } },
    { "known",               { "no",         "yes",       "no" } },
    { "confirm",             { "0",          "3",         "0" } },
    { "against",             { "previous",   "settled",   "previous" } },
    { "persist",             { "1",          "3",         "1" } },
    { "remember",            { "no",         "yes",       "no" } },
    { "settle",              { "0",          "1",         "0" } },
    { "measure",             { "1",          "3",         "1" } },
    { "abandon",             { "0",          "0.05",      "0" } },
    { "give_up",             { "0",          "6",         "0" } },
    { "restart",             { "no",         "yes",       "no" } },
    { "guard",               { "0",          "2",         "0" } },
    { "floor",               { "no",         "yes",       "no" } },
    { "mutate_count",        { "0",          "4",         "0" } },
    { NULL, { NULL } },
};

/* Initial values of PARALEON's own are those of 'corrected'. */
static const struct key_row options[] = {
    [PRESET] = { "preset", KEY_NAME, "corrected",
                 "initial values of the options: published, corrected, or artifact; see docs/tuning.md",
                 .choices = preset_names },
    [TEMPERATURE_START] = { "temperature_start", KEY_REAL, "9",
                            "initial temperature: a scaled loss of this size is accepted with 37 %",
                            .min = 1e-6, .max = 1e6 },
    [TEMPERATURE_END] = { "temperature_end", KEY_REAL, "1", "final temperature", .min = 1e-6, .max = 1e6 },
    [ITERATIONS] = { "iterations", KEY_COUNT, "2",
                     "settings per temperature; they define the default budget", .min = 1, .max = 1e5 },
    [ETA] = { "eta", KEY_REAL, "0.8",
              "largest probability of the dominant direction", .min = 0.5, .max = 1 },
    [GUIDED] = { "guided", KEY_YES, "yes",
                 "prefer the direction of the dominant flows; no: either direction" },
    [MUTATE_FROM] = { "mutate_from", KEY_NAME, "best",
                      "base of the next setting: the last accepted one (current) or the best",
                      .choices = from_names },
    [FIRST_ALWAYS] = { "first_always", KEY_YES, "no", "accept the first setting of a search" },
    [MUTATE_COUNT] = { "mutate_count", KEY_COUNT, "4",
                       "random parameters changed per step; 0: all", .min = 0, .max = SPACE_DIMS_MAX },
    [UTILITY_SCALE] = { "utility_scale", KEY_REAL, "100",
                        "factor of utility before it is compared with a temperature", .min = 1e-3,
                        .max = 1e6 },
    SEARCH_OPTIONS,
    SEARCH_PUBLISHED_OPTIONS,
    { 0 },
};

static struct anneal_cfg configure(const double *value)
{
    return (struct anneal_cfg){
        .temperature_start = value[TEMPERATURE_START], .temperature_end = value[TEMPERATURE_END],
        .cooling = COOLING, .iterations = (uint32_t)value[ITERATIONS], .eta = value[ETA],
        .scale = value[UTILITY_SCALE], .guided = value[GUIDED] > 0,
        .mutate_from = (enum anneal_from)value[MUTATE_FROM], .first_always = value[FIRST_ALWAYS] > 0,
        .mutate_count = (uint32_t)value[MUTATE_COUNT],
    };
}

static void *create_anneal(const struct space *space, const double *value, uint64_t seed)
{
    return anneal_new(space, configure(value), seed);
}

static const struct search_algo annealing = { .create = create_anneal, ANNEAL_HOOKS, .option = options };

extern const struct tuner_algo tuner_paraleon;

static void fill(struct option_values *v)
{
    struct anneal_cfg cfg;

    tuner_values_preset(&tuner_paraleon, v, paraleon_presets, (int)v->value[PRESET]);
    cfg = configure(v->value);
    anneal_set_budget(&cfg, &annealing, v);
}

static int create(void **state, const struct world *world, const struct option_values *v, struct err *err)
{
    double start = v->value[TEMPERATURE_START], end = v->value[TEMPERATURE_END];

    if (start <= end)
        return option_refuse(v, err, EINVAL, "temperature_start",
                             "%.10g must be above temperature_end (%.10g)", start, end);
    return search_create(state, &annealing, world, v, err);
}

const struct tuner_algo tuner_paraleon = {
    .fill = fill, .create = create, SEARCH_HOOKS,
    .name = "paraleon",
    .about = "PARALEON: simulated annealing over all parameters, guided by the dominant flows",
    .option = options,
};
