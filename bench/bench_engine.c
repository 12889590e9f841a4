/* bench/bench_engine.c - how fast the event loop moves packets.
 *
 *   bench_engine [-n RUNS] [-c] [CASE...]
 *
 * A packet-hop is one frame of any kind (data, ACK, CNP, PFC) that leaves one port. Packet-hops per second of
 * CPU time in sim_run_until() can be compared between networks; events, flows and simulated time cannot.
 * Building the network is not included (bench_setup).
 *
 * -c also prints counters of the network. They are the same on every machine, so a change of them shows that
 * a benchmark has changed.
 */
#include "bench.h"
#include "study/scenario/scenario.h"
#include "sim/sim.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#define RUNS 5

#define CLOS_128(spines) \
    "topology: {kind: clos, tors: 8, hosts_per_tor: 16, spines: " spines ", rate: 100Gbps, delay: 1us}\n"
#define CLOS_NARROW CLOS_128("4")
#define CLOS_FULL   CLOS_128("16")
#define FAT_TREE_16 "topology: {kind: fat_tree, k: 4, rate: 100Gbps, delay: 1us}\n"
#define FAT_TREE_1K "topology: {kind: fat_tree, k: 16, rate: 100Gbps, delay: 1us}\n"

#define HADOOP_30_BISECTION "traffic: [{kind: poisson, sizes: FB_Hadoop, load: 30%, of: bisection}]\n"

struct bench_case { const char *name, *scenario; };

/* A few million packet-hops each: long enough for a clock, short enough to take the best of several. */
static const struct bench_case cases[] = {
    { "clos128_hadoop30", CLOS_NARROW "run: 5ms\n" HADOOP_30_BISECTION },
    { "clos128_hadoop30_pfc", CLOS_NARROW "run: 5ms\nswitch: {buffer: 8MB}\n" HADOOP_30_BISECTION },
    /* The first enables HF2T without holding, so packets are the same and the difference is its cost. The
     * second has the default guard. */
    { "clos128_hadoop30_pfc_hf2t", CLOS_NARROW "run: 5ms\nswitch: {buffer: 8MB}\n" HADOOP_30_BISECTION
      "knobs: {hf2t: 1, hf2t_training: 250us, hf2t_scope: 2, hf2t_guard: 0}\n" },
    { "clos128_hadoop30_pfc_hf2t_held", CLOS_NARROW "run: 5ms\nswitch: {buffer: 8MB}\n" HADOOP_30_BISECTION
      "knobs: {hf2t: 1, hf2t_training: 250us, hf2t_scope: 2}\n" },
    { "clos128_hadoop50", CLOS_FULL "run: 1ms\n"
      "traffic: [{kind: poisson, sizes: FB_Hadoop, load: 50%, of: hosts}]\n" },
    { "clos128_permutation", CLOS_FULL "run: 100ms\ntraffic: [{kind: permutation, size: 4MB}]\n" },
    { "clos128_alltoall20", CLOS_NARROW "run: 100ms\ntraffic: [{kind: all_to_all, hosts: 20, size: 2MB}]\n" },
    { "fattree1024_permutation", FAT_TREE_1K "run: 100ms\ntraffic: [{kind: permutation, size: 500KB}]\n" },
    { "fattree1024_hadoop30", FAT_TREE_1K "run: 1ms\n"
      "traffic: [{kind: poisson, sizes: FB_Hadoop, load: 30%}]\n" },
    { "fattree1024_hadoop30_drained", FAT_TREE_1K
      "traffic: [{kind: poisson, sizes: FB_Hadoop, load: 30%, stop: 200us}]\n" },
    { "fattree16_websearch70", FAT_TREE_16 "run: 5ms\n"
      "traffic: [{kind: poisson, sizes: WebSearch, load: 70%}]\n" },
    { "clos128_hadoop30_hpcc_ns3", "model: hpcc\norder: ns3\n" CLOS_NARROW "run: 5ms\n" HADOOP_30_BISECTION },
    { "clos128_hadoop30_hpcc_node", "model: hpcc\norder: node\n" CLOS_NARROW "run: 5ms\n"
      HADOOP_30_BISECTION },
    /* HPCC, to compare with DCQCN: the cost of telemetry, windows and a decision at every ACK. */
    { "clos128_hadoop30_pfc_hpcc", CLOS_NARROW "run: 5ms\nswitch: {buffer: 8MB}\ncc: hpcc\n" HADOOP_30_BISECTION },
    /* Ultra Ethernet, to compare with DCQCN: packets are sprayed, trimmed and selectively acknowledged. */
    { "clos128_hadoop30_pfc_4096", CLOS_NARROW "run: 5ms\nhost: {mtu: 4096}\nswitch: {buffer: 8MB}\n" HADOOP_30_BISECTION },
    { "clos128_hadoop30_uet", "model: uet\n" CLOS_NARROW "run: 5ms\n" HADOOP_30_BISECTION },
    { "clos128_hadoop30_uet_1024", "model: uet\n" CLOS_NARROW "run: 5ms\nhost: {mtu: 1024}\n" HADOOP_30_BISECTION },
    { "clos128_hadoop30_uet_rccc", "model: uet\ncc: nscc_rccc\n" CLOS_NARROW "run: 5ms\n" HADOOP_30_BISECTION },
    { "clos128_hadoop30_hpcc_node_hpcc", "model: hpcc\norder: node\ncc: hpcc\n" CLOS_NARROW "run: 5ms\n"
      HADOOP_30_BISECTION },
    { "clos128_hadoop30_hpcc_ns3_hpcc", "model: hpcc\norder: ns3\ncc: hpcc\n" CLOS_NARROW "run: 5ms\n"
      HADOOP_30_BISECTION },
};

