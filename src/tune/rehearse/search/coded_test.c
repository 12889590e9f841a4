/* src/tune/rehearse/search/coded_test.c */
#include "tune/rehearse/search/coded.h"
#include "base/rng.h"
#include "core/units.h"
#include "tune/setting.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static struct world world_of(uint64_t gbps, uint64_t rtt_us)
{
    struct world w = { .host_bps = gbps * 1000000000, .base_rtt_ps = rtt_us * PS_PER_US };

    knobs_init(&w.start);
    return w;
}

static void to_knobs__every_point_is_a_valid_setting(void **state)
{
    static const uint64_t speeds[] = { 10, 25, 100, 400, 800 }, rtts[] = { 1, 4, 12, 80, 1000 };
    struct rng            rng;

    (void)state;
    rng_init(&rng, 1, 0);
    for (int s = 0; s < 25; s++) {
        struct world w = world_of(speeds[s % 5], rtts[s / 5]);
        struct coded c;

        coded_init(&c, &w);
        for (int i = 0; i < 200; i++) {
            double       unit[CODED_DIMS_MAX];
            struct knobs k = w.start;
            struct err   err;

            for (uint32_t d = 0; d < c.dims; d++)
                unit[d] = i == 0 ? 0 : i == 1 ? 1 : rng_real(&rng);
            coded_to_knobs(&c, unit, &k);
            assert_int_equal(knobs_check(&k, &err), 0);
            assert_true(k.value[KNOB_kmin] < k.value[KNOB_kmax]);
            assert_true(k.value[KNOB_rpg_hai_rate] >= k.value[KNOB_rpg_ai_rate]);
        }
    }
}

/* Every row of DCQCN and ECN with a wide range is an axis, in proportion to the network by its law. */
static void init__has_every_row_with_a_wide_range(void **state)
{
    struct world w = world_of(100, 40), other = world_of(400, 20);
    struct coded c, scaled;
    uint32_t     rows = 0;

    (void)state;
    coded_init(&c, &w);
    coded_init(&scaled, &other);
    assert_true(c.dims >= CODED_DCQCN && scaled.dims == c.dims);
    for (enum knob k = 0; k < KNOB_COUNT; k++) {
        static const double     times[] = { 1, 0.5, 4, 2 };      /* by law */
        const struct knob_info *row = &knob_info[k];
        uint32_t                i = 0;

        while (i < c.dims && c.dim[i].knob != k)
            i++;
        assert_int_equal(i < c.dims, row->wide.max > 0 || k == KNOB_rpg_hai_rate);
        if (i == c.dims || k == KNOB_rpg_hai_rate)
            continue;
        rows++;
        assert_true(row->wide.min < row->wide.max);
        assert_true(fabs(scaled.dim[i].max / c.dim[i].max - times[row->law]) < 1e-12);
        if (k != KNOB_kmax)
            assert_true(c.dim[i].max <= row->max + (k == KNOB_dce_tcp_g) && c.dim[i].min >= row->min);
    }
    assert_int_equal(rows + 1, c.dims);
}

/* A setting survives the way to a point and back, apart from rounding to the steps of a device. */
static void from_knobs__undoes_to_knobs(void **state)
{
    struct world w = world_of(100, 12);
    struct coded c;
    struct rng   rng;

    (void)state;
    rng_init(&rng, 2, 0);
    coded_init(&c, &w);
    for (int i = 0; i < 1000; i++) {
        double       unit[CODED_DIMS_MAX], again[CODED_DIMS_MAX];
        struct knobs k = w.start;

        for (uint32_t d = 0; d < c.dims; d++)
            unit[d] = rng_real(&rng);
        coded_to_knobs(&c, unit, &k);
        coded_from_knobs(&c, &k, again);
        for (uint32_t d = 0; d < c.dims; d++) {
            struct knobs near = k;
            double       is, was = k.value[c.dim[d].knob];

            coded_to_knobs(&c, again, &near);
            is = near.value[c.dim[d].knob];
            assert_true(fabs(is - was) <= 1 + 0.05 * was);
        }
    }
}

/* A step on an axis means the same at any speed and distance: thresholds scale with the bandwidth-delay
 * product. */
static void to_knobs__thresholds_scale_with_the_bdp(void **state)
{
    struct world near = world_of(100, 12), far = world_of(400, 48);
    struct coded a, b;
    struct knobs x = near.start, y = far.start;
    double       unit[CODED_DIMS_MAX];

    (void)state;
    coded_init(&a, &near);
    coded_init(&b, &far);
    for (uint32_t d = 0; d < a.dims; d++)
        unit[d] = 0.6;
    coded_to_knobs(&a, unit, &x);
    coded_to_knobs(&b, unit, &y);
    assert_true(fabs(y.value[KNOB_kmin] / x.value[KNOB_kmin] / 16 - 1) < 0.02);
    assert_true(fabs(y.value[KNOB_rpg_ai_rate] / x.value[KNOB_rpg_ai_rate] / 4 - 1) < 0.02);
}

/* A first-CNP rate of 0 means automatic, 85 % of the line. It is not the lowest rate. */
static void from_knobs__reads_automatic_as_its_value(void **state)
{
    struct world w = world_of(100, 12);
    struct coded c;
    double       unit[CODED_DIMS_MAX];
    struct knobs k = w.start, again = w.start;

    (void)state;
    coded_init(&c, &w);
    coded_from_knobs(&c, &k, unit);
    coded_to_knobs(&c, unit, &again);
    assert_true(fabs(again.value[KNOB_rate_to_set_on_first_cnp] - 85000) < 100);
}

/* Links of different speeds add an axis, with whole numbers on it. */
static void init__mixed_link_speeds_add_an_axis(void **state)
{
    struct world      w = world_of(100, 12);
    struct world_port port[2] = { { .rate_bps = 100000000000 }, { .rate_bps = 25000000000 } };
    struct coded      same, other;
    struct knobs      k = w.start;
    double            unit[CODED_DIMS_MAX] = { 0 };

    (void)state;
    coded_init(&same, &w);
    w.port = port;
    w.ports = 2;
    coded_init(&other, &w);
    assert_int_equal(other.dims, same.dims + 1);
    assert_int_equal(other.dim[same.dims].knob, KNOB_by_speed);
    for (int i = 0; i <= 10; i++) {
        unit[same.dims] = i / 10.0;
        coded_to_knobs(&other, unit, &k);
        assert_true(k.value[KNOB_by_speed] == (i >= 5));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(to_knobs__every_point_is_a_valid_setting),
        cmocka_unit_test(init__has_every_row_with_a_wide_range),
        cmocka_unit_test(from_knobs__undoes_to_knobs),
        cmocka_unit_test(to_knobs__thresholds_scale_with_the_bdp),
        cmocka_unit_test(init__mixed_link_speeds_add_an_axis),
        cmocka_unit_test(from_knobs__reads_automatic_as_its_value),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
