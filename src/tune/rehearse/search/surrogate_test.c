/* src/tune/rehearse/search/surrogate_test.c - a surrogate whose net is known: what it says and where it
 * climbs follow from that. */
#include "tune/rehearse/search/surrogate.h"
#include "core/units.h"
#include "tune/rehearse/search/test_surrogate.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct world world_of(void)
{
    struct world w = { .seed = 1, .interval_ps = PS_PER_MS, .host_bps = 100000000000,
                       .base_rtt_ps = 8 * PS_PER_US };

    knobs_init(&w.start);
    return w;
}

static struct traffic_model mixed(void)
{
    return (struct traffic_model){ .window_s = 0.003, .bps_per_host = 4e10,
                                   .sizes = { 4,
                                              { { 1000, 0 }, { 20000, 0.9 }, { 1000000, 0.95 },
                                                { 3000000, 1 } } } };
}

static void begin(struct surrogate_ask *ask, const struct surrogate *s, const struct world *w)
{
    struct traffic_model m = mixed();

    assert_true(surrogate_begin(ask, s, w, &m, goal_find("balanced"), &w->start));
}

static void surrogate_say__is_of_differences_to_the_base(void **state)
{
    struct world         w = world_of();
    struct surrogate     s;
    struct surrogate_ask ask;
    double               unit[CODED_DIMS_MAX];

    (void)state;
    test_surrogate(&s, 0.2f, 0);
    begin(&ask, &s, &w);
    coded_from_knobs(&ask.coded, &w.start, unit);
    assert_true(fabs(surrogate_say(&ask, unit).gain) < 1e-6);
    unit[0] -= 0.1;                      /* inputs go from -1 to 1: two tenths */
    assert_true(fabs(surrogate_say(&ask, unit).gain + 0.04) < 0.001);
    assert_true(fabs(surrogate_say(&ask, unit).score + 0.04) < 0.001);
    unit[0] += 0.2;                      /* slower for all: beyond the bound that is harm */
    assert_true(surrogate_say(&ask, unit).score > surrogate_say(&ask, unit).gain + 0.01);
    surrogate_close(&s);
}

static void surrogate_climb__ends_where_the_net_is_lowest(void **state)
{
    struct world         w = world_of();
    struct surrogate     s;
    struct surrogate_ask ask;
    struct knobs         top;
    double               unit[CODED_DIMS_MAX];

    (void)state;
    test_surrogate(&s, 0.3f, -0.3f);
    begin(&ask, &s, &w);
    surrogate_climb(&ask, 1, &w.start, &top);
    coded_from_knobs(&ask.coded, &top, unit);
    assert_true(unit[0] < 0.02);
    assert_true(unit[2] > 0.98);
    surrogate_close(&s);
}

static void surrogate_propose__the_best_comes_first(void **state)
{
    struct world               w = world_of();
    struct surrogate           s;
    struct surrogate_ask       ask;
    struct surrogate_proposal *list = calloc(SURROGATE_PROPOSALS, sizeof(*list));
    uint32_t                   count, named = 0;

    (void)state;
    test_surrogate(&s, 0.3f, 0);
    begin(&ask, &s, &w);
    count = surrogate_propose(&ask, 1, list);
    assert_in_range(count, 10, SURROGATE_PROPOSALS);
    for (uint32_t i = 0; i < count; i++) {
        assert_true(i == 0 || list[i].word.score >= list[i - 1].word.score);
        named += list[i].name != NULL;
    }
    assert_in_range(named, 8, count - 1);
    assert_null(list[0].name);           /* no preset has thresholds as low */
    free(list);
    surrogate_close(&s);
}

static void surrogate_begin__knows_nothing_of_loops_and_other_controls(void **state)
{
    struct world         w = world_of();
    struct traffic_model m = mixed(), none = { .bps_per_host = 1 };
    enum knob            knobs[] = { KNOB_COUNT };
    struct surrogate     s;
    struct surrogate_ask ask;

    (void)state;
    test_surrogate(&s, 0.1f, 0);
    m.loop_bps_per_host = 4e10;
    assert_false(surrogate_begin(&ask, &s, &w, &m, goal_find("balanced"), &w.start));
    assert_false(surrogate_begin(&ask, &s, &w, &none, goal_find("balanced"), &w.start));
    m = mixed();
    w.knobs = knobs;
    assert_false(surrogate_begin(&ask, &s, &w, &m, goal_find("balanced"), &w.start));
    surrogate_close(&s);
}

/* What ships is of the shape that this program has, and tells how far off it is. */
static void surrogate_open__the_one_that_ships(void **state)
{
    struct world               w = world_of();
    struct surrogate           s;
    struct surrogate_ask       ask;
    struct surrogate_proposal *list = calloc(SURROGATE_PROPOSALS, sizeof(*list));
    struct err                 err;

    (void)state;
    assert_int_equal(surrogate_open(&s, "shipped", &err), 0);
    begin(&ask, &s, &w);
    surrogate_propose(&ask, 1, list);
    assert_true(list[0].word.score <= 0 && list[0].word.score > -3);
    assert_true(s.error > 0.01 && s.error < 1);
    free(list);
    surrogate_close(&s);
}

static void surrogate_open__refuses_what_is_none(void **state)
{
    struct surrogate s;
    struct err       err;

    (void)state;
    assert_true(surrogate_open(&s, "no/such.model", &err) < 0);
    assert_non_null(strstr(err.text, "model: no/such.model"));
    assert_true(surrogate_open(&s, "/dev/null", &err) < 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(surrogate_say__is_of_differences_to_the_base),
        cmocka_unit_test(surrogate_climb__ends_where_the_net_is_lowest),
        cmocka_unit_test(surrogate_propose__the_best_comes_first),
        cmocka_unit_test(surrogate_begin__knows_nothing_of_loops_and_other_controls),
        cmocka_unit_test(surrogate_open__the_one_that_ships),
        cmocka_unit_test(surrogate_open__refuses_what_is_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
