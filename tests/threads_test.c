/* tests/threads_test.c - any number of threads gives bit-identical results: every flow in the same order,
 * every counter of every port, every report.
 */
#include "digest.h"
#include "worlds.h"

#include "core/units.h"
#include "sim/nic/gaps.h"
#include "sim/observe/observe.h"
#include "sim/partition.h"
#include "study/scenario/scenario.h"
#include "sim/nic/nic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define INTERVAL_PS (50 * PS_PER_US)

static void on_done(void *arg, const struct flow_result *r)
{
    uint64_t *digest = arg;

    *digest = digest_add_flow(*digest, r);
}

static void on_pfc(void *arg, const struct pfc_result *r)
{
    uint64_t *digest = arg;

    *digest = digest_add(*digest, r->at_ps);
    *digest = digest_add(*digest, (uint64_t)r->node << 32 | r->port << 8 | r->prio << 1 | r->is_pause);
}

static uint64_t add_report(uint64_t digest, const struct report *r)
{
    const uint64_t rows[] = { r->end_ps,       r->payload_bytes,   r->flows_started,    r->flows_done,
                              r->flows_active, r->data_packets,    r->received_packets, r->marked_packets,
                              r->cnps,         r->nacks,           r->timeouts,         r->dropped_packets,
                              r->pauses,       r->paused_ps,       r->rtt_samples,      r->rtt_ps_sum,
                              r->rtt_ps_peak,  r->queue_bytes_max, r->queue_bytes };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        digest = digest_add(digest, rows[i]);
    for (uint32_t i = 0; i < r->entries; i++)
        digest = digest_add(digest, r->entry_bytes[i]);
    for (uint32_t i = 0; i < r->ports; i++)
        digest = digest_add(digest, r->port[i].tx_bytes ^ r->port[i].queue_bytes_max << 32);
    return digest;
}

/* Counts that digest_add_counters() leaves out. */
static uint64_t add_counts(uint64_t digest, const struct sim *s)
{
    const struct sim_counters *c = &s->engine.counters;
    const uint64_t             rows[] = { c->events, c->reordered, c->delayed, c->flowlets, c->reroutes };
    struct gaps                gaps[2];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        digest = digest_add(digest, rows[i]);
    for (uint32_t i = 0; i < FCT_BUCKETS; i++)
        digest = digest_add(digest_add(digest, c->reordered_by_size[i]), c->nacks_by_size[i]);
    if (!s->hosts.gap_record)
        return digest;
    gaps_recorded(s, &gaps[0], &gaps[1]);
    assert_true(gaps[0].count && gaps[1].count);
    for (uint32_t i = 0; i < 2 * GAPS_BINS; i++)
        digest = digest_add(digest, gaps[i / GAPS_BINS].bin[i % GAPS_BINS]);
    return digest;
}

/* Runs a scenario to its end and returns the digest of everything observable. */
static uint64_t run_in_parts(const char *name, const char *text, uint64_t seed, uint32_t threads,
                             uint32_t parts, uint64_t interval_ps)
{
    uint64_t         digest = DIGEST_EMPTY;
    struct observer *observer;
    struct scenario  scenario;
    struct report    report;
    struct sim      *s;
    struct err       err;

    if (scenario_parse(&scenario, name, text, strlen(text), NULL, 0, &seed, &err))
        die("%s", err.text);
    scenario.cfg.threads = threads;
    scenario.cfg.parts = parts;
    if (scenario_start(&scenario, &s, &err))
        die("%s", err.text);
    s->engine.hooks = (struct sim_hooks){ &digest, on_done, on_pfc };
    observer = observer_new(s);
    observer_init_report(observer, &report);
    for (uint32_t change = 0; sim_run_until(s, s->engine.now_ps + interval_ps); ) {
        while (change < scenario.changes && scenario.change[change].at_ps <= s->engine.now_ps)
            sim_apply(s, &scenario.change[change++].set.knobs);
        observer_look(observer, s->engine.now_ps, &report);
        digest = add_report(digest, &report);
        sim_check(s);
    }
    observer_look(observer, s->done_ps, &report);
    digest = add_report(digest, &report);
    assert_true(s->is_done && s->engine.counters.flows_done > 10);
    digest = digest_add_counters(digest, &s->engine.counters);
    digest = add_counts(digest, s);
    report_fini(&report);
    observer_free(observer);
    sim_free(s);
    scenario_fini(&scenario);
    return digest;
}

static uint64_t run(const char *name, const char *text, uint64_t seed, uint32_t threads)
{
    return run_in_parts(name, text, seed, threads, 0, INTERVAL_PS);
}

