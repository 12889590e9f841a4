#include "study/campaign/further_seeds.h"
#include "study/campaign/pool.h"
#include "study/run/progress.h"
#include "study/run/simulation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SEED_STEP   3000000u     /* far from seeds that users choose */
#define HOSTS_MANY  4096u        /* of a network that fills gigabytes: its runs are in memory one at a time */

struct batch {
    const struct simulation *first;
    struct progress         *progress;
    double                  *sample;     /* [seed * cells + entry * EXPOSED_COUNT + enum exposed] */
    uint32_t                 seeds, cells;
    uint32_t                 started, done;      /* seeds, with the first run */
};

static void exposed_of(const struct simulation *s, double *us)
{
    for (uint32_t i = 0; i < s->scenario.entries; i++)
        exposed_us(&s->scenario.entry[i], ops_cell(&s->ops, i, OP_ITERATION), &us[(size_t)i * EXPOSED_COUNT]);
}

static enum pool_next next_seed(void *batch, struct pool_job *job)
{
    struct batch *b = batch;

    if (b->started == b->seeds)
        return POOL_NONE;
    *job = (struct pool_job){ .number = b->started++ };
    return POOL_JOB;
}

/* Fails also if the run gets stuck: its iterations are not those of a whole run. */
static int run_seed(void *batch, const struct pool_job *job, FILE *out)
{
    const struct batch     *b = batch;
    struct simulation_input input = b->first->input;
    uint64_t                seed = sim_settings(b->first->sim)->seed + SEED_STEP + job->number;
    double                 *us = xcalloc(b->cells, sizeof *us);
    struct simulation       s;
    struct err              err;

    input.seed = &seed;
    input.threads = 1;
    if (simulation_open(&s, &input, &err))
        return EXIT_FAILURE;
    simulation_run(&s, NULL, NULL);
    if (simulation_failed(&s, &err) || s.is_stuck)
        return EXIT_FAILURE;
    exposed_of(&s, us);
    return fwrite(us, sizeof *us, b->cells, out) == b->cells ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int keep_seed(void *batch, const struct pool_job *job, int status, const char *text, size_t length)
{
    struct batch *b = batch;

    if (!WIFEXITED(status) || WEXITSTATUS(status) || length != b->cells * sizeof *b->sample)
        return -ECHILD;
    memcpy(&b->sample[(size_t)job->number * b->cells], text, length);
    b->done++;
    return 0;
}

static int show_progress(void *batch, uint32_t running)
{
    struct batch *b = batch;

    progress_update_runs(b->progress, 1, b->done, b->seeds, running);
    return 0;
}

static uint32_t workers_of(const struct simulation *s, uint32_t runs)
{
    long     processors = sysconf(_SC_NPROCESSORS_ONLN);
    uint32_t workers = s->input.threads ? s->input.threads : processors > 0 ? (uint32_t)processors : 1;

    if (sim_graph(s->sim)->hosts > HOSTS_MANY)
        return 1;
    workers = workers < runs ? workers : runs;
    return workers < POOL_WORKERS_MAX ? workers : POOL_WORKERS_MAX;
}

/* Returns as pool_run(). */
static int run_batch(struct batch *b)
{
    struct pool_hooks hooks = { .arg = b, .next = next_seed, .work = run_seed, .done = keep_seed,
                                .tick = show_progress };

    exposed_of(b->first, b->sample);
    b->started = b->done = 1;
    return b->seeds > 1 ? pool_run(&hooks, workers_of(b->first, b->seeds - 1)) : 0;
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

static uint32_t seeds_of(const struct simulation *s, const char **why_not)
{
    uint64_t hops = sim_hops(s->sim), events = sim_counts(s->sim)->events;
    uint32_t seeds = spread_seeds(hops, events);

    if (s->is_stuck || s->scenario.fast_seeds == 1)
        return 0;
    if (s->scenario.fast_seeds)
        return s->scenario.fast_seeds;
    if (!seed_matters(s))
        return 1;
    if (seeds >= 2)
        return seeds;
    *why_not = hops / 4 < events ? "further seeds would take longer than all packets ('seeds: 5' runs them)"
                                 : "further seeds would take minutes ('seeds: 5' runs them)";
    return 0;
}

uint32_t further_seeds_wanted(struct simulation *s)
{
    uint32_t seeds = sim_skipped(s->sim) && has_jobs(s) ? seeds_of(s, &s->spread.why_not) : 0;

    if (seeds > 1)
        s->spread.why_not = "the further seeds have not ended";
    return seeds;
}

static void set_intervals(struct spread *out, const struct batch *b, const struct skip_stats *stats)
{
    double *one = xcalloc(b->seeds, sizeof *one);

    *out = (struct spread){ .seeds = b->seeds, .us = xcalloc(b->cells, sizeof *out->us),
                            .model = stats->packets ? SPREAD_MODEL : 0 };
    for (uint32_t i = 0; i < b->cells; i++) {
        for (uint32_t seed = 0; seed < b->seeds; seed++)
            one[seed] = b->sample[seed * b->cells + i];
        out->us[i] = spread_interval(one, b->seeds, out->model);
    }
    free(one);
}

int further_seeds_run(struct simulation *s, uint32_t seeds, struct progress *progress)
{
    struct batch b = { .first = s, .progress = progress, .seeds = seeds,
                       .cells = s->scenario.entries * EXPOSED_COUNT };
    double       start_s = progress_clock_s();

    progress_next(progress, "further seeds: ");
    b.sample = xcalloc((size_t)b.cells * b.seeds, sizeof *b.sample);
    int rc = run_batch(&b);
    if (!rc)
        set_intervals(&s->spread, &b, sim_skipped(s->sim));
    else
        s->spread.why_not = rc > 0 ? "the further seeds were interrupted" : "a run with another seed failed";
    free(b.sample);
    s->wall_s += progress_clock_s() - start_s;
    return rc > 0 ? rc : 0;
}
