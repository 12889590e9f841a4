/* tests/lb_test.c - whole networks with each load balancer: links fail and recover, threads do not matter,
 * and ECMP distributes flows like balls into bins, weighted by link rates.
 */
#include "digest.h"

#include "core/units.h"
#include "study/scenario/scenario.h"
#include "sim/nic/nic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define DOWN_PS (100 * PS_PER_US)
#define UP_PS   (400 * PS_PER_US)
#define REST_PS (20 * PS_PER_US)         /* by then, packets in flight to the failed link are gone */

#define TRAFFIC "knobs: {kmin: 5KB, kmax: 20KB}, " \
                "traffic: [{kind: poisson, sizes: FB_Hadoop, load: 0.3, stop: 500us}]"

static const char *const worlds[] = {
    "topology: {kind: clos, tors: 4, hosts_per_tor: 4, spines: 3, "
    "links_down: [{a: tor0, b: spine1, down: 100us, up: 400us}]}, " TRAFFIC,
    "topology: {kind: fat_tree, k: 4, links_down: [{a: edge0, b: agg0, down: 100us, up: 400us}]}, " TRAFFIC,
    "topology: {kind: fat_tree, k: 4, links_down: [{a: agg1, b: core2, down: 100us, up: 400us}]}, " TRAFFIC,
};
#define WORLDS (sizeof worlds / sizeof *worlds)

static void on_done(void *arg, const struct flow_result *r)
{
    uint64_t *digest = arg;

    *digest = digest_add_flow(*digest, r);
}

static struct sim *start(struct scenario *scenario, const char *text, uint32_t threads)
{
    uint64_t    seed = 1;
    struct sim *s;
    struct err  err;

    if (scenario_parse(scenario, "lb", text, strlen(text), NULL, 0, &seed, &err))
        die("%s", err.text);
    scenario->cfg.threads = threads;
    if (scenario_start(scenario, &s, &err))
        die("%s", err.text);
    return s;
}

/* Runs a world to its end and returns its digest. If senders spray, queue pairs must keep reordered
 * packets. */
static uint64_t run(const char *lb, const char *world, uint32_t threads)
{
    const char     *repeat = lb_find(lb)->entropy ? ", retransmit: selective, reorder: 20us" : "";
    uint64_t        digest = DIGEST_EMPTY, dropped;
    struct scenario scenario;
    struct sim     *s;
    char            text[512];

    snprintf(text, sizeof text, "{lb: %s, host: {rto: 200us%s}, %s}", lb, repeat, world);
    s = start(&scenario, text, threads);
    s->engine.hooks = (struct sim_hooks){ .arg = &digest, .flow_done = on_done };
    sim_run_until(s, DOWN_PS + REST_PS);
    dropped = s->engine.counters.dropped_down;
    sim_run_until(s, UP_PS - 1);
    assert_int_equal(s->engine.counters.dropped_down, dropped);
    sim_run_until(s, 1000 * PS_PER_MS);
    sim_check(s);
    assert_true(s->is_done);
    assert_int_equal(s->engine.counters.flows_done, s->engine.counters.flows_started);
    assert_true(s->engine.counters.flows_done > 100);
    assert_int_equal(s->engine.counters.dropped_no_route, 0);
    digest = digest_add_counters(digest, &s->engine.counters);
    digest = digest_add(digest, s->engine.counters.flowlets << 32 ^ s->engine.counters.reroutes);
    sim_free(s);
    scenario_fini(&scenario);
    return digest;
}

static void run__survives_a_link_and_any_number_of_threads(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < WORLDS; i++)
        for (const struct lb_algo *const *lb = lb_all; *lb; lb++) {
            uint64_t one = run((*lb)->name, worlds[i], 1);

            if (run((*lb)->name, worlds[i], 3) != one) {
                print_error("%s in world %zu with 3 threads\n", (*lb)->name, i);
                fail();
            }
        }
}

