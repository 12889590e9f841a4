/* src/study/run/outages_test.c - what the failure of a link cost. */
#include "study/run/outages.h"
#include "core/units.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static void add__counts_flows_that_were_under_way(void **state)
{
    struct link_change change[] = { { 100, 7, false }, { 150, 7, true }, { 300, 7, false } };
    struct sim_cfg     cfg = { .change = change, .changes = 3 };
    struct flow_result flow = { .start_ps = 50, .fct_ps = 60, .ideal_ps = 20, .resent_bytes = 1 };
    struct outages     o;

    (void)state;
    outages_init(&o, &cfg);
    assert_int_equal(o.count, 2);
    assert_true(o.list[0].link == 7 && o.list[0].start_ps == 100 && o.list[0].stop_ps == 150);
    assert_true(o.list[1].start_ps == 300 && o.list[1].stop_ps == NEVER);
    outages_add(&o, &flow);
    flow.resent_bytes = 0;
    outages_add(&o, &flow);
    flow.start_ps = 101;                         /* after it went down */
    outages_add(&o, &flow);
    flow.start_ps = 10;                          /* over before */
    outages_add(&o, &flow);
    assert_int_equal(o.list[0].hit.count, 1);
    assert_int_equal(o.list[0].spared.count, 1);
    assert_true(o.list[0].hit.slowdowns == 3);
    assert_int_equal(o.list[1].hit.count + o.list[1].spared.count, 0);
    outages_fini(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(add__counts_flows_that_were_under_way) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
