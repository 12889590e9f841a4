/* src/campaign/tune_search.c - the search: rounds of one scenario, with one tuner that remembers. */
#include "base/file/interrupt.h"
#include "run/progress.h"
#include "run/sim_world.h"
#include "campaign/tune.h"

#include <string.h>

#define ROUNDS_MAX 20

/* ---- the tuner ---- */

static bool is_given(const struct scenario_tuner *t, const char *key)
{
    for (uint32_t i = 0; i < t->options; i++)
        if (strcmp(t->option[i].key, key) == 0)
            return true;
    return false;
}

static void add_option(struct scenario_tuner *t, const char *key, const char *text)
{
    const struct tuner_alias *alias;
    const struct tuner_algo  *algo = tuner_find(t->kind, &alias);

    if (!algo || !key_find(algo->option, key) || is_given(t, key))
        return;
    t->option = xrealloc(t->option, (t->options + 1ul) * sizeof(*t->option));
    t->option[t->options++] = (struct option_text){ xstrdup(key), xstrdup(text), xstrdup("") };
}

/* A search on request does not wait for the traffic to change, and finds one setting for all of it. */
static void search_at_once(struct scenario_tuner *t)
{
    add_option(t, "trigger", "once");
    add_option(t, "restart", "no");
    add_option(t, "guard", "0");             /* simulated trials harm no traffic */
    add_option(t, "floor", "no");
}

/* Opens the network once to know what the tuner may know of it. */
static int open_tuner(struct tune_search *t, struct err *err)
{
    struct simulation s;
    int               rc = simulation_open(&s, &t->input, err);

    if (rc)
        return rc;
    if (s.scenario.changes) {
        const char *place = s.scenario.place[PLACE_CHANGES];

        rc = err_set(err, EINVAL, "%s%s'changes' turn the knobs that are to be tuned; take them out",
                     place ? place : t->input.name, place ? "" : ": ");
        goto close;
    }
    sim_world_init(&t->world, s.sim, s.scenario.interval_ps);
    t->world.maker = t->input.maker;
    t->world.maker_arg = &t->input;
    t->world.goal = &s.scenario.goal;        /* until the loop is open: tuners copy it */
    t->seed = s.scenario.cfg.seed;
    t->start = t->world.start;
    search_at_once(&s.scenario.tuner);
    rc = simulation_open_loop(&t->loop, &s.scenario, &t->world, err);
    t->world.goal = NULL;
    if (!rc && loop_slot_ps(&t->loop))
        rc = err_set(
            err, EINVAL,
            "%s sets every queue separately, so it finds no single setting; see anole train",
            t->loop.tuner.algo->name);
close:
    simulation_close(&s);
    return rc;
}

/* ---- rounds ---- */

struct round { const struct tune_search *t; const struct simulation *s; };

static bool is_idle(const struct tuner *tuner)
{
    return tuner->algo->is_idle && tuner->algo->is_idle(tuner->state);
}

static bool is_enough(void *arg)
{
    const struct round *r = arg;

    return is_idle(&r->s->loop.tuner) || (r->t->budget && r->s->loop.tuning.steps >= r->t->budget);
}

void tune_simulate(const struct tune_search *t, struct simulation *s, const struct simulation_hooks *hooks,
                   const char *what)
{
    struct progress progress;

    interrupt_watch(&s->sim->engine.now_ps);
    progress_start(&progress, !t->is_quiet);
    progress.what = what;
    simulation_run(s, hooks, &progress);
    progress_clear(&progress);
    interrupt_watch(NULL);
}

/* One round begins where the last has ended, on the clock and with the setting. */
static int run_round(struct tune_search *t, struct knobs *knobs, uint64_t *now_ps, struct err *err)
{
    struct simulation_input input = t->input;
    struct simulation       s;
    struct round            round = { t, &s };
    struct simulation_hooks hooks = { .arg = &round, .is_enough = is_enough };
    uint64_t                seed = t->seed + t->rounds;
    uint32_t                steps = t->loop.tuning.steps;
    char                    what[48];
    int                     rc;

    input.seed = &seed;
    input.knobs = knobs;
    rc = simulation_open(&s, &input, err);
    if (rc)
        return rc;
    simulation_lend(&s, &t->loop);
    snprintf(what, sizeof(what), "search, round %u: ", t->rounds + 1);
    tune_simulate(t, &s, &hooks, what);
    rc = simulation_failed(&s, err);
    simulation_take_back(&s, &t->loop);
    for (uint32_t i = steps; i < t->loop.tuning.steps; i++) {
        t->loop.tuning.step[i].start_ps += *now_ps;
        t->loop.tuning.step[i].end_ps += *now_ps;
    }
    *knobs = s.sim->cfg.knobs;
    *now_ps += s.end_ps;
    simulation_close(&s);
    t->rounds++;
    if (rc)
        return rc;
    return t->loop.tuning.steps > steps
               ? 0
               : err_set(err, EINVAL,
                         "%s: the run is over before its first interval: make it longer, or 'interval' "
                         "shorter", t->input.name);
}

static bool is_over(const struct tune_search *t)
{
    return is_idle(&t->loop.tuner) || t->rounds >= t->rounds_max ||
           (t->budget && t->loop.tuning.steps >= t->budget);
}

int tune_search(struct tune_search *t, struct err *err)
{
    struct knobs knobs;
    uint64_t     now_ps = 0;
    int          rc;

    t->input.is_untuned = true;
    rc = open_tuner(t, err);
    if (rc)
        return rc;
    if (t->rounds_max == 0)
        t->rounds_max = t->loop.tuner.algo->is_idle ? ROUNDS_MAX : 1;
    knobs = t->loop.tuning.first;
    do
        rc = run_round(t, &knobs, &now_ps, err);
    while (!rc && !is_over(t));
    if (rc)
        return rc;
    t->is_over = is_idle(&t->loop.tuner);
    t->best = knobs;
    if (t->loop.tuner.algo->best)
        t->loop.tuner.algo->best(t->loop.tuner.state, &t->best);
    return 0;
}

void tune_search_fini(struct tune_search *t)
{
    loop_close(&t->loop);
    world_fini(&t->world);
}
