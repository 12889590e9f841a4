#include "live/daemon/tuner/live_tuner.h"
#include "base/text.h"
#include "study/run/sim_world.h"
#include "study/run/simulation.h"
#include "study/twin/maker.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#define FILE_BYTES_MAX (64ul << 20)

struct live_twin {
    char                   *path, *text;
    struct simulation_input input;
    struct world            world;
    uint64_t                cpu_us, begin_us;    /* begin: of the thread's CPU time */
    atomic_bool             is_stopped;
};

/* a scenario must have some; a twin has its own */
static const char *const no_traffic[] = { "traffic=[{kind: permutation, size: 1KB}]" };

static uint64_t cpu_now_us(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000u + (uint64_t)t.tv_nsec / 1000;
}

int live_twin_open(struct live_twin **out, const char *path, uint64_t cpu_us, struct err *err)
{
    struct live_twin *t = xcalloc(1, sizeof *t);
    struct simulation s;
    size_t            length = 0;
    int               rc = text_read_file(path, FILE_BYTES_MAX, &t->text, &length, err);

    t->path = xstrdup(path);
    t->cpu_us = cpu_us;
    t->input = (struct simulation_input){ .name = t->path, .text = t->text, .text_bytes = length,
                                          .set = no_traffic, .sets = 1, .threads = 1, .is_untuned = true };
    if (!rc)
        rc = simulation_open(&s, &t->input, err);
    if (rc) {
        live_twin_close(t);
        return rc;
    }
    sim_world_init(&t->world, s.sim, s.scenario.interval_ps);
    simulation_close(&s);
    *out = t;
    return 0;
}

void live_twin_close(struct live_twin *t)
{
    if (!t)
        return;
    world_fini(&t->world);
    free(t->path);
    free(t->text);
    free(t);
}

const struct world *live_twin_world(const struct live_twin *t)
{
    return &t->world;
}

void live_twin_begin(struct live_twin *t)
{
    t->begin_us = cpu_now_us();
}

void live_twin_allow(struct live_twin *t)
{
    atomic_store(&t->is_stopped, false);
}

void live_twin_stop(struct live_twin *t)
{
    atomic_store(&t->is_stopped, true);
}

/* ---- one twin ---- */

struct held { struct live_twin *all; struct predictor inner; };

/* Trial by trial, so that it can be stopped in between. */
static int run(void *arg, const struct predict_point *point, uint32_t count, struct predicted *out,
               struct err *err)
{
    struct held *h = arg;
    int          rc = 0;

    for (uint32_t i = 0; i < count && !rc; i++) {
        if (atomic_load(&h->all->is_stopped))
            return err_set(err, ECANCELED, "the search was stopped");
        if (h->all->cpu_us && cpu_now_us() - h->all->begin_us > h->all->cpu_us)
            return err_set(err, ETIME, "the search has used up its %.3g s of CPU time ('think')",
                           (double)h->all->cpu_us / 1e6);
        rc = h->inner.run(h->inner.arg, &point[i], 1, &out[i], err);
    }
    return rc;
}

/* The tuner's world has the devices that report, the file's how they are joined. */
static int make(void *arg, const struct world *w, const struct traffic_model *model, struct predictor *p,
                struct err *err)
{
    struct live_twin *t = arg;
    struct held      *h = xcalloc(1, sizeof *h);
    struct world      built = t->world;

    h->all = t;
    built.seed = w->seed;
    built.start = w->start;
    built.interval_ps = w->interval_ps;
    int rc = twin_maker.make(&t->input, &built, model, &h->inner, err);
    if (rc) {
        free(h);
        return rc;
    }
    *p = (struct predictor){ .arg = h, .run = run, .unaware_of = h->inner.unaware_of };
    return 0;
}

static void drop(struct predictor *p)
{
    struct held *h = p->arg;

    if (!h)
        return;
    twin_maker.drop(&h->inner);
    free(h);
    p->arg = NULL;
}

const struct predict_maker live_twin_maker = { make, drop };
