/* bench/bench_rlcc.c - the cost of a decision of RL-CC's policies, and how far small ones are from the net.
 *
 *   bench_rlcc [-n RUNS] [-e FILE]
 *
 * decision: one RTT of a flow, for each body. rule: the whole integer decision of the trees, from RTT to
 * rate. int8:     multiplier compared with the net's, in 10^6 states. trees:    grown from the net on the
 * grid of RL-CC's authors. Root mean square difference from the net on a fifth of the
 *           rows that was held out: as published, after sweeps, and adjusted so that they can be certified.
 *           Also XGBoost
 *           with as many trees of that depth, if libxgboost is installed.
 * update:   one ADPG update, with 64 agents of 15 steps. -e writes the trees as C, for
 * bench/rlcc-instructions.
 */
#include "bench.h"
#include "train/rlcc/adpg.h"
#include "base/nets/policy/test_teacher.h"
#include "base/nets/tree/tree_certify.h"
#include "base/nets/tree/tree_export.h"
#include "train/trees/tree_grow.h"
#include "xgboost_yardstick.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#define DECISIONS 100000
#define DELTAS    1024
#define STATES    1000000
#define UPDATES   20
#define AGENTS    64u
#define STEPS     15u

static int runs = 7;

/* ---- decisions */

static float delta_at(struct rng *rng)
{
    return (float)(rng_below(rng, 2) ? 1.6 * rng_real(rng) - 0.8 : 10 * rng_real(rng));
}

static void bench_decision(const char *name, const struct policy *p)
{
    struct policy_flow *flow = malloc(policy_flow_bytes(p->body));
    static float delta[DELTAS];
    double best = 1e9, sum = 0;
    struct rng rng;

    rng_init(&rng, 1, 0);
    for (int i = 0; i < DELTAS; i++)
        delta[i] = delta_at(&rng);
    for (int i = 0; i < runs; i++) {
        double start_s = bench_cpu_s();      /* later the duration */

        policy_start(p, flow);
        for (int j = 0; j < DECISIONS; j++)
            sum += (double)policy_decide(p, flow, delta[j % DELTAS]);
        start_s = bench_cpu_s() - start_s;
        best = start_s < best ? start_s : best;
    }
    if (!(sum > 0))
        bench_fail(name, "no multipliers");
    bench_print(name, best / DECISIONS * 1e9, "ns");
    free(flow);
}

static void bench_rule(const struct forest *f)
{
    static uint32_t rtt_ns[DELTAS];
    struct rule_params params;
    struct rule_flow flow;
    double best = 1e9;
    uint64_t sum = 0;
    struct rule r;
    struct rng rng;

    rng_init(&rng, 1, 0);
    for (int i = 0; i < DELTAS; i++)
        rtt_ns[i] = 8000 + (uint32_t)rng_below(&rng, 30000);
    if (rule_params_make(&params, &(struct rule_cfg){ 0 }, NULL))
        bench_fail("rule", "no parameters");
    rule_init(&r, f, &params);
    for (int i = 0; i < runs; i++) {
        double start_s = bench_cpu_s();

        rule_start(&flow, RULE_RATE_ONE);
        for (int j = 0; j < DECISIONS; j++)
            sum += rule_decide(&r, &flow, rtt_ns[j % DELTAS]);
        start_s = bench_cpu_s() - start_s;
        best = start_s < best ? start_s : best;
    }
    if (sum == 0)
        bench_fail("rule", "no rates");
    bench_print("rlcc.rule.decision", best / DECISIONS * 1e9, "ns");
}

/* ---- accuracy */

static void compare_int8(const struct policy *mlp, const struct policy *int8)
{
    double largest = 0, sum = 0;
    struct rng rng;

    rng_init(&rng, 2, 0);
    for (int i = 0; i < STATES; i++) {
        float x[POLICY_FEATURES] = { (float)(0.8333 + 0.3667 * rng_real(&rng)), delta_at(&rng),
                                     (float)(0.8333 + 0.3667 * rng_real(&rng)), delta_at(&rng) };
        double away = fabs((double)policy_try(mlp, x) - (double)policy_try(int8, x));

        largest = away > largest ? away : largest;
        sum += away;
    }
    bench_print("rlcc.int8.error.mean", sum / STATES * 1e6, "ppm");
    bench_print("rlcc.int8.error.largest", largest * 1e6, "ppm");
}

static float teach(const void *teacher, const float x[TREE_FEATURES])
{
    return policy_try(teacher, x);
}

