#include "study/twin/twin_trial.h"
#include "base/minmax.h"
#include "base/rng.h"
#include "core/units.h"
#include "study/run/sim_world.h"
#include "sim/unfinished.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define JOBS_MAX 256

/* ---- one trial ---- */

#define LOG_OF_2 0.69314718055994530942

/* Eight bins to the octave, from 1 on. */
static uint32_t bin_of(double slowdown)
{
    double bin = 8 / LOG_OF_2 * rng_log(slowdown);

    return bin < OUTCOME_BINS - 1 ? (uint32_t)bin : OUTCOME_BINS - 1;
}

static bool is_job(const struct simulation *s, uint32_t entry)
{
    return strcmp(s->scenario.entry[entry].kind, "training") == 0;
}

static void add(struct outcomes *p, uint64_t bytes, double slowdown, bool is_of_job)
{
    enum predict_class class = predict_class_of(bytes);

    slowdown = slowdown < 1 ? 1 : slowdown;
    p->messages[class]++;
    p->slowdowns[class] += slowdown;
    if (is_of_job) {
        p->job_messages[class]++;
        p->job_slowdowns[class] += slowdown;
    } else {
        p->bin[class][bin_of(slowdown)]++;
    }
}

/* A running trial. Posting ends at stop_ps. 'window' shows the time from warm_ps to stop_ps. */
struct trial {
    struct simulation *s;
    struct predicted  *out;
    uint64_t           warm_ps, stop_ps;     /* stop: NEVER: at the end of the run, without a window */
};

static void on_done(void *arg, const struct flow_result *r)
{
    const struct trial *t = arg;
    uint64_t            end_ps = r->start_ps + r->fct_ps;
    double              slowdown = (double)r->fct_ps / (double)r->ideal_ps;

    add(&t->out->all, r->bytes, slowdown, is_job(t->s, r->traffic));
    if (t->stop_ps != NEVER && end_ps >= t->warm_ps && end_ps <= t->stop_ps)
        add(&t->out->window, r->bytes, slowdown, is_job(t->s, r->traffic));
}

struct rest { const struct simulation *s; struct outcomes *to; uint64_t end_ps; };

static void add_unfinished(void *arg, const struct unfinished *m)
{
    const struct rest *r = arg;
    double             slowdown = unfinished_slowdown(m, r->end_ps);

    if (!(slowdown > 0))
        return;
    r->to->unfinished++;
    add(r->to, m->bytes, slowdown, is_job(r->s, m->flow.traffic));
}

static void add_rest(struct outcomes *p, const struct simulation *s, uint64_t end_ps)
{
    sim_each_unfinished(s->sim, add_unfinished, &(struct rest){ s, p, end_ps });
}

static void add_jobs(struct outcomes *p, const struct simulation *s)
{
    uint32_t jobs = 0;

    for (uint32_t i = 0; i < s->scenario.entries && jobs < OUTCOME_JOBS; i++)
        if (is_job(s, i)) {
            struct job_progress done = simulation_job(s, i);

            p->job[jobs++] = (struct outcome_job){ i + 1, done.iterations, done.seconds };
        }
}

bool twin_is_loop(const struct traffic_about *e)
{
    return strcmp(e->kind, "storage") == 0 || strcmp(e->kind, "rpc") == 0 || strcmp(e->kind, "kv_cache") == 0;
}

static void add_loops(struct outcomes *p, const struct simulation *s)
{
    uint32_t loops = 0;

    for (uint32_t i = 0; i < s->scenario.entries && loops < OUTCOME_LOOPS; i++) {
        const struct traffic_about *e = &s->scenario.entry[i];

        if (twin_is_loop(e) && s->end_ps > e->start_ps)
            p->loop[loops++] = (struct outcome_loop){ i + 1, (double)sim_entry_bytes(s->sim, i),
                                                      (double)(s->end_ps - e->start_ps) / (double)PS_PER_S };
    }
}

static void on_report(void *arg, const struct report *r)
{
    const struct trial *t = arg;

    if (r->end_ps == t->stop_ps)
        add_rest(&t->out->window, t->s, t->stop_ps);
}

/* Sets the load of entries that have one, and the end of posting: not before an entry starts. */
static void set_all(struct build *b, const struct scenario *sc, double load, uint64_t stop_ps)
{
    char key[40];

    for (uint32_t i = 0; i < sc->entries; i++) {
        const struct traffic_about *e = &sc->entry[i];

        if (load != 1 && e->load > 0) {
            snprintf(key, sizeof(key), "traffic.%u.load", i);
            build_text(b, NULL, key, "%.4f%%", 100 * load * e->load);
        }
        if (stop_ps != NEVER) {
            snprintf(key, sizeof(key), "traffic.%u.stop", i);
            build_text(b, NULL, key, "%llups", 
                       (unsigned long long)(e->start_ps < stop_ps ? stop_ps : e->start_ps + 1));
        }
    }
    if (stop_ps != NEVER)
        build_text(b, NULL, "interval", "%llups", (unsigned long long)stop_ps);
}

