#include "tune/anneal.h"
#include "tune/test_report.h"

#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <stdint.h>

#include <cmocka.h>

static const struct anneal_cfg published = {
    .temperature_start = 90, .temperature_end = 10, .cooling = 0.85, .iterations = 20, .eta = 0.8, .scale = 1,
    .guided = true,
};

/* A space with bounds that no walk reaches. */
static struct space wide_space(uint32_t dims)
{
    struct space s = { .dims = dims, .line_mbps = 100000 };

    for (uint32_t i = 0; i < dims; i++)
        s.dim[i] = (struct space_dim){
            .knob = KNOB_rpg_ai_rate, .min = -1e9, .max = 1e9, .step = i + 1.0, .toward = i % 2 ? 1 : -1,
        };
    return s;
}

static struct search_now now_of(double throughput, double elephants)
{
    return (struct search_now){
        .terms = { .throughput = throughput }, .weights = { .throughput = 1 },
        .elephants = elephants, .is_known = true,
    };
}

/* e^(difference / temperature), as in the table of the docs. 40,000 draws; the tolerance is four standard
 * deviations. */
static void accepts__with_the_right_probability(void **unused)
{
    static const struct { double difference, temperature, chance; } row[] = {
        { -0.01, 90, 0.9999 }, { -0.05, 10, 0.995 }, { -0.10, 90, 0.9989 }, { -0.30, 10, 0.970 },
        { -1, 90, 0.989 }, { -1, 10, 0.905 }, { -5, 90, 0.946 }, { -5, 10, 0.607 }, { -10, 90, 0.895 },
        { -10, 10, 0.368 }, { -30, 90, 0.717 }, { -30, 10, 0.050 }, { -0.05, 0.01, 0.007 }, { -0.3, 0.01, 0 },
    };
    struct rng rng;

    (void)unused;
    rng_init(&rng, 3, 4);
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        double p = row[i].chance, error = 0.0005 + 4 * sqrt(p * (1 - p) / 40000);
        int accepted = 0;

        for (int n = 0; n < 40000; n++)
            accepted += anneal_accepts(&rng, row[i].difference, row[i].temperature);
        assert_true(test_is_near(accepted / 40000.0, p, error));
    }
    for (int n = 0; n < 1000; n++)
        assert_true(anneal_accepts(&rng, 1e-9, 1e-9));
}

/* 90 * 0.85^13 = 10.9 is the 14th temperature, 80 * 0.85^12 = 11.4 the 13th, 100 * 0.95^89 = 1.04 the
 * 90th. */
static void settings__of_the_known_schedules(void **unused)
{
    static const struct anneal_cfg naive = {
        .temperature_start = 100, .temperature_end = 1, .cooling = 0.95, .iterations = 10,
    };
    struct anneal_cfg artifact = published;

    (void)unused;
    artifact.temperature_start = 80;
    artifact.iterations = 10;
    assert_int_equal(280, anneal_settings(&published));
    assert_int_equal(130, anneal_settings(&artifact));
    assert_int_equal(900, anneal_settings(&naive));
}

static void ask__ends_after_all_settings(void **unused)
{
    struct space space = wide_space(3);
    struct anneal *a = anneal_new(&space, published, 1);
    struct search_now now = now_of(0.5, 0.5);
    struct tuner_note note = { 0 };
    double point[SPACE_DIMS_MAX] = { 0 };
    int asked = 0;

    (void)unused;
    anneal_begin(a, point, NULL);
    for (; anneal_ask(a, &now, point); asked++)
        anneal_tell(a, &now, &note);
    assert_int_equal(280, asked);
    free(a);
}

/* Returns the mean drift per iteration toward what the dominant flows need, in steps of the parameter. All
 * moves are accepted. A move deviates by less than 0.8, so 0.023 is four standard deviations of the mean of
 * 4 * 5000. */
