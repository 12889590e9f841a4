#include "tune/search/space.h"
#include "base/minmax.h"
#include "base/rng.h"
#include "tune/setting.h"
#include "tune/test_report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

static const struct space_dim *dim_of(const struct space *s, enum knob knob)
{
    for (uint32_t i = 0; i < s->dims; i++)
        if (s->dim[i].knob == knob)
            return &s->dim[i];
    return NULL;
}

static struct space make(enum space_kind kind, bool physical, struct world world)
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

/* Rows of the published tables, chosen for their peculiarities: a fraction that is a percentage here, the
 * widest range, the narrowest. */
static void init__has_the_published_tables(void **unused)
{
    struct space artifact = make(SPACE_ARTIFACT, true, test_world(1));

    (void)unused;
    assert_int_equal(12, artifact.dims);
    assert_dim(&artifact, KNOB_rpg_time_reset, 1, 131071, 50);
    assert_dim(&artifact, KNOB_rpg_min_dec_fac, 10, 100, 10);
    assert_dim(&artifact, KNOB_rate_to_set_on_first_cnp, 0.1, 1, 0.1);
    assert_dim(&artifact, KNOB_kmax, 40, 6400, 400);
    assert_null(dim_of(&artifact, KNOB_pmax));
    assert_true(dim_of(&artifact, KNOB_rate_to_set_on_first_cnp)->initial == 0.5);
    assert_int_equal(14, make(SPACE_PAPER, true, test_world(1)).dims);
    assert_int_equal(10, make(SPACE_POSTER, true, test_world(1)).dims);
}

/* Only one direction differs: a cut leaves at least min_dec_fac, so a larger value means more throughput. */
static void init__reverses_one_direction(void **unused)
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

static struct world world_of(uint64_t gbps, uint64_t rtt_us, uint64_t pfc_bytes_one,
                                   uint64_t pfc_bytes_two)
{
    struct world world = test_world(1);

    world.host_bps = gbps * 1000000000;
    world.base_rtt_ps = rtt_us * PS_PER_US;
    world.pfc_bytes_one = pfc_bytes_one;
    world.pfc_bytes_two = pfc_bytes_two;
    return world;
}

/* Reference case: 100 Gb/s and 40 us. One port causes pauses at 970 KB, and 776 is 80 % of that. Two ports
 * cause them at 1750 KB, beyond all thresholds. */
static void init__is_safe_at_100g(void **unused)
{
    struct space s = make(SPACE_SAFE, true, world_of(100, 40, 970000, 1750000));

    (void)unused;
    assert_int_equal(14, s.dims);
    assert_dim(&s, KNOB_kmin, 20, 776, 50);
    assert_dim(&s, KNOB_kmax, 80, 1600, 150);
    assert_dim(&s, KNOB_rpg_time_reset, 40, 160, 20);
    assert_dim(&s, KNOB_rpg_ai_rate, 20, 100, 10);
    assert_dim(&s, KNOB_rpg_hai_rate, 100, 600, 60);
    assert_dim(&s, KNOB_rpg_min_rate, 1, 500, 50);
    assert_dim(&s, KNOB_rate_to_set_on_first_cnp, 0.5, 1, 0.1);
    assert_dim(&s, KNOB_rpg_min_dec_fac, 50, 80, 5);
    assert_dim(&s, KNOB_rate_reduce_monitor_period, 4, 80, 8);
    assert_dim(&s, KNOB_pmax, 0.1, 0.5, 0.05);
    assert_true(dim_of(&s, KNOB_rate_to_set_on_first_cnp)->initial == 0.85);
}

/* Rates scale with the link, timers with the round trip, thresholds with the product of both. Shares do not
 * scale. */
static void init__scales_with_links_and_round_trips(void **unused)
{
    struct space fast = make(SPACE_SAFE, true, world_of(400, 20, 0, 0));
    struct space slow = make(SPACE_SAFE, true, world_of(25, 80, 0, 0));

    (void)unused;
    assert_dim(&fast, KNOB_rpg_ai_rate, 80, 400, 40);
    assert_dim(&fast, KNOB_rpg_hai_rate, 400, 2400, 240);
    assert_dim(&fast, KNOB_rpg_min_rate, 4, 2000, 200);
    assert_dim(&fast, KNOB_rpg_time_reset, 20, 80, 10);
    assert_dim(&fast, KNOB_kmin, 40, 1600, 100);
    assert_dim(&fast, KNOB_kmax, 160, 3200, 300);
    assert_dim(&fast, KNOB_pmax, 0.1, 0.5, 0.05);
    assert_dim(&slow, KNOB_rpg_ai_rate, 5, 25, 2.5);
    assert_dim(&slow, KNOB_rpg_hai_rate, 25, 150, 15);
    assert_dim(&slow, KNOB_rpg_time_reset, 80, 320, 40);
    assert_dim(&slow, KNOB_kmin, 10, 400, 25);
    assert_dim(&slow, KNOB_kmax, 40, 800, 75);
}

