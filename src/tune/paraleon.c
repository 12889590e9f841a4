/* src/tune/paraleon.c - PARALEON's tuner: guided simulated annealing over all parameters of DCQCN and ECN.
 *
 * In a nutshell (anneal.c, search.c): when the distribution of flow sizes changes, search; every monitor
 * interval measure a setting, accept it or not, and mutate the accepted one, each parameter with
 * probability min(mu, eta) in the direction that the prevailing flows like, mu being their share.
 *
 * Algorithm 1 and table III of the PARALEON paper. Its constants taken literally, utility is at most 1 and
 * temperatures are 90 to 10: all is accepted, and annealing is a walk that remembers its best sample. A
 * setting is judged by one millisecond in which the queues are still those of the setting before it, the
 * luckiest is kept, and 280 of them are tried however bad they are. In the artifact every search begins at
 * the defaults.
 *
 * 'corrected' keeps the guided walk and changes what is around it, each time by an option of its own, in
 * the table below. Utility is in percent, so that temperatures mean something. Known settings are tried
 * first and the walk begins at the best of them, in bounds in which nothing goes wrong badly, by a few
 * parameters at a time, always from the best. Each setting is given time to settle and several intervals,
 * unless it is clearly worse. The search gives up early: 28 settings at most, and 6 in a row in vain. The
 * winner is measured again. Traffic is compared with that for which the setting was chosen, and what was
 * found is remembered.
 */
#include "tune/paraleon.h"
#include "tune/anneal.h"

#include <string.h>

extern const struct tuner_algo tuner_paraleon;

enum {
    PRESET, ANNEAL, ETA = ANNEAL + ANNEAL_OPTION_COUNT, GUIDED, MUTATE_FROM, FIRST_ALWAYS, CAP_ADAPTIVE,
    MUTATE_COUNT, STEPS, OWN_COUNT
};

enum { PUBLISHED, CORRECTED, ARTIFACT };

static const char *const preset_names[] = { "published", "corrected", "artifact", NULL };
static const char *const from_names[] = { "current", "best", NULL };
static const char *const step_names[] = { "linear", "log", NULL };

const struct paraleon_preset paraleon_presets[] = {
    /* option                published     corrected    artifact */
    { "temperature_start",   "90",         "9",         "80" },
    { "temperature_end",     "10",         "1",         "10" },
    { "cooling",             "0.85",       "0.85",      "0.85" },
    { "iterations",          "20",         "2",         "10" },
    { "eta",                 "0.8",        "0.8",       "0.8" },
    { "guided",              "yes",        "yes",       "yes" },
    { "mutate_from",         "current",    "best",      "current" },
    { "first_always",        "no",         "no",        "yes" },
    { "trigger",             "change",     "change",    "change" },
    { "theta",               "0.01",       "0.05",      "0.01" },
    { "epsilon",             "0.001",      "0.05",      "0.001" },
    { "bins",                "two",        "two",       "two" },
    { "weights",             "fixed",      "share",     "dominant" },
    { "weight_throughput",   "0.2",        "0.2",       "0.2" },
    { "weight_rtt",          "0.5",        "0.5",       "0.5" },
    { "weight_pfc",          "0.3",        "0.3",       "0.3" },
    { "metrics",             "published",  "corrected", "artifact" },
    { "utility_scale",       "1",          "100",       "1" },
    { "space",               "paper",      "safe",      "artifact" },
    { "directions",          "physical",   "physical",  "artifact" },
    { "start_from",          "default",    "running",   "default" },
    { "reread",              "yes",        "yes",       "no" },
    { "known",               "no",         "yes",       "no" },
    { "confirm",             "0",          "3",         "0" },
    { "against",             "previous",   "settled",   "previous" },
    { "persist",             "1",          "3",         "1" },
    { "remember",            "no",         "yes",       "no" },
    { "settle",              "0",          "1",         "0" },
    { "measure",             "1",          "3",         "1" },
    { "abandon",             "0",          "0.05",      "0" },
    { "give_up",             "0",          "6",         "0" },
    { "restart",             "no",         "yes",       "no" },
    { "mutate_count",        "0",          "4",         "0" },
    { NULL, NULL, NULL, NULL },
};

