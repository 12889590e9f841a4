/* src/tune/search/test_search.h - for tests of searchers: a space, and a network that is a function of it. */
#ifndef TUNE_SEARCH_TEST_SEARCH_H
#define TUNE_SEARCH_TEST_SEARCH_H

#include "tune/search/search.h"
#include "tune/search/space.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

/* 'dims' dimensions from -5 to 5 in steps of 1, with the first knobs as names. */
static inline struct space test_space(uint32_t dims)
{
    struct space s = { .dims = dims, .line_mbps = 100000 };

    for (uint32_t i = 0; i < dims; i++)
        s.dim[i] = (struct space_dim){ .knob = (enum knob)i, .min = -5, .max = 5, .step = 1, .toward = 1 };
    return s;
}

/* An interval with this utility, which depends on throughput alone. */
static inline struct search_now test_now(double utility)
{
    return (struct search_now){
        .terms = { .throughput = utility }, .weights = { .throughput = 1 }, .utility = utility,
        .elephants = 0.5,
    };
}

/* A concave hill with its top at (1, -2, 3, 1, -2, 3, ...), between 0 and 1 in the space of ten
 * dimensions. */
static inline double test_hill(const double *point, uint32_t dims)
{
    static const double top[] = { 1, -2, 3 };
    double sum = 0;

    for (uint32_t i = 0; i < dims; i++)
        sum += (1 + i % 4) * (point[i] - top[i % 3]) * (point[i] - top[i % 3]);
    return 1 - sum / 1600;
}

/* Searches the hill from the origin with at most 'asks' settings. Returns the best utility seen. 'trace'
 * may be NULL; it gets the points: asks * dims numbers, zero after the search has ended. */
static inline double test_climb(const struct search_algo *algo, const double *value, uint32_t dims,
                                uint32_t asks, uint64_t seed, double *trace)
{
    struct space space = test_space(dims);
    double from[SPACE_DIMS_MAX] = { 0 }, point[SPACE_DIMS_MAX] = { 0 }, best = -HUGE_VAL;
    struct search_now now = test_now(test_hill(from, dims));
    void *state = algo->create(&space, value, seed);

    algo->begin(state, from, &now);
    for (uint32_t k = 0; k < asks && algo->ask(state, &now, point); k++) {
        struct tuner_note note = { 0 };

        now = test_now(test_hill(point, dims));
        algo->tell(state, &now, &note);
        best = now.utility > best ? now.utility : best;
        for (uint32_t i = 0; i < dims && trace; i++)
            trace[k * dims + i] = point[i];
    }
    algo->destroy(state);
    return best;
}

/* A tuner's table has each option once, including those of all searches. Every initial value is within
 * bounds. */
static inline void test_options(const struct tuner_algo *tuner, const struct search_algo *algo)
{
    static const struct key_row shared[] = { SEARCH_OPTIONS, { 0 } };
    uint32_t rows = 0;

    assert_ptr_equal(tuner->option, algo->option);
    for (const struct key_row *o = tuner->option; o->name; o++, rows++) {
        assert_ptr_equal(o, key_find(tuner->option, o->name));
        assert_true(o->about && (o->choices || o->unit == KEY_YES ||
                                 (o->min <= option_initial(o) && option_initial(o) <= o->max)));
    }
    assert_in_range(rows, 1, OPTIONS_MAX);
    for (const struct key_row *o = shared; o->name; o++)
        assert_non_null(key_find(tuner->option, o->name));
}

#endif
