/* src/study/scenario/scenario_test.c - valid scenarios and the settings that result from them. */
#include "study/scenario/reference.h"
#include "study/scenario/scenario.h"

#include "core/units.h"
#include "work/traffic/traffic.h"

#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define STAR    "topology: {kind: star, hosts: 4}\n"
#define INCAST  "traffic: [{kind: incast, senders: 1, size: 1MB}]\n"

static void parse_with(struct scenario *s, const char *text, const char *const *set, uint32_t sets,
                       const uint64_t *seed)
{
    struct err err = { "" };

    if (scenario_parse(s, "s.yaml", text, strlen(text), set, sets, seed, &err))
        fail_msg("%s", err.text);
}

static void parse(struct scenario *s, const char *text)
{
    parse_with(s, text, NULL, 0, NULL);
}

static void assert_real(double is, double expected)
{
    if (is < expected * (1 - 1e-12) || is > expected * (1 + 1e-12))
        fail_msg("%.17g is not %.17g", is, expected);
}

/* ---- files ---- */

static char folder[] = "/tmp/scenario_test.XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    char   pattern[64];
    glob_t found;

    (void)state;
    snprintf(pattern, sizeof pattern, "%s/*", folder);
    if (glob(pattern, 0, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc; i++)
            unlink(found.gl_pathv[i]);
    globfree(&found);
    return rmdir(folder);
}

/* Writes a file into the folder. The returned path is valid until the next call. */
static const char *put_file(const char *name, const char *text)
{
    static char path[128];
    FILE       *f;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
    return path;
}

static void read_file(struct scenario *s, const char *path)
{
    struct err err = { "" };

    if (scenario_read(s, path, NULL, 0, NULL, &err))
        fail_msg("%s", err.text);
}

/* ---- general keys and models ---- */

static void scenario_parse__defaults(void **state)
{
    struct scenario s;

    (void)state;
    parse(&s, STAR INCAST);
    assert_int_equal(s.cfg.model, MODEL_NIC);
    assert_int_equal(s.cfg.order, ORDER_NODE);
    assert_int_equal(s.cfg.seed, 1);
    assert_true(s.run_ps == NEVER);
    assert_string_equal(s.cfg.cc->name, "dcqcn");
    assert_string_equal(s.cfg.lb->name, "ecmp");
    assert_int_equal(s.cfg.mtu_bytes, 1024);
    assert_int_equal(s.cfg.header_bytes, 14 + 20 + 8 + 12 + 4 + 4);
    assert_int_equal(s.cfg.ack_bytes, 66);
    assert_int_equal(s.cfg.cnp_bytes, 78);
    assert_int_equal(s.cfg.pfc_bytes, 64);
    assert_int_equal(s.cfg.spacing_bytes, 20);
    assert_int_equal(s.cfg.ack_every, 1);
    assert_false(s.cfg.ack_unpaused);
    assert_false(s.cfg.ack_droppable);
    assert_int_equal(s.cfg.nack_gap_ps, 100 * PS_PER_US);
    assert_true(s.cfg.rto_ps == RTO_AUTO);
    assert_int_equal(s.cfg.window_bytes, 0);
    assert_int_equal(s.cfg.buffer_bytes, 32000000);
    assert_int_equal(s.cfg.reserve_bytes, 4096);
    assert_int_equal(s.cfg.resume_bytes, 3072);
    assert_int_equal(s.cfg.headroom_bytes, 0);
    assert_int_equal(s.cfg.pfc_shift, 3);
    assert_true(s.cfg.is_lossless && s.cfg.ecn_on && !s.cfg.ecn_at_enqueue);
    assert_true(s.cfg.lossy_alpha == 1);
    assert_int_equal(s.cfg.strict_prios, 1 << 6);
    assert_int_equal(s.cfg.weight[0] + s.cfg.weight[7], 2);
    assert_int_equal(s.cfg.ecn_rates, 0);
    assert_true(s.cfg.knobs.value[KNOB_kmin] == 400);
    scenario_fini(&s);
}

