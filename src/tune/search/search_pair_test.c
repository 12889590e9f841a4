/* src/tune/search/search_pair_test.c */
#include "base/rng.h"
#include "tune/search/test_script.h"

/* A network that gets calmer for 21 intervals and stormier for as many, by 'drift' of throughput each, whatever is set: a search of five
 * settings, four intervals each, lasts for one of these and the measurements after it for the other. All settings but the one
 * from before are worse by 'loss'. Returns the one that is kept. */
static double kept_in_a_drift(const char *interleave, double drift, double loss, uint64_t seed)
{
    struct test_search b;
    double             kept;
    struct rng         rng;

    rng_init(&rng, seed, 3);
    script_asks_max = 5;
    b.world = test_world(seed);
    b.knobs = b.world.start;
    assert_int_equal(open_plain(&b.tuner, &b.world, TEST_OPTIONS({ "confirm", "3" }, { "settle", "1" }, { "measure", "3" },
                                { "interleave", interleave }), NULL), 0);
    for (int i = 0; i == 0 || (!is_idle(&b) && i < 2000); i++) {
        int calm = i % 42 < 21 ? i % 42 : 42 - i % 42;

        step(&b, 0.5 + drift * calm - (time_reset(&b) == 300 ? 0 : loss) + 0.01 * (rng_real(&rng) - 0.5), 0.9);
    }
    assert_true(is_idle(&b));
    kept = time_reset(&b);
    tuner_close(&b.tuner);
    return kept;
}

/* Settings that are tried later are tried in calmer times and look better than the one from before; measured again, the latter always comes
 * four intervals later, in stormier times: by 0.02, which is more than it is better by. Pairs in an order that a coin decides see through it. */
static void interleave__is_not_fooled_by_drift(void **unused)
{
    int plain_is_fooled = 0, pairs_are_fooled = 0;

    (void)unused;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        plain_is_fooled += kept_in_a_drift("0", 0.005, 0.01, seed) != 300;
        pairs_are_fooled += kept_in_a_drift("16", 0.005, 0.01, seed) != 300;
    }
    assert_int_equal(plain_is_fooled, 20);
    assert_int_equal(pairs_are_fooled, 0);
}

/* What is better by much is kept, drift or not. */
static void interleave__keeps_what_is_better(void **unused)
{
    int kept = 0;

    (void)unused;
    for (uint64_t seed = 1; seed <= 20; seed++)
        kept += kept_in_a_drift("16", 0.005, -0.2, seed) != 300;
    assert_true(kept >= 18);
}

/* Nothing is better or worse than anything else. At most 1 in 20 may be kept by chance, by Ville's inequality. */
static void interleave__keeps_nothing_by_chance(void **unused)
{
    int kept = 0;

    (void)unused;
    for (uint64_t seed = 1; seed <= 200; seed++)
        kept += kept_in_a_drift("16", 0, 0, seed) != 300;
    assert_true(kept <= 20);
}

/* Blocks of one interval: each setting is in force as often as the one from before, and what is told is their difference on top of what
 * the latter had at first. */
static void pair__tells_differences(void **unused)
{
    struct test_search b;
    int                turns[2] = { 0, 0 };

    (void)unused;
    open_bench(&b, 4, TEST_OPTIONS({ "interleave", "8" }));
    step(&b, 0.5, 0.9);
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 2; k++) {
            bool is_new = time_reset(&b) != 300;

            turns[is_new]++;
            step(&b, 0.5 + 0.04 * i + (is_new ? 0.1 : 0), 0.9);        /* the same drift for both */
            if (k == 1)
                assert_true(test_is_near(script->told.terms.throughput, 0.6, 1e-6));
        }
    assert_int_equal(script->tells, 4);
    assert_true(best_time_reset(&b) >= 100 && best_time_reset(&b) <= 103);
    assert_int_equal(turns[0], 4);
    assert_int_equal(turns[1], 4);
    tuner_close(&b.tuner);
}

/* Nothing that was tried is proved: another search begins at what was in force before, not at the best so far. */
static void pair__other_traffic_brings_the_incumbent_back(void **unused)
{
    struct test_search b;

    (void)unused;
    open_bench(&b, 4, TEST_OPTIONS({ "interleave", "8" }, { "restart", "yes" }));
    step(&b, 0.5, 0.9);
    for (int i = 0; i < 3; i++)
        step(&b, time_reset(&b) == 300 ? 0.5 : 0.9, 0.9);
    step(&b, 0.5, 0.1);
    assert_int_equal(script->begins, 2);
    assert_true(script->from[0] == 300);
    tuner_close(&b.tuner);
}

/* The incumbent is measured all the time: among presets it is not tried against itself. */
static void pair__the_incumbent_does_not_meet_itself(void **unused)
{
    struct test_search b;

    (void)unused;
    open_bench(&b, 1, TEST_OPTIONS({ "interleave", "2" }, { "known", "yes" }));
    step(&b, 0.5, 0.1);
    for (int i = 0; i < 100 && !is_idle(&b); i++) {
        assert_null(strstr(b.note.why, "before was tried"));
        step(&b, 0.5, 0.1);
    }
    assert_true(is_idle(&b) && time_reset(&b) == 300);
    tuner_close(&b.tuner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(interleave__is_not_fooled_by_drift),
        cmocka_unit_test(interleave__keeps_what_is_better),
        cmocka_unit_test(interleave__keeps_nothing_by_chance),
        cmocka_unit_test(pair__tells_differences),
        cmocka_unit_test(pair__the_incumbent_does_not_meet_itself),
        cmocka_unit_test(pair__other_traffic_brings_the_incumbent_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
