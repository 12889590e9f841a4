/* bench/bench_traffic.c - the cost of generating the flows of one second of traffic.
 *
 * 128 hosts of 100 Gbps each: about 4 million flows of FB_Hadoop at a load of 30 %; and many small ones. The
 * flows of a stream are generated one after another. 'grown' is the memory growth of the process: flows are
 * not stored.
 */
#include "bench.h"
#include "study/scenario/scenario.h"
#include "work/traffic/traffic.h"

#include <string.h>
#include <sys/resource.h>

#define RUNS 3

struct bench_case { const char *name, *scenario; };

static const struct bench_case cases[] = {
    { "FB_Hadoop", "topology: {kind: clos, tors: 8, hosts_per_tor: 16, spines: 4}\nrun: 1s\n"
      "traffic: [{kind: poisson, sizes: FB_Hadoop, load: 30%}]\n" },
    { "GoogleRPC", "topology: {kind: clos, tors: 8, hosts_per_tor: 16, spines: 4}\nrun: 1s\n"
      "traffic: [{kind: poisson, sizes: GoogleRPC, load: 1%}]\n" },
};

struct cost { double time_s, flows, bytes, grown_bytes; };

static double peak_bytes(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return 1024.0 * (double)usage.ru_maxrss;
}

static struct cost make_flows(const struct bench_case *c)
{
    struct cost      cost = { 0, 0, 0, 0 };
    struct flow_spec f;
    struct scenario  scenario;
    struct err       err;
    double           start_s, peak;

    if (scenario_parse(&scenario, c->name, c->scenario, strlen(c->scenario), NULL, 0, NULL, &err))
        bench_fail(c->name, err.text);
    peak = peak_bytes();
    start_s = bench_cpu_s();
    for (uint32_t i = 0; i < traffic_streams(scenario.traffic); i++)
        while (traffic_next(scenario.traffic, i, &f)) {
            cost.flows++;
            cost.bytes += (double)f.bytes;
        }
    cost.time_s = bench_cpu_s() - start_s;
    cost.grown_bytes = peak_bytes() - peak;
    scenario_fini(&scenario);
    return cost;
}

static void print(const struct bench_case *c, const char *what, double value, const char *unit)
{
    char name[64];

    snprintf(name, sizeof(name), "traffic.%s.%s", c->name, what);
    bench_print(name, value, unit);
}

static void run_case(const struct bench_case *c)
{
    struct cost best = make_flows(c);

    for (int i = 1; i < RUNS; i++) {
        struct cost cost = make_flows(c);

        best.time_s = cost.time_s < best.time_s ? cost.time_s : best.time_s;
    }
    if (best.flows < 1e6)
        bench_fail(c->name, "made too few flows");
    print(c, "time", best.time_s, "s");
    print(c, "flows", best.flows * 1e-6, "Mflows");
    print(c, "per_flow", best.time_s / best.flows * 1e9, "ns");
    print(c, "grown", best.grown_bytes * 1e-3, "KB");
}

int main(void)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        run_case(&cases[i]);
    return 0;
}
