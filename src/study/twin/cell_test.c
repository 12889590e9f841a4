/* src/study/twin/cell_test.c - a cell has the speeds, oversubscription and round trip of the network that it
 * models. */
#include "study/twin/cell.h"
#include "core/units.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct cell cell_of_text(const char *topology, uint32_t hosts_max, struct world *w)
{
    char        text[1200];
    struct twin t = { .input = { .name = "test.yaml", .text = text } };
    struct err  err;
    uint64_t    until_ps;
    int         n = snprintf(text, sizeof(text),
                             "topology: %s\ntraffic: [{kind: permutation, size: 1MB}]\nrun: 1ms\n", topology);

    t.input.text_bytes = (size_t)n;
    if (twin_world(&t, w, &until_ps, &err))
        fail_msg("%s", err.text);
    return cell_like(w, hosts_max, 1);
}

static double sum_of(const uint64_t *x, uint32_t n)
{
    double sum = 0;

    for (uint32_t i = 0; i < n; i++)
        sum += (double)x[i];
    return sum;
}

static void like__keeps_oversubscription_and_speed(void **state)
{
    struct world w;
    struct cell  c = cell_of_text("{kind: clos, tors: 12, hosts_per_tor: 16, spines: 4, rate: 100Gbps, "
                                  "delay: 1us}", 16, &w);

    (void)state;
    assert_int_equal(c.racks, 4);
    assert_int_equal(c.hosts, 4);
    assert_int_equal(c.uplinks, 1);
    assert_true(c.uplink_bps[0][0] == 100000000000);         /* 4:1 as in the network */
    assert_true(c.host_bps[15] == 100000000000);
    world_fini(&w);
}

/* Twenty of 128 hosts send: 2.5 per rack of 16, which has 4 uplinks. Two racks become one with 5 senders
 * and 8 uplinks. */
static void like_part__keeps_the_uplinks_per_sender(void **state)
{
    struct world w;
    struct cell  c = cell_of_text("{kind: clos, tors: 8, hosts_per_tor: 16, spines: 4, rate: 100Gbps, delay: "
                                  "1us}", 32, &w);

    (void)state;
    assert_true(c.racks == 4 && c.hosts == 8 && c.uplinks == 2);
    c = cell_like(&w, 32, 20 / 128.0);
    assert_true(c.racks == 4 && c.hosts == 5 && c.uplinks == 8);
    assert_true(fabs(sum_of(c.uplink_bps[3], 8) / 800e9 - 1) < 1e-9);
    assert_true(c.host_bps[19] == 100000000000);
    c = cell_like(&w, 16, 0.5);                     /* half of the hosts: half of the oversubscription */
    assert_true(c.racks == 4 && c.hosts == 4);
    assert_true(fabs(sum_of(c.uplink_bps[0], c.uplinks) / 200e9 - 1) < 1e-9);
    world_fini(&w);
}

static void like__copies_a_small_network(void **state)
{
    struct world w;
    struct cell  c = cell_of_text("{kind: clos, tors: 3, hosts_per_tor: 5, spines: 2, rate: 25Gbps, "
                                  "fabric_rate: 100Gbps, delay: 2us}", 32, &w);

    (void)state;
    assert_true(c.racks == 3 && c.hosts == 5 && c.uplinks == 2);
    assert_true(c.uplink_bps[2][1] == 100000000000 && c.host_bps[14] == 25000000000);
    assert_int_equal(cell_ports(&c), 7);
    world_fini(&w);
}

/* Two pods of two racks with four hosts of 25 Gb/s each; all links of switches have 100 Gb/s. A rack can
 * send 100 Gb/s. Two thirds of its bytes go to the other pod: 267 of the 400 Gb/s that all racks send. The
 * two links to the core carry 200 of them, so a rack sends 75 Gb/s. */
static void like__limits_uplinks_to_the_tier_above(void **state)
{
    char         text[900] = "{kind: graph, hosts: 16, switches: [t0, t1, t2, t3, a0, a1, c], links: [";
    size_t       at = strlen(text);
    struct world w;
    struct cell  c;

    (void)state;
    for (int i = 0; i < 16; i++)
        at += (size_t)snprintf(text + at, sizeof(text) - at, "{a: h%d, b: t%d, rate: 25Gbps}, ", i, i / 4);
    for (int i = 0; i < 4; i++)
        at += (size_t)snprintf(text + at, sizeof(text) - at, "{a: t%d, b: a%d, rate: 100Gbps}, ", i, i / 2);
    snprintf(text + at, sizeof(text) - at, "{a: a0, b: c, rate: 100Gbps}, {a: a1, b: c, rate: 100Gbps}]}");
    c = cell_of_text(text, 32, &w);
    assert_true(c.racks == 4 && c.hosts == 4 && c.uplinks == 1);
    assert_true(c.uplink_bps[0][0] == 75000000000 && c.uplink_bps[3][0] == 75000000000);
    world_fini(&w);
}

