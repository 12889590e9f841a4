/* src/tune/chameleon_test.c - rounds worked out by hand from the rules at the top of chameleon.c. */
#include "tune/search/test_search.h"

#include <string.h>

extern const struct search_algo chameleon_search;
extern const struct tuner_algo  tuner_chameleon;

static const double initial[] = { 0, 0.01, 3, 0.95, 1.5 };   /* preset, beta, patience, decay, step_factor */

/* Their turns come in another order: rpg_ai_rate (1), dce_tcp_g (2), kmin (0). */
static const struct space three = {
    .dims = 3,
    .dim = {
        { .knob = KNOB_kmin,        .min = 40,  .max = 1600, .step = 100 },
        { .knob = KNOB_rpg_ai_rate, .min = 0,   .max = 100,  .step = 10 },
        { .knob = KNOB_dce_tcp_g,   .min = 960, .max = 1020, .step = 5 },
    },
};

struct round {
    double             kmin, ai, g;          /* the expected setting */
    double             utility;              /* its utility */
    enum tuner_verdict verdict;
    const char        *why;                  /* part of the explanation */
};

/* Plays the rounds of a search that began at 'from'. */
static void play(void *chameleon, const struct round *round, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        double point[SPACE_DIMS_MAX] = { 0 };
        struct tuner_note note = { 0 };
        struct search_now now = test_now(round[i].utility);

        assert_true(chameleon_search.ask(chameleon, &now, point));
        assert_true(fabs(round[i].kmin - point[0]) < 1e-9);
        assert_true(fabs(round[i].ai - point[1]) < 1e-9);
        assert_true(fabs(round[i].g - point[2]) < 1e-9);
        chameleon_search.tell(chameleon, &now, &note);
        assert_int_equal(round[i].verdict, note.verdict);
        assert_non_null(strstr(note.why, round[i].why));
    }
}

/* The poster's order: rate increase, rate decrease, alpha, notification point, congestion point. Turns follow
 * the rows. */
static void turns__are_in_the_order_of_rows(void **state)
{
    static const enum knob poster[] = {
        KNOB_rpg_time_reset, KNOB_rpg_byte_reset, KNOB_rpg_threshold, KNOB_rpg_max_rate, KNOB_rpg_ai_rate,
        KNOB_rpg_hai_rate, KNOB_rpg_gd, KNOB_rpg_min_dec_fac, KNOB_rpg_min_rate,
        KNOB_rate_to_set_on_first_cnp, KNOB_rate_reduce_monitor_period, KNOB_dce_tcp_g, KNOB_dce_tcp_rtt,
        KNOB_initial_alpha_value, KNOB_min_time_between_cnps, KNOB_kmin, KNOB_kmax, KNOB_pmax,
    };

    (void)state;
    for (size_t i = 1; i < sizeof poster / sizeof *poster; i++)
        assert_true(poster[i - 1] < poster[i]);
}

static void ask__follows_the_poster_round_by_round(void **state)
{
    static const struct round rounds[] = {
        /* rpg_ai_rate: steps 15, 14.25, 13.5375, 12.860625, 12.21759375 */
        { 400, 55,          1020, 0.52,   TUNER_BEST,     "rpg_ai_rate from 40 to 55: a clear gain" },
        { 400, 69.25,       1020, 0.51,   TUNER_REJECTED, "from 55 to 69.25: a loss; the other direction" },
        { 400, 55.7125,     1020, 0.515,  TUNER_ACCEPTED, "hardly a gain; on" },          /* by 0.98 % */
        { 400, 42.851875,   1020, 0.5201, TUNER_BEST,     "hardly a gain; on" },          /* by 0.99 % */
        { 400, 30.63428125, 1020, 0.5,    TUNER_REJECTED, "in the other direction; back to its best value" },
        /* dce_tcp_g starts at its upper bound and so goes down: 7.5, 7.125, 6.76875. Small gains, one of
         * them 0. */
        { 400, 42.851875, 1012.5,    0.5201, TUNER_ACCEPTED, "dce_tcp_g from 1020 to 1012.5: hardly a gain" },
        { 400, 42.851875, 1005.375,  0.5202, TUNER_BEST,     "hardly a gain; on" },
        { 400, 42.851875, 998.60625, 0.5203, TUNER_BEST,     "hardly a gain for some time; the next" },
        /* kmin: 150, 142.5, 135.375. A gain over a loss is not a new best; both directions lose. */
        { 550,     42.851875, 998.60625, 0.4,  TUNER_REJECTED, "kmin from 400 to 550: a loss; the other" },
        { 407.5,   42.851875, 998.60625, 0.5,  TUNER_ACCEPTED, "a clear gain" },
        { 272.125, 42.851875, 998.60625, 0.45, TUNER_REJECTED, "as in the other direction" },
    };
    const double from[] = { 400, 40, 1020 };
    double point[3];
    struct search_now now = test_now(0.5);
    void *c = chameleon_search.create(&three, initial, 1);

    (void)state;
    chameleon_search.begin(c, from, &now);
    play(c, rounds, sizeof(rounds) / sizeof(*rounds));
    assert_false(chameleon_search.ask(c, &now, point));
    assert_false(chameleon_search.ask(c, &now, point));      /* the search stays over */
    chameleon_search.destroy(c);
}