static void scenario_parse__given_values(void **state)
{
    struct scenario s;

    (void)state;
    parse(
        &s, STAR INCAST
        "seed: 7\nrun: 3ms\ncc: none\n"
        "host: {mtu: 4096, ack_every: 4, ack_unpaused: yes, nack_gap: 5us, rto: 0, window: 1MB, "
        "window_by_rate: on}\n"
        "switch: {buffer: 16MiB, reserve: 0, resume_offset: 1KB, headroom: 100KB, alpha: 0.5, lossless: no,\n"
        "  lossy_alpha: 2, ecn: no, ecn_at: enqueue, strict: [0, 7], weights: [1, 2, 3, 4, 5, 6, 7, 255],\n"
        "  ecn_by_rate: [{rate: 25G, kmin: 50, kmax: 0.2MB, pmax: 10%}]}\n"
        "knobs: {kmin: 300KB, rpg_time_reset: 0.1ms}\n");
    assert_int_equal(s.cfg.seed, 7);
    assert_int_equal(s.run_ps, 3 * PS_PER_MS);
    assert_string_equal(s.cfg.cc->name, "none");
    assert_int_equal(s.cfg.mtu_bytes, 4096);
    assert_int_equal(s.cfg.ack_every, 4);
    assert_true(s.cfg.ack_unpaused && s.cfg.window_by_rate);
    assert_int_equal(s.cfg.nack_gap_ps, 5 * PS_PER_US);
    assert_int_equal(s.cfg.rto_ps, 0);
    assert_int_equal(s.cfg.window_bytes, 1000000);
    assert_int_equal(s.cfg.buffer_bytes, 16 << 20);
    assert_int_equal(s.cfg.reserve_bytes, 0);
    assert_int_equal(s.cfg.resume_bytes, 1000);
    assert_int_equal(s.cfg.headroom_bytes, 100000);
    assert_int_equal(s.cfg.pfc_shift, 1);
    assert_true(!s.cfg.is_lossless && !s.cfg.ecn_on && s.cfg.ecn_at_enqueue);
    assert_true(s.cfg.lossy_alpha == 2);
    assert_int_equal(s.cfg.strict_prios, 0x81);
    assert_memory_equal(s.cfg.weight, "\1\2\3\4\5\6\7\377", 8);
    assert_int_equal(s.cfg.ecn_rates, 1);
    assert_int_equal(s.cfg.ecn_rate[0].rate_bps, 25000000000);
    assert_true(s.cfg.ecn_rate[0].kmin_kb == 50 && s.cfg.ecn_rate[0].kmax_kb == 200 &&
                s.cfg.ecn_rate[0].pmax == 0.1);
    assert_true(s.cfg.knobs.value[KNOB_kmin] == 300 && s.cfg.knobs.value[KNOB_rpg_time_reset] == 100);
    scenario_fini(&s);
}

static void scenario_parse__acks_as_linux_sets_them_up(void **state)
{
    struct scenario s;

    (void)state;
    parse(&s, STAR INCAST "host: {ack_every: mlx5}\n");
    assert_int_equal(s.cfg.ack_every, 256);
    scenario_fini(&s);
}

static void scenario_parse__model_hpcc(void **state)
{
    struct scenario s;
    const double   *k;

    (void)state;
    parse(&s, "model: hpcc\ntopology: {kind: clos, tors: 2, hosts_per_tor: 2, spines: 1, rate: 50G, "
             "fabric_rate: 200G}\n" INCAST);
    k = s.cfg.knobs.value;
    assert_int_equal(s.cfg.order, ORDER_NS3);
    assert_true(s.cfg.ack_droppable && s.cfg.ack_unpaused);
    assert_string_equal(s.cfg.cc->name, "dcqcn_hpcc");
    assert_int_equal(s.cfg.mtu_bytes + s.cfg.header_bytes, 1048);
    assert_int_equal(s.cfg.spacing_bytes, 0);
    assert_int_equal(s.cfg.rto_ps, 0);
    assert_int_equal(s.cfg.buffer_bytes, 32 << 20);
    assert_int_equal(s.cfg.strict_prios, 1);
    assert_true(k[KNOB_rpg_ai_rate] == 10 && k[KNOB_rpg_hai_rate] == 100);       /* 5 and 50 per 25 Gbps */
    assert_true(k[KNOB_rpg_min_rate] == 1000 && k[KNOB_dce_tcp_g] == 1020);
    assert_int_equal(s.cfg.ecn_rates, 2);
    assert_true(s.cfg.ecn_rate[0].rate_bps == 50000000000 && s.cfg.ecn_rate[0].kmin_kb == 200);
    assert_true(s.cfg.ecn_rate[1].rate_bps == 200000000000 && s.cfg.ecn_rate[1].kmax_kb == 3200);
    scenario_fini(&s);

    parse(&s, "model: hpcc\norder: node\nknobs: {kmax: 2MB}\ntopology: {kind: star, hosts: 4, loss: "
             "1e-6}\n" INCAST);
    assert_int_equal(s.cfg.order, ORDER_NODE);
    assert_false(s.cfg.ack_droppable);
    assert_int_equal(s.cfg.ecn_rates, 0);        /* knobs apply to all ports */
    assert_int_equal(s.cfg.rto_ps, 4 * PS_PER_MS);
    scenario_fini(&s);
}

