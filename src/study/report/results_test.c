/* src/study/report/results_test.c - results of runs, compared with values computed by hand. */
#include "study/report/results.h"
#include "sim/state/state.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void run_text(struct simulation *s, const char *text)
{
    struct simulation_input input = { .name = "test.yaml", .text = text, .text_bytes = strlen(text) };
    struct err err;

    if (simulation_open(s, &input, &err))
        fail_msg("%s", err.text);
    simulation_run(s, NULL, NULL);
}

/* A single flow of 1 MB: its goodput is its bytes over its completion time. */
static void init__goodput_of_an_entry_by_hand(void **state)
{
    struct simulation s;
    struct results r;
    double fct_us;

    (void)state;
    run_text(&s, "topology: {kind: star, hosts: 2, rate: 100Gbps, delay: 1us}\n"
                  "traffic: [{kind: incast, name: one, senders: 1, size: 1MB, start: 300us}]\n"
                  "interval: 7us\nrun: 2ms\n");
    results_init(&r, &s);
    fct_us = fct_us_stats(&s.fct.all).max;
    assert_true(fabs(r.entry[0].goodput_bps - 8e6 / (fct_us * 1e-6)) < 1);
    assert_true(r.paused_share == 0 && r.marked_share == 0 && r.dropped_packets == 0);
    /* a round trip has four times 1 us, plus a packet of 1106 bytes and an ACK on two links each */
    assert_true(r.rtt_us_mean > 4 && r.rtt_us_max < 4.3);
    results_fini(&r);
    simulation_close(&s);
}

/* Two flows of 100 KB start between 100 and 200 us. One of 1 KB starts at 390 us and ends the run. */
static void init__of_phases_by_hand(void **state)
{
    struct simulation s;
    struct results r;

    (void)state;
    run_text(&s, "topology: {kind: star, hosts: 2, rate: 100Gbps, delay: 1us}\n"
                  "traffic:\n"
                  "  - {kind: incast, senders: 1, size: 100KB, start: 100us, period: 50us, for: 100us, influx: yes}\n"
                  "  - {kind: incast, senders: 1, size: 1KB, start: 390us}\n"
                  "interval: 10us\n");
    results_init(&r, &s);
    assert_true(r.has_phases);
    assert_int_equal(r.phase[PHASE_BEFORE].ps, 100 * PS_PER_US);
    assert_int_equal(r.phase[PHASE_DURING].ps, 100 * PS_PER_US);
    assert_int_equal(r.phase[PHASE_AFTER].ps, s.end_ps - 200 * PS_PER_US);
    assert_int_equal(s.fct.phase[PHASE_BEFORE].count, 0);
    assert_int_equal(s.fct.phase[PHASE_DURING].count, 2);
    assert_int_equal(s.fct.phase[PHASE_AFTER].count, 1);
    assert_int_equal(s.fct.entry_phase[1 * PHASES + PHASE_AFTER].count, 1);
    assert_true(figure_value(FIGURE_goodput_bps, &r.phase[PHASE_BEFORE]) == 0 &&
                isnan(figure_value(FIGURE_rtt_us_mean, &r.phase[PHASE_BEFORE])));
    /* 200 KB in 100 us are 16 Gb/s */
    assert_true(fabs(figure_value(FIGURE_goodput_bps, &r.phase[PHASE_DURING]) - 16e9) < 1);
    assert_true(fabs(r.entry_phase_bps[PHASE_DURING] - 16e9) < 1);
    assert_true(fabs(figure_value(FIGURE_goodput_bps, &r.phase[PHASE_AFTER]) -
                     8000 / ((double)s.end_ps * 1e-12 - 200e-6)) < 1);
    assert_true(r.entry_phase_bps[0 * PHASES + PHASE_AFTER] == 0);
    results_fini(&r);
    simulation_close(&s);
}

/* Returns the line of the table that begins with this word. The caller frees it. */
static char *table_line(const struct results *r, const char *word)
{
    char  *text = NULL, *line, *made = NULL;
    size_t length;
    FILE  *out = open_memstream(&text, &length);

    results_print_table(r, out, (struct results_look){ false, false, 0 });
    fclose(out);
    for (char *rest = text; (line = strsep(&rest, "\n"));)
        if (strncmp(line + strspn(line, " "), word, strlen(word)) == 0 && !made)
            made = strdup(line);
    free(text);
    assert_non_null(made);
    return made;
}

