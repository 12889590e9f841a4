/* src/tune/rehearse/search/twin_search_test.c */
#include "tune/rehearse/search/twin_search.h"
#include "core/units.h"
#include "tune/rehearse/search/test_predictor.h"
#include "tune/setting.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>
#include <math.h>

static struct world the_world(void)
{
    struct world w = { .host_bps = 100000000000, .base_rtt_ps = 12 * PS_PER_US };

    knobs_init(&w.start);
    return w;
}

static struct test_network network(const struct world *w, double common, double own)
{
    struct test_network n = { .steep = 3, .common = common, .own = own };

    coded_init(&n.coded, w);
    for (uint32_t i = 0; i < n.coded.dims; i++)
        n.best[i] = i % 3 == 0 ? 0.3 : i % 3 == 1 ? 0.7 : 0.5;
    return n;
}

static struct rehearsal do_rehearse(struct test_network *n, const struct world *w, uint64_t seed,
                                    uint64_t budget)
{
    struct predictor        p = { .arg = n, .run = test_predict };
    struct rehearse_request q = { .predictor = &p, .world = w, .goal = goal_all, .base = w->start,
                                  .seed = seed, .budget = budget };
    struct rehearsal        r;
    struct err              err;

    assert_int_equal(rehearse(&r, &q, &err), 0);
    return r;
}

static double distance(const struct test_network *n, const struct knobs *k)
{
    double unit[CODED_DIMS_MAX], sum = 0;

    coded_from_knobs(&n->coded, k, unit);
    for (uint32_t i = 0; i < n->coded.dims; i++)
        sum += (unit[i] - n->best[i]) * (unit[i] - n->best[i]);
    return sum / n->coded.dims;
}

/* Noise that all settings share, ten times their differences, does no harm: they meet the same messages. */
static void rehearse__finds_the_best_under_common_noise(void **state)
{
    struct world        w = the_world();
    struct test_network n = network(&w, 1, 0.01);
    struct rehearsal    r = do_rehearse(&n, &w, 1, 500000);
    const struct runner *best = &r.race.runner[r.race.winner];

    (void)state;
    assert_true(distance(&n, &best->knobs) < 0.25 * distance(&n, &w.start));
    assert_true(r.race.gain.high < 0);
    /* The race's estimate is right: the ratio of slowdowns is known in closed form. */
    assert_true(fabs(r.race.gain.mean - 3 * (distance(&n, &best->knobs) - distance(&n, &w.start))) < 0.03);
}

/* All settings are equally good. The race's estimate of the winner stays near 0, although hundreds were
 * tried and the luckiest of them looked good. */
static void rehearse__a_lucky_setting_is_not_believed(void **state)
{
    struct world        w = the_world();
    double              sum = 0;
    uint32_t            sure = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct test_network n = network(&w, 0.3, 0.1);
        struct rehearsal    r;

        n.steep = 0;
        r = do_rehearse(&n, &w, 1000 * seed, 200000);
        sum += r.race.gain.mean;
        sure += r.race.gain.high < -0.02;
    }
    assert_true(sum / 40 > -0.06);
    assert_true(sure <= 8);
}

static void rehearse__the_same_seed_finds_the_same(void **state)
{
    struct world        w = the_world();
    struct test_network a = network(&w, 0.3, 0.02), b = a;
    struct rehearsal    x = do_rehearse(&a, &w, 7, 100000), y = do_rehearse(&b, &w, 7, 100000);

    (void)state;
    assert_true(knobs_equal(&x.race.runner[x.race.winner].knobs, &y.race.runner[y.race.winner].knobs));
    assert_true(x.spent == y.spent && x.trials == y.trials);
}

static void rehearse__keeps_to_its_budget(void **state)
{
    static const uint64_t budgets[] = { 40000, 100000, 400000 };
    struct world          w = the_world();

    (void)state;
    for (int i = 0; i < 3; i++) {
        struct test_network n = network(&w, 0.3, 0.02);
        struct rehearsal    r = do_rehearse(&n, &w, 7, budgets[i]);

        /* The minimum is the presets, the best of them again, and four blocks of the race. */
        assert_true(r.spent <= budgets[i] + 60 * 1000);
        assert_int_equal(r.trials, n.trials);
    }
}

