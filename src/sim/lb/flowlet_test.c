#include "sim/lb/flowlet.h"
#include "core/units.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct flowlet_cfg configured(double table, double timeout_us, double ageing_us)
{
    struct flowlet_cfg c = { 0 };
    struct knobs       k;

    knobs_init(&k);
    k.value[KNOB_flowlet_table] = table;
    k.value[KNOB_flowlet_timeout] = timeout_us;
    k.value[KNOB_flowlet_ageing] = ageing_us;
    flowlet_configure(&c, &k);
    return c;
}

static void configure__rounds_the_table_up(void **unused)
{
    (void)unused;
    assert_int_equal(configured(1, 1, 1).entries, 1);
    assert_int_equal(configured(1000, 1, 1).entries, 1024);
    assert_int_equal(configured(1024, 1, 1).entries, 1024);
    assert_int_equal(configured(1025, 1, 1).entries, 2048);
    assert_int_equal(configured(10, 0.5, 1).timeout_ps, 500000);
    assert_int_equal(configured(10, 7, 2).ageing_ps, 7000000);   /* at least the timeout */
}

static void configure__does_not_raise_the_table_later(void **unused)
{
    struct flowlet_cfg c = configured(64, 1, 1);
    struct knobs       k;

    (void)unused;
    knobs_init(&k);
    k.value[KNOB_flowlet_table] = 4096;
    flowlet_configure(&c, &k);
    assert_int_equal(c.entries, 64);
    k.value[KNOB_flowlet_table] = 16;
    flowlet_configure(&c, &k);
    assert_int_equal(c.entries, 16);
    assert_int_equal(c.entries_max, 64);
}

static void touch__starts_flowlets_at_gaps(void **unused)
{
    static const struct { uint64_t gap_ps; enum flowlet_state is; } row[] = {
        { 0, FLOWLET_CONTINUES }, { 1, FLOWLET_CONTINUES }, { 99999999, FLOWLET_CONTINUES },
        { 100000000, FLOWLET_CONTINUES }, { 99999999, FLOWLET_CONTINUES }, { 100000001, FLOWLET_NEW },
        { 2000000000, FLOWLET_NEW }, { 2000000001, FLOWLET_NEW_FLOW }, { 5, FLOWLET_CONTINUES },
    };
    struct flowlet_cfg c = configured(16, 100, 2000);
    struct flowlet     f = { 0 };
    uint64_t           now_ps = 0;

    (void)unused;
    /* the very first packet, at time 0 */
    assert_int_equal(flowlet_touch(&c, &f, 0), FLOWLET_NEW_FLOW);
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        now_ps += row[i].gap_ps;
        assert_int_equal(flowlet_touch(&c, &f, now_ps), row[i].is);
    }
}

static struct flowlet *find(const struct flowlet_cfg *c, struct flowlet *table, uint32_t salt, uint32_t ports)
{
    struct lb_packet p = { .src = 3, .dst = 9, .ports = ports };

    return flowlet_find(c, table, salt, &p);
}

/* n flows in m entries leave m (1 - 1/m)^n of them empty: 4096 in 4096 leave 1507. Standard deviation:
 * sqrt(m (e^-1 - 2 e^-2)) = 20. */
static void find__spreads_flows_over_the_table(void **unused)
{
    static struct flowlet table[4096];
    struct flowlet_cfg    c = configured(4096, 1, 1);
    uint32_t              empty = 0;

    (void)unused;
    for (uint32_t i = 0; i < 4096; i++)
        find(&c, table, 5, i << 4 | 100u << 16)->choice++;
    for (uint32_t i = 0; i < 4096; i++)
        empty += !table[i].choice;
    assert_in_range(empty, 1507 - 100, 1507 + 100);
}

/* Two flows in one entry count as one: packets of either keep the flowlet going. */
static void find__collisions_share_an_entry(void **unused)
{
    static struct flowlet table[16];
    struct flowlet_cfg    c = configured(16, 100, 2000);
    struct flowlet       *one = find(&c, table, 5, 1), *other = NULL;
    uint32_t              ports = 2;

    (void)unused;
    while ((other = find(&c, table, 5, ports)) != one)
        ports++;
    assert_true(one == find(&c, table, 5, 1));
    flowlet_touch(&c, one, 0);
    assert_int_equal(flowlet_touch(&c, other, 60 * PS_PER_US), FLOWLET_CONTINUES);
    assert_int_equal(flowlet_touch(&c, one, 120 * PS_PER_US), FLOWLET_CONTINUES);
}

static void find__differs_between_switches(void **unused)
{
    static struct flowlet table[1024];
    struct flowlet_cfg    c = configured(1024, 1, 1);
    uint32_t              same = 0;

    (void)unused;
    for (uint32_t i = 0; i < 1024; i++)
        same += find(&c, table, 5, i) == find(&c, table, 6, i);
    assert_in_range(same, 0, 10);        /* one expected */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(configure__rounds_the_table_up),
        cmocka_unit_test(configure__does_not_raise_the_table_later),
        cmocka_unit_test(touch__starts_flowlets_at_gaps),
        cmocka_unit_test(find__spreads_flows_over_the_table),
        cmocka_unit_test(find__collisions_share_an_entry),
        cmocka_unit_test(find__differs_between_switches),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
