/* src/tune/nlopt.c - methods of NLopt, a library of others' searches.
 * Johnson, "The NLopt nonlinear-optimization package".
 *
 * NLopt calls a function when it wants to know a value; we are asked for a point and told its value an
 * interval later. So NLopt runs in a thread of its own, and the two take turns:
 *
 *   ask    waits until NLopt wants to know a value, or has ended
 *   tell   hands the value over, and NLopt goes on until it wants to know another
 *
 * It sees the unit cube of the space. No method here takes random numbers from outside, so points depend on
 * the utilities alone, not on the seed nor on when a thread runs. They are the same from run to run, but not
 * to the last digit on every processor: the library is built with fused multiply-adds where there are any,
 * and calls libm.
 */
#include "base/err.h"
#include "tune/search/points.h"
#include "tune/search/search.h"

#include <nlopt.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum nlopt_option { NLOPT_METHOD, NLOPT_STEP, NLOPT_TOLERANCE, NLOPT_MAXEVAL, NLOPT_OWN };

static const char *const method_names[] = { "sbplx", "neldermead", "cobyla", "bobyqa", "direct_l", NULL };

static const nlopt_algorithm methods[] = {   /* in that order */
    NLOPT_LN_SBPLX, NLOPT_LN_NELDERMEAD, NLOPT_LN_COBYLA, NLOPT_LN_BOBYQA, NLOPT_GN_DIRECT_L,
};

enum turn { TURN_LIBRARY, TURN_CALLER, TURN_NOBODY };        /* nobody's: the library has ended */

struct library {
    struct space space;
    uint32_t     method;
    double       step, tolerance;
    int          evaluations_max;            /* 0: as many as it likes */
    struct best  best;

    nlopt_opt  opt;              /* NULL: there is no thread */
    pthread_t  thread;
    struct err failure;          /* why there is none; "" if nothing has failed */

    /* Under the lock. */
    pthread_mutex_t lock;
    pthread_cond_t  turn_changed;
    enum turn       turn;
    bool            is_stopping;
    double          unit[SPACE_DIMS_MAX];    /* library to caller; before, where it starts */
    double          utility;                 /* caller to library */
};

/* ---- the library's side ---- */

/* What NLopt calls. Once it is to stop it may still ask for a few values: any will do. */
/* NOLINTNEXTLINE(readability-non-const-parameter): it is the library that says what type this has */
static double evaluate(unsigned n, const double *unit, double *gradient, void *data)
{
    struct library *l = data;
    bool is_stopping;
    double value;

    (void)gradient;              /* NULL: no method here wants one */
    pthread_mutex_lock(&l->lock);
    if (!l->is_stopping) {
        memcpy(l->unit, unit, n * sizeof(*unit));
        l->turn = TURN_CALLER;
        pthread_cond_broadcast(&l->turn_changed);
        while (l->turn == TURN_CALLER && !l->is_stopping)
            pthread_cond_wait(&l->turn_changed, &l->lock);
    }
    is_stopping = l->is_stopping;
    value = l->utility;
    pthread_mutex_unlock(&l->lock);
    if (is_stopping)
        nlopt_force_stop(l->opt);
    return value;
}

static void *work(void *data)
{
    struct library *l = data;
    double unit[SPACE_DIMS_MAX], value;

    memcpy(unit, l->unit, sizeof(unit));
    nlopt_optimize(l->opt, unit, &value);    /* however it ends, the search is over */
    pthread_mutex_lock(&l->lock);
    l->turn = TURN_NOBODY;
    pthread_cond_broadcast(&l->turn_changed);
    pthread_mutex_unlock(&l->lock);
    return NULL;
}

/* ---- the caller's side ---- */

static int make_opt(struct library *l)
{
    l->opt = nlopt_create(methods[l->method], l->space.dims);
    if (!l->opt ||
        nlopt_set_lower_bounds1(l->opt, 0) < 0 ||
        nlopt_set_upper_bounds1(l->opt, 1) < 0 ||
        nlopt_set_initial_step1(l->opt, l->step) < 0 ||
        nlopt_set_xtol_abs1(l->opt, l->tolerance) < 0 ||
        nlopt_set_maxeval(l->opt, l->evaluations_max) < 0 ||
        nlopt_set_max_objective(l->opt, evaluate, l) < 0)
        return err_set(&l->failure, EINVAL, "NLopt's %s cannot be set up", method_names[l->method]);
    return 0;
}

/* Signals are for the threads that were there before. */
static int start_thread(struct library *l)
{
    sigset_t all, before;
    int failed;

    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    failed = pthread_create(&l->thread, NULL, work, l);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failed)
        return err_set(&l->failure, failed, "no thread can be started for NLopt: %s", strerror(failed));
    return 0;
}