static void run__is_the_same_with_any_number_of_threads(void **unused)
{
    static const uint32_t threads[] = { 2, 8 };

    (void)unused;
    for (size_t i = 0; i < WORLDS; i++) {
        uint64_t one = run(worlds[i].name, worlds[i].text, 1, 1);

        for (size_t j = 0; j < sizeof threads / sizeof *threads; j++)
            if (run(worlds[i].name, worlds[i].text, 1, threads[j]) != one) {
                print_error("%s with %u threads\n", worlds[i].name, threads[j]);
                fail();
            }
    }
}

/* Every congestion control, with its telemetry and host behaviour; failing links cause detours. */
static void run__is_the_same_with_every_control(void **unused)
{
    (void)unused;
    for (int i = 0; cc_all[i]; i++) {
        char text[800];

        snprintf(text, sizeof text,
                 "{model: %s, cc: %s, knobs: {kmin: 5, kmax: 50, rpg_min_rate: 100}, host: {rto: 300us}, "
                 "topology: {kind: clos, tors: 4, hosts_per_tor: 4, spines: 2, rate: 100Gbps, delay: 1us, "
                 "links_down: [{a: tor0, b: spine1, down: 100us, up: 250us}]}, "
                 "changes: [{at: 150us, knobs: {kmin: 10, rpg_min_rate: 200}}], "
                 "traffic: [{kind: poisson, sizes: FB_Hadoop, load: 0.5, stop: 300us}, "
                 "{kind: incast, senders: 15, size: 50KB, start: 50us}]}",
                 cc_all[i]->needs_uet ? "uet" : "nic", cc_all[i]->name);
        if (run(cc_all[i]->name, text, 1, 3) != run(cc_all[i]->name, text, 1, 1))
            fail_msg("cc %s differs with 3 threads", cc_all[i]->name);
    }
}

/* More packets in flight between two parts than a ring holds, with both ends in one thread or in two. */
static void run__continues_when_a_ring_is_full(void **unused)
{
    static const char *const text =
        "{cc: none, switch: {buffer: 1GB}, topology: {kind: clos, tors: 4, hosts_per_tor: 8, spines: 8, "
        "delay: 400us}, "
        "traffic: [{kind: permutation, size: 8MB}]}";
    uint64_t one = run_in_parts("full", text, 1, 1, 0, PS_PER_MS);

    (void)unused;
    assert_true(run_in_parts("full", text, 1, 1, 2, PS_PER_MS) == one);
    assert_true(run_in_parts("full", text, 1, 2, 4, PS_PER_MS) == one);
}

/* Very short links, within racks or everywhere, and few packets: threads have no look-ahead. The run still
 * ends soon, with the same result. Some 10 ms pass with few events; at 7 ns per step this would be a million
 * steps. */
static void run__ends_with_short_links(void **unused)
{
    static const char *const delay[] = { "delay: 1ps", "delay: 1ns", "delay: 10ns", "delay: 20ns",
                                         "delay: 100ns",
                                         "delay: 1ps, fabric_delay: 1us", "delay: 500ns, fabric_delay: 2ns" };

    (void)unused;
    for (size_t i = 0; i < sizeof delay / sizeof *delay; i++) {
        char     text[400];
        uint64_t one;

        snprintf(text, sizeof text,
                 "{topology: {kind: clos, tors: 4, hosts_per_tor: 4, spines: 2, %s}, run: 10ms, "
                 "traffic: [{kind: poisson, sizes: FB_Hadoop, load: 5%%, stop: 300us}, "
                 "{kind: permutation, size: 20KB, start: 9ms}]}",
                 delay[i]);
        one = run("short", text, 1, 1);
        for (uint32_t threads = 2; threads <= 4; threads += 2)
            if (run("short", text, 1, threads) != one) {
                print_error("%s with %u threads\n", delay[i], threads);
                fail();
            }
    }
}

/* Builds a world for 'threads' and returns its number of parts. */
static struct sim *start(const char *text, uint32_t threads, uint32_t *parts)
{
    struct scenario scenario;
    struct sim     *s;
    struct err      err;

    if (scenario_parse(&scenario, "start", text, strlen(text), NULL, 0, NULL, &err))
        die("%s", err.text);
    scenario.cfg.threads = threads;
    if (scenario_start(&scenario, &s, &err))
        die("%s", err.text);
    scenario_fini(&scenario);
    *parts = s->parts ? partition_count(s->parts) : 1;
    return s;
}

