#include "tune/space.h"
#include "base/rng.h"
#include "tune/setting.h"
#include "tune/test_report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const struct space_dim *dim_of(const struct space *s, enum knob knob)
{
    for (uint32_t i = 0; i < s->dims; i++)
        if (s->dim[i].knob == knob)
            return &s->dim[i];
    return NULL;
}

static struct space make(enum space_kind kind, bool physical, struct tuner_world world)
{
    struct space s;

    space_init(&s, kind, physical, &world);
    return s;
}

static void assert_dim(const struct space *s, enum knob knob, double min, double max, double step)
{
    const struct space_dim *d = dim_of(s, knob);

    assert_non_null(d);
    assert_true(d->min == min && d->max == max && test_is_near(d->step, step, 1e-12));
}

/* Rows of the published tables, chosen for what is special about them: a fraction that is a percentage
 * here, the widest, the narrowest. */
static void init__has_the_published_tables(void **unused)
{
    struct space artifact = make(SPACE_ARTIFACT, true, test_world(1));
    struct space plus = make(SPACE_PLUS, true, test_world(1));

    (void)unused;
    assert_int_equal(12, artifact.dims);
    assert_int_equal(13, plus.dims);
    assert_dim(&artifact, KNOB_rpg_time_reset, 1, 131071, 50);
    assert_dim(&artifact, KNOB_rpg_min_dec_fac, 10, 100, 10);
    assert_dim(&artifact, KNOB_rate_to_set_on_first_cnp, 0.1, 1, 0.1);
    assert_dim(&artifact, KNOB_kmax, 40, 6400, 400);
    assert_null(dim_of(&artifact, KNOB_pmax));
    assert_dim(&plus, KNOB_rpg_time_reset, 50, 600, 50);
    assert_dim(&plus, KNOB_rpg_min_dec_fac, 30, 80, 10);
    assert_dim(&plus, KNOB_rpg_gd, 11, 13, 1);
    assert_dim(&plus, KNOB_pmax, 0.1, 0.4, 0.01);
    assert_true(dim_of(&artifact, KNOB_rate_to_set_on_first_cnp)->initial == 0.5);
}

/* One direction differs: one cut leaves at least min_dec_fac, so more of it means more throughput. */
static void init__turns_one_direction_round(void **unused)
{
    (void)unused;
    for (int kind = SPACE_SAFE; kind <= SPACE_ARTIFACT; kind++) {
        struct space right = make((enum space_kind)kind, true, test_world(1));
        struct space wrong = make((enum space_kind)kind, false, test_world(1));

        for (uint32_t i = 0; i < right.dims; i++) {
            assert_int_equal(right.dim[i].toward, knob_info[right.dim[i].knob].toward);
            assert_int_equal(wrong.dim[i].toward,
                             right.dim[i].knob == KNOB_rpg_min_dec_fac ? -1 : right.dim[i].toward);
        }
    }
}

/* Pauses at 970 KB by one port: 776 is 80 %. By two at 1750. A round trip of 41 us is below 50. */
static void init__is_safe_at_100g(void **unused)
{
    struct space s = make(SPACE_SAFE, true, test_world(1));

    (void)unused;
    assert_int_equal(14, s.dims);
    assert_dim(&s, KNOB_kmin, 40, 776, 100);
    assert_dim(&s, KNOB_kmax, 437, 1750, 1313 / 4.0);
    assert_dim(&s, KNOB_rpg_time_reset, 50, 600, 50);
    assert_dim(&s, KNOB_rpg_ai_rate, 5, 100, 5);
    assert_dim(&s, KNOB_rpg_hai_rate, 30, 600, 50);
    assert_dim(&s, KNOB_rate_to_set_on_first_cnp, 0.3, 1, 0.1);
    assert_dim(&s, KNOB_rate_reduce_monitor_period, 4, 128, 8);
    assert_true(dim_of(&s, KNOB_rate_to_set_on_first_cnp)->initial == 0.85);
}

static void init__scales_with_links_and_round_trips(void **unused)
{
    struct tuner_world fast = test_world(1), slow = test_world(1);
    struct space s;

    (void)unused;
    fast.host_bps = 400000000000;
    fast.pfc_bytes_one = fast.pfc_bytes_two = 0;
    fast.base_rtt_ps = 200 * PS_PER_US + 1;
    s = make(SPACE_SAFE, true, fast);
    assert_dim(&s, KNOB_rpg_ai_rate, 5, 400, 20);
    assert_dim(&s, KNOB_rpg_min_rate, 1, 20000, 1200);
    assert_dim(&s, KNOB_rpg_time_reset, 201, 804, 50);
    assert_dim(&s, KNOB_kmin, 40, 1600, 100);
    slow.host_bps = 25000000000;
    s = make(SPACE_SAFE, true, slow);
    assert_dim(&s, KNOB_rpg_ai_rate, 1, 25, 1.25);
    assert_dim(&s, KNOB_rpg_hai_rate, 7, 150, 12.5);
}