/* A fat tree has the same capacity in every tier. */
static void like__a_full_tier_above_changes_nothing(void **state)
{
    struct world w;
    struct cell  c = cell_of_text("{kind: fat_tree, k: 4, rate: 100Gbps, delay: 1us}", 32, &w);

    (void)state;
    assert_true(c.uplink_bps[0][0] == 100000000000 && c.uplink_bps[0][1] == 100000000000);
    world_fini(&w);
}

static void like__keeps_the_share_of_slow_hosts(void **state)
{
    struct world w;
    struct cell  c = cell_of_text("{kind: clos, tors: 2, hosts_per_tor: 4, spines: 2, rate: 100Gbps, delay: "
                                  "1us, link_rates: [{a: h0, b: tor0, rate: 25Gbps}, {a: h3, b: tor0, "
                                  "rate: 25Gbps}, {a: h5, b: tor1, rate: 25Gbps}, {a: h6, b: tor1, rate: "
                                  "25Gbps}, {a: tor0, b: spine1, rate: 50Gbps}, {a: tor1, b: spine1, rate: "
                                  "50Gbps}]}", 8, &w);
    uint32_t     slow = 0;

    (void)state;
    for (uint32_t i = 0; i < 8; i++)
        slow += c.host_bps[i] == 25000000000;
    assert_int_equal(slow, 4);
    assert_true(fabs(cell_host_bps(&c) / 62.5e9 - 1) < 1e-9);
    assert_true(fabs(sum_of(c.uplink_bps[0], 2) / 150e9 - 1) < 1e-9);
    assert_true(c.uplink_bps[0][0] == 100000000000 && c.uplink_bps[0][1] == 50000000000);
    world_fini(&w);
}

static void like__one_switch_is_one_rack(void **state)
{
    struct world w;
    struct cell  c = cell_of_text("{kind: star, hosts: 100, rate: 400Gbps, delay: 1us}", 32, &w);

    (void)state;
    assert_true(c.racks == 1 && c.hosts == 32 && c.host_bps[31] == 400000000000);
    world_fini(&w);
}

/* A cell that is written as a scenario and read back has the round trip of the network. */
static void fit__keeps_the_round_trip(void **state)
{
    struct world w, v;
    struct cell  c = cell_of_text("{kind: clos, tors: 9, hosts_per_tor: 9, spines: 3, rate: 100Gbps, delay: "
                                  "3us}", 16, &w);
    struct build b = { 0 };
    struct twin  t = { .input = { .name = "cell", .base = &b } };
    struct err   err;
    uint64_t     until_ps;

    (void)state;
    for (int i = 0; i < 2; i++) {
        c.delay_ps = i ? c.delay_ps : PS_PER_US;
        build_text(&b, NULL, "run", "1ms");
        build_text(&b, build_map(&b, build_list(&b, NULL, "traffic"), NULL), "kind", "permutation");
        build_text(&b, b.root->child->next->child, "size", "1MB");
        cell_build(&b, &c);
        if (i == 0)
            assert_int_equal(cell_fit(&c, &t, PS_PER_US, &err), 0);
        else
            assert_int_equal(twin_world(&t, &v, &until_ps, &err), 0);
    }
    build_fini(&b);
    assert_true(fabs((double)v.base_rtt_ps / (double)w.base_rtt_ps - 1) < 0.001);
    world_fini(&v);
    world_fini(&w);
}

static void slowest__is_that_of_one_host(void **state)
{
    struct cell c = cell_of(100000000000, 1, 10 * PS_PER_US);

    (void)state;
    assert_true(cell_slowest_bps(&c) == 100e9);
    c.host_bps[c.racks * c.hosts - 1] = 25000000000;
    assert_true(cell_slowest_bps(&c) == 25e9);
    assert_true(fabs(cell_host_bps(&c) - (31 * 100e9 + 25e9) / 32) < 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slowest__is_that_of_one_host),
        cmocka_unit_test(like_part__keeps_the_uplinks_per_sender),
        cmocka_unit_test(like__keeps_oversubscription_and_speed),
        cmocka_unit_test(like__copies_a_small_network),
        cmocka_unit_test(like__limits_uplinks_to_the_tier_above),
        cmocka_unit_test(like__a_full_tier_above_changes_nothing),
        cmocka_unit_test(like__keeps_the_share_of_slow_hosts),
        cmocka_unit_test(like__one_switch_is_one_rack),
        cmocka_unit_test(fit__keeps_the_round_trip),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
