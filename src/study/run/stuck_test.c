/* src/study/run/stuck_test.c - runs that would never end are ended with an explanation; others continue. */
#include "study/run/simulation.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Five switches in a ring with two hosts each, which all send to hosts two switches further: on shortest
 * paths, each link of the ring waits for the next. */
#define RING \
    "topology:\n  kind: graph\n  hosts: 10\n  switches: 5\n  links: [" \
    "{a: s0, b: s1}, {a: s1, b: s2}, {a: s2, b: s3}, {a: s3, b: s4}, {a: s4, b: s0}, " \
    "{a: h0, b: s0}, {a: h1, b: s0}, {a: h2, b: s1}, {a: h3, b: s1}, {a: h4, b: s2}, {a: h5, b: s2}, " \
    "{a: h6, b: s3}, {a: h7, b: s3}, {a: h8, b: s4}, {a: h9, b: s4}]\n" \
    "switch: {buffer: 800KB, ecn: no}\ncc: none\n"
#define ROUND "traffic: [{kind: permutation, size: 20MB, shift: 4}]\n"
#define STAR  "topology: {kind: star, hosts: 3, rate: 100Gbps, delay: 1us}\n"

static void run_text(struct simulation *s, const char *text, uint32_t threads)
{
    struct simulation_input input = { .name = "test.yaml", .text = text, .text_bytes = strlen(text),
                                      .threads = threads };
    struct err              err;

    if (simulation_open(s, &input, &err))
        fail_msg("%s", err.text);
    simulation_run(s, NULL, NULL);
}

/* ---- stalled ---- */

/* The pauses form a ring, and the text names it. Any division of the work finds the same at the same time. */
static void run__names_a_deadlock(void **unused)
{
    struct simulation first, s;

    (void)unused;
    run_text(&first, RING ROUND, 1);
    assert_true(first.is_stuck);
    assert_non_null(strstr(first.stuck_why, "; PFC deadlock, each paused by the next: s0 -> s1 -> s2 -> s3 "
        "-> s4 -> s0"));
    assert_non_null(strstr(first.stuck_why, "h0 -> h4 ("));
    assert_non_null(strstr(first.stuck_why, "waits in s0, paused by s1; "));
    assert_non_null(strstr(first.stuck_why, "; and 7 more; "));
    /* Two checks: RTO_TRIES times 4.096 us x 2^14 each. */
    assert_int_equal(first.end_ps, 2 * 7 * (4096000ull << 14));
    assert_true(first.stuck_ps < PS_PER_MS);         /* 800 KB fill up much earlier */
    for (uint32_t threads = 2; threads <= 3; threads++) {
        run_text(&s, RING ROUND, threads);
        assert_true(s.is_stuck);
        assert_string_equal(s.stuck_why, first.stuck_why);
        assert_int_equal(s.stuck_ps, first.stuck_ps);
        assert_int_equal(s.end_ps, first.end_ps);
        assert_int_equal(sim_counts(s.sim)->payload_received,
                         sim_counts(first.sim)->payload_received);
        simulation_close(&s);
    }
    simulation_close(&first);
}

/* With a configured timer, each of the two checks takes RTO_TRIES timeouts. */
static void run__waits_for_the_configured_timer(void **unused)
{
    struct simulation s;

    (void)unused;
    run_text(&s, RING ROUND "host: {rto: 2ms}\n", 1);
    assert_true(s.is_stuck);
    assert_int_equal(s.end_ps, 2 * 7 * 2 * PS_PER_MS);
    simulation_close(&s);
}

/* A loss without retransmission: there are no more events. */
static void run__names_a_loss_without_retransmission(void **unused)
{
    struct simulation s;

    (void)unused;
    run_text(&s, "topology: {kind: star, hosts: 3, loss: 0.05}\nhost: {rto: 0}\n"
                 "traffic: [{kind: incast, senders: 2, size: 20KB, flows: 20}]\n", 1);
    assert_true(s.is_stuck);
    assert_non_null(strstr(s.stuck_why, "a packet or its answer was lost, and 'rto: 0' has nothing sent "
        "again"));
    assert_true(s.end_ps < 4 * PS_PER_MS);
    simulation_close(&s);
}

/* Frames are sent, but none arrives: the link stays down. */
static void run__names_an_unreachable_host(void **unused)
{
    struct simulation s;

    (void)unused;
    run_text(&s, "topology: {kind: star, hosts: 3, links_down: [{a: h2, b: s0, down: 10us}]}\nhost: {rto: "
        "1ms}\n"
                 "traffic: [{kind: incast, senders: 2, size: 1MB}]\nrun: 1s\n", 1);
    assert_true(s.is_stuck);
    assert_true(s.end_ps < PS_PER_S / 10);
    assert_true(sim_counts(s.sim)->timeouts >= 2 * 7);
    assert_non_null(strstr(s.stuck_why, "nothing it sends arrives, after "));
    simulation_close(&s);
}

/* ---- not stalled ---- */

static void expect_end(const char *text)
{
    struct simulation s;

    run_text(&s, text, 1);
    assert_false(s.is_stuck);
    assert_true(sim_is_done(s.sim));
    assert_int_equal(sim_counts(s.sim)->flows_done, sim_counts(s.sim)->flows_started);
    simulation_close(&s);
}

/* The link comes up after 40 timeouts. */
static void run__waits_for_a_link(void **unused)
{
    (void)unused;
    expect_end("topology: {kind: star, hosts: 3, links_down: [{a: h2, b: s0, down: 10us, up: 40ms}]}\nhost: "
        "{rto: 1ms}\n"
               "traffic: [{kind: incast, senders: 2, size: 1MB}]\n");
}

/* Nothing happens for seconds between two flows. */
static void run__waits_for_the_next_flow(void **unused)
{
    (void)unused;
    expect_end(STAR "host: {rto: 1ms}\n"
               "traffic: [{kind: incast, senders: 2, size: 1MB}, {kind: incast, senders: 2, size: 1MB, "
               "start: 3s}]\n");
}

/* A run with an end time runs to it: unfinished flows are then normal. */
static void run__does_not_cut_runs_with_an_end_time(void **unused)
{
    struct simulation s;

    (void)unused;
    run_text(&s, RING ROUND "run: 100ms\n", 1);
    assert_false(s.is_stuck);
    assert_int_equal(s.end_ps, 100 * PS_PER_MS);
    simulation_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(run__names_a_deadlock),
        cmocka_unit_test(run__waits_for_the_configured_timer),
        cmocka_unit_test(run__names_a_loss_without_retransmission),
        cmocka_unit_test(run__names_an_unreachable_host),
        cmocka_unit_test(run__waits_for_a_link),
        cmocka_unit_test(run__waits_for_the_next_flow),
        cmocka_unit_test(run__does_not_cut_runs_with_an_end_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