static double drift(struct anneal_cfg cfg, double elephants, bool is_known)
{
    struct space space = wide_space(4);
    struct search_now now = now_of(0.5, elephants);
    struct tuner_note note = { 0 };
    double from[SPACE_DIMS_MAX] = { 0 }, point[SPACE_DIMS_MAX], sum = 0;
    struct anneal *a;

    cfg.temperature_start = 1e6;
    cfg.cooling = 0.999;
    cfg.iterations = 5000;
    now.is_known = is_known;
    a = anneal_new(&space, cfg, 5);
    anneal_begin(a, from, &now);
    for (int i = 0; i < 5000; i++) {
        assert_true(anneal_ask(a, &now, point));
        now.terms.throughput += 1e-6;
        anneal_tell(a, &now, &note);
    }
    for (uint32_t i = 0; i < 4; i++)
        sum += point[i] * space.dim[i].toward / space.dim[i].step / 5000;
    free(a);
    return sum / 4;
}

/* The expected drift is 0.75 (2 min(mu, eta) - 1): 0.45 at the cap of 0.8. */
static void ask__drifts_toward_the_dominant_flows(void **unused)
{
    struct anneal_cfg naive = published;

    (void)unused;
    naive.guided = false;
    assert_true(test_is_near(drift(published, 0.95, true), 0.45, 0.023));
    assert_true(test_is_near(drift(published, 0.05, true), -0.45, 0.023));
    assert_true(test_is_near(drift(published, 0.7, true), 0.75 * 0.4, 0.023));
    assert_true(test_is_near(drift(published, 0.3, true), -0.75 * 0.4, 0.023));
    assert_true(test_is_near(drift(published, 0.95, false), 0, 0.023));
    assert_true(test_is_near(drift(naive, 0.95, true), 0, 0.023));
}

/* A move is at least half a step and less than a whole one. */
static void ask__moves_every_parameter_or_as_many_as_asked(void **unused)
{
    struct anneal_cfg cfg = published;

    (void)unused;
    for (uint32_t count = 0; count <= 14; count += 2) {
        struct space space = wide_space(13);
        struct search_now now = now_of(0.5, 0.9);
        double from[SPACE_DIMS_MAX] = { 0 }, point[SPACE_DIMS_MAX];
        uint32_t moved = 0;
        struct anneal *a;

        cfg.mutate_count = count;
        a = anneal_new(&space, cfg, 7);
        anneal_begin(a, from, &now);
        assert_true(anneal_ask(a, &now, point));
        for (uint32_t i = 0; i < 13; i++) {
            double length = fabs(point[i]) / space.dim[i].step;

            assert_true(length == 0 || (length >= 0.5 && length < 1));
            moved += length > 0;
        }
        assert_int_equal(count == 0 || count > 13 ? 13 : count, moved);
        free(a);
    }
}

/* The start is asked for first, and accepted, if it has not been measured or if first_always is set. */
static void begin__measures_the_start_if_need_be(void **unused)
{
    struct anneal_cfg always = published;
    struct space space = wide_space(2);
    struct search_now now = now_of(0.9, 0.9), bad = now_of(0.1, 0.9);
    double from[SPACE_DIMS_MAX] = { 11, 22 }, point[SPACE_DIMS_MAX];

    (void)unused;
    always.first_always = true;
    for (int i = 0; i < 3; i++) {
        struct anneal *a = anneal_new(&space, i == 1 ? always : published, 1);
        struct tuner_note note = { 0 };
        bool is_start;

        anneal_begin(a, from, i == 0 ? NULL : &now);
        assert_true(anneal_ask(a, &now, point));
        is_start = point[0] == 11 && point[1] == 22;
        assert_true(is_start == (i < 2));
        anneal_tell(a, &bad, &note);
        if (is_start)
            assert_int_equal(TUNER_ACCEPTED, note.verdict);
        assert_true(note.temperature == 90);
        free(a);
    }
}

