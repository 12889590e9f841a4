/* tests/vast_test.c - in a vast network, memory is prefetched and routes are looked up ahead. Results must
 * not change.
 */
#include "digest.h"

#include "core/units.h"
#include "study/scenario/scenario.h"
#include "sim/run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void on_done(void *arg, const struct flow_result *r)
{
    uint64_t *digest = arg;

    *digest = digest_add_flow(*digest, r);
}

static uint64_t run(const char *text, bool is_blind)
{
    uint64_t        digest = DIGEST_EMPTY, seed = 3;
    struct scenario scenario;
    struct sim     *s;
    struct err      err;

    if (scenario_parse(&scenario, "vast", text, strlen(text), NULL, 0, &seed, &err) ||
        scenario_start(&scenario, &s, &err))
        die("%s", err.text);
    assert_true(s->net.ports >= LOOK_AHEAD_PORTS_VAST && s->engine.evq.on_open);
    if (is_blind) {
        s->engine.evq.on_near = NULL;
        s->engine.evq.on_open = NULL;
    }
    s->engine.hooks = (struct sim_hooks){ .arg = &digest, .flow_done = on_done };
    sim_run_until(s, 60 * PS_PER_US);
    sim_check(s);
    assert_true(s->engine.counters.flows_done > 100);
    digest = digest_add_counters(digest, &s->engine.counters);
    sim_free(s);
    scenario_fini(&scenario);
    return digest;
}

static void run__is_the_same_without_look_ahead(void **unused)
{
    static const char text[] = "topology: {kind: fat_tree, k: 18, rate: 100Gbps, delay: 1us}\n"
                               "traffic: [{kind: poisson, sizes: FB_Hadoop, load: 5%}, {kind: incast, "
                               "senders: 40, size: 60KB, start: 5us}]\n"
                               "run: 60us\n";

    (void)unused;
    assert_int_equal(run(text, false), run(text, true));
}

/* Uplinks go down and up while packets whose route was looked up before are on the wire. */
static void run__is_the_same_when_routes_change(void **unused)
{
    static const char text[] = "topology: {kind: fat_tree, k: 18, rate: 100Gbps, delay: 1us, links_down: "
                               "[{a: edge0, b: agg0, down: 10us, up: 25us}, "
                               "{a: agg1, b: core10, down: 12us, up: 40us}]}\n"
                               "traffic: [{kind: permutation, size: 100KB}]\n"
                               "run: 60us\n";

    (void)unused;
    assert_int_equal(run(text, false), run(text, true));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(run__is_the_same_without_look_ahead),
        cmocka_unit_test(run__is_the_same_when_routes_change),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
