/* bench/bench_env.c - steps of agents per second in RL-CC's environment with simulated packets, on one core.
 *
 *   bench_env [-n RUNS] [-s STEPS] [-c CASE]
 *
 * All-to-all of 4 hosts with 16 queue pairs between each two, as in RL-CC's training. Cases: packets of 1 KB
 * with an ACK each; an MTU of 4096; and that with an ACK for every 16 packets. A net decides in the loop.
 * Then the same from outside, without a policy or a protocol. Flows settle before the clock starts. STEPS
 * [1000000] are timed, after half as many for warm-up. A single CASE serves to count instructions.
 */
#include "bench.h"
#include "core/units.h"
#include "train/env/env.h"
#include "train/env/env_world.h"
#include "base/nets/policy/test_teacher.h"

#include <string.h>
#include <unistd.h>

static int         runs = 3;
static uint32_t    steps_timed = 1000000;
static const char *only;         /* NULL: all cases */

static struct env *open_world(const struct env_world *w, const struct policy *p)
{
    char          *text = env_world_text(w);
    struct env_cfg cfg = { .name = "bench_env", .text = text, .text_bytes = strlen(text), .seed = 1, .policy = p };
    struct env    *e;
    struct err     err;

    if (env_open(&e, &cfg, &err))
        bench_fail("env", err.text);
    free(text);
    return e;
}

static void bench_in_loop(const char *name, const struct env_world *w, const struct policy *p)
{
    double best = 1e9, steps = 0;

    if (only && strcmp(only, name) != 0)
        return;
    for (int i = 0; i < runs; i++) {
        struct env *e = open_world(w, p);
        double      start_s;
        uint64_t    before;

        env_collect(e, &(struct env_quota){ .steps_least = steps_timed / 2, .steps_most = UINT32_MAX });
        before = env_totals(e).steps;
        start_s = bench_cpu_s();
        for (int j = 0; j < 100; j++)
            env_collect(e, &(struct env_quota){ .steps_least = steps_timed / 100, .steps_most = UINT32_MAX });
        start_s = bench_cpu_s() - start_s;
        steps = (double)(env_totals(e).steps - before);
        best = start_s / steps < best ? start_s / steps : best;
        env_close(e);
    }
    bench_print(name, 1e-6 / best, "Msteps/s");
}

static void bench_outside(const char *name, const struct env_world *w)
{
    const struct env_observation *o;
    static float                  action[1 << 16];
    struct env                   *e;
    double                        start_s = 0;
    uint64_t                      before = 0, batches = 0, settle = steps_timed / 2;

    if (only && strcmp(only, name) != 0)
        return;
    e = open_world(w, NULL);
    for (int i = 0; i < 1 << 16; i++)
        action[i] = 1;
    while (env_totals(e).steps < settle + steps_timed) {
        uint32_t n = env_observe(e, &o);

        if (n == 0 || n > 1 << 16)
            bench_fail(name, "no agents, or too many");
        for (uint32_t i = 0; i < n; i++)
            action[i] = o[i].x[3] > 0 ? 0.95f : 1.03f;
        env_act(e, action);
        batches++;
        if (before == 0 && env_totals(e).steps >= settle) {
            before = env_totals(e).steps;
            batches = 0;
            start_s = bench_cpu_s();
        }
    }
    start_s = bench_cpu_s() - start_s;
    bench_print(name, (double)(env_totals(e).steps - before) / start_s * 1e-6, "Msteps/s");
    printf("%s.batch %.1f agents\n", name, (double)(env_totals(e).steps - before) / (double)batches);
    env_close(e);
}

int main(int argc, char **argv)
{
    struct env_world small = { .kind = ENV_ALL_TO_ALL, .hosts = 4, .qps = 16 }, large = small, late = small, few_acks;
    struct policy    p;
    int              option;

    large.mtu_bytes = 4096;
    few_acks = large;
    few_acks.ack_every = 16;
    late.decision_us = 2;
    while ((option = getopt(argc, argv, "n:s:c:")) != -1)
        if (option == 'c')
            only = optarg;
        else if (option == 's' && atoi(optarg) >= 1000)
            steps_timed = (uint32_t)atoi(optarg);
        else if (option != 'n' || (runs = atoi(optarg)) <= 0)
            bench_fail("usage", "bench_env [-n RUNS] [-s STEPS] [-c CASE]");
    test_teacher_init(&p);
    bench_in_loop("env.mtu1024", &small, &p);
    bench_in_loop("env.mtu4096", &large, &p);
    bench_in_loop("env.mtu4096_ack16", &few_acks, &p);
    bench_outside("env.outside.mtu1024", &late);
    late.mtu_bytes = 4096;
    bench_outside("env.outside.mtu4096", &late);
    policy_fini(&p);
    return 0;
}