/* At a temperature near 0 a loss is rejected, and the next setting is drawn around the one before it. */
static void tell__goes_back_after_a_loss(void **unused)
{
    struct anneal_cfg cold = published;
    struct space space = wide_space(2);
    struct search_now good = now_of(0.9, 0.9), bad = now_of(0.1, 0.9);
    double from[SPACE_DIMS_MAX] = { 1000, 1000 }, point[SPACE_DIMS_MAX];
    struct tuner_note note = { 0 };
    struct anneal *a;

    (void)unused;
    cold.temperature_start = 2e-3;
    cold.temperature_end = 1e-3;
    a = anneal_new(&space, cold, 1);
    anneal_begin(a, from, &good);
    for (int i = 0; i < 20; i++) {
        assert_true(anneal_ask(a, &good, point));
        assert_true(fabs(point[0] - 1000) < 1 && fabs(point[1] - 1000) < 2);
        anneal_tell(a, &bad, &note);
        assert_int_equal(TUNER_REJECTED, note.verdict);
    }
    free(a);
}

/* The weights change between the two settings: the second is a loss under the old weights and a gain under
 * the new ones. */
static void tell__compares_under_current_weights(void **unused)
{
    struct anneal_cfg cold = published;
    struct space space = wide_space(2);
    struct search_now start = now_of(0.9, 0.9), next = now_of(0.1, 0.1);
    double from[SPACE_DIMS_MAX] = { 0 }, point[SPACE_DIMS_MAX];
    struct tuner_note note = { 0 };
    struct anneal *a;

    (void)unused;
    cold.temperature_start = 2e-3;
    cold.temperature_end = 1e-3;
    a = anneal_new(&space, cold, 1);
    start.terms.rtt = 0.1;
    next.terms.rtt = 0.9;
    next.weights = (struct utility_weights){ .rtt = 1 };
    anneal_begin(a, from, &start);
    assert_true(anneal_ask(a, &start, point));
    anneal_tell(a, &next, &note);
    assert_int_equal(TUNER_ACCEPTED, note.verdict);
    free(a);
}

/* All settings are accepted, but the next one is drawn around the best. */
static void ask__starts_from_the_best_if_configured(void **unused)
{
    struct anneal_cfg hot = published;
    struct space space = wide_space(2);
    struct search_now good = now_of(0.9, 0.9), bad = now_of(0.1, 0.9);
    double from[SPACE_DIMS_MAX] = { 0 }, point[SPACE_DIMS_MAX];
    struct tuner_note note = { 0 };
    struct anneal *a;

    (void)unused;
    hot.mutate_from = ANNEAL_BEST;
    hot.temperature_start = 1e6;
    a = anneal_new(&space, hot, 1);
    anneal_begin(a, from, &good);
    for (int i = 0; i < 50; i++) {
        assert_true(anneal_ask(a, &good, point));
        assert_true(fabs(point[0]) < 1 && fabs(point[1]) < 2);
        anneal_tell(a, &bad, &note);
        assert_int_equal(TUNER_ACCEPTED, note.verdict);
    }
    free(a);
}

static void set_budget__is_what_the_search_needs(void **unused)
{
    static const struct key_row options[] = { SEARCH_OPTIONS, { 0 } };
    const struct search_algo    algo = { .option = options };
    struct option_values        v = { 0 };
    double *budget = &v.value[key_find(options, "budget") - options];

    (void)unused;
    anneal_set_budget(&published, &algo, &v);
    assert_true(*budget == 280);
    v.value[key_find(options, "known") - options] = 1;
    anneal_set_budget(&published, &algo, &v);
    assert_true(*budget == 287);         /* six presets, and the running one */
    *budget = 7;
    v.is_given[key_find(options, "budget") - options] = true;
    anneal_set_budget(&published, &algo, &v);
    assert_true(*budget == 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accepts__with_the_right_probability),
        cmocka_unit_test(settings__of_the_known_schedules),
        cmocka_unit_test(ask__ends_after_all_settings),
        cmocka_unit_test(ask__drifts_toward_the_dominant_flows),
        cmocka_unit_test(ask__moves_every_parameter_or_as_many_as_asked),
        cmocka_unit_test(begin__measures_the_start_if_need_be),
        cmocka_unit_test(tell__goes_back_after_a_loss),
        cmocka_unit_test(tell__compares_under_current_weights),
        cmocka_unit_test(ask__starts_from_the_best_if_configured),
        cmocka_unit_test(set_budget__is_what_the_search_needs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
