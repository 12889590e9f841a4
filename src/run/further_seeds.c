#include "run/further_seeds.h"
#include "run/progress.h"
#include "run/simulation.h"
#include "sim/skip/skip.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#define SEED_STEP   3000000u     /* far from seeds that users choose */
#define THREADS_MAX 64u
#define HOSTS_MANY  4096u        /* hosts of a network that takes gigabytes:
                                  * its runs are in memory one at a time */

struct batch {
    const struct simulation *first;
    struct progress         *progress;   /* of the first thread */
    double                  *sample;     /* [(entry * EXPOSED_COUNT + enum exposed) * seeds + seed] */
    uint32_t                 seeds;
    atomic_uint              next;
    atomic_bool              has_failed;
};

static void keep(const struct batch *b, uint32_t seed, const struct simulation *s)
{
    for (uint32_t i = 0; i < s->scenario.entries; i++) {
        double us[EXPOSED_COUNT];

        exposed_us(&s->scenario.entry[i], ops_cell(&s->ops, i, OP_ITERATION), us);
        for (uint32_t k = 0; k < EXPOSED_COUNT; k++)
            b->sample[(i * EXPOSED_COUNT + k) * b->seeds + seed] = us[k];
    }
}

/* Runs one seed. Returns false if it failed or deadlocked: it then lacks some iterations. */
static bool run_seed(const struct batch *b, uint32_t number, struct progress *progress)
{
    struct simulation_input input = b->first->input;
    uint64_t                seed = b->first->sim->cfg.seed + SEED_STEP + number;
    struct simulation       s;
    struct err              err;
    bool                    is_whole;

    input.seed = &seed;
    input.threads = 1;
    if (simulation_open(&s, &input, &err))
        return false;
    simulation_run(&s, NULL, progress);
    is_whole = !simulation_failed(&s, &err) && !s.is_stuck;
    keep(b, number, &s);
    simulation_close(&s);
    return is_whole;
}

static void run_seeds(struct batch *b, struct progress *progress)
{
    uint32_t i;

    while (!atomic_load(&b->has_failed) && (i = atomic_fetch_add(&b->next, 1)) < b->seeds)
        if (!run_seed(b, i, progress))
            atomic_store(&b->has_failed, true);
}

static void *work(void *arg)
{
    run_seeds(arg, NULL);
    return NULL;
}

static uint32_t threads_of(const struct simulation *s, uint32_t runs)
{
    long     processors = sysconf(_SC_NPROCESSORS_ONLN);
    uint32_t threads = s->input.threads ? s->input.threads : processors > 0 ? (uint32_t)processors : 1;

    if (s->sim->net.hosts > HOSTS_MANY)
        return 1;
    threads = threads < runs ? threads : runs;
    return threads < THREADS_MAX ? threads : THREADS_MAX;
}

/* Returns false if a seed failed. */
static bool run_batch(struct batch *b)
{
    pthread_t thread[THREADS_MAX];
    uint32_t  threads = 0, wanted = b->seeds > 1 ? threads_of(b->first, b->seeds - 1) : 1;

    keep(b, 0, b->first);
    atomic_init(&b->next, 1);
    while (threads + 1 < wanted && pthread_create(&thread[threads], NULL, work, b) == 0)
        threads++;
    run_seeds(b, b->progress);
    while (threads > 0)
        pthread_join(thread[--threads], NULL);
    return !atomic_load(&b->has_failed);
}

/* ---- number of seeds ---- */

static bool has_jobs(const struct simulation *s)
{
    for (uint32_t i = 0; i < s->scenario.entries; i++)
        if (s->scenario.entry[i].has_work && ops_cell(&s->ops, i, OP_ITERATION)->count)
            return true;
    return false;
}

/* Returns true if the seed affects the result. Training posts the same messages for every seed. */
static bool seed_matters(const struct simulation *s)
{
    for (uint32_t i = 0; i < s->scenario.entries; i++)
        if (!s->scenario.entry[i].workers)
            return true;
    return s->loop.tuner.algo || sim_has_drawn(s->sim);
}

/* Returns the number of seeds to run; 0: no interval. */
static uint32_t seeds_of(const struct simulation *s, const char **why_not)
{
    uint64_t hops = sim_hops(s->sim), events = s->sim->engine.counters.events;
    uint32_t seeds = spread_seeds(hops, events);

    if (s->is_stuck || s->scenario.fast_seeds == 1)
        return 0;
    if (s->scenario.fast_seeds)
        return s->scenario.fast_seeds;
    if (!seed_matters(s))
        return 1;
    if (seeds >= 2)
        return seeds;
    *why_not = hops / 2 < events ? "further seeds would take longer than all packets ('seeds: 5' runs them)"
                                 : "further seeds would take minutes ('seeds: 5' runs them)";
    return 0;
}

void further_seeds_run(struct simulation *s, struct progress *progress)
{
    const struct skip_told *told = skip_told(s->sim);
    struct spread          *out = &s->spread;
    struct batch            b = { .first = s, .progress = progress };
    double                  start_s = progress_clock_s();
    uint32_t                cells = s->scenario.entries * EXPOSED_COUNT;

    if (!told || !has_jobs(s))
        return;
    b.seeds = seeds_of(s, &out->why_not);
    if (!b.seeds)
        return;
    progress_next(progress, "further seeds: ");
    b.sample = xcalloc((size_t)cells * b.seeds, sizeof *b.sample);
    if (!run_batch(&b)) {
        out->why_not = "a run with another seed failed";
    } else {
        out->seeds = b.seeds;
        out->model = told->packets ? SPREAD_MODEL + fabs(told->checks ? told->off_mean : 0) : 0;
        out->us = xcalloc(cells, sizeof *out->us);
        for (uint32_t i = 0; i < cells; i++)
            out->us[i] = spread_interval(&b.sample[i * b.seeds], b.seeds, out->model);
    }
    free(b.sample);
    s->wall_s += progress_clock_s() - start_s;
}
