/* src/tune/nlopt_test.c */
#include "tune/search/test_search.h"

#include <nlopt.h>
#include <string.h>

#define DIMS    6
#define METHODS 5

extern const struct search_algo nlopt_search;
extern const struct tuner_algo  tuner_nlopt;

enum { SBPLX, NELDERMEAD, COBYLA, BOBYQA, DIRECT_L };

/* step .2, tolerance .001, no maxeval */
static void options(int method, double *value)
{
    const double row[] = { method, 0.2, 0.001, 0 };

    memcpy(value, row, sizeof(row));
}

/* What NLopt does when it calls the hill itself. */
struct direct { double *trace; uint32_t count; };

static double call_hill(unsigned n, const double *unit, double *gradient, void *data)
{
    struct direct *d = data;
    double point[DIMS];

    (void)gradient;
    for (unsigned i = 0; i < n; i++)
        point[i] = -5 + unit[i] * 10;
    memcpy(d->trace + d->count++ * n, point, sizeof(point));
    return test_hill(point, n);
}

/* Asked and told, it takes the very points that it takes when it calls; and ends after as many. */
static void ask__takes_the_points_that_the_library_takes(void **state)
{
    enum { ASKS = 400 };
    static const nlopt_algorithm algorithm[] = {
        NLOPT_LN_SBPLX, NLOPT_LN_NELDERMEAD, NLOPT_LN_COBYLA, NLOPT_LN_BOBYQA, NLOPT_GN_DIRECT_L,
    };
    static double one[ASKS * DIMS], two[ASKS * DIMS];

    (void)state;
    for (int m = 0; m < METHODS; m++) {
        double value[4], unit[DIMS] = { 0.5, 0.5, 0.5, 0.5, 0.5, 0.5 }, top;
        nlopt_opt opt = nlopt_create(algorithm[m], DIMS);
        struct direct d = { two, 0 };

        memset(one, 0, sizeof(one));
        memset(two, 0, sizeof(two));
        options(m, value);
        test_climb(&nlopt_search, value, DIMS, ASKS, 1, one);
        nlopt_set_lower_bounds1(opt, 0);
        nlopt_set_upper_bounds1(opt, 1);
        nlopt_set_initial_step1(opt, 0.2);
        nlopt_set_xtol_abs1(opt, 0.001);
        nlopt_set_maxeval(opt, ASKS);
        nlopt_set_max_objective(opt, call_hill, &d);
        assert_true(nlopt_optimize(opt, unit, &top) > 0);
        nlopt_destroy(opt);
        assert_memory_equal(one, two, sizeof(one));
    }
}

static void ask__climbs_a_hill(void **state)
{
    double origin[DIMS] = { 0 }, below = 1 - test_hill(origin, DIMS);

    (void)state;
    for (int m = 0; m < METHODS; m++) {
        double value[4];

        options(m, value);
        assert_true(1 - test_climb(&nlopt_search, value, DIMS, 280, 1, NULL) < 0.5 * below);
    }
}

/* A quadratic is what bobyqa models: it finds the top to the tolerance, and says that it is over. */
static void ask__bobyqa_finds_the_top_of_a_quadratic(void **state)
{
    enum { ASKS = 280 };
    static double trace[ASKS * DIMS];
    double value[4];

    (void)state;
    options(BOBYQA, value);
    assert_true(test_climb(&nlopt_search, value, DIMS, ASKS, 1, trace) > 1 - 1e-5);
    assert_true(trace[ASKS * DIMS - 1] == 0);        /* nothing was asked for in the end */
}

static void ask__ends_after_maxeval(void **state)
{
    static double trace[20 * DIMS];
    const double value[] = { SBPLX, 0.2, 0, 17 };

    (void)state;
    test_climb(&nlopt_search, value, DIMS, 20, 1, trace);
    assert_true(trace[16 * DIMS] != 0);
    for (uint32_t i = 17 * DIMS; i < 20 * DIMS; i++)
        assert_true(trace[i] == 0);
}

/* Asks without being told get the same point again; a search that is over stays so. */
static void ask__waits_its_turn(void **state)
{
    const double value[] = { SBPLX, 0.2, 0, 1 };
    struct space space = test_space(2);
    double from[2] = { 1, 2 }, point[2] = { 0 };
    struct search_now now = test_now(0.5);
    struct tuner_note note = { 0 };
    void *l = nlopt_search.create(&space, value, 1);

    (void)state;
    nlopt_search.begin(l, from, &now);
    for (int i = 0; i < 2; i++) {
        assert_true(nlopt_search.ask(l, &now, point));
        assert_true(fabs(point[0] - 1) < 1e-12 && fabs(point[1] - 2) < 1e-12);       /* where it begins */
    }
    nlopt_search.tell(l, &now, &note);
    assert_int_equal(TUNER_NO_VERDICT, note.verdict);
    assert_string_equal("sbplx wanted to know: not the best so far", note.why);
    assert_false(nlopt_search.ask(l, &now, point));
    assert_false(nlopt_search.ask(l, &now, point));
    nlopt_search.destroy(l);
}