/* Initial values of PARALEON's own are those of 'corrected'. */
static const struct key_row options[] = {
    [PRESET] = { "preset", KEY_NAME, "corrected",
                 "initial values of the options: published, corrected, or artifact; see docs/tuning.md", .choices = preset_names },
    ANNEAL_OPTIONS(9, 1, 0.85, 2),
    [ETA] = { "eta", KEY_REAL, "0.8",
              "largest probability of the dominant direction", .min = 0.5, .max = 1 },
    [GUIDED] = { "guided", KEY_YES, "yes",
                 "prefer the direction of the dominant flows; no: either direction" },
    [MUTATE_FROM] = { "mutate_from", KEY_NAME, "best",
                      "base of the next setting: the last accepted one (current) or the best", .choices = from_names },
    [FIRST_ALWAYS] = { "first_always", KEY_YES, "no",
                       "accept the first setting of a search" },
    [CAP_ADAPTIVE] = { "cap_adaptive", KEY_YES, "no",
                       "ParaleonPlus: eta from 0.7 (no step loses) to 0.5 (all do)" },
    [MUTATE_COUNT] = { "mutate_count", KEY_COUNT, "4",
                       "random parameters changed per step; 0: all; ParaleonPlus: 8", .min = 0, .max = SPACE_DIMS_MAX },
    [STEPS] = { "steps", KEY_NAME, "linear",
                "linear, as in PARALEON; log: by a factor, for wide bounds", .choices = step_names },
    SEARCH_OPTIONS,
    { 0 },
};

static const char *value_in(const struct paraleon_preset *row, int preset)
{
    return preset == PUBLISHED ? row->published : preset == ARTIFACT ? row->artifact : row->corrected;
}

static int row_of(const char *option)
{
    int i = 0;

    while (options[i].name && strcmp(options[i].name, option) != 0)
        i++;
    return i;
}

/* What a person has given stays. */
static void use_preset(struct option_values *v)
{
    for (const struct paraleon_preset *row = paraleon_presets; row->option; row++) {
        int i = row_of(row->option);

        if (v->is_given[i])
            continue;
        tuner_values_set(&tuner_paraleon, v, row->option, value_in(row, (int)v->value[PRESET]), NULL);
        v->is_given[i] = false;
    }
}

static struct anneal_cfg configure(const double *value)
{
    struct anneal_cfg cfg = anneal_configure(value + ANNEAL, value[OWN_COUNT + SEARCH_UTILITY_SCALE]);

    cfg.eta = value[ETA];
    cfg.guided = value[GUIDED] > 0;
    cfg.mutate_from = (enum anneal_from)value[MUTATE_FROM];
    cfg.first_always = value[FIRST_ALWAYS] > 0;
    cfg.cap_adaptive = value[CAP_ADAPTIVE] > 0;
    cfg.mutate_count = (uint32_t)value[MUTATE_COUNT];
    cfg.log_steps = value[STEPS] > 0;
    return cfg;
}

static void *create_anneal(const struct space *space, const double *value, uint64_t seed)
{
    return anneal_new(space, configure(value), seed);
}

static const struct search_algo annealing = {
    .create = create_anneal, ANNEAL_HOOKS, .own_options = OWN_COUNT,
};

static void fill(struct option_values *v)
{
    struct anneal_cfg cfg;

    use_preset(v);
    cfg = configure(v->value);
    anneal_set_budget(&cfg, v, OWN_COUNT);
}

static int create(void **state, const struct world *world, const struct option_values *given,
                  struct err *err)
{
    struct option_values v = *given;          /* has no text of its own */
    struct anneal_cfg   cfg;

    fill(&v);
    cfg = configure(v.value);
    return anneal_create(state, &annealing, &cfg, world, &v, err);
}

const struct tuner_algo tuner_paraleon = {
    .fill = fill, .create = create, SEARCH_HOOKS,
    .name = "paraleon",
    .about = "PARALEON: simulated annealing over all parameters, guided by the dominant flows",
    .option = options,
};