/* Without a thread nobody will ask: the search is over at once. */
static void start(struct library *l)
{
    l->failure = (struct err){ "" };
    if (!make_opt(l) && !start_thread(l))
        return;
    nlopt_destroy(l->opt);
    l->opt = NULL;
    l->turn = TURN_NOBODY;
}

/* Ends a search, be it over or not. */
static void stop(struct library *l)
{
    if (!l->opt)
        return;
    pthread_mutex_lock(&l->lock);
    l->is_stopping = true;
    pthread_cond_broadcast(&l->turn_changed);
    pthread_mutex_unlock(&l->lock);
    pthread_join(l->thread, NULL);
    nlopt_destroy(l->opt);
    l->opt = NULL;
}

static void *library_create(const struct space *space, const double *value, uint64_t seed)
{
    struct library *l = xcalloc(1, sizeof(*l));

    (void)seed;
    l->space = *space;
    l->method = (uint32_t)value[NLOPT_METHOD];
    l->step = value[NLOPT_STEP];
    l->tolerance = value[NLOPT_TOLERANCE];
    l->evaluations_max = (int)value[NLOPT_MAXEVAL];
    pthread_mutex_init(&l->lock, NULL);
    pthread_cond_init(&l->turn_changed, NULL);
    return l;
}

static void library_destroy(void *state)
{
    struct library *l = state;

    stop(l);
    pthread_cond_destroy(&l->turn_changed);
    pthread_mutex_destroy(&l->lock);
    free(l);
}

static void library_begin(void *state, const double *from, const struct search_now *now)
{
    struct library *l = state;

    stop(l);
    l->is_stopping = false;
    l->turn = TURN_LIBRARY;
    l->best = (struct best){ 0 };
    if (now)
        best_take(&l->best, now);
    unit_from_point(&l->space, from, l->unit);
    start(l);
}

static bool library_ask(void *state, const struct search_now *now, double *point)
{
    struct library *l = state;
    bool has_asked;

    (void)now;
    pthread_mutex_lock(&l->lock);
    while (l->turn == TURN_LIBRARY)
        pthread_cond_wait(&l->turn_changed, &l->lock);
    has_asked = l->turn == TURN_CALLER;
    if (has_asked)
        unit_to_point(&l->space, l->unit, point);
    pthread_mutex_unlock(&l->lock);
    return has_asked;
}

static void library_tell(void *state, const struct search_now *now, struct tuner_note *note)
{
    struct library *l = state;
    bool is_best = best_take(&l->best, now);

    note->verdict = is_best ? TUNER_BEST : TUNER_NO_VERDICT;
    snprintf(note->why, sizeof(note->why), "%s wanted to know: %s", method_names[l->method],
             is_best ? "the best so far" : "not the best so far");
    pthread_mutex_lock(&l->lock);
    l->utility = now->utility;
    l->turn = TURN_LIBRARY;
    pthread_cond_broadcast(&l->turn_changed);
    pthread_mutex_unlock(&l->lock);
}

static const char *library_failure(const void *state)
{
    const struct library *l = state;

    return l->failure.text[0] ? l->failure.text : NULL;
}

static const struct key_row nlopt_options[] = {
    [NLOPT_METHOD] = { "method", KEY_NAME, "sbplx",
        "of NLopt's: sbplx (Subplex), neldermead, cobyla and bobyqa are local, direct_l is global", .choices = method_names },
    [NLOPT_STEP] = { "step", KEY_REAL, "0.2",
        "first step, as a share of each parameter's range; not for direct_l", .min = 0.001, .max = 0.5 },
    [NLOPT_TOLERANCE] = { "tolerance", KEY_REAL, "0.001",
        "end when a search moves by less than this share of the ranges", .min = 0, .max = 1 },
    [NLOPT_MAXEVAL] = { "maxeval", KEY_COUNT, "0",
        "most settings of a search; 0: the budget", .min = 0, .max = 1e6 },
    SEARCH_OPTIONS,
    { 0 }
};

extern const struct search_algo nlopt_search;
const struct search_algo nlopt_search = {
    .create      = library_create,
    .destroy     = library_destroy,
    .begin       = library_begin,
    .ask         = library_ask,
    .tell        = library_tell,
    .option      = nlopt_options,
    .failure     = library_failure,
};

static int nlopt_open(void **state, const struct world *world, const struct option_values *values,
                      struct err *err)
{
    return search_create(state, &nlopt_search, world, values, err);
}

extern const struct tuner_algo tuner_nlopt;
const struct tuner_algo tuner_nlopt = {
    .create = nlopt_open, SEARCH_HOOKS,
    .name   = "nlopt",
    .about  = "a method of the NLopt library; its last digits may differ from processor to processor",
    .option = nlopt_options,
};