/* However small buffers are and however slow links: there is room between the bounds. */
static void init__makes_sense_in_any_world(void **unused)
{
    static const uint64_t pfc[] = { 0, 1, 3000, 20000, 100000, 970000, 5000000 };
    static const uint64_t rate[] = { 1000000, 1000000000, 25000000000, 400000000000, 1600000000000 };

    (void)unused;
    for (int n = 0; n < 3 * 7 * 7 * 5; n++) {
        struct tuner_world world = test_world(1);
        struct space s;

        world.pfc_bytes_one = pfc[n / 3 % 7];
        world.pfc_bytes_two = pfc[n / 21 % 7];
        world.host_bps = rate[n / 147];
        s = make((enum space_kind)(n % 3), true, world);
        for (uint32_t i = 0; i < s.dims; i++) {
            const struct space_dim *d = &s.dim[i];
            bool is_share = d->knob == KNOB_rate_to_set_on_first_cnp;

            assert_true(d->min < d->max && d->step > 0 && d->step >= d->quantum);
            assert_true(d->initial >= d->min && d->initial <= d->max);
            assert_true(is_share || (d->min >= knob_info[d->knob].min && d->max <= knob_info[d->knob].max));
        }
        assert_true(dim_of(&s, KNOB_kmin)->min <= dim_of(&s, KNOB_kmax)->min);
        assert_true(dim_of(&s, KNOB_kmin)->max <= dim_of(&s, KNOB_kmax)->max);
    }
}

/* Named settings come back as they were, wherever the space has them. */
static void point__keeps_what_is_inside(void **unused)
{
    (void)unused;
    for (int kind = SPACE_SAFE; kind <= SPACE_ARTIFACT; kind++) {
        for (int i = 0; setting_all[i].name; i++) {
            struct tuner_world world = test_world(1);
            struct space s = make((enum space_kind)kind, true, world);
            struct knobs k, back;
            double point[SPACE_DIMS_MAX];

            setting_all[i].make(&k, &world);
            if (!space_has(&s, &k))
                continue;
            space_point(&s, &k, point);
            back = k;
            space_knobs(&s, point, &back);
            for (int n = 0; n < KNOB_COUNT; n++)
                if (n != KNOB_rate_to_set_on_first_cnp || k.value[n] > 0)
                    assert_true(test_is_near(back.value[n], k.value[n], 1e-9));
        }
    }
}

static void point__knows_what_automatic_is(void **unused)
{
    struct tuner_world world = test_world(1);
    struct space s = make(SPACE_SAFE, true, world);
    struct knobs k = world.start;
    double point[SPACE_DIMS_MAX];

    (void)unused;
    space_point(&s, &k, point);
    space_knobs(&s, point, &k);
    assert_true(k.value[KNOB_rate_to_set_on_first_cnp] == 85000);
    assert_true(point[3] == 0.85 && s.dim[3].knob == KNOB_rate_to_set_on_first_cnp);
}

/* Expert marks later than a switch pauses: outside the safe space, and the nearest point is inside. */
static void has__leaves_expert_outside_the_safe_space(void **unused)
{
    struct tuner_world world = test_world(1);
    struct space safe = make(SPACE_SAFE, true, world), artifact = make(SPACE_ARTIFACT, true, world);
    struct knobs expert;
    double point[SPACE_DIMS_MAX];

    (void)unused;
    assert_int_equal(0, setting_read("expert", &world, &expert, NULL));
    assert_false(space_has(&safe, &expert));
    assert_true(space_has(&artifact, &expert));
    assert_true(space_has(&safe, &world.start));
    space_point(&safe, &expert, point);
    space_knobs(&safe, point, &expert);
    assert_true(space_has(&safe, &expert));
    assert_true(expert.value[KNOB_kmin] == 776 && expert.value[KNOB_kmax] == 1750);
    assert_true(expert.value[KNOB_rate_reduce_monitor_period] == 80);
}

static void round__exchanges_thresholds(void **unused)
{
    struct space s = make(SPACE_ARTIFACT, true, test_world(1));
    struct knobs k;
    double point[SPACE_DIMS_MAX];

    (void)unused;
    knobs_init(&k);
    space_point(&s, &k, point);
    point[10] = 900.4;
    point[11] = 299.6;
    space_round(&s, point);
    assert_true(point[10] == 300 && point[11] == 900);
}

/* 10,000 wild points in each space and several worlds: what is applied is always allowed. */
static void knobs__are_always_allowed(void **unused)
{
    static const uint64_t rate[] = { 10000000000, 100000000000, 800000000000 };
    struct rng rng;

    (void)unused;
    rng_init(&rng, 1, 2);
    for (int n = 0; n < 90000; n++) {
        struct tuner_world world = test_world(1);
        struct space s;
        struct knobs k = world.start, clamped;
        double point[SPACE_DIMS_MAX];

        world.host_bps = rate[n % 3];
        world.pfc_bytes_one = rng_below(&rng, 2000000);
        world.pfc_bytes_two = 2 * world.pfc_bytes_one;
        space_init(&s, (enum space_kind)(n / 3 % 3), true, &world);
        for (uint32_t i = 0; i < s.dims; i++)
            point[i] = s.dim[i].min + (2 * rng_real(&rng) - 0.5) * (s.dim[i].max - s.dim[i].min);
        space_knobs(&s, point, &k);
        clamped = k;
        knobs_clamp(&clamped);
        assert_memory_equal(&k, &clamped, sizeof k);
        assert_int_equal(0, knobs_check(&k, NULL));
        assert_true(space_has(&s, &k));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(init__has_the_published_tables),
        cmocka_unit_test(init__turns_one_direction_round),
        cmocka_unit_test(init__is_safe_at_100g),
        cmocka_unit_test(init__scales_with_links_and_round_trips),
        cmocka_unit_test(init__makes_sense_in_any_world),
        cmocka_unit_test(point__keeps_what_is_inside),
        cmocka_unit_test(point__knows_what_automatic_is),
        cmocka_unit_test(has__leaves_expert_outside_the_safe_space),
        cmocka_unit_test(round__exchanges_thresholds),
        cmocka_unit_test(knobs__are_always_allowed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
