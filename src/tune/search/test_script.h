/* src/tune/search/test_script.h - for tests of the search engine: a scripted searcher and an imaginary
 * network. */
#ifndef TUNE_SEARCH_TEST_SCRIPT_H
#define TUNE_SEARCH_TEST_SCRIPT_H

#include "tune/search/search.h"
#include "tune/test_report.h"

#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* A scripted searcher: it asks for time_reset 100, 101, 102, ... and records its calls. */
struct script {
    double            from[SPACE_DIMS_MAX], point[SPACE_DIMS_MAX];
    bool              was_measured;          /* 'from' */
    struct search_now begun, measured;
    int               begins, asks, tells, asks_max;
};

static struct script *script;                /* of the search under test */
static int            script_asks_max;

static inline void *script_create(const struct space *s, const double *value, uint64_t seed)
{
    (void)s, (void)value, (void)seed;
    script = xcalloc(1, sizeof *script);
    script->asks_max = script_asks_max;
    return script;
}

static inline void script_destroy(void *state)
{
    free(state);
}

static inline void script_begin(void *state, const double *from, const struct search_now *now)
{
    struct script *t = state;

    memcpy(t->from, from, sizeof t->from);
    memcpy(t->point, from, sizeof t->point);
    t->was_measured = now != NULL;
    if (now)
        t->begun = *now;
    t->asks = 0;
    t->begins++;
}

static inline bool script_ask(void *state, const struct search_now *now, double *point)
{
    struct script *t = state;

    (void)now;
    if (t->asks >= t->asks_max)
        return false;
    memcpy(point, t->point, sizeof t->point);
    point[0] = 100 + t->asks++;
    return true;
}

static inline void script_tell(void *state, const struct search_now *now, struct tuner_note *note)
{
    struct script *t = state;

    (void)note;
    t->measured = *now;
    t->tells++;
}

static const struct key_row options[] = {
    { "own", KEY_REAL, "0", "one", .min = 0, .max = 1 },
    SEARCH_OPTIONS,
    SEARCH_PUBLISHED_OPTIONS,
    SEARCH_SUMMARY_OPTIONS,
    { "utility_scale", KEY_REAL, "100", "as PARALEON's", .min = 1e-3, .max = 1e6 },
    { 0 },
};

static const struct search_algo scripted = {
    .create = script_create, .destroy = script_destroy, .begin = script_begin, .ask = script_ask,
    .tell = script_tell, .option = options,
};

static inline int create(void **state, const struct world *world, const struct option_values *v,
                  struct err *err)
{
    return search_create(state, &scripted, world, v, err);
}

static const struct tuner_algo tuner_scripted = {
    .create = create, SEARCH_HOOKS,
    .name = "scripted", .about = "a scripted searcher", .option = options,
};

/* One search under test, and the current setting. */
struct test_search {
    struct tuner       tuner;
    struct world       world;
    struct knobs       knobs;
    struct tuner_note  note;
    struct test_net    net;
};

/* A search without refinements, one setting per interval as published, so that each refinement is tested
 * alone. */
static const struct test_option plain[] = {
    { "theta", "0.01" }, { "epsilon", "0.001" }, { "weights", "dominant" }, { "space", "artifact" },
    { "against", "previous" }, { "persist", "1" }, { "settle", "0" }, { "measure", "1" }, { "abandon", "0" },
    { "restart", "no" }, { "guard", "0" }, { NULL, NULL },
};

static inline int open_plain(struct tuner *tuner, const struct world *world,
                             const struct test_option *option, struct err *err)
{
    struct test_option all[32] = { { NULL, NULL } };
    int n = 0;

    for (const struct test_option *o = plain; o->name; o++)
        all[n++] = *o;
    for (; option->name; option++)
        all[n++] = *option;
    return test_open(tuner, &tuner_scripted, world, all, err);
}

static inline void open_bench(struct test_search *b, int asks_max, const struct test_option *option)
{
    struct err err = { "" };

    script_asks_max = asks_max;
    b->world = test_world(1);
    b->knobs = b->world.start;
    if (open_plain(&b->tuner, &b->world, option, &err))
        fail_msg("%s", err.text);
}

static inline void step_all(struct test_search *b, double throughput, double rtt, double pfc,
                            double elephants)
{
    tuner_step(&b->tuner, test_report(&b->net, throughput, rtt, pfc, elephants), &b->knobs, &b->note);
}

static inline void step(struct test_search *b, double throughput, double elephants)
{
    step_all(b, throughput, 0.5, 1, elephants);
}

static inline double time_reset(const struct test_search *b)
{
    return b->knobs.value[KNOB_rpg_time_reset];
}

static inline double best_time_reset(const struct test_search *b)
{
    struct knobs best;

    b->tuner.algo->best(b->tuner.state, &best);
    return best.value[KNOB_rpg_time_reset];
}

static inline bool is_idle(const struct test_search *b)
{
    return b->tuner.algo->is_idle(b->tuner.state);
}

#endif
