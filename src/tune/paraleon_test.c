#include "base/rng.h"
#include "tune/search/space.h"
#include "tune/test_report.h"

#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

extern const struct tuner_algo tuner_paraleon, tuner_naive_sa;
extern const struct tuner_preset paraleon_presets[];

#define END { NULL, NULL }

/* Quality of a setting: 1 at one point of the safe space, falling with the square of the distance to 0. The
 * point lies on the way from the default to the bounds that favor elephants, but not in a corner. */
static double hill(const struct space *s, const struct knobs *k)
{
    double point[SPACE_DIMS_MAX], sum = 0;

    space_point(s, k, point);
    for (uint32_t i = 0; i < s->dims; i++) {
        const struct space_dim *d = &s->dim[i];
        double far = d->toward > 0 ? d->max : d->min, top = d->initial + 0.4 * (far - d->initial);
        double off = (point[i] - top) / (d->max - d->min);

        sum += off * off;
    }
    return sum < 2 ? 1 - sum / 2 : 0;
}

/* Runs a tuner for this many intervals. Returns the quality of the best setting that it knows in the end. */
static double climb(const struct tuner_algo *algo, const struct test_option *option, uint64_t seed,
                    int intervals)
{
    struct world world = test_world(seed);
    struct knobs knobs = world.start, best;
    struct tuner_note note;
    struct test_net net;
    struct space space;
    struct tuner tuner;

    space_init(&space, SPACE_SAFE, true, &world);
    assert_int_equal(0, test_open(&tuner, algo, &world, option, NULL));
    for (int i = 0; i <= intervals; i++) {
        double good = hill(&space, &knobs);

        tuner_step(&tuner, test_report(&net, 0.1 + 0.9 * good, 0.1 + 0.9 * good, 1, 0.9), &knobs, &note);
    }
    algo->best(tuner.state, &best);
    tuner_close(&tuner);
    return hill(&space, &best);
}

/* Both searches get 100 intervals, that is 25 settings, without presets, on the same hill, with ten seeds.
 * The guided one gets more than half of the way up. */
static void search__gets_near_the_top_sooner_than_naive_annealing(void **unused)
{
    static const struct test_option option[] = {
        { "budget", "100" }, { "confirm", "0" }, { "known", "no" }, END
    };
    struct world world = test_world(1);
    struct space space;
    double guided = 0, naive = 0, start;

    (void)unused;
    space_init(&space, SPACE_SAFE, true, &world);
    start = hill(&space, &world.start);
    for (uint64_t seed = 1; seed <= 10; seed++) {
        guided += climb(&tuner_paraleon, option, seed, 100) / 10;
        naive += climb(&tuner_naive_sa, option, seed, 100) / 10;
    }
    assert_true(guided > naive + 0.05);
    assert_true(1 - guided < (1 - start) / 2);
}

static int intervals_of_a_search(const char *preset, const char *give_up, struct tuner_note *last)
{
    const struct test_option option[] = {
        { "preset", preset }, { "confirm", "0" }, { "give_up", give_up }, END
    };
    struct world world = test_world(3);
    struct knobs knobs = world.start;
    struct test_net net;
    struct tuner tuner;
    int searching = 0;

    assert_int_equal(0, test_open(&tuner, &tuner_paraleon, &world, option, NULL));
    while (!tuner_paraleon.is_idle(tuner.state)) {
        tuner_step(&tuner, test_report(&net, 0.5, 0.5, 1, 0.9), &knobs, last);
        searching += last->phase == TUNER_SEARCH;
    }
    tuner_close(&tuner);
    return searching;
}

/* corrected: four known settings first (expert, hpcc, the current default, and the default with the other
 * first-CNP rate), then 2 settings at each of 14 temperatures. Each takes 1 interval to settle and 3 to
 * measure. If all are alike, the search gives up after 6. */
static void search__takes_as_long_as_published(void **unused)
{
    struct tuner_note last;

    (void)unused;
    assert_int_equal(280, intervals_of_a_search("published", "0", &last));
    assert_true(test_is_near(last.temperature, 90 * 0.1209, 0.01));      /* 0.85^13 = 0.12091 */
    assert_int_equal(130, intervals_of_a_search("artifact", "0", &last));
    assert_true(test_is_near(last.temperature, 80 * 0.1422, 0.01));      /* 0.85^12 = 0.14224 */
    assert_int_equal((4 + 28) * 4, intervals_of_a_search("corrected", "0", &last));
    assert_true(test_is_near(last.temperature, 9 * 0.1209, 0.001));
    assert_int_equal((4 + 6) * 4, intervals_of_a_search("corrected", "6", &last));
}

/* Every second setting is worse by a tenth. Returns the share of those that the search accepts below a
 * temperature of 12. */
