/* tests/same_test.c - the same scenario and seed give the same results, to the last bit: twice in a row,
 * in small steps, and as on the day when the numbers below were written down, whatever compiler,
 * optimisation or processor.
 *
 * A change of the model changes the numbers: `same_test print` prints the new rows. A change that was not
 * meant to must not.
 */
#include "digest.h"

#include "core/units.h"
#include "sim/scenario.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

struct same {
    const char *name, *text;
    uint64_t    digest;          /* with seed 1 */
};

static const struct same same[] = {
    { "nic_poisson",
      "{knobs: {kmin: 5, kmax: 50}, "
      "topology: {kind: clos, tors: 4, hosts_per_tor: 4, spines: 2, rate: 100Gbps, delay: 1us}, "
      "traffic: [{kind: poisson, sizes: FB_Hadoop, load: 0.5, stop: 300us}]}",
      0xf87a3f6c06219b70 },
    { "nic_incast",
      "{topology: {kind: star, hosts: 17, rate: 100Gbps, delay: 1us}, switch: {buffer: 3MB}, "
      "knobs: {kmin: 20, kmax: 200}, traffic: [{kind: incast, senders: 16, size: 300KB}]}",
      0x6307d0c51670d549 },
    { "nic_classes",
      "{knobs: {kmin: 5, kmax: 50}, "
      "topology: {kind: fat_tree, k: 4, rate: 100Gbps, delay: 500ns}, switch: {weights: [1, 2, 3, "
      "4, 5, 6, 7, 8], ecn_at: enqueue}, traffic: [{kind: permutation, size: 400KB}, "
      "{kind: all_to_all, size: 20KB, prio: 5}]}",
      0xab81d06da63eeb13 },
    { "nic_lossy",
      "{knobs: {kmin: 5, kmax: 50}, "
      "topology: {kind: clos, tors: 2, hosts_per_tor: 4, spines: 2, rate: 100Gbps, delay: 1us, "
      "ber: 1e-8}, switch: {lossless: no, buffer: 300KB}, host: {rto: 300us}, "
      "traffic: [{kind: poisson, sizes: WebSearch, load: 0.3, stop: 500us}, {kind: incast, "
      "senders: 7, size: 100KB, start: 50us}]}",
      0x0c6d2747ab63543a },
    { "nic_failure",
      "{knobs: {kmin: 5, kmax: 50}, "
      "topology: {kind: clos, tors: 2, hosts_per_tor: 4, spines: 3, rate: 100Gbps, delay: 1us, "
      "links_down: [{a: tor0, b: spine1, down: 100us, up: 400us}]}, host: {rto: 200us}, "
      "traffic: [{kind: poisson, sizes: FB_Hadoop, load: 0.4, stop: 600us}]}",
      0xc67be53ba8c79d48 },
    { "hpcc_poisson",
      "{model: hpcc, topology: {kind: clos, tors: 4, hosts_per_tor: 4, spines: 2, rate: 100Gbps, "
      "delay: 1us}, traffic: [{kind: poisson, sizes: FB_Hadoop, load: 0.5, stop: 300us}]}",
      0x63bdfc98b2f46b14 },
    { "hpcc_incast",
      "{model: hpcc, topology: {kind: star, hosts: 17, rate: 25Gbps, delay: 1us}, "
      "traffic: [{kind: incast, senders: 16, size: 200KB}]}",
      0xf1e1d2fcd4a93d32 },
    { "hpcc_node_order",
      "{model: hpcc, order: node, topology: {kind: fat_tree, k: 4, rate: 100Gbps, delay: 1us}, "
      "traffic: [{kind: permutation, size: 300KB}]}",
      0x0fc2351f0a4fd51c },
};
#define COUNT (sizeof same / sizeof *same)

static void on_done(void *arg, const struct flow_result *r)
{
    uint64_t *digest = arg;

    *digest = digest_add_flow(*digest, r);
}

/* Runs a scenario to its end, in steps of 'step_ps' or at once (0). */
static uint64_t run(const struct same *a, uint64_t seed, uint64_t step_ps)
{
    uint64_t        digest = DIGEST_EMPTY;
    struct scenario scenario;
    struct sim     *s;
    struct err      err;

    if (scenario_parse(&scenario, a->name, a->text, strlen(a->text), NULL, 0, &seed, &err) ||
        scenario_start(&scenario, &s, &err))
        die("%s", err.text);
    s->hooks = (struct sim_hooks){ &digest, on_done, NULL };
    while (sim_run_until(s, step_ps ? s->now_ps + step_ps : NEVER))
        continue;
    assert_true(s->is_done);
    assert_true(s->counters.flows_done > 10);
    digest = digest_add_counters(digest, &s->counters);
    sim_free(s);
    scenario_fini(&scenario);
    return digest;
}

static void run__gives_what_it_gave_before(void **unused)
{
    (void)unused;
    for (uint32_t i = 0; i < COUNT; i++) {
        uint64_t digest = run(&same[i], 1, 0);

        if (digest != same[i].digest)
            fail_msg("%s: digest 0x%016llx, expected 0x%016llx", same[i].name, (unsigned long long)digest,
                     (unsigned long long)same[i].digest);
    }
}

static void run__gives_the_same_twice(void **unused)
{
    (void)unused;
    for (uint32_t i = 0; i < COUNT; i++)
        assert_int_equal(run(&same[i], 7, 0), run(&same[i], 7, 0));
}

/* Stopping and going on leaves no trace. */
static void run__gives_the_same_in_steps(void **unused)
{
    (void)unused;
    for (uint32_t i = 0; i < COUNT; i++)
        assert_int_equal(run(&same[i], 7, 0), run(&same[i], 7, 1234567));
}

static void run__differs_with_the_seed(void **unused)
{
    (void)unused;
    for (uint32_t i = 0; i < COUNT; i++)
        assert_int_not_equal(run(&same[i], 1, 0), run(&same[i], 2, 0));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(run__gives_what_it_gave_before),
        cmocka_unit_test(run__gives_the_same_twice),
        cmocka_unit_test(run__gives_the_same_in_steps),
        cmocka_unit_test(run__differs_with_the_seed),
    };

    if (argc > 1 && strcmp(argv[1], "print") == 0) {
        for (uint32_t i = 0; i < COUNT; i++)
            printf("%s 0x%016llx\n", same[i].name, (unsigned long long)run(&same[i], 1, 0));
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
