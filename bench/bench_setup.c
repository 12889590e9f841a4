/* bench/bench_setup.c - the cost of a large network before the first packet moves.
 *
 * From the text of a scenario to a simulation that is ready to run: CPU time, and the peak memory of a
 * process that did only this. Every run has its own process, because the peak includes all memory that was
 * ever used.
 */
#include "bench.h"
#include "study/scenario/scenario.h"
#include "sim/sim.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define RUNS 5

struct bench_case { const char *name, *scenario; };

static const struct bench_case cases[] = {
    { "fattree_k16", "topology: {kind: fat_tree, k: 16, rate: 100Gbps, delay: 1us}\nrun: 1ms\n"
      "traffic: [{kind: poisson, sizes: FB_Hadoop, load: 30%}]\n" },
    { "fattree_k32", "topology: {kind: fat_tree, k: 32, rate: 100Gbps, delay: 1us}\nrun: 1ms\n"
      "traffic: [{kind: poisson, sizes: FB_Hadoop, load: 30%}]\n" },
    { "fattree_k64", "topology: {kind: fat_tree, k: 64, rate: 100Gbps, delay: 1us}\nrun: 1ms\n"
      "traffic: [{kind: poisson, sizes: FB_Hadoop, load: 30%}]\n" },
};

struct cost { double time_s, peak_bytes; };

/* VmHWM: the peak memory of this process. */
static double peak_bytes(void)
{
    FILE *f = fopen("/proc/self/status", "r");
    unsigned long kib = 0;
    char line[256];

    while (f && fgets(line, sizeof(line), f))
        if (sscanf(line, "VmHWM: %lu kB", &kib) == 1)
            break;
    if (f)
        fclose(f);
    if (!kib)
        bench_fail("VmHWM", "not in /proc/self/status");
    return 1024.0 * (double)kib;
}

static struct cost build(const struct bench_case *c)
{
    double start_s = bench_cpu_s();
    struct scenario scenario;
    struct cost cost;
    struct sim *sim;
    struct err err;

    if (scenario_parse(&scenario, c->name, c->scenario, strlen(c->scenario), NULL, 0, NULL, &err))
        bench_fail(c->name, err.text);
    if (scenario_start(&scenario, &sim, &err))
        bench_fail(c->name, err.text);
    cost.time_s = bench_cpu_s() - start_s;
    cost.peak_bytes = peak_bytes();
    sim_free(sim);
    scenario_fini(&scenario);
    return cost;
}

/* Runs build() in a child, so that this process stays small. */
static struct cost build_apart(const struct bench_case *c)
{
    int pipe_fd[2];
    struct cost cost;
    pid_t child;

    if (pipe(pipe_fd) || (child = fork()) < 0)
        bench_fail(c->name, "cannot start a process");
    if (child == 0) {
        cost = build(c);
        _exit(write(pipe_fd[1], &cost, sizeof(cost)) != sizeof(cost));
    }
    close(pipe_fd[1]);
    if (read(pipe_fd[0], &cost, sizeof(cost)) != sizeof(cost))
        bench_fail(c->name, "the process that builds it has failed");
    close(pipe_fd[0]);
    waitpid(child, NULL, 0);
    return cost;
}

static void run_case(const struct bench_case *c)
{
    struct cost best = build_apart(c);
    char name[64];

    for (int i = 1; i < RUNS; i++) {
        struct cost cost = build_apart(c);

        best.time_s = cost.time_s < best.time_s ? cost.time_s : best.time_s;
        best.peak_bytes = cost.peak_bytes < best.peak_bytes ? cost.peak_bytes : best.peak_bytes;
    }
    snprintf(name, sizeof(name), "setup.%s.time", c->name);
    bench_print(name, best.time_s * 1e3, "ms");
    snprintf(name, sizeof(name), "setup.%s.peak", c->name);
    bench_print(name, best.peak_bytes * 1e-6, "MB");
}

int main(void)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        run_case(&cases[i]);
    return 0;
}