/* Ended before it began, before and after a question, before and after an answer: each method, no thread and
 * no memory is left behind (the address sanitizer looks). */
static void destroy__in_the_middle(void **state)
{
    struct space space = test_space(DIMS);
    double from[DIMS] = { 0 }, point[DIMS];

    (void)state;
    for (int m = 0; m < METHODS; m++)
        for (int halves = -1; halves < 60; halves++) {
            struct search_now now = test_now(0.5);
            double value[4];
            void *l;

            options(m, value);
            l = nlopt_search.create(&space, value, 1);
            if (halves >= 0)
                nlopt_search.begin(l, from, &now);
            for (int i = 0; i < halves; i++) {
                struct tuner_note note = { 0 };

                if (i % 2) {
                    now = test_now(test_hill(point, DIMS));
                    nlopt_search.tell(l, &now, &note);
                } else if (!nlopt_search.ask(l, &now, point)) {
                    assert_int_equal(BOBYQA, m);     /* the others need longer */
                    break;
                }
            }
            nlopt_search.destroy(l);
        }
}

static void begin__again_in_the_middle_starts_afresh(void **state)
{
    struct space space = test_space(2);
    double from[2] = { 1, 2 }, then[2] = { -3, 4 }, point[2] = { 0 };
    struct search_now now = test_now(0.5);
    double value[4];
    void *l;

    (void)state;
    options(NELDERMEAD, value);
    l = nlopt_search.create(&space, value, 1);
    nlopt_search.begin(l, from, &now);
    for (int i = 0; i < 5; i++) {
        struct tuner_note note = { 0 };

        assert_true(nlopt_search.ask(l, &now, point));
        nlopt_search.tell(l, &now, &note);
    }
    nlopt_search.begin(l, then, &now);
    assert_true(nlopt_search.ask(l, &now, point));
    assert_true(fabs(point[0] + 3) < 1e-12 && fabs(point[1] - 4) < 1e-12);
    nlopt_search.destroy(l);
}

/* A first step of 0 is what the library refuses: there is nothing to ask, and a reason; the next search is not
 * touched by it. */
static void begin__what_fails_comes_back(void **state)
{
    const double value[] = { SBPLX, 0, 0.001, 0 };
    struct space space = test_space(2);
    double from[2] = { 1, 2 }, point[2] = { 0 };
    struct search_now now = test_now(0.5);
    void *l = nlopt_search.create(&space, value, 1);

    (void)state;
    assert_null(nlopt_search.failure(l));
    for (int i = 0; i < 2; i++) {
        nlopt_search.begin(l, from, &now);
        assert_false(nlopt_search.ask(l, &now, point));
        assert_string_equal("NLopt's sbplx cannot be set up", nlopt_search.failure(l));
    }
    nlopt_search.destroy(l);
}

/* All methods at a time, in turns: none disturbs the others. */
static void ask__several_searches_at_once(void **state)
{
    enum { ASKS = 60 };
    static double alone[METHODS][ASKS * DIMS];
    struct space space = test_space(DIMS);
    double from[DIMS] = { 0 }, value[4];
    struct search_now start = test_now(test_hill(from, DIMS));
    void *l[METHODS];

    (void)state;
    for (int m = 0; m < METHODS; m++) {
        options(m, value);
        test_climb(&nlopt_search, value, DIMS, ASKS, 1, alone[m]);
        l[m] = nlopt_search.create(&space, value, 1);
        nlopt_search.begin(l[m], from, &start);
    }
    for (uint32_t k = 0; k < ASKS; k++)
        for (int m = 0; m < METHODS; m++) {
            struct tuner_note note = { 0 };
            double point[DIMS] = { 0 };
            struct search_now now;

            if (!nlopt_search.ask(l[m], &start, point))
                continue;
            now = test_now(test_hill(point, DIMS));
            nlopt_search.tell(l[m], &now, &note);
            assert_memory_equal(alone[m] + k * DIMS, point, sizeof(point));
        }
    for (int m = 0; m < METHODS; m++)
        nlopt_search.destroy(l[m]);
}

static void options__are_its_own_and_those_of_all_searches(void **state)
{
    (void)state;
    test_options(&tuner_nlopt, &nlopt_search);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ask__takes_the_points_that_the_library_takes),
        cmocka_unit_test(ask__climbs_a_hill),
        cmocka_unit_test(ask__bobyqa_finds_the_top_of_a_quadratic),
        cmocka_unit_test(ask__ends_after_maxeval),
        cmocka_unit_test(ask__waits_its_turn),
        cmocka_unit_test(destroy__in_the_middle),
        cmocka_unit_test(begin__again_in_the_middle_starts_afresh),
        cmocka_unit_test(begin__what_fails_comes_back),
        cmocka_unit_test(ask__several_searches_at_once),
        cmocka_unit_test(options__are_its_own_and_those_of_all_searches),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