static void ask__after_a_turn_starts_from_the_best_value(void **state)
{
    static const struct round rounds[] = {
        { 400, 55,     990,   0.6, TUNER_BEST,     "a clear gain" },
        { 400, 69.25,  990,   0.7, TUNER_BEST,     "a clear gain" },
        { 400, 82.7875, 990,  0.5, TUNER_REJECTED, "the other direction" },
        { 400, 69.926875, 990, 0.6, TUNER_ACCEPTED, "a clear gain" },
        { 400, 57.70928125, 990, 0.5, TUNER_REJECTED, "back to its best value" },
        { 400, 69.25, 997.5, 0.69, TUNER_REJECTED, "a loss" },         /* compared with 0.7, not with 0.5 */
    };
    const double from[] = { 400, 40, 990 };
    struct search_now now = test_now(0.5);
    void *c = chameleon_search.create(&three, initial, 1);

    (void)state;
    chameleon_search.begin(c, from, &now);
    play(c, rounds, sizeof(rounds) / sizeof(*rounds));
    chameleon_search.destroy(c);
}

static void ask__a_bound_that_is_reached_ends_the_turn(void **state)
{
    static const struct round rounds[] = {
        { 400, 95,  990,   0.6, TUNER_BEST, "a clear gain" },
        { 400, 100, 990,   0.7, TUNER_BEST, "a clear gain" },
        { 400, 100, 997.5, 0.8, TUNER_BEST, "dce_tcp_g" },
    };
    const double from[] = { 400, 80, 990 };
    struct search_now now = test_now(0.5);
    void *c = chameleon_search.create(&three, initial, 1);

    (void)state;
    chameleon_search.begin(c, from, &now);
    play(c, rounds, sizeof(rounds) / sizeof(*rounds));
    chameleon_search.destroy(c);
}

static void ask__a_parameter_that_cannot_move_is_passed_over(void **state)
{
    struct space space = { .dims = 1, .dim = { { .knob = KNOB_kmin, .min = 7, .max = 7, .step = 1 } } };
    const double from[] = { 7 };
    double point[1];
    struct search_now now = test_now(0.5);
    void *c = chameleon_search.create(&space, initial, 1);

    (void)state;
    chameleon_search.begin(c, from, &now);
    assert_false(chameleon_search.ask(c, &now, point));
    chameleon_search.destroy(c);
}

static void ask__a_step_is_never_less_than_the_quantum(void **state)
{
    static const double want[] = { 11.5, 12.5, 13.5 };       /* steps of 1.5, then 1, not 0.75 and 0.375 */
    static const double halving[] = { 0, 0.01, 3, 0.5, 1.5 };
    struct space space = {
        .dims = 1, .dim = { { .knob = KNOB_rpg_gd, .min = 1, .max = 20, .step = 1, .quantum = 1 } }
    };
    const double from[] = { 10 };
    double point[1];
    struct search_now now = test_now(0.1);
    void *c = chameleon_search.create(&space, halving, 1);

    (void)state;
    chameleon_search.begin(c, from, &now);
    for (int i = 0; i < 3; i++) {
        struct tuner_note note = { 0 };

        assert_true(chameleon_search.ask(c, &now, point));
        assert_true(fabs(want[i] - point[0]) < 1e-9);
        now = test_now(now.utility * 1.1);
        chameleon_search.tell(c, &now, &note);
    }
    chameleon_search.destroy(c);
}

static void begin__without_a_measurement_measures_first(void **state)
{
    static const struct round rounds[] = {
        { 400, 40, 990, 0.5, TUNER_BEST,     "the setting that the search begins with" },
        { 400, 55, 990, 0.4, TUNER_REJECTED, "a loss" },
    };
    const double from[] = { 400, 40, 990 };
    void *c = chameleon_search.create(&three, initial, 1);

    (void)state;
    chameleon_search.begin(c, from, NULL);
    play(c, rounds, 2);
    chameleon_search.destroy(c);
}