static void compare_trees(const struct policy *mlp, struct forest *f)
{
    struct tree_grid grid = { .actions = 5, .deltas = 100 };
    static certify_weights weight;
    struct tree_cfg cfg = { 0 };
    struct tree_rows rows, aside;
    double start_s, rmse;

    tree_rows_init(&rows);
    tree_rows_init(&aside);
    tree_rows_add_grid(&rows, &grid, teach, mlp);
    tree_rows_set_aside(&rows, &aside, 0.2, 1);
    start_s = bench_cpu_s();
    forest_grow(f, &cfg, &rows);
    bench_print("rlcc.trees.grow", (bench_cpu_s() - start_s) / rows.rows * 1e9, "ns/row");
    bench_print("rlcc.trees.rmse", tree_rows_rmse(&aside, f) * 1e6, "ppm");
    cfg.sweeps = 20;
    forest_grow(f, &cfg, &rows);
    bench_print("rlcc.trees.rmse.sweeps", tree_rows_rmse(&aside, f) * 1e6, "ppm");
    tree_rows_count(&rows, f, weight);
    if (certify_mend(f, weight, 10000) < 0)
        bench_fail("trees", "could not be mended");
    bench_print("rlcc.trees.rmse.certified", tree_rows_rmse(&aside, f) * 1e6, "ppm");
    rmse = xgboost_rmse(&rows, &aside, f->trees, TREE_DEPTH_MAX);
    if (rmse >= 0)
        bench_print("rlcc.xgboost.rmse", rmse * 1e6, "ppm");
    tree_rows_fini(&rows);
    tree_rows_fini(&aside);
}

/* ---- learning */

static void bench_update(void)
{
    static float state[AGENTS][STEPS * POLICY_FEATURES], delta[AGENTS][STEPS];
    struct adpg_trajectory t[AGENTS];
    struct adpg_cfg cfg = { 0 };
    struct policy p;
    struct adpg a;
    struct rng rng;
    double best = 1e9;

    rng_init(&rng, 3, 0);
    policy_init_mlp(&p, &rng);
    adpg_init(&a, &cfg, &p, STEPS);
    for (uint32_t i = 0; i < AGENTS; i++) {
        for (uint32_t j = 0; j < STEPS * POLICY_FEATURES; j++)
            state[i][j] = j % 2 ? delta_at(&rng) : 1;
        for (uint32_t j = 0; j < STEPS; j++)
            delta[i][j] = delta_at(&rng);
        t[i] = (struct adpg_trajectory){ STEPS, state[i], delta[i] };
    }
    for (int i = 0; i < runs; i++) {
        double start_s = bench_cpu_s();

        for (int j = 0; j < UPDATES; j++)
            adpg_update(&a, t, AGENTS);
        start_s = bench_cpu_s() - start_s;
        best = start_s < best ? start_s : best;
    }
    bench_print("rlcc.adpg.update", best / UPDATES / AGENTS / STEPS * 1e9, "ns/step");
    adpg_fini(&a);
    policy_fini(&p);
}

static void write_export(const char *path, const struct forest *f)
{
    FILE *out = fopen(path, "w");
    struct rule_params params;
    struct err err = { "" };

    if (!out || rule_params_make(&params, &(struct rule_cfg){ 0 }, &err)
        || tree_export(out, TREE_EXPORT_C, f, &params, "trees of bench_rlcc", &err))
        bench_fail("export", *err.text ? err.text : path);
    fclose(out);
}

static void bench_all(const char *export_path)
{
    struct policy mlp, lstm, int8, int8_lstm, trees;
    struct forest f;
    struct rng rng;

    rng_init(&rng, 1, 0);
    test_teacher_init(&mlp);
    policy_init_lstm(&lstm, &rng);
    if (policy_init_int8(&int8, &mlp, NULL) || policy_init_int8(&int8_lstm, &lstm, NULL))
        bench_fail("int8", "refused");
    compare_trees(&mlp, &f);
    policy_init_trees(&trees, &f);
    bench_decision("rlcc.mlp.decision", &mlp);
    bench_decision("rlcc.lstm.decision", &lstm);
    bench_decision("rlcc.int8.decision", &int8);
    bench_decision("rlcc.int8_lstm.decision", &int8_lstm);
    bench_decision("rlcc.trees.decision", &trees);
    bench_rule(&f);
    bench_print("rlcc.trees.operations", tree_export_cost(&f).operations, "operations");
    bench_print("rlcc.trees.tables", tree_export_cost(&f).table_bytes, "bytes");
    compare_int8(&mlp, &int8);
    bench_update();
    if (export_path)
        write_export(export_path, &f);
    policy_fini(&mlp);
    policy_fini(&lstm);
    policy_fini(&int8);
    policy_fini(&int8_lstm);
}

int main(int argc, char **argv)
{
    const char *export_path = NULL;
    int option;

    while ((option = getopt(argc, argv, "n:e:")) != -1) {
        if (option == 'e')
            export_path = optarg;
        else if (option != 'n' || (runs = atoi(optarg)) <= 0)
            bench_fail("usage", "bench_rlcc [-n RUNS] [-e FILE]");
    }
    bench_all(export_path);
    return 0;
}