/* Balancers differ: they do not all act like ECMP. */
static void run__differs_between_balancers(void **unused)
{
    uint64_t seen[16];
    uint32_t count = 0;

    (void)unused;
    for (const struct lb_algo *const *lb = lb_all; *lb; lb++) {
        seen[count] = run((*lb)->name, worlds[0], 1);
        for (uint32_t i = 0; i < count; i++)
            assert_true(seen[i] != seen[count]);
        count++;
    }
}

/* Eight hosts behind switch a each send one packet to a host behind b, over four switches. */
#define BALLS 8
#define BINS  4
#define SEEDS 400

/* Adds to balls[i] how many packets used the i-th switch. The links of the first have the rate 'first'. */
static void throw_balls(const char *first, uint32_t seed, uint32_t *balls)
{
    char               text[2048];
    int at = snprintf(text, sizeof text,
                      "{lb: {kind: ecmp, seed: %u}, traffic: [{kind: incast, "
                      "senders: 8, size: 1KB}], topology: {kind: graph, hosts: 9, switches: 6, "
                      "links: [{a: h8, b: s1}",
                      seed);
    struct scenario    scenario;
    struct sim        *s;
    const struct node *a;

    for (int i = 0; i < BINS; i++)
        at += snprintf(text + at, sizeof text - (size_t)at,
                       ", {a: s0, b: s%d, rate: %s}, {a: s1, b: s%d, rate: %s}", 2 + i, i ? "100Gbps" : first,
                       2 + i, i ? "100Gbps" : first);
    for (int i = 0; i < BALLS; i++)
        at += snprintf(text + at, sizeof text - (size_t)at, ", {a: h%d, b: s0}", i);
    snprintf(text + at, sizeof text - (size_t)at, "]}}");
    s = start(&scenario, text, 1);
    sim_run_until(s, PS_PER_MS);
    assert_true(s->is_done);
    a = s->net.host[0].port->peer->node;
    for (uint32_t i = 0; i < BINS; i++) {
        assert_true(s->net.port[a->first_port + i].peer->is_switch);
        balls[i] += (uint32_t)s->net.port[a->first_port + i].counters.tx_packets[CLASS_DATA];
    }
    sim_free(s);
    scenario_fini(&scenario);
}

/* n flows leave m (1 - 1/m)^n of m paths empty, here 0.4005, with the variance
 * m (m - 1) (1 - 2/m)^n + E - E^2 = 0.287: over 400 runs 160.2, with a standard deviation of 10.7. */
static void ecmp__distributes_flows_like_balls_into_bins(void **unused)
{
    uint32_t empty = 0;

    (void)unused;
    for (uint32_t seed = 1; seed <= SEEDS; seed++) {
        uint32_t balls[BINS] = { 0 };

        throw_balls("100Gbps", seed, balls);
        for (int i = 0; i < BINS; i++)
            empty += !balls[i];
    }
    assert_in_range(empty, 160 - 48, 160 + 48);
}

/* One path at half the rate of three others: 1/7 of 3200 flows, 457, with a standard deviation of 19.8;
 * 2/7, 914 with 25.6, on each of the others. */
static void ecmp__weighs_links_by_their_rate(void **unused)
{
    uint32_t balls[BINS] = { 0 };

    (void)unused;
    for (uint32_t seed = 1; seed <= SEEDS; seed++)
        throw_balls("50Gbps", seed, balls);
    assert_in_range(balls[0], 457 - 90, 457 + 90);
    for (int i = 1; i < BINS; i++)
        assert_in_range(balls[i], 914 - 115, 914 + 115);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(run__survives_a_link_and_any_number_of_threads),
        cmocka_unit_test(run__differs_between_balancers),
        cmocka_unit_test(ecmp__distributes_flows_like_balls_into_bins),
        cmocka_unit_test(ecmp__weighs_links_by_their_rate),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
