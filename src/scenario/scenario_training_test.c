#include "scenario/scenario.h"
#include "traffic/collective.h"

#include "core/units.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define CLOS "topology: {kind: clos, tors: 3, hosts_per_tor: 4, spines: 2, delay: 2us, fabric_delay: 3us}\n"

static void parse(struct scenario *s, const char *network, const char *entry)
{
    char       text[1000];
    struct err err;

    snprintf(text, sizeof text, "%straffic: [{kind: training, %s}]\n", network, entry);
    if (scenario_parse(s, "s.yaml", text, strlen(text), NULL, 0, NULL, &err))
        fail_msg("%s", err.text);
}

/* ---- where workers are ---- */

static void expect_places(const char *network, const char *entry, const uint32_t *node, uint32_t count)
{
    struct scenario s;

    parse(&s, network, entry);
    assert_int_equal(s.entry[0].workers, count);
    assert_int_equal(s.entry[0].hosts, count);
    assert_int_equal(traffic_streams(s.traffic), count);
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(traffic_source(s.traffic, i), node[i]);
    scenario_fini(&s);
}

static void placement__in_racks_of_four(void **unused)
{
    static const uint32_t packed[] = { 0, 1, 2, 3, 4, 5 }, spread[] = { 0, 4, 8, 1, 5, 9, 2 };
    static const uint32_t all[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 }, list[] = { 7, 0, 11 };

    (void)unused;
    expect_places(CLOS, "workers: 6, size: 1MB, iterations: 1", packed, 6);
    expect_places(CLOS, "workers: 6, placement: packed, size: 1MB, iterations: 1", packed, 6);
    expect_places(CLOS, "workers: 7, placement: spread, size: 1MB, iterations: 1", spread, 7);
    expect_places(CLOS, "size: 1MB, iterations: 1", all, 12);
    expect_places(CLOS, "workers: [h7, 0, h11], size: 1MB, iterations: 1", list, 3);
}

/* Racks of 1, 3 and 2 hosts whose hosts are mixed: h0 h3 h4 behind s1, h1 behind s0, h2 h5 behind s2.
 * Racks count in the order of their first hosts. */
static void placement__in_racks_that_differ(void **unused)
{
    static const char net[] =
        "topology: {kind: graph, hosts: 6, switches: 3, links: [{a: h0, b: s1}, {a: h3, b: s1},"
        " {a: h4, b: s1}, {a: s0, b: h1}, {a: h2, b: s2}, {a: h5, b: s2}, {a: s0, b: s1}, {a: s1, b: s2}]}\n";
    static const uint32_t packed[] = { 0, 3, 4, 1, 2 }, spread[] = { 0, 1, 2, 3, 5, 4 };

    (void)unused;
    expect_places(net, "workers: 5, size: 1MB, iterations: 1", packed, 5);
    expect_places(net, "workers: 6, placement: spread, size: 1MB, iterations: 1", spread, 6);
}

/* ---- what results are told ---- */

static void training__tells_what_it_is(void **unused)
{
    struct scenario s;

    (void)unused;
    parse(&s, CLOS, "workers: 4, size: 10KB, compute: 7ms, iterations: 2");
    assert_int_equal(s.entry[0].collective_bytes, 40000);
    assert_true(s.entry[0].bus_factor == 0.75);
    assert_int_equal(s.entry[0].compute_ps, 7 * PS_PER_MS);
    assert_int_equal(s.entry[0].bound_ps, 3 * (10000 + 10 * 82) * 80);
    scenario_fini(&s);

    parse(&s, CLOS "model: hpcc\n", "workers: 4, collective: ring_all_reduce, size: 10KB, iterations: 2");
    assert_int_equal(s.entry[0].collective_bytes, 10000);
    assert_true(s.entry[0].bus_factor == 1.5);
    assert_int_equal(s.entry[0].compute_ps, 0);
    assert_int_equal(s.entry[0].bound_ps, 6 * (2500 + 3 * 48) * 80);
    scenario_fini(&s);
}

/* The slowest worker's link counts, not that of a host that takes no part. */
static void training__bound_is_the_slowest_workers(void **unused)
{
    static const char net[] =
        "topology: {kind: graph, hosts: 4, switches: 1, links: [{a: h0, b: s0}, {a: h1, b: s0, rate: 50Gbps},"
        " {a: h2, b: s0}, {a: h3, b: s0, rate: 10Gbps}]}\n";
    struct scenario s;

    (void)unused;
    parse(&s, net, "workers: 3, size: 1024, iterations: 1");
    assert_int_equal(s.entry[0].bound_ps, 2 * 1106 * 160);
    scenario_fini(&s);
}

