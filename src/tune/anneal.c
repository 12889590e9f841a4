#include "tune/anneal.h"
#include "tune/exp.h"
#include "tune/setting.h"

#include <string.h>

#define STREAM 0x616e6e65616cull         /* of random numbers */

struct anneal *anneal_new(const struct space *space, struct anneal_cfg cfg, uint64_t seed)
{
    struct anneal *a = xcalloc(1, sizeof *a);

    a->cfg = cfg;
    a->space = *space;
    rng_init(&a->rng, seed, STREAM);
    return a;
}

uint32_t anneal_settings(const struct anneal_cfg *cfg)
{
    uint32_t settings = 0;
    double   temperature = cfg->temperature_start;

    while (temperature > cfg->temperature_end) {
        temperature *= cfg->cooling;
        settings += cfg->iterations;
    }
    return settings;
}

void anneal_set_budget(const struct anneal_cfg *cfg, const struct search_algo *algo, struct option_values *v)
{
    long     row = key_find(algo->option, "budget") - algo->option;
    uint32_t settings = anneal_settings(cfg);

    if (v->is_given[row])
        return;
    if (search_option(algo, v, SEARCH_KNOWN) > 0)
        settings += 1 + SETTINGS;            /* the running one and the presets */
    v->value[row] = settings;
}

void anneal_begin(void *state, const double *from, const struct search_now *now)
{
    struct anneal *a = state;
    struct anneal_point start = { .is_measured = now && !a->cfg.first_always };

    memcpy(start.at, from, a->space.dims * sizeof *from);
    if (start.is_measured)
        start.terms = now->terms;
    a->current = a->best = a->candidate = start;
    a->asks_for_start = !start.is_measured;
    a->temperature = a->cfg.temperature_start;
    a->iteration = 0;
}

/* ---- mutation: lines 14 to 22 ---- */

static double chance_of_prevailing(const struct anneal *a, const struct search_now *now)
{
    double cap = a->cfg.eta, share = 0.5;

    if (a->cfg.guided && now && now->is_known)
        share = now->elephants >= 0.5 ? now->elephants : 1 - now->elephants;
    return share < cap || !a->cfg.guided ? share : cap;
}

static void move(struct anneal *a, uint32_t i, double chance, int prevailing, double *point)
{
    const struct space_dim *d = &a->space.dim[i];
    double length = 0.5 + 0.5 * rng_real(&a->rng);
    int    way = rng_real(&a->rng) < chance ? prevailing : -prevailing;

    point[i] += way * d->toward * length * d->step;
}

/* Writes the dimensions to mutate: random ones, or all in order. Returns how many. */
static uint32_t choose_dims(struct anneal *a, uint32_t *dim)
{
    uint32_t dims = a->space.dims, count = a->cfg.mutate_count;

    for (uint32_t i = 0; i < dims; i++)
        dim[i] = i;
    if (count == 0 || count >= dims)
        return dims;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t other = i + (uint32_t)rng_below(&a->rng, dims - i), chosen = dim[other];

        dim[other] = dim[i];
        dim[i] = chosen;
    }
    return count;
}

static void mutate(struct anneal *a, const struct search_now *now, double *point)
{
    double   chance = chance_of_prevailing(a, now);
    int      prevailing = now && now->elephants < 0.5 ? -1 : 1;
    uint32_t dim[SPACE_DIMS_MAX], count = choose_dims(a, dim);

    for (uint32_t i = 0; i < count; i++)
        move(a, dim[i], chance, prevailing, point);
    space_round(&a->space, point);
}

bool anneal_ask(void *state, const struct search_now *now, double *point)
{
    struct anneal *a = state;

    if (a->temperature <= a->cfg.temperature_end)
        return false;
    a->candidate = a->cfg.mutate_from == ANNEAL_BEST ? a->best : a->current;
    if (!a->asks_for_start)
        mutate(a, now, a->candidate.at);
    a->asks_for_start = false;
    memcpy(point, a->candidate.at, a->space.dims * sizeof *point);
    return true;
}

/* ---- acceptance: lines 5 to 13 ---- */

bool anneal_accepts(struct rng *rng, double difference, double temperature)
{
    return difference > 0 || exp_of(difference / temperature) > rng_real(rng);
}

static double utility_of(const struct anneal_point *p, const struct search_now *now)
{
    return utility(now->weights, p->terms);
}

static bool judge(struct anneal *a, const struct search_now *now, struct tuner_note *note)
{
    double was = utility_of(&a->current, now), is = utility_of(&a->candidate, now);
    double difference = a->cfg.scale * (is - was), chance = exp_of(difference / a->temperature);
    bool   accepted = anneal_accepts(&a->rng, difference, a->temperature);

    note->verdict = accepted ? TUNER_ACCEPTED : TUNER_REJECTED;
    note->temperature = a->temperature;
    if (is > was)
        tuner_say(note, "better than the %.4f of the current setting: accepted", was);
    else
        tuner_say(note, "no better than the %.4f of the current setting: %s (chance %.3g at temperature "
                  "%.4g)", was, accepted ? "accepted all the same" : "rejected", chance, a->temperature);
    return accepted;
}

void anneal_tell(void *state, const struct search_now *now, struct tuner_note *note)
{
    struct anneal *a = state;

    a->candidate.terms = now->terms;
    a->candidate.is_measured = true;
    if (!a->current.is_measured) {
        note->verdict = TUNER_ACCEPTED;
        note->temperature = a->temperature;
        tuner_say(note, "the first setting of a search is accepted");
        a->current = a->candidate;
    } else if (judge(a, now, note)) {
        a->current = a->candidate;
    }
    if (!a->best.is_measured || utility_of(&a->candidate, now) > utility_of(&a->best, now))
        a->best = a->candidate;
    if (++a->iteration < a->cfg.iterations)
        return;
    a->iteration = 0;
    a->temperature *= a->cfg.cooling;
}