static void scenario_parse__changes_add_up(void **state)
{
    struct scenario s;

    (void)state;
    parse(
        &s, STAR INCAST
        "knobs: {kmin: 1KB}\nchanges:\n  - {at: 1ms, knobs: {kmax: 2KB}}\n  - {at: 2ms, knobs: {pmax: 1}}\n");
    assert_int_equal(s.changes, 2);
    assert_int_equal(s.change[0].at_ps, PS_PER_MS);
    assert_true(s.cfg.knobs.value[KNOB_kmax] == 1600);
    assert_true(s.change[0].set.knobs.value[KNOB_kmin] == 1 && s.change[0].set.knobs.value[KNOB_kmax] == 2);
    assert_true(s.change[0].set.knobs.value[KNOB_pmax] == 0.2);
    assert_true(s.change[1].set.knobs.value[KNOB_kmax] == 2 && s.change[1].set.knobs.value[KNOB_pmax] == 1);
    for (int i = 0; i < KNOB_COUNT; i++) {
        assert_int_equal(s.change[0].set.is_named[i], i == KNOB_kmax);
        assert_int_equal(s.change[1].set.is_named[i], i == KNOB_pmax);
    }
    scenario_fini(&s);
}

static void scenario_parse__sets(void **state)
{
    const char *const set[] = { "kmin=5KB",
                                "run=9ms",
                                "topology.delay=2us",
                                "traffic.0.senders=[h1, h2]",
                                "host.mtu=512",
                                "kmin=6KB",
                                "changes=[{at: 1ms, knobs: {kmin: 7KB}}]",
                                "changes.0.at=2ms" };
    const uint64_t    seed = 99;
    struct scenario   s;

    (void)state;
    parse_with(&s, "seed: 3\n" STAR INCAST, set, sizeof set / sizeof *set, &seed);
    assert_true(s.cfg.knobs.value[KNOB_kmin] == 6);          /* the last one wins */
    assert_int_equal(s.run_ps, 9 * PS_PER_MS);
    assert_int_equal(s.graph.link[0].delay_ps, 2 * PS_PER_US);
    assert_int_equal(s.entry[0].hosts, 2);
    assert_int_equal(s.cfg.mtu_bytes, 512);
    assert_int_equal(s.change[0].at_ps, 2 * PS_PER_MS);
    assert_int_equal(s.cfg.seed, 99);
    scenario_fini(&s);

    parse_with(&s, "", (const char *const[]){ "topology={kind: star, hosts: 3}",
                                              "traffic=[{kind: permutation, size: 1}]" }, 2, NULL);
    assert_int_equal(s.graph.hosts, 3);
    scenario_fini(&s);
}

/* ---- named NICs ---- */

static void scenario_parse__nic(void **state)
{
    struct scenario s;

    (void)state;
    parse(&s, "topology: {kind: star, hosts: 4, rate: 50G}\nknobs: {rpg_hai_rate: 7}\nnic: hpcc\n" INCAST);
    assert_true(s.cfg.knobs.value[KNOB_rpg_ai_rate] == 10);              /* 5 per 25 Gb/s */
    assert_true(s.cfg.knobs.value[KNOB_rate_to_set_on_first_cnp] == 50000);
    /* knobs override the NIC, in any order of the sections */
    assert_true(s.cfg.knobs.value[KNOB_rpg_hai_rate] == 7);
    scenario_fini(&s);
    parse(&s, "topology: {kind: star, hosts: 4, rate: 50G}\nmodel: hpcc\nnic: nvidia\n" INCAST);
    assert_true(s.cfg.knobs.value[KNOB_rpg_min_rate] == knob_info[KNOB_rpg_min_rate].initial);
    assert_true(s.cfg.knobs.value[KNOB_dce_tcp_g] == knob_info[KNOB_dce_tcp_g].initial);
    scenario_fini(&s);
}

/* ---- networks ---- */