static void take_op(void *arg, const struct op_result *r)
{
    struct op_result *kept = arg;

    kept[0] = kept[1];
    kept[1] = *r;
}

/* From the end of one iteration to the start of the next. */
static uint64_t pause_ps(const char *entry)
{
    struct op_result op[2] = { { 0 } };
    struct scenario  s;
    struct sim      *sim;
    struct err       err;

    parse(&s, CLOS, entry);
    assert_int_equal(scenario_start(&s, &sim, &err), 0);
    traffic_on_op(sim->program.traffic, take_op, op);
    sim_run_until(sim, PS_PER_S);
    assert_true(sim->is_done);
    sim_free(sim);
    scenario_fini(&s);
    return op[1].start_ps - op[0].start_ps - op[0].took_ps;
}

static void delay__is_the_longest_links_if_not_given(void **unused)
{
    (void)unused;
    assert_int_equal(pause_ps("workers: 3, size: 10KB, iterations: 2"), 3 * PS_PER_US);
    assert_int_equal(pause_ps("workers: 3, size: 10KB, iterations: 2, delay: 2us"), 2 * PS_PER_US);
    assert_int_equal(pause_ps("workers: 3, size: 10KB, iterations: 2, delay: 9us, compute: 1ms"),
                     1009 * PS_PER_US);
}

/* Each kind of collective by its name, to its end. */
static void training__knows_every_collective(void **unused)
{
    (void)unused;
    for (int i = 0; i < COLLECTIVE_KINDS; i++) {
        char entry[200];

        snprintf(entry, sizeof entry, "workers: 5, collective: %s, size: 20KB, iterations: 2, compute: 4us",
                 collective_names[i]);
        assert_int_equal(pause_ps(entry), 7 * PS_PER_US);
    }
}

/* ---- what is wrong ---- */

