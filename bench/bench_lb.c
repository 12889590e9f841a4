/* bench/bench_lb.c - the cost of a load balancer.
 *
 *   bench_lb [-n RUNS] [-c] [WORLD [BALANCER]]
 *
 * The same flows cross the same network with every balancer. There is no congestion control and little load,
 * so hosts send the same packets at the same times on any path, and the difference is the balancer's work.
 * Prints data packets per second of CPU time in sim_run_until().
 *
 * -c also prints counters of the network. bench/lb-instructions counts instructions.
 */
#include "bench.h"
#include "study/scenario/scenario.h"
#include "sim/sim.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#define RUNS 3

struct world { const char *name, *scenario; };

static const struct world worlds[] = {
    { "clos", "cc: none\n"
      "topology: {kind: clos, tors: 8, hosts_per_tor: 8, spines: 8, rate: 25Gbps, fabric_rate: 100Gbps}\n"
      "traffic: [{kind: poisson, sizes: FB_Hadoop, load: 2%, stop: 10ms}]\n" },
    { "fat_tree", "cc: none\n"
      "topology: {kind: fat_tree, k: 8, rate: 100Gbps, delay: 1us}\n"
      "traffic: [{kind: poisson, sizes: FB_Hadoop, load: 2%, stop: 2ms}]\n" },
};

#define WORLDS (sizeof(worlds) / sizeof(worlds[0]))

struct outcome {
    double run_s;
    struct sim_counters counters;
};

static struct outcome run_once(const struct world *w, const struct lb_algo *lb)
{
    /* The compiler cannot see through this pointer, so the loop stays a function that a profiler finds by
     * name. */
    bool (*volatile run_until)(struct sim *, uint64_t) = sim_run_until;
    struct outcome  o = { 0 };
    struct scenario scenario;
    struct sim     *sim;
    struct err      err;
    double          start_s;

    if (scenario_parse(&scenario, w->name, w->scenario, strlen(w->scenario), NULL, 0, NULL, &err))
        bench_fail(w->name, err.text);
    scenario.cfg.lb = lb;
    if (scenario_start(&scenario, &sim, &err))
        bench_fail(w->name, err.text);
    start_s = bench_cpu_s();
    run_until(sim, scenario.run_ps);
    o.run_s = bench_cpu_s() - start_s;
    sim_check(sim);
    o.counters = *sim_counts(sim);
    sim_free(sim);
    scenario_fini(&scenario);
    return o;
}

static void print_count(const char *name, const char *what, uint64_t count, const char *unit)
{
    printf("%s.%s %" PRIu64 " %s\n", name, what, count, unit);
}

static void run_balancer(const struct world *w, const struct lb_algo *lb, int runs, bool with_counters)
{
    struct outcome best = run_once(w, lb);
    char           name[96];

    for (int i = 1; i < runs; i++) {
        struct outcome o = run_once(w, lb);

        if (o.run_s < best.run_s)
            best = o;
    }
    snprintf(name, sizeof(name), "lb.%s.%s", w->name, lb->name);
    bench_print(name, (double)best.counters.data_received / best.run_s * 1e-6, "Mpackets/s");
    if (!with_counters)
        return;
    print_count(name, "packets", best.counters.data_received, "packets");
    print_count(name, "events", best.counters.events, "events");
    print_count(name, "nacks", best.counters.nacks_sent, "packets");
    print_count(name, "flowlets", best.counters.flowlets, "flowlets");
}

int main(int argc, char **argv)
{
    const char *world, *balancer;
    bool with_counters = false;
    int  runs = RUNS, option, did = 0;

    while ((option = getopt(argc, argv, "cn:")) != -1) {
        if (option == 'c')
            with_counters = true;
        else if (option == 'n' && atoi(optarg) > 0)
            runs = atoi(optarg);
        else
            bench_fail("usage", "bench_lb [-n RUNS] [-c] [WORLD [BALANCER]]");
    }
    world = optind < argc ? argv[optind] : NULL;
    balancer = optind + 1 < argc ? argv[optind + 1] : NULL;
    for (size_t i = 0; i < WORLDS; i++)
        for (const struct lb_algo *const *lb = lb_all; *lb; lb++)
            if ((!world || strcmp(world, worlds[i].name) == 0) && (!balancer || strcmp(balancer, (*lb)->name) == 0)) {
                run_balancer(&worlds[i], *lb, runs, with_counters);
                did++;
            }
    if (!did)
        bench_fail(balancer ? balancer : world, "no such world or balancer");
    return 0;
}
