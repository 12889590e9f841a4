/* src/study/campaign/further_seeds_test.c - how many seeds run, and what their intervals contain. */
#include "study/campaign/further_seeds.h"
#include "study/run/progress.h"
#include "study/run/simulation.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void run(struct simulation *s, const char *text, uint32_t threads)
{
    struct simulation_input input = { .name = "test.yaml", .text = text, .text_bytes = strlen(text),
                                      .threads = threads };
    struct err              err;
    struct progress         progress = { 0 };
    uint32_t                seeds;

    if (simulation_open(s, &input, &err))
        fail_msg("%s", err.text);
    simulation_run(s, NULL, NULL);
    if (simulation_failed(s, &err))
        fail_msg("%s", err.text);
    seeds = further_seeds_wanted(s);
    if (seeds)
        assert_int_equal(further_seeds_run(s, seeds, &progress), 0);
}

#define STAR "topology: {kind: star, hosts: 8, rate: 100Gbps, delay: 1us}\nseed: 1\n"
#define RING "traffic: [{kind: training, collective: ring_all_reduce, size: 4MB, compute: 20us, " \
             "iterations: 3}]\n"
/* Some experts are popular: queues are between the thresholds, so marking is random. */
#define CROWD "traffic: [{kind: training, collective: all_to_all, at_once: yes, skew: 1, size: 500KB, " \
              "iterations: 3}]\n"

/* The flows of a ring on a star share no links: nothing is random, and one run suffices. */
static void further_seeds_run__without_random_numbers_one_seed_is_enough(void **unused)
{
    struct simulation s;
    double            us[EXPOSED_COUNT];

    (void)unused;
    run(&s, STAR RING "fidelity: fast\n", 1);
    assert_false(sim_has_drawn(s.sim));
    assert_int_equal(s.spread.seeds, 1);
    assert_true(s.spread.model >= SPREAD_MODEL && s.spread.model < 2 * SPREAD_MODEL);
    exposed_us(&s.scenario.entry[0], ops_cell(&s.ops, 0, OP_ITERATION), us);
    for (uint32_t i = 0; i < EXPOSED_COUNT; i++)
        assert_true(fabs(s.spread.us[i].high / us[i] - 1 - s.spread.model) < 1e-9);
    simulation_close(&s);
}

/* All flows share links: five runs would cost more than a run of all packets, so they happen only on
 * request. */
static void further_seeds_run__only_on_request_if_expensive(void **unused)
{
    struct simulation s;

    (void)unused;
    run(&s, STAR CROWD "fidelity: fast\n", 1);
    assert_true(sim_has_drawn(s.sim));
    assert_int_equal(s.spread.seeds, 0);
    assert_non_null(s.spread.why_not);
    simulation_close(&s);

    run(&s, STAR CROWD "fidelity: {kind: fast, seeds: 3}\n", 1);
    assert_int_equal(s.spread.seeds, 3);
    assert_null(s.spread.why_not);
    assert_true(s.spread.us[EXPOSED_MEAN].low < s.spread.us[EXPOSED_MEAN].high);
    simulation_close(&s);

    run(&s, STAR CROWD, 1);
    assert_int_equal(s.spread.seeds, 0);
    simulation_close(&s);

    run(&s, STAR CROWD "fidelity: {kind: fast, seeds: 1}\n", 1);
    assert_int_equal(s.spread.seeds, 0);
    simulation_close(&s);
}

static void further_seeds_run__is_the_same_on_any_number_of_threads(void **unused)
{
    struct simulation s, t;

    (void)unused;
    run(&s, STAR CROWD "fidelity: {kind: fast, seeds: 5}\n", 1);
    run(&t, STAR CROWD "fidelity: {kind: fast, seeds: 5}\n", 3);
    assert_memory_equal(s.spread.us, t.spread.us, EXPOSED_COUNT * sizeof *s.spread.us);
    simulation_close(&s);
    simulation_close(&t);
}

/* The reference is a run of all packets, with a seed that no run of the interval had. */
static void further_seeds_run__interval_contains_a_run_of_all_packets(void **unused)
{
    struct simulation s, t;
    double            us[EXPOSED_COUNT];

    (void)unused;
    run(&s, STAR CROWD "fidelity: {kind: fast, seeds: 5}\n", 1);
    run(&t, "seed: 77\ntopology: {kind: star, hosts: 8, rate: 100Gbps, delay: 1us}\n" CROWD, 1);
    exposed_us(&t.scenario.entry[0], ops_cell(&t.ops, 0, OP_ITERATION), us);
    for (uint32_t i = 0; i < EXPOSED_COUNT; i++)
        assert_true(us[i] > s.spread.us[i].low && us[i] < s.spread.us[i].high);
    simulation_close(&s);
    simulation_close(&t);
}

/* The first run keeps its results if another seed cannot run, here because its scenario cannot be read
 * again. */
static void further_seeds_run__without_an_interval_if_a_seed_fails(void **unused)
{
    struct simulation s;
    struct progress   progress;

    (void)unused;
    run(&s, STAR CROWD "fidelity: {kind: fast, seeds: 1}\n", 1);
    s.input.text = "topology: [";
    s.input.text_bytes = strlen(s.input.text);
    progress_start(&progress, false);
    assert_int_equal(further_seeds_run(&s, 3, &progress), 0);
    assert_int_equal(s.spread.seeds, 0);
    assert_string_equal(s.spread.why_not, "a run with another seed failed");
    simulation_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(further_seeds_run__without_random_numbers_one_seed_is_enough),
        cmocka_unit_test(further_seeds_run__only_on_request_if_expensive),
        cmocka_unit_test(further_seeds_run__is_the_same_on_any_number_of_threads),
        cmocka_unit_test(further_seeds_run__interval_contains_a_run_of_all_packets),
        cmocka_unit_test(further_seeds_run__without_an_interval_if_a_seed_fails),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