/* Returns the number after a text. It may contain commas. */
static uint64_t number_behind(const char *line, const char *before)
{
    uint64_t n = 0;

    for (line = strstr(line, before) + strlen(before); *line == ',' || (*line >= '0' && *line <= '9'); line++)
        n = *line == ',' ? n : 10 * n + (uint64_t)(*line - '0');
    return n;
}

/* In the models of the ns-3 forks a CNP is a flag of an ACK. Every marked packet leads to one. It takes
 * effect unless the ACK is the last of its flow: with 8 flows, at most 8 have no effect. */
static void print_table__cnps_of_forks_are_flags_of_acks(void **state)
{
    static const char *const models[] = { "hpcc", "conweave" };

    (void)state;
    for (int i = 0; i < 2; i++) {
        char              text[300], *line;
        struct simulation s;
        struct results    r;
        uint64_t          flags, marked;

        snprintf(text, sizeof(text),
                 "model: %s\ntopology: {kind: star, hosts: 9, rate: 100Gbps, delay: 1us}\n"
                 "traffic: [{kind: incast, senders: 8, receiver: h8, size: 500KB}]\n",
                 models[i]);
        run_text(&s, text);
        results_init(&r, &s);
        line = table_line(&r, "ECN");
        assert_non_null(strstr(line, " CNPs as flags of ACKs"));
        flags = number_behind(line, "packets), ");
        marked = (uint64_t)r.marked_packets;
        assert_true(marked > 100);
        assert_true(flags <= marked && flags + 8 >= marked);
        free(line);
        results_fini(&r);
        simulation_close(&s);
    }
}

/* CNPs of a NIC are packets, and ports count them as sent. */
static void print_table__cnps_of_nics_are_packets(void **state)
{
    struct simulation s;
    struct results    r;
    uint64_t          sent = 0;
    char             *line;

    (void)state;
    run_text(&s, "topology: {kind: star, hosts: 9, rate: 100Gbps, delay: 1us}\n"
                 "traffic: [{kind: incast, senders: 8, receiver: h8, size: 500KB}]\n");
    results_init(&r, &s);
    line = table_line(&r, "ECN");
    assert_null(strstr(line, "flags"));
    for (uint32_t i = 0; i < sim_ports(s.sim); i++)
        if (!sim_port(s.sim, i).is_switch)
            sent += sim_port(s.sim, i).counters.tx_packets[CLASS_CNP];
    assert_true(sent > 0);
    assert_int_equal(sent, number_behind(line, "packets), "));
    free(line);
    results_fini(&r);
    simulation_close(&s);
}

/* One flow of 400 packets of 4,160 bytes, 100 over each of four spines. */
static void find_tiers__load_by_hand(void **state)
{
    struct simulation s;
    struct results r;
    double load;

    (void)state;
    run_text(&s, "model: uet\nlb: spray\nknobs: {spray_mode: 1}\n"
                 "topology: {kind: clos, tors: 2, hosts_per_tor: 1, spines: 4, rate: 100Gbps, delay: 1us}\n"
                 "traffic: [{kind: incast, senders: [h0], receiver: h1, size: 1638400B}]\n");
    results_init(&r, &s);
    load = 100 * 4160 * 8 / (100e9 * (double)r.end_ps * 1e-12);
    assert_int_equal(r.tiers, 2);
    assert_string_equal(r.tier[0].name, "tor to spine");
    assert_int_equal(r.tier[0].links, 8);
    assert_true(fabs(r.tier[0].busiest - load) < 1e-9);
    assert_true(r.tier[0].least < load / 20);                /* ACKs go the other way */
    assert_string_equal(r.tier[1].name, "spine to tor");
    assert_true(fabs(r.tier[1].busiest - load) < 1e-9);
    results_fini(&r);
    simulation_close(&s);
}

/* A spine whose name begins like that of a NIC is a spine. */
static void find_tiers__of_a_spine_named_nice(void **state)
{
    struct simulation s;
    struct results r;

    (void)state;
    run_text(&s, "model: uet\nlb: spray\ntopology: {kind: graph, hosts: 2, switches: [t0, t1, nice-spine0, nice-spine1], links: "
                 "[{a: h0, b: t0, rate: 100Gbps}, {a: h1, b: t1, rate: 100Gbps}, "
                 "{a: t0, b: nice-spine0, rate: 100Gbps}, {a: t1, b: nice-spine0, rate: 100Gbps}, "
                 "{a: t0, b: nice-spine1, rate: 100Gbps}, {a: t1, b: nice-spine1, rate: 100Gbps}]}\n"
                 "traffic: [{kind: incast, senders: [h0], receiver: h1, size: 1MB}]\n");
    results_init(&r, &s);
    assert_int_equal(r.tiers, 2);
    assert_string_equal(r.tier[0].name, "t to nice");
    assert_int_equal(r.tier[0].links, 4);
    assert_true(r.tier[0].busiest > 0.3 && r.tier[0].busiest < 0.5);
    results_fini(&r);
    simulation_close(&s);
}

