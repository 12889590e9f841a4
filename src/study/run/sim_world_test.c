/* src/study/run/sim_world_test.c - the description of a simulated network for tuners. */
#include "study/run/sim_world.h"
#include "study/run/simulation.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define NETWORK "topology: {kind: star, hosts: 4, rate: 100Gbps, delay: 1us}\n" \
                "traffic: [{kind: poisson, load: 0.3, sizes: FB_Hadoop}]\ninterval: 50us\nrun: 300us\n"

static int open_text(struct simulation *s, const char *text, const char *const *set, uint32_t sets,
                     struct err *err)
{
    struct simulation_input input = { .name = "test.yaml", .text = text, .text_bytes = strlen(text),
                                      .set = set, .sets = sets };

    return simulation_open(s, &input, err);
}

/* PARALEON's ToR: 16 hosts and 4 uplinks of 100G, 5 us, 12 MiB. By hand: 12 MiB minus 20 times 187.5 KB of
 * headroom and 20 times 4 KB leave 8.75 MB to share. One port pauses at an eighth of the free bytes, so a
 * queue that one port fills reaches 8.75 / 9 = 0.97 MB, and one that two ports fill 8.75 * 2 / 10 = 1.75
 * MB. */
static void init__pause_points_of_a_tor_by_hand(void **state)
{
    /* In model hpcc that headroom is the default. */
    static const char *const rows[] = { "switch.headroom=187500", "model=hpcc" };

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct simulation  s;
        struct world       w;
        struct err         err;

        if (open_text(&s,
                      "topology: {kind: clos, tors: 8, hosts_per_tor: 16, spines: 4, rate: 100Gbps,\n"
                      "  delay: 5us}\n"
                      "switch: {buffer: 12MiB}\n"
                      "traffic: [{kind: incast, senders: 2, size: 1KB}]\nrun: 1us\n", &rows[i], 1, &err))
            fail_msg("%s", err.text);
        sim_world_init(&w, s.sim, PS_PER_MS);
        assert_true(fabs((double)w.pfc_bytes_one - 0.97e6) < 0.05 * 0.97e6);
        assert_true(fabs((double)w.pfc_bytes_two - 1.75e6) < 0.05 * 1.75e6);
        assert_int_equal(w.host_bps, 100000000000);
        assert_int_equal(w.interval_ps, PS_PER_MS);
        /* eight links of 5 us, and a packet and an ACK on four wires each */
        assert_true(w.base_rtt_ps > 40 * PS_PER_US && w.base_rtt_ps < 41 * PS_PER_US);
        assert_int_equal(w.mtu_bytes, i ? 1000 : 1024);      /* defaults of the models */
        assert_int_equal(w.queues, 8 * 20 + 4 * 8);
        world_fini(&w);
        simulation_close(&s);
    }
}

static void init__without_pfc_nothing_pauses(void **state)
{
    static const char *const set[] = { "switch.lossless=no" };
    struct simulation        s;
    struct world             w;
    struct err               err;

    (void)state;
    if (open_text(&s, NETWORK, set, 1, &err))
        fail_msg("%s", err.text);
    sim_world_init(&w, s.sim, PS_PER_MS);
    assert_int_equal(w.pfc_bytes_one, 0);
    assert_int_equal(w.pfc_bytes_two, 0);
    world_fini(&w);
    simulation_close(&s);
}

/* A fat-tree of 4 pods: 16 hosts, 8 edge, 8 aggregation and 4 core switches; 48 links. */
static void init__names_devices_and_ports(void **state)
{
    static const struct { const char *prefix; uint32_t tier, count; } rows[] = {
        { "h", WORLD_HOSTS, 16 }, { "edge", WORLD_TORS, 8 }, { "agg", 2, 8 }, { "core", 3, 4 },
    };
    struct simulation s;
    struct world      w;
    struct err        err;
    uint32_t          at = 0;

    (void)state;
    if (open_text(&s, "topology: {kind: fat_tree, k: 4, rate: 100Gbps, delay: 1us}\n"
                      "traffic: [{kind: incast, senders: 2, size: 1KB}]\nrun: 1us\n", NULL, 0, &err))
        fail_msg("%s", err.text);
    sim_world_init(&w, s.sim, PS_PER_MS);
    assert_int_equal(w.devices, 36);
    assert_int_equal(w.ports, 96);
    for (int r = 0; r < 4; r++)
        for (uint32_t i = 0; i < rows[r].count; i++, at++) {
            char name[16];

            snprintf(name, sizeof name, "%s%u", rows[r].prefix, i);
            assert_string_equal(w.device[at].name, name);
            assert_int_equal(w.device[at].tier, rows[r].tier);
            assert_int_equal(w.device[at].ports, rows[r].tier == WORLD_HOSTS ? 1 : 4);
        }
    for (uint32_t i = 0; i < w.ports; i++) {
        const struct world_port   *p = &w.port[i];
        const struct world_device *d = &w.device[p->device];
        char                       name[16];

        assert_in_range(i, d->first_port, d->first_port + d->ports - 1);
        snprintf(name, sizeof name, "%u", i - d->first_port + 1);
        assert_string_equal(p->name, name);
        assert_int_equal(w.port[p->peer].peer, i);
        assert_int_equal(abs((int)d->tier - (int)w.device[w.port[p->peer].device].tier), 1);
    }
    for (uint32_t i = 0; i < w.queues; i++)
        assert_true(w.device[w.port[w.queue[i].port].device].tier > WORLD_HOSTS);
    world_fini(&w);
    simulation_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(init__pause_points_of_a_tor_by_hand),
        cmocka_unit_test(init__without_pfc_nothing_pauses),
        cmocka_unit_test(init__names_devices_and_ports),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