/* Two pairs of racks. Each pair has short links to a switch; a long link joins the two switches. */
static void parts_new__does_not_cut_short_links(void **unused)
{
    static const char *const pairs =
        "{topology: {kind: graph, hosts: 8, switches: [t0, t1, t2, t3, a0, a1], links: ["
        "{a: h0, b: t0}, {a: h1, b: t0}, {a: h2, b: t1}, {a: h3, b: t1}, {a: h4, b: t2}, {a: h5, b: t2}, "
        "{a: h6, b: t3}, "
        "{a: h7, b: t3}, {a: t0, b: a0, delay: 5ns}, {a: t1, b: a0, delay: 5ns}, {a: t2, b: a1, delay: 5ns}, "
        "{a: t3, b: a1, delay: 5ns}, {a: a0, b: a1, delay: 500ns}]}, traffic: [{kind: permutation, "
        "size: 1KB}]}";
    static const char *const all_short = "{topology: {kind: fat_tree, k: 4, delay: 3ns}, "
                                         "traffic: [{kind: permutation, size: 1KB}]}";
    uint32_t    parts;
    struct sim *s = start(pairs, 4, &parts);

    (void)unused;
    assert_int_equal(parts, 2);
    for (uint32_t i = 0; i < s->net.ports; i++) {
        const struct port *p = &s->net.port[i];

        assert_int_equal(p->node->part != p->peer->node->part,
                         p->is_switch && p->peer->is_switch && p->delay_ps > 100000);
    }
    sim_free(s);
    s = start(all_short, 4, &parts);
    assert_int_equal(parts, 1);
    sim_free(s);
}

/* As many simultaneous flows as 725 hosts to each other, more than half a million: with one thread and with
 * two. */
static void run__has_room_for_many_flows_with_any_threads(void **unused)
{
    static const char *const text =
        "{topology: {kind: clos, tors: 2, hosts_per_tor: 380, spines: 1}, cc: none, "
        "switch: {buffer: 1GB}, run: 1us, traffic: [{kind: all_to_all, size: 1KB}]}";

    (void)unused;
    for (uint32_t threads = 1; threads <= 2; threads++) {
        uint32_t    parts;
        struct sim *s = start(text, threads, &parts);

        assert_int_equal(parts, threads);
        sim_run_until(s, PS_PER_US);
        assert_null(sim_failure(s));
        assert_int_equal(s->engine.counters.flows_started, 760 * 759);
        sim_free(s);
    }
}

/* The digest does detect differences. */
static void run__is_not_the_same_with_another_seed(void **unused)
{
    (void)unused;
    assert_true(run(worlds[0].name, worlds[0].text, 1, 2) != run(worlds[0].name, worlds[0].text, 2, 2));
}

/* Hosts stay with their switch, every part has work, and a network of one rack has one part. */
static void parts_new__keeps_racks_together(void **unused)
{
    static const char *const text = "{topology: {kind: clos, tors: 6, hosts_per_tor: 3, spines: 3}, "
                                    "traffic: [{kind: permutation, size: 1KB}]}";
    bool            has_nodes[4] = { false };
    struct scenario scenario;
    struct sim     *s;
    struct err      err;

    (void)unused;
    if (scenario_parse(&scenario, "clos", text, strlen(text), NULL, 0, NULL, &err))
        die("%s", err.text);
    scenario.cfg.threads = 4;
    if (scenario_start(&scenario, &s, &err))
        die("%s", err.text);
    assert_int_equal(partition_count(s->parts), 4);
    for (uint32_t i = 0; i < s->net.hosts; i++)
        assert_int_equal(s->net.node[s->net.host[i].node].part, s->net.host[i].port->peer->node->part);
    for (uint32_t i = 0; i < s->net.nodes; i++)
        has_nodes[s->net.node[i].part] = true;
    assert_true(has_nodes[0] && has_nodes[1] && has_nodes[2] && has_nodes[3]);
    sim_free(s);
    scenario_fini(&scenario);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(run__is_the_same_with_any_number_of_threads),
        cmocka_unit_test(run__is_the_same_with_every_control),
        cmocka_unit_test(run__continues_when_a_ring_is_full),
        cmocka_unit_test(run__is_not_the_same_with_another_seed),
        cmocka_unit_test(run__ends_with_short_links),
        cmocka_unit_test(parts_new__keeps_racks_together),
        cmocka_unit_test(parts_new__does_not_cut_short_links),
        cmocka_unit_test(run__has_room_for_many_flows_with_any_threads),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
