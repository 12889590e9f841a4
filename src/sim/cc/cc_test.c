/* src/sim/cc/cc_test.c - invariants of every congestion control in the list. */
#include "base/rng.h"
#include "sim/cc/test_flow.h"

#include <math.h>
#include <stdio.h>

static void find__knows_the_names_of_scenario_files(void **unused)
{
    static const char *const names[] = { "dcqcn", "dcqcn_hpcc", "dcqcn_plus", "none" };

    (void)unused;
    for (int i = 0; i < 4; i++) {
        const struct cc_algo *cc = cc_find(names[i]);

        assert_non_null(cc);
        assert_string_equal(cc->name, names[i]);
    }
}

static void find__finds_each_by_its_name(void **unused)
{
    (void)unused;
    for (int i = 0; cc_all[i]; i++)
        assert_ptr_equal(cc_find(cc_all[i]->name), cc_all[i]);
}

static void find__null_for_unknown_names(void **unused)
{
    (void)unused;
    assert_null(cc_find("dcqc"));
    assert_null(cc_find("dcqcn_"));
    assert_null(cc_find(""));
}

static void all__have_required_hooks_and_fit(void **unused)
{
    (void)unused;
    for (int i = 0; cc_all[i]; i++) {
        assert_non_null(cc_all[i]->start);
        assert_non_null(cc_all[i]->configure);
        assert_non_null(cc_all[i]->about);
        assert_true(cc_all[i]->cfg_size <= CC_CFG_MAX);
        assert_true(cc_all[i]->state_size <= CC_STATE_MAX);
    }
}

/* A control must not write beyond its cfg and state. */
static void all__write_only_their_memory(void **unused)
{
    (void)unused;
    for (int i = 0; cc_all[i]; i++) {
        const struct cc_algo *cc = cc_all[i];
        _Alignas(16) unsigned char cfg[CC_CFG_MAX + 1], state[CC_STATE_MAX + 1];
        struct cc_now now = { 5, 5 };
        struct cc_out out;
        struct knobs  knobs;

        cfg[cc->cfg_size] = state[cc->state_size] = 0xa5;
        knobs_init(&knobs);
        cc->configure(cfg, &knobs, &link_100g);
        cc->start(cfg, state, now, &out);
        if (cc->on_cnp)
            cc->on_cnp(cfg, state, now, 0, &out);
        assert_int_equal(cfg[cc->cfg_size], 0xa5);
        assert_int_equal(state[cc->state_size], 0xa5);
    }
}

/* Controls with a window start with the largest one: the bytes in flight in an empty round trip. */
static void start__line_rate_whole_window_nothing_due(void **unused)
{
    (void)unused;
    for (int i = 0; cc_all[i]; i++) {
        _Alignas(16) char cfg[CC_CFG_MAX], state[CC_STATE_MAX] = { 0 };
        struct cc_out out = { .rate_bps = 1, .window_bytes = 2, .due_ps = 3, .probe_ps = NEVER };
        struct knobs  knobs;

        knobs_init(&knobs);
        cc_all[i]->configure(cfg, &knobs, &link_100g);
        cc_all[i]->start(cfg, state, (struct cc_now){ 5, 5 }, &out);
        assert_int_equal(out.rate_bps, 100000000000);
        assert_true(out.window_bytes == (cc_all[i]->has_window ? cc_link_bdp_bytes(&link_100g) : UINT64_MAX));
        assert_true(out.due_ps == NEVER);
    }
}

static void none__has_no_signal_hooks(void **unused)
{
    const struct cc_algo *cc = cc_find("none");

    (void)unused;
    assert_null(cc->on_sent);
    assert_null(cc->on_ack);
    assert_null(cc->on_cnp);
    assert_null(cc->on_due);
}

/* The configuration, which must not depend on what was in memory. */
static void configure(const struct cc_algo *cc, const struct knobs *k, unsigned char cfg[CC_CFG_MAX])
{
    memset(cfg, 0, CC_CFG_MAX);
    cc->configure(cfg, k, &link_100g);
}

/* Sets one knob to several values, with others at random: does the configuration ever change? */
static bool reads(const struct cc_algo *cc, enum knob knob, struct rng *rng)
{
    _Alignas(16) unsigned char was[CC_CFG_MAX], is[CC_CFG_MAX];
    const struct knob_info    *i = &knob_info[knob];

    for (int round = 0; round < 40; round++) {
        struct knobs k;

        knobs_init(&k);
        for (int other = 0; round && other < KNOB_COUNT; other++)
            k.value[other] = fmin(knob_info[other].max,
                                  knob_info[other].min + knob_info[other].step * (double)rng_below(rng, 9));
        configure(cc, &k, was);
        k.value[knob] = k.value[knob] == i->max ? i->min :
                        round % 2               ? i->max : fmin(i->max, k.value[knob] + i->step);
        configure(cc, &k, is);
        if (memcmp(was, is, sizeof was) != 0)
            return true;
    }
    return false;
}

static void configure__reads_the_knobs_that_knobs_def_says(void **unused)
{
    struct rng rng;
    int        wrong = 0;

    (void)unused;
    rng_init(&rng, 1, 0);
    for (int i = 0; cc_all[i]; i++)
        for (int k = 0; k < KNOB_COUNT; k++)
            if (reads(cc_all[i], (enum knob)k, &rng) != knob_is_read_by((enum knob)k, cc_all[i]->name))
                wrong += printf("cc %s %s %s\n", cc_all[i]->name,
                                knob_is_read_by((enum knob)k, cc_all[i]->name) ? "does not read" : "reads",
                                knob_info[k].name) > 0;
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(find__knows_the_names_of_scenario_files),
        cmocka_unit_test(find__finds_each_by_its_name),
        cmocka_unit_test(find__null_for_unknown_names),
        cmocka_unit_test(all__have_required_hooks_and_fit),
        cmocka_unit_test(all__write_only_their_memory),
        cmocka_unit_test(start__line_rate_whole_window_nothing_due),
        cmocka_unit_test(configure__reads_the_knobs_that_knobs_def_says),
        cmocka_unit_test(none__has_no_signal_hooks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