/* A second search forgets the first: first parameter, first step, upwards. */
static void begin__again_starts_afresh(void **state)
{
    static const struct round first[] = {
        { 400, 55, 990, 0.4, TUNER_REJECTED, "the other direction" },
    };
    static const struct round second[] = {
        { 800, 35, 1000, 0.4, TUNER_BEST, "a clear gain" },
    };
    const double from[] = { 400, 40, 990 }, then[] = { 800, 20, 1000 };
    struct search_now now = test_now(0.5), worse = test_now(0.3);
    void *c = chameleon_search.create(&three, initial, 1);

    (void)state;
    chameleon_search.begin(c, from, &now);
    play(c, first, 1);
    chameleon_search.begin(c, then, &worse);
    play(c, second, 1);
    chameleon_search.destroy(c);
}

/* A relative gain makes no sense for a utility of 0 or below, which the artifact's formula can yield. */
static void tell__takes_utilities_that_are_not_positive(void **state)
{
    static const struct round rounds[] = {
        { 400, 55,      990, -0.5,   TUNER_BEST,     "a clear gain" },
        { 400, 69.25,   990, -0.499, TUNER_BEST,     "hardly a gain" },
        { 400, 82.7875, 990, 0,      TUNER_BEST,     "a clear gain" },
        { 400, 95.648125, 990, 0,    TUNER_ACCEPTED, "hardly a gain" },
        { 400, 100,     990, -1e-9,  TUNER_REJECTED, "a loss" },
    };
    const double from[] = { 400, 40, 990 };
    struct search_now now = test_now(-0.6);
    void *c = chameleon_search.create(&three, initial, 1);

    (void)state;
    chameleon_search.begin(c, from, &now);
    play(c, rounds, sizeof(rounds) / sizeof(*rounds));
    chameleon_search.destroy(c);
}

/* The hill is a sum over its dimensions, so a search of one dimension after the other works well. A turn
 * ends after three small gains, or a loss in each direction: before the top, but more than half of the way
 * up. */
static void ask__climbs_a_hill(void **state)
{
    enum { DIMS = 6, ASKS = 280 };
    static double trace[ASKS * DIMS];
    static const double strict[] = { 0, 0.001, 3, 0.95, 1.5 };
    double origin[DIMS] = { 0 }, end = test_climb(&chameleon_search, strict, DIMS, ASKS, 1, trace);
    double below = 1 - test_hill(origin, DIMS);

    (void)state;
    assert_true(1 - end < 0.5 * below);
    for (uint32_t i = 0; i < DIMS; i++)
        assert_true(trace[(ASKS - 1) * DIMS + i] == 0);      /* the search has ended before */
}

static void options__are_its_own_and_those_of_all_searches(void **state)
{
    (void)state;
    test_options(&tuner_chameleon, &chameleon_search);
}

/* The preset sets the poster's metric and space. Options that the user gives stay. */
static void fill__published_is_the_posters(void **state)
{
    static const struct { const char *option; double value; } row[] = {
        { "metric", 1 }, { "space", SPACE_POSTER }, { "measure", 9 }, { "filter", 3 }, { "confirm", 2 },
        { "trigger", 2 },
    };
    struct option_values v;

    (void)state;
    option_values_init(tuner_chameleon.option, &v);
    option_values_set(tuner_chameleon.option, tuner_chameleon.name, &v, "preset", "published", NULL);
    option_values_set(tuner_chameleon.option, tuner_chameleon.name, &v, "confirm", "2", NULL);
    tuner_chameleon.fill(&v);
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
        assert_true(v.value[key_find(tuner_chameleon.option, row[i].option) - tuner_chameleon.option] ==
                    row[i].value);
    option_values_fini(&v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turns__are_in_the_order_of_rows),
        cmocka_unit_test(ask__follows_the_poster_round_by_round),
        cmocka_unit_test(ask__after_a_turn_starts_from_the_best_value),
        cmocka_unit_test(ask__a_bound_that_is_reached_ends_the_turn),
        cmocka_unit_test(ask__a_parameter_that_cannot_move_is_passed_over),
        cmocka_unit_test(ask__a_step_is_never_less_than_the_quantum),
        cmocka_unit_test(begin__without_a_measurement_measures_first),
        cmocka_unit_test(begin__again_starts_afresh),
        cmocka_unit_test(tell__takes_utilities_that_are_not_positive),
        cmocka_unit_test(ask__climbs_a_hill),
        cmocka_unit_test(fill__published_is_the_posters),
        cmocka_unit_test(options__are_its_own_and_those_of_all_searches),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
