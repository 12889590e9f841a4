/* src/sim/cc/aimd_test.c */
#include "sim/cc/test_flow.h"

/* A 100 Gb/s flow that gains 5 Mb/s every 300 us; rates by hand. */
static void on_due__adds_a_step_per_period(void **unused)
{
    static const struct { uint64_t at_us, mbps; } rows[] = {
        { 10, 50000 }, { 309, 50000 }, { 311, 50005 }, { 911, 50015 }, { 3100000, 100000 },
    };
    struct knobs knobs;
    struct flow  t;

    (void)unused;
    knobs_init(&knobs);
    flow_start(&t, cc_find("aimd"), &knobs, &link_100g);
    flow_cnp(&t, at_ns(10000), 0);
    for (int i = 0; i < 5; i++)
        assert_int_equal(flow_rate(&t, at_ns(rows[i].at_us * 1000)), rows[i].mbps * 1000000);
    assert_true(t.out.due_ps == NEVER);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(on_due__adds_a_step_per_period) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