static double share_taken(const char *preset)
{
    const struct test_option option[] = {
        { "preset", preset }, { "confirm", "0" }, { "known", "no" }, { "settle", "0" }, { "measure", "1" },
        { "abandon", "0" }, { "give_up", "0" }, { "mutate_from", "current" },
        { "temperature_start", "90" }, { "temperature_end", "10" }, { "iterations", "20" }, END
    };
    struct world world = test_world(4);
    struct knobs knobs = world.start;
    struct test_net net;
    struct tuner tuner;
    struct tuner_note note;
    int worse = 0, taken = 0;

    assert_int_equal(0, test_open(&tuner, &tuner_paraleon, &world, option, NULL));
    for (int i = 0; !tuner_paraleon.is_idle(tuner.state); i++) {
        bool   is_good = i % 2 == 0;
        double term = is_good ? 0.5 : 0.4;

        tuner_step(&tuner, test_report(&net, term, term, term + 0.5, 0.9), &knobs, &note);
        if (note.temperature < 12 && !is_good && note.phase == TUNER_SEARCH) {
            worse++;
            taken += note.verdict == TUNER_ACCEPTED;
        }
    }
    tuner_close(&tuner);
    return (double)taken / worse;
}

/* A loss of 0.1 at a temperature of 10.9 is accepted with e^-0.0092 or, in percent, with e^-0.92. */
static void search__refuses_only_if_utility_is_in_percent(void **unused)
{
    (void)unused;
    assert_true(share_taken("published") == 1);
    assert_true(share_taken("corrected") < 0.8);
}

/* Every row names an option of PARALEON and values that it accepts. */
static void presets__name_options_and_values(void **unused)
{
    struct option_values v;

    (void)unused;
    for (const struct tuner_preset *row = paraleon_presets; row->option; row++) {
        for (int i = 0; i < 3; i++) {
            struct err err = { "" };

            option_values_init(tuner_paraleon.option, &v);
            if (option_values_set(tuner_paraleon.option, tuner_paraleon.name, &v, row->option,
                                  row->value[i], &err))
                fail_msg("%s", err.text);
            option_values_fini(&v);
        }
    }
}

/* Options that are not given come from the preset, and the budget from the length of the search. Given
 * options stay, and no others count as given. Budgets: 14 temperatures of 20, 13 of 10, and 14 of 2 plus
 * six presets and the running setting. */
static void fill__shows_effective_values(void **unused)
{
    static const struct { const char *preset, *name, *given; double value; } row[] = {
        { "published", "temperature_start", NULL, 90 }, { "published", "budget", NULL, 280 },
        { "published", "weights", NULL, 1 },            { "published", "theta", "0.02", 0.02 },
        { "artifact", "budget", NULL, 130 },            { "artifact", "reread", NULL, 0 },
        { "corrected", "budget", NULL, 35 },            { "corrected", "give_up", NULL, 6 },
        { "corrected", "budget", "77", 77 },            { "corrected", "known", "no", 0 },
    };

    (void)unused;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        struct option_values v;
        int given = 0, at = 0;

        option_values_init(tuner_paraleon.option, &v);
        assert_int_equal(0, option_values_set(tuner_paraleon.option, tuner_paraleon.name, &v, "preset",
                                              row[i].preset, NULL));
        if (row[i].given)
            assert_int_equal(0, option_values_set(tuner_paraleon.option, tuner_paraleon.name, &v,
                                                  row[i].name, row[i].given, NULL));
        tuner_paraleon.fill(&v);
        while (strcmp(tuner_paraleon.option[at].name, row[i].name) != 0)
            at++;
        assert_true(v.value[at] == row[i].value);
        for (int n = 0; n < OPTIONS_MAX; n++)
            given += v.is_given[n];
        assert_int_equal(row[i].given ? 2 : 1, given);
        option_values_fini(&v);
    }
}

/* The initial values of PARALEON's own options are those of its initial preset. */
static void fill__changes_no_option_of_its_own(void **unused)
{
    struct option_values v, filled;

    (void)unused;
    option_values_init(tuner_paraleon.option, &v);
    filled = v;
    tuner_paraleon.fill(&filled);
    for (int i = 0; strcmp(tuner_paraleon.option[i].name, "trigger") != 0; i++)
        assert_true(v.value[i] == filled.value[i]);
    option_values_fini(&v);
}

/* Given options override the preset, as the first temperature and the start of the search show. */
static void preset__yields_to_given_options(void **unused)
{
    static const struct test_option option[] = {
        { "preset", "published" }, { "temperature_start", "33" }, { "start_from", "running" }, END
    };
    struct world world = test_world(1);
    struct knobs knobs = world.start;
    struct test_net net;
    struct tuner tuner;
    struct tuner_note note;

    (void)unused;
    assert_int_equal(0, test_open(&tuner, &tuner_paraleon, &world, option, NULL));
    tuner_step(&tuner, test_report(&net, 0.5, 0.5, 1, 0.9), &knobs, &note);
    assert_non_null(strstr(note.why, "search begins at the running setting"));
    tuner_step(&tuner, test_report(&net, 0.5, 0.5, 1, 0.9), &knobs, &note);
    assert_true(note.temperature == 33);
    tuner_close(&tuner);
}