/* The baseline is the best setting, so it stays. */
static void rehearse__keeps_the_baseline_if_nothing_is_better(void **state)
{
    struct world        w = the_world();
    struct test_network n = network(&w, 0.3, 0);
    struct rehearsal    r;

    (void)state;
    coded_from_knobs(&n.coded, &w.start, n.best);
    r = do_rehearse(&n, &w, 3, 200000);
    assert_true(r.race.gain.mean > -0.001);
}

/* The preset bdp is the best setting. It is listed with the gain that the closed form gives, and it wins. */
static void rehearse__lists_presets_and_races_them(void **state)
{
    struct world         w = the_world();
    struct test_network  n = network(&w, 0.3, 0);
    struct knobs         bdp = w.start;
    struct rehearsal     r;
    uint32_t             found = 0;

    (void)state;
    setting_find("bdp")->make(&bdp, &w);
    coded_from_knobs(&n.coded, &bdp, n.best);
    r = do_rehearse(&n, &w, 3, 60000);
    for (uint32_t i = 0; i < r.nameds; i++)
        if (strcmp(r.named[i].name, "bdp") == 0) {
            assert_true(fabs(r.named[i].gain - 3 * (distance(&n, &bdp) - distance(&n, &w.start))) < 1e-6);
            found++;
        }
    assert_int_equal(found, 1);
    assert_true(r.nameds >= 5);
    assert_string_equal(r.race.runner[r.race.winner].name, "bdp");
}

/* The current setting runs in the race even if the screening would drop it, so the winner is known to be
 * better. */
static void rehearse__races_the_current_setting(void **state)
{
    struct world            w = the_world();
    struct test_network     n = network(&w, 0.3, 0);
    struct predictor        p = { .arg = &n, .run = test_predict };
    struct knobs            far = w.start;
    struct rehearse_request q = { .predictor = &p, .world = &w, .goal = goal_all, .base = w.start,
                                  .now = &far, .seed = 1, .budget = 100000 };
    struct rehearsal        r;
    struct err              err;
    double                  unit[CODED_DIMS_MAX];

    (void)state;
    for (uint32_t i = 0; i < n.coded.dims; i++)
        unit[i] = n.best[i] < 0.5 ? 1 : 0;
    coded_to_knobs(&n.coded, unit, &far);
    assert_int_equal(rehearse(&r, &q, &err), 0);
    assert_true(knobs_equal(&r.race.runner[1].knobs, &far));
    assert_true(r.race.runner[1].blocks >= RACE_BLOCKS_FIRST);
    assert_true(race_gain(&r.race.runner[r.race.winner], &r.race.runner[1]).high < -0.5);
}

/* The best settings in short trials are the worst in long ones. A race with trials as short as the search's
 * picks one of them; a race with longer trials does not. */
static void rehearse__longer_trials_see_late_effects(void **state)
{
    (void)state;
    for (int is_long = 0; is_long < 2; is_long++) {
        struct world            w = the_world();
        struct test_network     n = network(&w, 0.3, 0);
        struct predictor        p = { .arg = &n, .run = test_predict };
        struct rehearse_request q = { .predictor = &p, .world = &w, .goal = goal_all,
                                      .base = w.start, .seed = 1, .race_length = is_long ? 3 : 0,
                                      .budget = 500000 };
        struct predict_point    later[2] = { { &w.start, 7, 1, 3 }, { NULL, 7, 1, 3 } };
        struct predicted        is[2];
        struct rehearsal        r;
        struct err              err;

        n.later = 5;
        assert_int_equal(rehearse(&r, &q, &err), 0);
        later[1].knobs = &r.race.runner[r.race.winner].knobs;
        test_predict(&n, later, 2, is, &err);
        assert_int_equal(goal_gain(goal_all, &is[1].all, &is[0].all) <= 0, is_long);
    }
}

static void rehearse__passes_on_the_predictors_error(void **state)
{
    struct world            w = the_world();
    struct test_network     n = network(&w, 0.3, 0);
    struct predictor        p = { .arg = &n, .run = test_predict };
    struct rehearse_request q = { .predictor = &p, .world = &w, .goal = goal_all, .base = w.start, .seed = 1,
                                  .budget = 100000 };
    struct rehearsal        r;
    struct err              err;

    (void)state;
    n.fails_at = 50;
    assert_int_equal(rehearse(&r, &q, &err), -EIO);
    assert_string_equal(err.text, "the network is on fire");
}

/* The network has refuted the winner. The next search finds another setting and does not run the refuted
 * one, even if the request proposes it. */