#define CASES (sizeof(cases) / sizeof(cases[0]))

struct outcome {
    double   run_s;
    uint64_t hops, marks;
    struct sim_counters counters;
};

static void read_ports(const struct sim *s, struct outcome *o)
{
    for (uint32_t i = 0; i < sim_ports(s); i++) {
        struct port_counters c = sim_port(s, i).counters;

        for (size_t kind = 0; kind < sizeof(c.tx_packets) / sizeof(c.tx_packets[0]); kind++)
            o->hops += c.tx_packets[kind];
        o->marks += c.marked_packets;
    }
}

static struct outcome run_once(const struct bench_case *c)
{
    /* The compiler cannot see through this pointer, so the loop stays a function that a profiler finds by
     * name. */
    bool (*volatile run_until)(struct sim *, uint64_t) = sim_run_until;
    struct outcome o = { 0 };
    struct scenario scenario;
    struct sim *sim;
    struct err err;
    double start_s;

    if (scenario_parse(&scenario, c->name, c->scenario, strlen(c->scenario), NULL, 0, NULL, &err))
        bench_fail(c->name, err.text);
    if (scenario_start(&scenario, &sim, &err))
        bench_fail(c->name, err.text);
    start_s = bench_cpu_s();
    run_until(sim, scenario.run_ps);
    o.run_s = bench_cpu_s() - start_s;
    sim_check(sim);
    read_ports(sim, &o);
    o.counters = *sim_counts(sim);
    sim_free(sim);
    scenario_fini(&scenario);
    return o;
}

static struct outcome best_of(const struct bench_case *c, int runs)
{
    struct outcome best = run_once(c);

    for (int i = 1; i < runs; i++) {
        struct outcome o = run_once(c);

        if (o.hops != best.hops || o.counters.events != best.counters.events)
            bench_fail(c->name, "two runs of the same scenario differ");
        if (o.run_s < best.run_s)
            best = o;
    }
    return best;
}

static void print_count(const struct bench_case *c, const char *what, uint64_t count, const char *unit)
{
    printf("engine.%s.%s %" PRIu64 " %s\n", c->name, what, count, unit);
}

static void print_counters(const struct bench_case *c, const struct outcome *o)
{
    print_count(c, "hops", o->hops, "packets");
    print_count(c, "events", o->counters.events, "events");
    print_count(c, "flows", o->counters.flows_done, "flows");
    print_count(c, "marks", o->marks, "packets");
    print_count(c, "cnps", o->counters.cnps_received, "packets");
    print_count(c, "pauses", o->counters.pauses, "frames");
    print_count(c, "drops", o->counters.dropped_buffer, "packets");
    print_count(c, "sent", o->counters.data_sent, "packets");
    print_count(c, "held", o->counters.delayed, "packets");
}

static void run_case(const struct bench_case *c, int runs, bool with_counters)
{
    struct outcome o = best_of(c, runs);
    char name[96];

    snprintf(name, sizeof(name), "engine.%s", c->name);
    bench_print(name, (double)o.hops / o.run_s * 1e-6, "Mhops/s");
    if (with_counters)
        print_counters(c, &o);
}

static const struct bench_case *find_case(const char *name)
{
    for (size_t i = 0; i < CASES; i++)
        if (strcmp(cases[i].name, name) == 0)
            return &cases[i];
    bench_fail(name, "no such case");
}

int main(int argc, char **argv)
{
    bool with_counters = false;
    int runs = RUNS, option;

    while ((option = getopt(argc, argv, "cn:")) != -1) {
        if (option == 'c')
            with_counters = true;
        else if (option == 'n' && atoi(optarg) > 0)
            runs = atoi(optarg);
        else
            bench_fail("usage", "bench_engine [-n RUNS] [-c] [CASE...]");
    }
    for (int i = optind; i < argc; i++)
        run_case(find_case(argv[i]), runs, with_counters);
    for (size_t i = 0; optind == argc && i < CASES; i++)
        run_case(&cases[i], runs, with_counters);
    return 0;
}
