/* bench/bench_learn.c - the cost of a decision of ACC's net, and of an update.
 *
 *   bench_learn [-n RUNS]
 *
 * decision: one state of 12 numbers through 12-20-40-40-20 (7,000 floating point operations).
 * rlcc:     the same for RL-CC's policy, 4-12-12-1 without biases, tanh at the end.
 * update:   a Double-DQN update of ACC's net with a batch of 32: three passes forward, one back, Adam.
 */
#include "bench.h"
#include "base/nets/dqn.h"

#include <math.h>
#include <unistd.h>

#define DECISIONS 20000
#define STATES    256
#define UPDATES   1000
#define RECORDS   4096u

static int runs = 9;

static const struct net_shape acc = {
    .inputs = 12, .layers = 4,
    .layer = { { 20, NET_RELU, false }, { 40, NET_RELU, false }, { 40, NET_RELU, false },
               { 20, NET_LINEAR, false } },
};
static const struct net_shape rlcc = {
    .inputs = 4, .layers = 3,
    .layer = { { 12, NET_RELU, true }, { 12, NET_RELU, true }, { 1, NET_TANH, true } },
};

static void fill(float *value, uint32_t n, struct rng *rng)
{
    for (uint32_t i = 0; i < n; i++)
        value[i] = (float)rng_real(rng);
}

/* Returns the best of several runs, in seconds per decision. */
static double decide_s(const struct net *n, const float *state)
{
    float value[NET_WIDTH_MAX];
    double best = 1e9, sum = 0;

    for (int i = 0; i < runs; i++) {
        double start_s = bench_cpu_s();      /* later the duration */

        for (uint32_t j = 0; j < DECISIONS; j++) {
            net_run(n, state + j % STATES * n->shape.inputs, value);
            sum += net_largest(value, net_shape_outputs(&n->shape)) + (double)value[0];
        }
        start_s = bench_cpu_s() - start_s;
        best = start_s < best ? start_s : best;
    }
    if (!isfinite(sum) || sum == 0)
        bench_fail("decision", "a net without values");
    return best / DECISIONS;
}

static void bench_decision(const char *name, const struct net_shape *shape)
{
    static float state[STATES * NET_WIDTH_MAX];
    struct net n;
    struct rng rng;

    rng_init(&rng, 1, 0);
    net_init(&n, shape);
    net_randomise(&n, &rng);
    fill(state, STATES * shape->inputs, &rng);
    bench_print(name, decide_s(&n, state) * 1e9, "ns");
    net_fini(&n);
}

static void remember(struct dqn *d)
{
    float state[12], next[12];

    for (uint32_t i = 0; i < RECORDS; i++) {
        struct dqn_step s = { .state = state, .next = next, .action = i % 20 };

        fill(state, 12, &d->rng);
        fill(next, 12, &d->rng);
        s.reward = state[0];
        dqn_remember(d, &s);
    }
}

static void bench_update(void)
{
    struct dqn_cfg cfg = { .shape = acc, .gamma = 0.9, .bend = 1, .norm_max = 10,
                           .batch = 32, .memory = RECORDS, .copy_every = 100, .seed = 1 };
    double best = 1e9, loss = 0;
    struct dqn d;

    dqn_init(&d, &cfg);
    remember(&d);
    for (int i = 0; i < runs; i++) {
        double start_s = bench_cpu_s();

        for (uint32_t j = 0; j < UPDATES; j++)
            loss = dqn_update(&d);
        start_s = bench_cpu_s() - start_s;
        best = start_s < best ? start_s : best;
    }
    if (!(loss >= 0 && loss < 1))
        bench_fail("update", "a loss that cannot be");
    bench_print("learn.acc.update32", best / UPDATES * 1e6, "us");
    dqn_fini(&d);
}

int main(int argc, char **argv)
{
    int option;

    while ((option = getopt(argc, argv, "n:")) != -1) {
        if (option != 'n' || atoi(optarg) <= 0)
            bench_fail("usage", "bench_learn [-n RUNS]");
        runs = atoi(optarg);
    }
    bench_decision("learn.acc.decision", &acc);
    bench_decision("learn.rlcc.decision", &rlcc);
    bench_update();
    return 0;
}