static void scenario_parse__clos(void **state)
{
    struct scenario s;

    (void)state;
    parse(&s, "topology: {kind: clos, hosts: 12, hosts_per_tor: 4, spines: 2, links: 3, rate: 25G, "
             "fabric_delay: 5us, ber: 1e-12}\n" INCAST);
    assert_int_equal(s.graph.hosts, 12);
    assert_int_equal(s.graph.nodes, 12 + 3 + 2);
    assert_int_equal(s.graph.links, 12 + 3 * 2 * 3);
    assert_int_equal(s.graph.link[29].rate_bps, 25000000000);
    assert_int_equal(s.graph.link[0].delay_ps, PS_PER_US);
    assert_int_equal(s.graph.link[29].delay_ps, 5 * PS_PER_US);
    assert_true(s.graph.link[29].ber == 1e-12);
    assert_real(s.host_bps, 12 * 25e9);
    assert_real(s.uplink_bps, 18 * 25e9);
    scenario_fini(&s);
}

static void scenario_parse__fat_tree(void **state)
{
    struct scenario s;

    (void)state;
    parse(&s, "topology: {kind: fat_tree, k: 4, rate: 10G}\n" INCAST);
    assert_int_equal(s.graph.hosts, 16);
    assert_int_equal(s.graph.nodes, 16 + 20);
    assert_real(s.uplink_bps, 16 * 10e9);        /* of edges, not of aggs */
    scenario_fini(&s);
}

static void scenario_parse__graph(void **state)
{
    struct scenario s;

    (void)state;
    parse(&s, "topology:\n  kind: graph\n  hosts: 3\n  switches: [left, right]\n  loss: 0.01\n  links:\n"
             "    - {a: h0, b: left}\n    - {a: h1, b: left, loss: 0}\n    - {a: right, b: 2, rate: 400G, "
             "delay: 3us}\n"
             "    - {a: left, b: right, loss: 0.5, ber: 1e-9}\n" INCAST);
    assert_int_equal(s.graph.nodes, 5);
    assert_string_equal(s.graph.node[4].name, "right");
    assert_true(s.graph.node[4].is_switch);
    assert_int_equal(s.graph.link[0].rate_bps, 100000000000);
    assert_int_equal(s.graph.link[2].a, 4);
    assert_int_equal(s.graph.link[2].b, 2);
    assert_int_equal(s.graph.link[2].rate_bps, 400000000000);
    assert_true(s.graph.link[0].loss == 0.01 && s.graph.link[1].loss == 0 && s.graph.link[3].loss == 0.5);
    assert_true(s.graph.link[0].ber == 0 && s.graph.link[3].ber == 1e-9);
    assert_real(s.uplink_bps, 200e9);            /* each end is a rack's uplink */
    scenario_fini(&s);
}

static void scenario_read__hpcc_topology(void **state)
{
    struct scenario s;

    (void)state;
    put_file("topology.txt", "3 1 2\n1\n0 1 25Gbps 1000ns 0\n2 1 100Gbps 0.002ms 0.1\n");
    put_file("flow.txt", "2\n0 2 3 100 5000 0.5\n2 0 4 200 1 0.75\n");
    read_file(&s, put_file("s.yaml", "topology: {kind: hpcc, file: topology.txt, loss: 0.2}\n"
                                     "traffic: [{kind: flows, file: flow.txt, name: mine}]\n"));
    assert_int_equal(s.graph.hosts, 2);
    assert_true(s.graph.node[1].is_switch);
    assert_true(s.graph.link[0].loss == 0.2 && s.graph.link[1].loss == 0.1);
    assert_string_equal(s.entry[0].name, "mine");
    assert_string_equal(s.entry[0].kind, "flows");
    assert_int_equal(s.entry[0].hosts, 2);
    assert_int_equal(s.entry[0].start_ps, PS_PER_S / 2);
    assert_int_equal(traffic_streams(s.traffic), 2);
    scenario_fini(&s);
}

/* Only the models of the forks truncate times to nanoseconds as ns-3 does. */
static void scenario_read__times_of_hpcc_files(void **state)
{
    static const struct { const char *model; uint64_t delay_ps, start_ps; } row[] = {
        { "nic", 600000, 2000005624000 }, { "uet", 600000, 2000005624000 },
        { "hpcc", 599000, 2000005623000 }, { "conweave", 599000, 2000005623000 },
    };
    char            text[200];
    struct scenario s;

    (void)state;
    put_file("topology.txt", "3 1 2\n1\n0 1 100Gbps 1us 0\n2 1 100Gbps 0.6us 0\n");
    put_file("flow.txt", "1\n0 2 3 100 5000 2.000005624\n");
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        snprintf(text, sizeof text, "model: %s\ntopology: {kind: hpcc, file: topology.txt}\n"
                 "traffic: [{kind: flows, file: flow.txt}]\n", row[i].model);
        read_file(&s, put_file("s.yaml", text));
        assert_int_equal(s.graph.link[0].delay_ps, PS_PER_US);
        assert_int_equal(s.graph.link[1].delay_ps, row[i].delay_ps);
        assert_int_equal(s.entry[0].start_ps, row[i].start_ps);
        scenario_fini(&s);
    }
}