static void create__refuses_conflicting_options(void **unused)
{
    static const struct { struct test_option option[4]; const char *why; } row[] = {
        { { { "temperature_end", "90" }, END }, "temperature_start: 9 must be above temperature_end (90)" },
        { { { "preset", "published" }, { "weight_pfc", "0.4" }, END },
          "weight_pfc: the weights 0.2, 0.5 and 0.4 sum to 1.1; they must sum to 1" },
        { { { "thta", "1" }, END }, "'thta' is not an option of paraleon; did you mean 'theta'?" },
        { { { "preset", "corected" }, END },
          "'corected' is not a value of preset; did you mean 'corrected'?" },
        { { { "iterations", "0" }, END }, "iterations must be 1 .. 100000, not 0" },
    };
    struct world world = test_world(1);

    (void)unused;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        struct tuner tuner;
        struct err err = { "" };

        assert_true(test_open(&tuner, &tuner_paraleon, &world, row[i].option, &err) < 0);
        assert_string_equal(row[i].why, err.text);
    }
}

static void assert_allowed(const struct space *s, const struct knobs *k)
{
    struct knobs clamped = *k;

    knobs_clamp(&clamped);
    assert_memory_equal(&clamped, k, sizeof clamped);
    assert_int_equal(0, knobs_check(k, NULL));
    assert_true(space_has(s, k));
}

/* Starts at the default setting, or at the nearest point of the space. */
static void start_inside(struct world *world, const struct space *s)
{
    double point[SPACE_DIMS_MAX];

    space_point(s, &world->start, point);
    space_knobs(s, point, &world->start);
}

/* 10,000 intervals with random utility and changing traffic in each space: every applied setting is
 * inside. */
static void search__applies_allowed_settings_only(void **unused)
{
    (void)unused;
    for (int kind = SPACE_SAFE; kind <= SPACE_ARTIFACT; kind++) {
        const struct test_option option[] = {
            { "space", space_names[kind] }, { "trigger", "always" }, { "known", "no" },
            { "remember", "no" }, { "guard", "0" }, { "floor", "no" }, END
        };
        struct world world = test_world(5);
        struct knobs knobs;
        struct test_net net;
        struct tuner tuner;
        struct tuner_note note;
        struct space space;
        struct rng rng;
        int searching = 0, searches = 0;

        rng_init(&rng, 5, (uint64_t)kind);
        space_init(&space, (enum space_kind)kind, true, &world);
        start_inside(&world, &space);
        knobs = world.start;
        assert_int_equal(0, test_open(&tuner, &tuner_paraleon, &world, option, NULL));
        for (int i = 0; i < 10000; i++) {
            double luck = 0.1 + 0.9 * rng_real(&rng);

            tuner_step(&tuner, test_report(&net, luck, luck, luck, i / 500 % 2 ? 0.95 : 0.05), &knobs, &note);
            assert_allowed(&space, &knobs);
            searching += note.phase == TUNER_SEARCH;
            searches += strstr(note.why, "search begins") != NULL;
        }
        assert_true(searching > 5000 && searches > 100);
        tuner_close(&tuner);
    }
}

/* FNV hash of the settings and explanations of 600 intervals. */
static uint64_t trace(uint64_t seed)
{
    static const struct test_option option[] = { END };
    struct world world = test_world(seed);
    struct knobs knobs = world.start;
    struct test_net net;
    struct tuner tuner;
    struct tuner_note note;
    uint64_t hash = 0xcbf29ce484222325;

    assert_int_equal(0, test_open(&tuner, &tuner_paraleon, &world, option, NULL));
    for (int i = 0; i < 600; i++) {
        double throughput = 0.5 + 0.001 * (i % 7);

        tuner_step(&tuner, test_report(&net, throughput, 0.5, 1, i < 300 ? 0.9 : 0.1), &knobs, &note);
        for (size_t n = 0; n < sizeof knobs; n++)
            hash = (hash ^ ((const unsigned char *)&knobs)[n]) * 0x100000001b3;
        for (const char *c = note.why; *c; c++)
            hash = (hash ^ (unsigned char)*c) * 0x100000001b3;
    }
    tuner_close(&tuner);
    return hash;
}

static void search__repeats_under_a_seed(void **unused)
{
    (void)unused;
    assert_true(trace(1) == trace(1));
    assert_true(trace(1) != trace(2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(search__gets_near_the_top_sooner_than_naive_annealing),
        cmocka_unit_test(search__takes_as_long_as_published),
        cmocka_unit_test(search__refuses_only_if_utility_is_in_percent),
        cmocka_unit_test(presets__name_options_and_values),
        cmocka_unit_test(fill__shows_effective_values),
        cmocka_unit_test(fill__changes_no_option_of_its_own),
        cmocka_unit_test(preset__yields_to_given_options),
        cmocka_unit_test(create__refuses_conflicting_options),
        cmocka_unit_test(search__applies_allowed_settings_only),
        cmocka_unit_test(search__repeats_under_a_seed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
