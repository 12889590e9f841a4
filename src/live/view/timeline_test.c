/* src/live/view/timeline_test.c - the evidence of a trial, pair by pair. */
#include "live/view/timeline.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#define NOW_US 1000000000u

static const struct controller_config config = { .interval_us = 100000, .block_length = 5, .halves_intervals_max = 600, .stage_pairs = 8,
                                                 .accept_e = 100, .reject_e = 20, .harm = 0.1 };

static struct controller *controller_with_trial(void)
{
    struct controller *c = xcalloc(1, sizeof(*c));

    c->cfg = &config;
    c->trial = (struct trial){ .phase = TRIAL_RUN, .number = 3, .stage = STAGE_HALVES, .metric = 1 };
    evalue_init(&c->trial.evidence, 1);
    return c;
}

static void tick(struct timeline *t, struct controller *c, uint32_t pairs)
{
    for (uint32_t i = 0; i < pairs; i++) {
        evalue_add(&c->trial.evidence, 0.5);
        timeline_tick(t, c, NOW_US, NOW_US);
    }
}

static double at(const json_t *o, const char *key, size_t i)
{
    return json_number_value(json_array_get(json_object_get(o, key), i));
}

static void timeline_tick__without_devices_nothing_is_known(void **state)
{
    struct timeline   *t = xcalloc(1, sizeof(*t));
    struct controller *c = controller_with_trial();

    (void)state;
    assert_true(timeline_tick(t, c, NOW_US, NOW_US));
    json_t *o = timeline_json(t, TIMELINE_SHOWN);
    assert_int_equal(json_array_size(json_object_get(o, "t_ms")), 1);
    assert_true(json_is_null(json_array_get(json_object_get(o, "coverage"), 0)));
    json_decref(o);
    free(c);
    free(t);
}

static void timeline_evidence_json__without_measurements(void **state)
{
    struct timeline   *t = xcalloc(1, sizeof(*t));
    struct controller *c = controller_with_trial();
    json_t            *o;

    (void)state;
    timeline_tick(t, c, NOW_US, NOW_US);
    o = timeline_evidence_json(t, c);
    assert_true(json_is_null(o));
    json_decref(o);
    free(c);
    free(t);
}

static void timeline_evidence_json__has_a_point_per_pair_and_the_end(void **state)
{
    struct timeline   *t = xcalloc(1, sizeof(*t));
    struct controller *c = controller_with_trial();
    json_t            *o;

    (void)state;
    tick(t, c, 10);
    timeline_tick(t, c, NOW_US, NOW_US);         /* an interval without a new pair */
    o = timeline_evidence_json(t, c);
    assert_int_equal(json_array_size(json_object_get(o, "pairs")), 10);
    assert_true(at(o, "pairs", 9) == 10);
    assert_true(fabs(at(o, "gain", 9) - evalue_above(&c->trial.evidence, 0)) < 1e-9);
    assert_true(fabs(at(o, "harm", 9) - evalue_below(&c->trial.evidence, -0.1)) < 1e-9);
    assert_true(at(o, "gain", 9) > at(o, "gain", 0) && at(o, "harm", 9) < 1);
    assert_string_equal(json_get_text(o, "stage"), "halves");
    assert_int_equal(json_integer_value(json_object_get(o, "ends_at")), 60);     /* 600 intervals, two blocks of 5 a pair */
    json_decref(o);
    free(c);
    free(t);
}

static void timeline_evidence_json__restarts_with_the_next_stage(void **state)
{
    struct timeline   *t = xcalloc(1, sizeof(*t));
    struct controller *c = controller_with_trial();

    (void)state;
    tick(t, c, 10);
    c->trial.phase = TRIAL_NONE;
    timeline_tick(t, c, NOW_US, NOW_US);
    assert_int_equal(t->evidence.trial, 3);
    assert_int_equal(t->evidence.count, 10);
    c->trial = (struct trial){ .phase = TRIAL_RUN, .number = 4, .stage = STAGE_ONE, .metric = 1 };
    evalue_init(&c->trial.evidence, 1);
    tick(t, c, 2);
    assert_int_equal(t->evidence.trial, 4);
    assert_int_equal(t->evidence.count, 2);
    c->trial.stage = STAGE_HALVES;
    evalue_init(&c->trial.evidence, 1);
    tick(t, c, 1);
    assert_int_equal(t->evidence.count, 1);
    free(c);
    free(t);
}

static void timeline_evidence_json__thins_a_long_trial(void **state)
{
    struct timeline   *t = xcalloc(1, sizeof(*t));
    struct controller *c = controller_with_trial();
    uint32_t           last = 0;

    (void)state;
    tick(t, c, 5000);
    assert_in_range(t->evidence.count, TIMELINE_EVIDENCE / 2, TIMELINE_EVIDENCE);
    assert_int_equal(t->evidence.pairs[0], 1);
    for (uint32_t i = 0; i < t->evidence.count; i++) {
        assert_true(t->evidence.pairs[i] > last);
        last = t->evidence.pairs[i];
    }
    assert_in_range(last, 5000 - t->evidence.step + 1, 5000);
    free(c);
    free(t);
}

#define HOUR_US 3600000000ull
#define WALL_US 1800000000000000ull

/* Times of the points as JSON has them: each a second after the one before, the last now. */
static void check_times(const struct timeline *t, size_t count, uint64_t wall_us)
{
    json_t *o = timeline_json(t, TIMELINE_POINTS), *knobs = timeline_knobs_json(t);

    assert_int_equal(json_array_size(json_object_get(o, "t_ms")), count);
    for (size_t i = 0; i < count; i++)
        assert_true(at(o, "t_ms", i) == (double)(wall_us / 1000) - 1000.0 * (double)(count - 1 - i));
    assert_true(json_number_value(json_object_get(json_array_get(knobs, 0), "t_ms")) ==
                (double)(wall_us / 1000) - 1000.0 * (double)(count - 1));
    json_decref(o);
    json_decref(knobs);
}

static void timeline_tick__a_clock_that_jumps_leaves_no_point_in_the_future(void **state)
{
    struct timeline   *t = xcalloc(1, sizeof(*t));
    struct controller *c = controller_with_trial();
    uint64_t           now_us = NOW_US, wall_us = WALL_US;

    (void)state;
    for (int i = 0; i < 30; i++) {
        now_us += 1000000;
        wall_us += i == 10 ? 1000000 + HOUR_US : i == 20 ? 1000000 - HOUR_US : 1000000;
        timeline_tick(t, c, now_us, wall_us);
        check_times(t, (size_t)i + 1, wall_us);
    }
    free(c);
    free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(timeline_tick__without_devices_nothing_is_known),
        cmocka_unit_test(timeline_evidence_json__without_measurements),
        cmocka_unit_test(timeline_evidence_json__has_a_point_per_pair_and_the_end),
        cmocka_unit_test(timeline_evidence_json__restarts_with_the_next_stage),
        cmocka_unit_test(timeline_evidence_json__thins_a_long_trial),
        cmocka_unit_test(timeline_tick__a_clock_that_jumps_leaves_no_point_in_the_future),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