static void scenario_parse__links_down(void **state)
{
    struct scenario     s;
    struct link_change *c;

    (void)state;
    parse(&s, "run: 9ms\ntopology:\n  kind: clos\n  tors: 2\n  hosts_per_tor: 1\n  spines: 2\n  links: 2\n  "
             "links_down:\n"
             "    - {a: tor1, b: spine1, down: 3ms, up: 4ms}\n"
             "    - {a: spine0, b: tor0, down: 1ms, up: 3ms, which: 1}\n"
             "    - {a: tor0, b: spine0, down: 3ms, which: 1}\n" INCAST);
    c = s.cfg.change;
    assert_int_equal(s.cfg.changes, 2 + 2 + 2 + 1);
    /* Host links are 0 and 1; tor0-spine0 2 and 3, tor1-spine1 8 and 9. If several links change at one time,
     * those that come up precede those that go down. */
    assert_true(c[0].at_ps == PS_PER_MS && c[0].link == 3 && !c[0].is_up);
    assert_true(c[1].at_ps == 3 * PS_PER_MS && c[1].link == 3 && c[1].is_up);
    assert_true(c[2].link == 8 && !c[2].is_up && c[3].link == 9 && !c[3].is_up);
    assert_true(c[4].at_ps == 3 * PS_PER_MS && c[4].link == 3 && !c[4].is_up);
    assert_true(c[5].at_ps == 4 * PS_PER_MS && c[5].link == 8 && c[5].is_up && c[6].link == 9);
    scenario_fini(&s);
}

/* ---- traffic ---- */

static void scenario_parse__incast(void **state)
{
    struct scenario  s;
    struct flow_spec f;
    uint32_t         flows = 0;

    (void)state;
    parse(&s, STAR "traffic: [{kind: incast, senders: 3, receiver: h1, size: 10KB, flows: 2, period: 1ms, "
                  "start: 1us, stop: 3ms, prio: 5}]\n");
    assert_string_equal(s.entry[0].name, "incast 1");
    assert_int_equal(s.entry[0].hosts, 3);
    assert_int_equal(traffic_streams(s.traffic), 3);
    assert_int_equal(traffic_source(s.traffic, 0), 0);
    assert_int_equal(traffic_source(s.traffic, 1), 2);       /* the receiver is excluded */
    assert_int_equal(traffic_source(s.traffic, 2), 3);
    for (; traffic_next(s.traffic, 1, &f); flows++) {
        assert_int_equal(f.at_ps, PS_PER_US + flows / 2 * PS_PER_MS);
        assert_true(f.dst == 1 && f.bytes == 10000 && f.prio == 5);
    }
    assert_int_equal(flows, 6);
    scenario_fini(&s);
}

static void scenario_parse__permutation_and_all_to_all(void **state)
{
    struct scenario  s;
    struct flow_spec f;

    (void)state;
    parse(&s, STAR "traffic:\n  - {kind: permutation, size: 5, shift: 1, hosts: [h3, h1, 0]}\n  - {kind: "
                  "all_to_all, size: 7, hosts: 3}\n"
                  "  - {kind: permutation, size: 5}\n");
    assert_string_equal(s.entry[2].name, "permutation 2");
    assert_int_equal(s.entry[2].hosts, 4);
    assert_int_equal(traffic_source(s.traffic, 0), 3);
    assert_true(traffic_next(s.traffic, 0, &f));
    assert_true(f.dst == 1 && f.bytes == 5 && f.prio == 3 && f.traffic == 0);
    assert_int_equal(traffic_source(s.traffic, 3), 0);       /* all-to-all of h0, h1, h2 */
    assert_true(traffic_next(s.traffic, 3, &f) && f.dst == 1 && f.bytes == 7 && f.traffic == 1);
    assert_true(traffic_next(s.traffic, 3, &f) && f.dst == 2);
    assert_false(traffic_next(s.traffic, 3, &f));
    scenario_fini(&s);
}