static void run_trial(struct trial *t, bool counts_loops)
{
    struct simulation_hooks hooks = { .arg = t, .flow_done = on_done, .report = t->stop_ps == NEVER ? NULL
                                      : on_report };
    struct simulation      *s = t->s;

    s->scenario.watch.monitors = 0;
    simulation_run(s, &hooks, NULL);
    add_rest(&t->out->all, s, s->end_ps);
    add_jobs(&t->out->all, s);
    if (counts_loops)
        add_loops(&t->out->all, s);
    t->out->cost = sim_hops(s->sim);
    t->out->lasted_ps = s->end_ps;
    t->out->is_stuck = s->is_stuck;
}

static uint64_t times(uint64_t ps, double factor)
{
    return (uint64_t)((double)ps * factor);
}

/* 'p' is NULL: the scenario's own setting, for a whole trial. */
static int open_trial(struct simulation *s, const struct twin *t, const struct predict_point *p,
                      const struct build *over, struct err *err)
{
    struct simulation_input input = t->input;

    input.over = over;
    input.seed = p ? &p->seed : NULL;
    input.knobs = p ? p->knobs : NULL;
    input.until_ps = times(input.until_ps, (p ? p->length : 1) * (1 + t->drain));
    input.threads = 1;
    input.is_untuned = true;
    return simulation_open(s, &input, err);
}

static int try_point(const struct twin *t, const struct scenario *sc, const struct predict_point *p,
                     struct predicted *out, struct err *err)
{
    struct build      over = { .below = t->input.over };
    struct simulation s;
    struct trial      trial = { &s, out, times(t->warm_ps, p->length), t->drain > 0
                                ? times(t->input.until_ps, p->length) : NEVER };
    int               rc;

    *out = (struct predicted){ 0 };
    set_all(&over, sc, t->load_max > 0 && p->load > t->load_max ? t->load_max : p->load, trial.stop_ps);
    rc = open_trial(&s, t, p, &over, err);
    if (!rc) {
        run_trial(&trial, t->counts_loops);
        rc = simulation_failed(&s, err);
        simulation_close(&s);
    }
    build_fini(&over);
    return rc;
}

/* ---- many ---- */

struct batch {
    const struct twin          *twin;
    const struct scenario      *scenario;    /* of the twin, read once: which entries have a load */
    const struct predict_point *point;
    struct predicted           *out;
    uint32_t                    count;
    atomic_uint                 next;
    atomic_int                  failed;      /* the first to fail says why */
    pthread_mutex_t             telling;
    struct err                 *err;
};

static void tell(struct batch *b, const struct predicted *p)
{
    if (!b->twin->ended)
        return;
    pthread_mutex_lock(&b->telling);
    b->twin->ended(b->twin->arg, p);
    pthread_mutex_unlock(&b->telling);
}

static void *work(void *arg)
{
    struct batch *b = arg;
    struct err    err;
    uint32_t      i;

    while (!atomic_load(&b->failed) && (i = atomic_fetch_add(&b->next, 1)) < b->count) {
        int none = 0, rc = try_point(b->twin, b->scenario, &b->point[i], &b->out[i], &err);

        if (rc && atomic_compare_exchange_strong(&b->failed, &none, rc))
            *b->err = err;
        else if (!rc)
            tell(b, &b->out[i]);
    }
    return NULL;
}

static uint32_t jobs_of(const struct twin *t, uint32_t count)
{
    long     processors = sysconf(_SC_NPROCESSORS_ONLN);
    uint32_t jobs = t->jobs ? t->jobs : processors > 0 ? (uint32_t)processors : 1;

    return min_u32(min_u32(jobs, count), JOBS_MAX);
}

static int run_batch(void *arg, const struct predict_point *point, uint32_t count, struct predicted *out,
                     struct err *err)
{
    struct twin      *t = arg;
    struct simulation first;
    struct batch      b = { .twin = t, .scenario = &first.scenario, .point = point, .out = out,
                            .count = count, .err = err, .telling = PTHREAD_MUTEX_INITIALIZER };
    pthread_t         thread[JOBS_MAX];
    uint32_t          threads = 0, jobs = jobs_of(t, count);
    int               rc = open_trial(&first, t, NULL, t->input.over, err);

    if (rc)
        return rc;
    while (threads + 1 < jobs && pthread_create(&thread[threads], NULL, work, &b) == 0)
        threads++;
    work(&b);
    while (threads > 0)
        pthread_join(thread[--threads], NULL);
    simulation_close(&first);
    return atomic_load(&b.failed);
}

struct predictor twin_predictor(struct twin *t)
{
    return (struct predictor){ .arg = t, .run = run_batch };
}

int twin_world(const struct twin *t, struct world *w, uint64_t *until_ps, struct err *err)
{
    struct simulation s;
    int               rc = open_trial(&s, t, NULL, t->input.over, err);

    if (rc)
        return rc;
    sim_world_init(w, s.sim, s.scenario.interval_ps);
    *until_ps = s.scenario.run_ps;
    simulation_close(&s);
    return 0;
}