/* All 2^14 corners: every knob at one end of its range. Marking starts well before the queue of one port
 * makes the switch pause. All packets are marked before the queues of two ports do. */
static void init__every_corner_is_safe(void **unused)
{
    static const struct { uint64_t gbps, rtt_us, one, two; } row[] = {
        { 100, 40, 970000, 1750000 }, { 400, 20, 0, 0 },
        { 25, 200, 100000, 180000 },  { 800, 10, 30000, 50000 },
    };

    (void)unused;
    for (size_t n = 0; n < sizeof(row) / sizeof(row[0]); n++) {
        struct world world = world_of(row[n].gbps, row[n].rtt_us, row[n].one, row[n].two);
        struct space s = make(SPACE_SAFE, true, world);

        for (uint32_t corner = 0; corner < 1u << s.dims; corner++) {
            struct knobs k = world.start;
            double point[SPACE_DIMS_MAX];

            for (uint32_t i = 0; i < s.dims; i++)
                point[i] = corner >> i & 1 ? s.dim[i].max : s.dim[i].min;
            space_knobs(&s, point, &k);
            assert_int_equal(0, knobs_check(&k, NULL));
            assert_true(space_has(&s, &k));
            assert_true(!row[n].one || k.value[KNOB_kmin] * 1000 <= 0.8 * (double)row[n].one);
            assert_true(!row[n].two || k.value[KNOB_kmax] * 1000 <= (double)row[n].two);
        }
    }
}