/* Returns the bytes of all flows that a stream starts. */
static double bytes_of(struct scenario *s, uint32_t stream)
{
    struct flow_spec f;
    double           sum = 0;

    while (traffic_next(s->traffic, stream, &f))
        sum += (double)f.bytes;
    return sum;
}

static void scenario_parse__load_of_hosts(void **state)
{
    struct scenario s;
    double          bits = 0;

    (void)state;
    parse(&s,
         "run: 1s\ntopology: {kind: graph, hosts: 3, switches: 1, links: [{a: h0, b: s0, rate: 100G}, {a: "
         "h1, b: s0, rate: 50G},\n"
         " {a: h2, b: s0, rate: 30G}]}\ntraffic:\n  - {kind: poisson, sizes: FB_Hadoop, load: 0.2}\n"
         "  - {kind: poisson, sizes: FB_Hadoop, load: 10%, hosts: [h0, h1], start: 100ms, stop: 200ms}\n");
    assert_real(s.entry[0].bps_per_host, 0.2 * 180e9 / 3);
    assert_real(s.entry[1].bps_per_host, 0.1 * 150e9 / 2);
    assert_int_equal(s.entry[0].stop_ps, PS_PER_S);
    assert_true(s.entry[1].start_ps == 100 * PS_PER_MS && s.entry[1].stop_ps == 200 * PS_PER_MS);
    for (uint32_t i = 0; i < 3; i++)
        bits += 8 * bytes_of(&s, i);
    assert_true(bits > 0.97 * 36e9 && bits < 1.03 * 36e9);   /* the bits of flows that start in one second */
    scenario_fini(&s);
}

/* 8 ToRs with 4 uplinks of 100 Gbps: 3.2 Tbps. 112 of the 127 other hosts are in other racks. All 128 hosts
 * together send 128 x 112 / 127 times a host's rate to other racks, which is 30 % of 3.2 Tbps. */
static void scenario_parse__load_of_bisection(void **state)
{
    struct scenario s;

    (void)state;
    parse(&s, "topology: {kind: clos, tors: 8, hosts_per_tor: 16, spines: 4}\n"
             "traffic:\n  - {kind: poisson, sizes: FB_Hadoop, load: 0.3, of: bisection, stop: 5ms}\n"
             "  - {kind: poisson, sizes: FB_Hadoop, load: 0.01, of: bisection, stop: 5ms, hosts: [h0, h1, "
             "h16]}\n");
    assert_real(s.uplink_bps, 3.2e12);
    assert_real(s.entry[0].bps_per_host * 128 * 112 / 127, 0.3 * 3.2e12);
    /* Destinations in another rack: one of two for h0 and h1, both for h16; 2/3 on average. */
    assert_real(s.entry[1].bps_per_host * 3 * 2 / 3, 0.01 * 3.2e12);
    scenario_fini(&s);
}

/* Loads at different times are not added. */
static void scenario_parse__loads_one_after_the_other(void **state)
{
    struct scenario s;

    (void)state;
    parse(&s, STAR "traffic:\n  - {kind: poisson, sizes: FB_Hadoop, load: 0.8, stop: 1ms}\n"
         "  - {kind: poisson, sizes: FB_Hadoop, load: 100%, start: 1ms, stop: 2ms}\n");
    assert_int_equal(s.entries, 2);
    assert_string_equal(s.entry[1].name, "poisson 2");
    scenario_fini(&s);
}

/* ---- a config of the HPCC fork ---- */

static void put_config(const char *more)
{
    char text[1024];

    snprintf(text, sizeof text,
             "ENABLE_QCN 1\nPACKET_PAYLOAD_SIZE 1200\nTOPOLOGY_FILE t.txt\nFLOW_FILE f.txt\nCC_MODE 1\n"
             "ALPHA_RESUME_INTERVAL 2\nRATE_DECREASE_INTERVAL 5\nCLAMP_TARGET_RATE 1\nRP_TIMER "
             "250\nEWMA_GAIN 0.0078125\n"
             "FAST_RECOVERY_TIMES 3\nRATE_AI 30Mb/s\nRATE_HAI 300Mb/s\nMIN_RATE 200Mb/s\nACK_HIGH_PRIO "
             "1\nBUFFER_SIZE 12\n"
             "KMAX_MAP 2 25000000000 300 100000000000 900\nKMIN_MAP 2 25000000000 60 100000000000 240\n"
             "PMAX_MAP 2 25000000000 0.1 100000000000 0.3\n%s",
             more);
    put_file("config.txt", text);
    put_file("t.txt", "3 1 2\n1\n0 1 25Gbps 1000ns 0\n2 1 100Gbps 0.002ms 0\n");
    put_file("f.txt", "1\n0 2 3 100 5000 2\n");
}

