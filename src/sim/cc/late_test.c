/* src/sim/cc/late_test.c - decisions that take time, computed by hand. */
#include "sim/cc/late.h"
#include "sim/cc/test_flow.h"

static void decide__takes_effect_at_its_end(void **unused)
{
    struct cc_out  out = { .rate_bps = 100, .due_ps = NEVER };
    struct cc_late l;

    (void)unused;
    cc_late_start(&l);
    cc_late_decide(&l, at_ns(10), 5 * PS_PER_NS, 50, &out);
    flow_expect(&(struct flow){ .out = out }, 100, 15);
    cc_late_run(&l, at_ns(14), 5 * PS_PER_NS, &out);
    assert_int_equal(out.rate_bps, 100);
    cc_late_run(&l, at_ns(15), 5 * PS_PER_NS, &out);
    assert_int_equal(out.rate_bps, 50);
    assert_int_equal(out.due_ps, NEVER);
}

/* Of three signals, the second and third share a decision, which starts when the first one ends. */
static void decide__signals_during_a_decision_share_the_next(void **unused)
{
    struct cc_out  out = { .rate_bps = 100, .due_ps = NEVER };
    struct cc_late l;

    (void)unused;
    cc_late_start(&l);
    cc_late_decide(&l, at_ns(10), 5 * PS_PER_NS, 50, &out);
    cc_late_decide(&l, at_ns(11), 5 * PS_PER_NS, 40, &out);
    cc_late_decide(&l, at_ns(13), 5 * PS_PER_NS, 30, &out);
    flow_expect(&(struct flow){ .out = out }, 100, 15);
    cc_late_run(&l, at_ns(15), 5 * PS_PER_NS, &out);
    flow_expect(&(struct flow){ .out = out }, 50, 20);
    cc_late_decide(&l, at_ns(18), 5 * PS_PER_NS, 20, &out);
    cc_late_run(&l, at_ns(20), 5 * PS_PER_NS, &out);
    flow_expect(&(struct flow){ .out = out }, 30, 25);
    cc_late_run(&l, at_ns(1000), 5 * PS_PER_NS, &out);
    assert_int_equal(out.rate_bps, 20);
    assert_int_equal(out.due_ps, NEVER);
}

/* A duration of 0 takes effect at once, also after a longer one. */
static void decide__at_once(void **unused)
{
    struct cc_out  out = { .rate_bps = 100, .due_ps = NEVER };
    struct cc_late l;

    (void)unused;
    cc_late_start(&l);
    cc_late_decide(&l, at_ns(10), 0, 50, &out);
    assert_int_equal(out.rate_bps, 50);
    assert_int_equal(out.due_ps, NEVER);
    cc_late_decide(&l, at_ns(20), 5 * PS_PER_NS, 40, &out);
    cc_late_decide(&l, at_ns(21), 0, 30, &out);
    assert_int_equal(out.rate_bps, 30);
    assert_int_equal(out.due_ps, NEVER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decide__takes_effect_at_its_end),
        cmocka_unit_test(decide__signals_during_a_decision_share_the_next),
        cmocka_unit_test(decide__at_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