/* Planes are kept apart. NICs belong to no plane. */
static void find_tiers__of_planes(void **state)
{
    struct simulation s;
    struct results r;

    (void)state;
    run_text(&s, "model: uet\ntopology: {kind: multi_plane, planes: 2, tors: 2, hosts_per_tor: 2, spines: 2, "
                 "rate: 100Gbps}\n"
                 "traffic: [{kind: permutation, size: 1MB}]\n");
    results_init(&r, &s);
    assert_int_equal(r.tiers, 4);
    assert_string_equal(r.tier[0].name, "plane 0: tor to spine");
    assert_string_equal(r.tier[1].name, "plane 1: tor to spine");
    assert_int_equal(r.tier[1].links, 4);
    assert_true(r.paths_good > 0);
    results_fini(&r);
    simulation_close(&s);
}

/* Two flows end, then five start although only three fit: the run fails, but has results. */
static void init__of_a_run_that_failed(void **state)
{
    static const char *const text = "topology: {kind: star, hosts: 3}\ntraffic:\n"
                                    "  - {kind: incast, senders: 2, size: 10KB}\n"
                                    "  - {kind: incast, senders: 1, size: 10KB, flows: 5, start: 100us}\nrun: 1ms\n";
    struct simulation_input input = { .name = "test.yaml", .text = text, .text_bytes = strlen(text) };
    struct simulation s;
    struct results    r;
    struct err        err;
    char             *json;
    size_t            bytes;
    FILE             *out = open_memstream(&json, &bytes);

    (void)state;
    if (simulation_open(&s, &input, &err))
        fail_msg("%s", err.text);
    s.sim->flows.limit = s.sim->flows.first + 3;
    simulation_run(&s, NULL, NULL);
    assert_true(simulation_failed(&s, &err) < 0);
    assert_string_equal(
        err.text,
        "test.yaml:4: more than 3 flows at once: more is sent than the network carries; most of them, 3, "
        "are of 'incast 2': let it send less, on fewer hosts, or for a shorter time");
    results_init(&r, &s);
    assert_string_equal(r.failure, "more than 3 flows at once: more is sent than the network carries");
    assert_int_equal(s.fct.all.count, 2);
    assert_int_equal(r.flows_unfinished, 3);
    assert_in_range(r.end_ps, 100 * PS_PER_US - 1, 101 * PS_PER_US);
    results_print_json(&r, out, false);
    fclose(out);
    assert_non_null(strstr(json, "\"failed\""));
    free(json);
    results_fini(&r);
    simulation_close(&s);
}

/* All computing: there is nothing to advise or to compare. */
static void answer__of_a_run_without_messages_names_no_command(void **state)
{
    struct simulation s;
    struct results    r;
    struct card       card;

    (void)state;
    run_text(&s, "topology: {kind: star, hosts: 2}\ntraffic: [{kind: external}]\nrun: 1ms\n");
    results_init(&r, &s);
    results_answer(&r, &card, false);
    assert_null(card.text[CARD_NEXT]);
    assert_null(card.text[CARD_COMMAND]);
    assert_non_null(card.text[CARD_FINDING]);
    card_fini(&card);
    results_fini(&r);
    simulation_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answer__of_a_run_without_messages_names_no_command),
        cmocka_unit_test(init__of_a_run_that_failed),
        cmocka_unit_test(find_tiers__load_by_hand),
        cmocka_unit_test(find_tiers__of_a_spine_named_nice),
        cmocka_unit_test(find_tiers__of_planes),
        cmocka_unit_test(init__goodput_of_an_entry_by_hand),
        cmocka_unit_test(init__of_phases_by_hand),
        cmocka_unit_test(print_table__cnps_of_forks_are_flags_of_acks),
        cmocka_unit_test(print_table__cnps_of_nics_are_packets),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