static void scenario_read__hpcc_config(void **state)
{
    struct scenario s;
    const double   *k;

    (void)state;
    put_config("HAS_WIN 1\nGLOBAL_T 1\nVAR_WIN 1\nSIMULATOR_STOP_TIME 1.0\n");
    read_file(&s,
              put_file("s.yaml", "hpcc: config.txt\nseed: 5\nknobs: {rpg_gd: 10}\nswitch: {reserve: 0}\n"));
    k = s.cfg.knobs.value;
    assert_true(s.cfg.model == MODEL_HPCC && s.cfg.order == ORDER_NS3 && s.cfg.ack_droppable &&
                s.cfg.seed == 5);
    assert_string_equal(s.cfg.cc->name, "dcqcn_hpcc");
    assert_true(s.run_ps == NEVER);
    assert_int_equal(s.cfg.mtu_bytes, 1200);
    assert_int_equal(s.cfg.buffer_bytes, 12 << 20);
    assert_true(k[KNOB_dce_tcp_rtt] == 2 && k[KNOB_rate_reduce_monitor_period] == 5 &&
                k[KNOB_rpg_time_reset] == 250);
    assert_true(k[KNOB_clamp_tgt_rate] == 1 && k[KNOB_dce_tcp_g] == 1016 && k[KNOB_rpg_threshold] == 3);
    assert_true(k[KNOB_rpg_ai_rate] == 30 && k[KNOB_rpg_hai_rate] == 300 && k[KNOB_rpg_min_rate] == 200);
    assert_true(k[KNOB_rpg_gd] == 10);
    assert_true(s.cfg.window_bytes == UINT64_MAX && s.cfg.window_by_rate);
    assert_true(s.cfg.ack_unpaused && s.cfg.ecn_on && s.cfg.is_lossless && s.cfg.reserve_bytes == 0 &&
                s.cfg.pfc_shift == 3);
    assert_int_equal(s.cfg.ecn_rates, 2);
    assert_true(s.cfg.ecn_rate[1].kmin_kb == 240 && s.cfg.ecn_rate[1].kmax_kb == 900 &&
                s.cfg.ecn_rate[1].pmax == 0.3);
    assert_int_equal(s.cfg.rto_ps, 0);
    assert_int_equal(s.entries, 1);
    assert_int_equal(s.entry[0].start_ps, 2 * PS_PER_S);
    scenario_fini(&s);
}

static void scenario_read__hpcc_config_off(void **state)
{
    struct scenario s;

    (void)state;
    put_config("HAS_WIN 0\nERROR_RATE_PER_LINK 0.001\nLINK_DOWN 1500 1 2\n");
    read_file(&s, put_file("s.yaml", "hpcc: config.txt\norder: node\n"));
    assert_int_equal(s.cfg.order, ORDER_NODE);
    assert_false(s.cfg.ack_droppable);
    assert_int_equal(s.cfg.window_bytes, 0);
    assert_true(s.graph.link[0].loss == 0.001 && s.graph.link[1].loss == 0.001);
    assert_int_equal(s.cfg.changes, 1);
    assert_true(s.cfg.change[0].at_ps == 2 * PS_PER_S + 1500 * PS_PER_US && s.cfg.change[0].link == 1 &&
                !s.cfg.change[0].is_up);
    assert_int_equal(s.cfg.rto_ps, 4 * PS_PER_MS);           /* because links fail and lose packets */
    scenario_fini(&s);
}

static void scenario_read__hpcc_config_refused(void **state)
{
    static const struct { const char *more, *message; } rows[] = {
        { "L2_ACK_INTERVAL 4000\nL2_CHUNK_SIZE 0\n",
          "/config.txt: an L2_ACK_INTERVAL of more than 1 needs an L2_CHUNK_SIZE: the fork divides by it" },
        { "LB_MODE 0\nL2_ACK_INTERVAL 4000\n",
          "/config.txt: an L2_ACK_INTERVAL of more than 1: this fork would send the end of a short flow "
          "again forever" },
        { "LINK_DOWN 1 0 2\n", "/config.txt: LINK_DOWN: there is no link between the nodes 0 and 2" },
        { "LINK_DOWN 1 2 1\n", "/config.txt: LINK_DOWN: 2-1 is the link of a host, whose flows make the "
                             "fork stop with an error; with 'order: node' it may fail" },
        { "CC_MODE 3\n", "/config.txt:20: line 5 gives CC_MODE already" },
    };
    char message[200];

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct scenario s;
        struct err      err = { "" };

        put_config(rows[i].more);
        assert_true(scenario_read(&s, put_file("s.yaml", "hpcc: config.txt\n"), NULL, 0, NULL, &err) < 0);
        snprintf(message, sizeof message, "%s%s", folder, rows[i].message);
        assert_string_equal(err.text, message);
    }
}