/* The bounds leave room with any buffer size and link speed. */
static void init__has_valid_bounds_in_any_world(void **unused)
{
    static const uint64_t pfc[] = { 0, 1, 3000, 20000, 100000, 970000, 5000000 };
    static const uint64_t rate[] = { 1000000, 1000000000, 25000000000, 400000000000, 1600000000000 };

    (void)unused;
    for (int n = 0; n < 4 * 7 * 7 * 5; n++) {
        struct world world = test_world(1);
        struct space s;

        world.pfc_bytes_one = pfc[n / 4 % 7];
        world.pfc_bytes_two = pfc[n / 28 % 7];
        world.host_bps = rate[n / 196];
        s = make((enum space_kind)(n % 4), true, world);
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

/* A world in which a knob matters, by the first of its readers. */
static struct world world_for(enum knob knob, char *control, size_t size)
{
    const char  *readers = knob_info[knob].readers;
    struct world world = world_of(100, 40, 0, 0);

    snprintf(control, size, "%.*s", (int)strcspn(readers, " "), readers);
    if (*control && !knob_is_read_by(knob, "dcqcn"))
        world.control = control;
    if (knob == KNOB_paths || knob == KNOB_trim)
        world.control = "nscc";
    world.has_paths = true;
    world.trim_bytes = 500000;
    return world;
}

/* Every row with a safe range is a dimension where its readers are: as in the row in the reference network,
 * and by its law in one with four times the rate and half the round trip. */
static void init__has_every_row_with_a_safe_range(void **unused)
{
    static const double times[] = { 1, 0.5, 4, 2 };      /* by law */
    uint32_t            rows = 0;

    (void)unused;
    for (enum knob k = 0; k < KNOB_COUNT; k++) {
        const struct knob_info *row = &knob_info[k];
        char                    control[32];
        struct world            world = world_for(k, control, sizeof control);
        struct space            s = make(SPACE_SAFE, true, world);
        bool                    is_share = k == KNOB_rate_to_set_on_first_cnp;
        double per = is_share ? 1e5 : 1, by = row->safe.is_fixed || is_share ? 1 : times[row->law];

        assert_true(s.dims < SPACE_DIMS_MAX);
        if (row->safe.step == 0) {
            assert_null(dim_of(&s, k));
            continue;
        }
        rows++;
        assert_true(row->min <= row->safe.min && row->safe.min < row->safe.max && row->safe.max <= row->max);
        assert_true(row->toward != 0 && row->safe.grain <= row->safe.step);
        assert_dim(&s, k, row->safe.min / per, row->safe.max / per, row->safe.step / per);
        assert_true(dim_of(&s, k)->initial == (row->automatic > 0 ? row->automatic / per :
                                               clamp_real(row->initial, row->safe.min, row->safe.max)));
        world.host_bps *= 4;
        world.base_rtt_ps /= 2;
        world.trim_bytes *= 2;
        s = make(SPACE_SAFE, true, world);
        const struct space_dim *d = dim_of(&s, k);
        assert_true(test_is_near(d->step, fmax(row->safe.grain, row->safe.step / per * by), 1e-12));
        assert_true(fabs(d->max - fmin(row->max, row->safe.max / per * by)) <= row->safe.grain / 2);
    }
    assert_in_range(rows, 36, KNOB_COUNT);
}

/* Presets inside the space survive the way to a point and back. */
static void point__keeps_settings_inside(void **unused)
{
    (void)unused;
    for (int kind = SPACE_SAFE; kind <= SPACE_ARTIFACT; kind++) {
        for (int i = 0; setting_all[i].name; i++) {
            struct world world = test_world(1);
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

static void point__resolves_automatic(void **unused)
{
    struct world world = test_world(1);
    struct space s = make(SPACE_SAFE, true, world);
    struct knobs k = world.start;
    double point[SPACE_DIMS_MAX];

    (void)unused;
    space_point(&s, &k, point);
    space_knobs(&s, point, &k);
    assert_true(k.value[KNOB_rate_to_set_on_first_cnp] == 85000);
    assert_true(point[3] == 0.85 && s.dim[3].knob == KNOB_rate_to_set_on_first_cnp);
}

/* Expert marks later than a switch pauses, and default recovers in 300 us: both are outside the safe space.
 * The nearest point to expert is inside. */
static void has__leaves_expert_outside_the_safe_space(void **unused)
{
    struct world world = world_of(100, 40, 970000, 1750000);
    struct space safe = make(SPACE_SAFE, true, world), artifact = make(SPACE_ARTIFACT, true, world);
    struct knobs expert, bdp;
    double point[SPACE_DIMS_MAX];

    (void)unused;
    assert_int_equal(0, setting_read("expert", &world, &expert, NULL));
    assert_false(space_has(&safe, &expert));
    assert_true(space_has(&artifact, &expert));
    assert_false(space_has(&safe, &world.start));
    assert_true(space_has(&artifact, &world.start));
    assert_int_equal(0, setting_read("bdp", &world, &bdp, NULL));
    assert_true(space_has(&safe, &bdp));
    space_point(&safe, &expert, point);
    space_knobs(&safe, point, &expert);
    assert_true(space_has(&safe, &expert));
    assert_true(expert.value[KNOB_kmin] == 776 && expert.value[KNOB_kmax] == 1600);
    assert_true(expert.value[KNOB_rpg_time_reset] == 160 && expert.value[KNOB_min_time_between_cnps] == 80);
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

/* 10,000 points, some outside, in each of three spaces and worlds: the resulting settings are always
 * valid. */
static void knobs__are_always_allowed(void **unused)
{
    static const uint64_t rate[] = { 10000000000, 100000000000, 800000000000 };
    struct rng rng;

    (void)unused;
    rng_init(&rng, 1, 2);
    for (int n = 0; n < 90000; n++) {
        struct world world = test_world(1);
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

/* For a control other than DCQCN the space has its knobs, and of DCQCN's knobs only those that it shares. */
static void init__has_the_knobs_of_the_control(void **unused)
{
    static const enum knob hpcc[] = { KNOB_hpcc_eta, KNOB_hpcc_max_stage, KNOB_hpcc_ai, KNOB_rpg_min_rate,
                                      KNOB_COUNT };
    struct world           world = test_world(1);
    struct space           s;

    (void)unused;
    world.control = "hpcc";
    for (int kind = SPACE_SAFE; kind <= SPACE_ARTIFACT; kind++) {
        s = make((enum space_kind)kind, true, world);
        assert_int_equal(s.dims, 4);
        for (uint32_t i = 0; i < 4; i++) {
            assert_int_equal(s.dim[i].knob, hpcc[i]);
            assert_true(s.dim[i].toward != 0);
            assert_true(s.dim[i].min < s.dim[i].max && s.dim[i].step > 0);
            assert_true(s.dim[i].initial >= s.dim[i].min && s.dim[i].initial <= s.dim[i].max);
        }
    }
}

/* If senders spray or queues trim, the knobs for that belong to the space of any control. A trim of 0 means
 * the network's own limit. */
static void init__has_paths_and_trimming_if_they_matter(void **unused)
{
    struct world world = test_world(1);
    struct knobs k;
    struct space s;
    double       point[SPACE_DIMS_MAX];
    uint32_t     own;

    (void)unused;
    world.control = "nscc";
    s = make(SPACE_SAFE, true, world);
    own = s.dims;
    assert_true(dim_of(&s, KNOB_nscc_eta) && !dim_of(&s, KNOB_kmin));
    world.reads_marks = true;
    assert_non_null(dim_of((s = make(SPACE_SAFE, true, world), &s), KNOB_kmin));
    world.reads_marks = false;
    assert_true(!dim_of(&s, KNOB_paths) && !dim_of(&s, KNOB_trim));
    world.has_paths = true;
    world.trim_bytes = 400000;
    s = make(SPACE_SAFE, true, world);
    assert_int_equal(s.dims, own + 2);
    assert_dim(&s, KNOB_paths, 1, 256, 16);
    assert_dim(&s, KNOB_trim, 40, 1600, 80);
    assert_true(dim_of(&s, KNOB_paths)->toward != 0 && dim_of(&s, KNOB_trim)->toward != 0);
    knobs_init(&k);
    space_point(&s, &k, point);
    assert_true(test_is_near(point[dim_of(&s, KNOB_trim) - s.dim], 400, 1e-9));
    point[dim_of(&s, KNOB_trim) - s.dim] = 100;
    point[dim_of(&s, KNOB_paths) - s.dim] = 16;
    space_knobs(&s, point, &k);
    assert_true(test_is_near(k.value[KNOB_trim], 100, 1e-9) && test_is_near(k.value[KNOB_paths], 16, 1e-9));
}

/* A value of 0 is automatic: a fraction of the line rate, or a multiple of the round trip. */
static void point__of_an_automatic_value(void **unused)
{
    struct world world = test_world(1);
    struct space s;
    struct knobs k;
    double       point[SPACE_DIMS_MAX];

    (void)unused;
    world.control = "hpcc";
    world.host_bps = 400000000000;
    world.base_rtt_ps = 20000000;
    s = make(SPACE_SAFE, true, world);
    knobs_init(&k);
    k.value[KNOB_rpg_min_rate] = dim_of(&s, KNOB_rpg_min_rate)->min;
    assert_true(space_has(&s, &k));
    space_point(&s, &k, point);
    uint32_t ai = (uint32_t)(dim_of(&s, KNOB_hpcc_ai) - s.dim);
    assert_true(test_is_near(point[ai], 160, 1e-9));         /* 400,000 Mb/s / 2500 */
    space_knobs(&s, point, &k);
    assert_true(test_is_near(k.value[KNOB_hpcc_ai], 160, 1e-9));

    world.control = "rttcc";
    s = make(SPACE_SAFE, true, world);
    space_point(&s, &k, point);
    assert_true(test_is_near(point[dim_of(&s, KNOB_rttcc_target) - s.dim], 30, 1e-9));   /* 1.5 x 20 us */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(init__has_the_published_tables),
        cmocka_unit_test(init__reverses_one_direction),
        cmocka_unit_test(init__is_safe_at_100g),
        cmocka_unit_test(init__scales_with_links_and_round_trips),
        cmocka_unit_test(init__every_corner_is_safe),
        cmocka_unit_test(init__has_valid_bounds_in_any_world),
        cmocka_unit_test(init__has_every_row_with_a_safe_range),
        cmocka_unit_test(point__keeps_settings_inside),
        cmocka_unit_test(point__resolves_automatic),
        cmocka_unit_test(has__leaves_expert_outside_the_safe_space),
        cmocka_unit_test(round__exchanges_thresholds),
        cmocka_unit_test(knobs__are_always_allowed),
        cmocka_unit_test(init__has_the_knobs_of_the_control),
        cmocka_unit_test(init__has_paths_and_trimming_if_they_matter),
        cmocka_unit_test(point__of_an_automatic_value),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