static void training__refuses(void **unused)
{
    static const struct { const char *entry, *message; } rows[] = {
        { "size: 1MB", "s.yaml:2:11: training traffic needs an end: give it 'stop', or the scenario 'run'" },
        { "iterations: 1", "s.yaml:2:11: 'size' is missing in traffic training" },
        { "size: 1MB, iterations: 0", "s.yaml:2:51: iterations must be 1 .. 4294967294, not 0" },
        { "workers: 13, size: 1MB, iterations: 1", "s.yaml:2:37: workers must be 2 .. 12, not 13" },
        { "workers: 1, size: 1MB, iterations: 1", "s.yaml:2:37: workers must be 2 .. 12, not 1" },
        { "workers: [h1], size: 1MB, iterations: 1", "s.yaml:2:37: 'workers' must name 2 hosts or more" },
        { "workers: [h1, h1], size: 1MB, iterations: 1", "s.yaml:2:42: host 'h1' is listed twice" },
        { "workers: [h1, tor0], size: 1MB, iterations: 1", "s.yaml:2:42: 'tor0' is not a host but a switch" },
        { "workers: [h1, h2], placement: spread, size: 1MB, iterations: 1",
          "s.yaml:2:58: 'placement' has no effect on a list of workers; remove it" },
        { "placement: loose, size: 1MB, iterations: 1",
          "s.yaml:2:39: 'loose' is not a placement; there are packed and spread" },
        { "collective: all_reduce, size: 1MB, iterations: 1",
          "s.yaml:2:40: 'all_reduce' is not a value of collective; there are all_to_all, ring_all_reduce, "
          "tree_all_reduce, halving_doubling_all_reduce, all_gather, reduce_scatter, send_next and "
          "send_previous" },
        { "collective: all_gathr, size: 1MB, iterations: 1",
          "s.yaml:2:40: 'all_gathr' is not a value of collective; did you mean 'all_gather'?" },
        { "collective: all_gather, size: 11, iterations: 1",
          "s.yaml:2:58: 11 bytes cannot be divided among 12 workers" },
        { "size: 1MB, chunk: 1KB, iterations: 1", "s.yaml:2:46: only tree_all_reduce and rings with "
          "'channels' go in chunks" },
        { "collective: tree_all_reduce, size: 1TB, chunk: 1KB, iterations: 1",
          "s.yaml:2:11: more than 4000000 messages: use fewer workers or larger chunks" },
        { "size: 1MB, iterations: 1, delay: 1999ns",
          "s.yaml:2:61: 'delay' must not be less than a link's, 2 us" },
        { "size: 1MB, iterations: 1, at_once: yes, collective: all_gather", "s.yaml:2:63: only all_to_all "
          "can go at once: messages of all_gather wait for others" },
        { "size: 1MB, iterations: 1, hosts: 4", "s.yaml:2:54: 'hosts' is not a key of traffic training; "
          "there are kind, name, start, stop, for, influx, prio, qps, workers, placement, skip, collective, "
          "size, chunk, channels, at_once, pxn, steps, groups, compute, step_cost, iterations and delay" },
        { "workers: 8, skip: 5, size: 1MB, iterations: 1",
          "s.yaml:2:37: 8 workers after 5 skipped hosts do not fit: there are 12 hosts" },
        { "workers: [h1, h2], skip: 5, size: 1MB, iterations: 1",
          "s.yaml:2:53: 'skip' has no effect on a list of workers; remove it" },
        { "groups: {tensor: 2}, size: 1MB, iterations: 1",
          "s.yaml:2:36: 'groups' are for 'steps': without them all workers are one group" },
        { "groups: {tensor: 5}, steps: [{size: 1MB}], iterations: 1",
          "s.yaml:2:36: 12 workers cannot be divided into groups of 5 (tensor) times 1 (pipeline)" },
        { "groups: {tensor: 2, pipeline: 2, expert: 2}, steps: [{size: 1MB}], iterations: 1",
          "s.yaml:2:36: 3 workers in a data group cannot be divided into groups of 2 (expert)" },
        { "steps: [{size: 1MB, group: tensor}], iterations: 1",
          "s.yaml:2:55: group 'tensor' has only one worker, so it has no collective" },
        { "steps: [{size: 1MB, group: rows}], iterations: 1",
          "s.yaml:2:55: 'rows' is not a value of group; there are all, tensor, data, pipeline, expert and "
          "expert_data" },
        { "steps: [{compute: 1ms}], iterations: 1", "s.yaml:2:35: no step has a collective: give one its "
          "'size'" },
        { "steps: [{collective: all_gather}], iterations: 1", "s.yaml:2:36: 'size' is missing in steps" },
        { "steps: [{size: 1MB, tims: 2}], iterations: 1",
          "s.yaml:2:48: 'tims' is not a key of steps; did you mean 'times'?" },
        { "steps: [{size: 1MB}], size: 1MB, iterations: 1",
          "s.yaml:2:56: 'size' belongs into each of the 'steps'" },
        { "steps: [{size: 1MB, pipelined: yes}], iterations: 1", "s.yaml:2:59: 'pipelined' is for "
          "'send_next' and 'send_previous': others have no first worker" },
        { "steps: [{compute: 1us, pipelined: yes}, {size: 1MB}], iterations: 1", "s.yaml:2:62: 'pipelined' "
          "is for 'send_next' and 'send_previous': others have no first worker" },
        { "steps: [{size: 1MB, collective: send_next, pipelined: yes, overlap: yes}], iterations: 1",
          "s.yaml:2:96: 'pipelined' implies 'overlap'; remove it" },
        { "steps: [{compute: 1us, overlap: yes}, {size: 1MB}], iterations: 1",
          "s.yaml:2:60: 'overlap' of a step without a collective: give it its 'size'" },
        { "steps: [{size: 1MB, overlap: perhaps}], iterations: 1", "s.yaml:2:57: overlap: 'perhaps' is "
          "neither true nor false" },
        { "steps: [{size: 1MB, times: 65535}], iterations: 1",
          "s.yaml:2:35: an iteration has more than 4000000 messages: use fewer workers, steps or times" },
    };

    (void)unused;
    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct err      err = { "" };
        struct scenario s;
        char            text[1000];

        snprintf(text, sizeof text, CLOS "traffic: [{kind: training, %s}]\n", rows[i].entry);
        if (scenario_parse(&s, "s.yaml", text, strlen(text), NULL, 0, NULL, &err) == 0)
            fail_msg("was taken: %s", rows[i].entry);
        assert_string_equal(err.text, rows[i].message);
        assert_null(s.traffic);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(placement__in_racks_of_four),
        cmocka_unit_test(placement__in_racks_that_differ),
        cmocka_unit_test(training__tells_what_it_is),
        cmocka_unit_test(training__bound_is_the_slowest_workers),
        cmocka_unit_test(delay__is_the_longest_links_if_not_given),
        cmocka_unit_test(training__knows_every_collective),
        cmocka_unit_test(training__refuses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