static void rehearse__does_not_run_refuted_settings(void **state)
{
    struct world            w = the_world();
    struct test_network     n = network(&w, 0.3, 0.01);
    struct rehearsal        r = do_rehearse(&n, &w, 1, 500000);
    struct knobs            refuted = r.race.runner[r.race.winner].knobs;
    struct predictor        p = { .arg = &n, .run = test_predict };
    struct rehearse_request q = { .predictor = &p, .world = &w, .goal = goal_all, .base = w.start, .seed = 1,
                                  .budget = 500000, .more = &refuted, .mores = 1, .not = &refuted,
                                  .nots = 1 };
    struct err              err;

    (void)state;
    assert_int_equal(rehearse(&r, &q, &err), 0);
    for (uint32_t i = 0; i < r.race.runners; i++)
        assert_false(knobs_equal(&r.race.runner[i].knobs, &refuted));
    assert_true(r.race.gain.high < 0);
}

/* Only the baseline, the current setting and the best of the heat run long trials. The others have only run
 * the heat, and are compared by it. */
static void rehearse__the_best_of_a_heat_run_long_trials(void **state)
{
    struct world            w = the_world();
    struct test_network     n = network(&w, 0.3, 0.2);
    struct predictor        p = { .arg = &n, .run = test_predict };
    struct knobs            bdp = w.start;
    struct rehearse_request q = { .predictor = &p, .world = &w, .goal = goal_all, .base = w.start,
                                  .now = &bdp, .seed = 1, .race_length = 3, .budget = 100000 };
    struct rehearsal        r;
    struct err              err;
    uint32_t                finalists = 0;
    double                  worst = -1e9;

    (void)state;
    setting_find("bdp")->make(&bdp, &w);
    assert_int_equal(rehearse(&r, &q, &err), 0);
    assert_true(r.race.runners > RACE_FINALISTS && r.race.heats == RACE_BLOCKS_FIRST);
    assert_true(r.race.runner[0].is_final && knobs_equal(&r.race.runner[1].knobs, &bdp) &&
                r.race.runner[1].is_final);
    assert_true(r.race.runner[0].blocks == r.race.runner[1].blocks &&
                r.race.runner[0].blocks >= RACE_BLOCKS_FIRST);
    for (uint32_t i = 0; i < r.race.runners; i++) {
        const struct runner *x = &r.race.runner[i];
        double               heat = race_gain(x, &r.race.runner[0]).mean;

        finalists += x->is_final;
        heat = x->is_final ? (x->heat[0] + x->heat[1] + x->heat[2] + x->heat[3]) / 4 : heat;
        if (x->is_final && i >= 2)
            worst = fmax(worst, heat);
        assert_true(x->is_final || x->is_out);
    }
    assert_int_equal(finalists, RACE_FINALISTS);
    assert_true(r.race.runner[r.race.winner].is_final);
    for (uint32_t i = 2; i < r.race.runners; i++)        /* no better one was left behind in the heat */
        assert_true(r.race.runner[i].is_final ||
                    race_gain(&r.race.runner[i], &r.race.runner[0]).mean >= worst);
}

/* All settings are equally good: each preset runs once, and the baseline runs the four blocks that a race
 * needs. The budget is not used up. */
static void rehearse__stops_if_no_setting_matters(void **state)
{
    struct world        w = the_world();
    struct test_network n = network(&w, 1, 0);
    struct rehearsal    r;

    (void)state;
    n.steep = 0;
    r = do_rehearse(&n, &w, 1, 1000000);
    assert_in_range(r.trials, 10, 40);
    assert_int_equal(r.generations, 0);
    assert_int_equal(r.race.winner, 0);
    assert_true(r.nameds > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rehearse__finds_the_best_under_common_noise),
        cmocka_unit_test(rehearse__stops_if_no_setting_matters),
        cmocka_unit_test(rehearse__a_lucky_setting_is_not_believed),
        cmocka_unit_test(rehearse__the_same_seed_finds_the_same),
        cmocka_unit_test(rehearse__keeps_to_its_budget),
        cmocka_unit_test(rehearse__keeps_the_baseline_if_nothing_is_better),
        cmocka_unit_test(rehearse__lists_presets_and_races_them),
        cmocka_unit_test(rehearse__races_the_current_setting),
        cmocka_unit_test(rehearse__longer_trials_see_late_effects),
        cmocka_unit_test(rehearse__the_best_of_a_heat_run_long_trials),
        cmocka_unit_test(rehearse__does_not_run_refuted_settings),
        cmocka_unit_test(rehearse__passes_on_the_predictors_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
