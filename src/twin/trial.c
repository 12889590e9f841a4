/* src/twin/trial.c - see trial.h. */
#include "twin/trial.h"
#include "run/sim_world.h"
#include "run/simulation.h"
#include "sim/host/pair/pair.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define JOBS_MAX 256

/* ---- one trial ---- */

static void add(struct predicted *p, uint64_t bytes, double slowdown)
{
    enum predict_class class = predict_class_of(bytes);

    p->messages[class]++;
    p->slowdowns[class] += slowdown < 1 ? 1 : slowdown;
}

static void on_done(void *arg, const struct flow_result *r)
{
    add(arg, r->bytes, (double)r->fct_ps / (double)r->ideal_ps);
}

/* What is left of a message takes at least its share of the time that the whole takes on an empty path. */
static void add_unfinished(struct predicted *p, uint64_t bytes, uint64_t left, uint64_t age_ps, uint64_t ideal_ps)
{
    if (!bytes || !ideal_ps)
        return;
    p->unfinished++;
    add(p, bytes, (double)age_ps / (double)ideal_ps + (double)left / (double)bytes);
}

static void add_rest(struct predicted *p, const struct sim *s, uint64_t end_ps)
{
    for (uint32_t i = 0; (i = sim_next_active(s, i)) != 0; ) {
        const struct flow *f = &s->flows.flow[i];
        uint64_t           bytes = pair_bytes(s, f);

        add_unfinished(p, bytes, bytes - pair_acked(s, f), end_ps - f->start_ps, f->ideal_ps);
        if (!f->is_lasting)
            continue;
        for (uint32_t id = s->flows.pairs.posted[pair_of(s, f)->head].next; id; id = s->flows.pairs.posted[id].next) {
            const struct posted *m = &s->flows.pairs.posted[id];

            add_unfinished(p, m->end - m->begin, m->end - m->begin, end_ps - m->start_ps, m->ideal_ps);
        }
    }
}

static uint64_t hops_of(const struct sim *s)
{
    uint64_t hops = 0;

    for (uint32_t i = 0; i < s->net.ports; i++)
        for (int kind = PACKET_DATA; kind <= PACKET_PFC; kind++)
            hops += s->net.port[i].counters.tx_packets[kind];
    return hops;
}

/* Entries that have a load get another one. Returns how many settings were added. */
static uint32_t set_load(const struct scenario *sc, double load, const char **set, char (*text)[64])
{
    uint32_t sets = 0;

    for (uint32_t i = 0; i < sc->entries && load != 1; i++)
        if (sc->entry[i].load > 0) {
            snprintf(text[sets], sizeof(text[sets]), "traffic.%u.load=%.4f%%", i, 100 * load * sc->entry[i].load);
            set[sets] = text[sets];
            sets++;
        }
    return sets;
}

static void run_trial(struct simulation *s, struct predicted *out)
{
    struct simulation_hooks hooks = { .arg = out, .flow_done = on_done };

    s->scenario.watch.monitors = 0;
    simulation_run(s, &hooks, NULL);
    add_rest(out, s->sim, s->end_ps);
    out->cost = hops_of(s->sim);
    out->lasted_ps = s->end_ps;
    out->is_stuck = s->is_stuck;
}

static int open_trial(struct simulation *s, const struct twin *t, const struct predict_point *p, const char *const *set,
                      uint32_t sets, struct err *err)
{
    struct simulation_input input = { .name = t->name, .text = t->text, .text_bytes = t->text_bytes, .set = set,
                                      .sets = sets, .seed = p ? &p->seed : NULL, .threads = 1, .is_untuned = true,
                                      .until_ps = p ? (uint64_t)((double)t->until_ps * p->length) : t->until_ps,
                                      .knobs = p ? p->knobs : NULL };

    return simulation_open(s, &input, err);
}

static int try_point(const struct twin *t, const struct scenario *sc, const struct predict_point *p, struct predicted *out,
                     struct err *err)
{
    const char      **set = xcalloc(t->sets + sc->entries + 1, sizeof(*set));
    char            (*text)[64] = xcalloc(sc->entries + 1, sizeof(*text));
    struct simulation s;
    int               rc;

    *out = (struct predicted){ 0 };
    if (t->sets)
        memcpy(set, t->set, t->sets * sizeof(*set));
    rc = open_trial(&s, t, p, set, t->sets + set_load(sc, p->load, set + t->sets, text), err);
    if (!rc) {
        run_trial(&s, out);
        rc = simulation_failed(&s, err);
        simulation_close(&s);
    }
    free(set);
    free(text);
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
    struct err                 *err;
};

static void *work(void *arg)
{
    struct batch *b = arg;
    struct err    err;
    uint32_t      i;

    while (!atomic_load(&b->failed) && (i = atomic_fetch_add(&b->next, 1)) < b->count) {
        int none = 0, rc = try_point(b->twin, b->scenario, &b->point[i], &b->out[i], &err);

        if (rc && atomic_compare_exchange_strong(&b->failed, &none, rc))
            *b->err = err;
    }
    return NULL;
}

static uint32_t jobs_of(const struct twin *t, uint32_t count)
{
    long     processors = sysconf(_SC_NPROCESSORS_ONLN);
    uint32_t jobs = t->jobs ? t->jobs : processors > 0 ? (uint32_t)processors : 1;

    jobs = jobs < count ? jobs : count;
    return jobs < JOBS_MAX ? jobs : JOBS_MAX;
}

static int run_batch(void *arg, const struct predict_point *point, uint32_t count, struct predicted *out, struct err *err)
{
    struct twin      *t = arg;
    struct simulation first;
    struct batch      b = { .twin = t, .scenario = &first.scenario, .point = point, .out = out, .count = count, .err = err };
    pthread_t         thread[JOBS_MAX];
    uint32_t          threads = 0, jobs = jobs_of(t, count);
    int               rc = open_trial(&first, t, NULL, t->set, t->sets, err);

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
    return (struct predictor){ t, run_batch };
}

int twin_world(const struct twin *t, struct world *w, uint64_t *until_ps, struct err *err)
{
    struct simulation s;
    int               rc = open_trial(&s, t, NULL, t->set, t->sets, err);

    if (rc)
        return rc;
    sim_world_init(w, s.sim, s.scenario.interval_ps);
    *until_ps = s.scenario.run_ps;
    simulation_close(&s);
    return 0;
}