static void scenario_read__hpcc_config_without_a_speed(void **state)
{
    struct scenario s;
    struct err      err = { "" };
    char            message[200];

    (void)state;
    put_config("");
    put_file("t.txt", "3 1 2\n1\n0 1 25Gbps 1000ns 0\n2 1 40Gbps 0.002ms 0\n");
    assert_true(scenario_read(&s, put_file("s.yaml", "hpcc: config.txt\n"), NULL, 0, NULL, &err) < 0);
    snprintf(message, sizeof message,
             "%s/config.txt: KMAX_MAP has no row for 40 Gb/s, the rate of the link h1-s0", folder);
    assert_string_equal(err.text, message);
}

/* ---- files of the repository ---- */

/* All files in scenarios/ are examples and must run, except one: its million connections take long to create,
 * so tests/cli/scenarios.bats runs it with fewer hosts. */
static void scenario_start__examples(void **state)
{
    glob_t found;

    (void)state;
    assert_int_equal(glob("scenarios/*.yaml", 0, NULL, &found), 0);
    assert_true(found.gl_pathc >= 11);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        struct scenario s;
        struct sim     *sim;
        struct err      err = { "" };

        if (strstr(found.gl_pathv[i], "uet_alltoall1024"))
            continue;
        read_file(&s, found.gl_pathv[i]);
        if (scenario_start(&s, &sim, &err))
            fail_msg("%s", err.text);
        sim_run_until(sim, 60 * PS_PER_US);
        if (sim_counts(sim)->data_received == 0)     /* workers compute first, or links are slow */
            sim_run_until(sim, 2 * PS_PER_MS);
        assert_true(sim_counts(sim)->data_received > 0 || strcmp(s.entry[0].kind, "poisson") == 0);
        sim_check(sim);
        sim_free(sim);
        scenario_fini(&s);
    }
    globfree(&found);
}

static void scenario_print_reference__equals_the_page(void **state)
{
    char  *printed = NULL, *page = NULL;
    size_t length = 0, page_length = 0;
    FILE  *out = open_memstream(&printed, &length), *in = fopen("docs/scenario.md", "r");

    (void)state;
    assert_non_null(in);
    scenario_print_reference(out);
    fclose(out);
    assert_true(getdelim(&page, &page_length, '\0', in) > 0);
    fclose(in);
    assert_string_equal(printed, page);
    free(printed);
    free(page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scenario_parse__defaults),
        cmocka_unit_test(scenario_parse__given_values),
        cmocka_unit_test(scenario_parse__acks_as_linux_sets_them_up),
        cmocka_unit_test(scenario_parse__model_hpcc),
        cmocka_unit_test(scenario_parse__changes_add_up),
        cmocka_unit_test(scenario_parse__sets),
        cmocka_unit_test(scenario_parse__nic),
        cmocka_unit_test(scenario_parse__clos),
        cmocka_unit_test(scenario_parse__fat_tree),
        cmocka_unit_test(scenario_parse__graph),
        cmocka_unit_test(scenario_read__hpcc_topology),
        cmocka_unit_test(scenario_read__times_of_hpcc_files),
        cmocka_unit_test(scenario_parse__links_down),
        cmocka_unit_test(scenario_parse__incast),
        cmocka_unit_test(scenario_parse__permutation_and_all_to_all),
        cmocka_unit_test(scenario_parse__load_of_hosts),
        cmocka_unit_test(scenario_parse__load_of_bisection),
        cmocka_unit_test(scenario_parse__loads_one_after_the_other),
        cmocka_unit_test(scenario_read__hpcc_config),
        cmocka_unit_test(scenario_read__hpcc_config_off),
        cmocka_unit_test(scenario_read__hpcc_config_refused),
        cmocka_unit_test(scenario_read__hpcc_config_without_a_speed),
        cmocka_unit_test(scenario_start__examples),
        cmocka_unit_test(scenario_print_reference__equals_the_page),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
