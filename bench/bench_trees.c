/* bench/bench_trees.c - trees for a NIC compared with the net: size and quality.
 *
 *   bench_trees [-m NET] [-t TREES]
 *
 * grid:    distilled from the net on the grid of states, like anole distil without options flows:   distilled
 * from the grid and from the states of the net's own flows in worlds of training given:   TREES, a model from
 * anole distil
 *
 * Each is certified. Then it controls worlds that it was not trained on. Prints mean goodput as a share of
 * the line rate, mean RTT, and the formula's RTT for even shares.
 */
#include "bench.h"
#include "base/err.h"
#include "core/units.h"
#include "train/env/env.h"
#include "train/env/env_world.h"
#include "train/trees/distil.h"
#include "base/nets/policy/policy_file.h"
#include "base/nets/policy/policy_story.h"
#include "base/nets/tree/tree_export.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#define DECISION_US 0.1
#define AGENTS_MAX  4096u
#define SETTLE_PS   (60 * PS_PER_MS)         /* after the first burst */
#define MEASURE_PS  (10 * PS_PER_MS)

static const char *const lessons[] = { "many_to_one:4_1", "many_to_one:8_1", "many_to_one:16_1", "all_to_all:4_4" };
static const char *const checks[] = { "many_to_one:16_4", "many_to_one:16_32", "all_to_all:8_8", "many_to_one:2_1" };

#define LESSONS (sizeof(lessons) / sizeof(*lessons))
#define CHECKS  (sizeof(checks) / sizeof(*checks))

static struct env *open_world(const char *name, uint64_t seed)
{
    struct env_cfg   cfg = { .name = name, .seed = seed };
    struct env_world w;
    struct env      *e = NULL;
    struct err       err;
    char            *text;

    if (env_world_parse(&w, name, &err))
        bench_fail(name, err.text);
    w.decision_us = DECISION_US;
    w.mtu_bytes = 4096;
    text = env_world_text(&w);
    cfg.text = text;
    cfg.text_bytes = strlen(text);
    if (env_open(&e, &cfg, &err))
        bench_fail(name, err.text);
    free(text);
    return e;
}

static void act(struct env *e, const struct policy *p, const struct env_observation *o, uint32_t n)
{
    static float action[AGENTS_MAX];

    if (n > AGENTS_MAX)
        bench_fail("trees", "too many agents");
    for (uint32_t i = 0; i < n; i++)
        action[i] = policy_try(p, o[i].x);
    env_act(e, action);
}

/* ---- from the net */

static void distil(struct forest *f, const struct policy *net, bool with_flows)
{
    struct distil_report report;
    struct tree_rows rows;
    struct policy p;
    struct err err;

    tree_rows_init(&rows);
    for (uint32_t w = 0; with_flows && w < LESSONS; w++)
        if (env_add_rows(&rows, net, lessons[w], 200000, 77, &err))
            bench_fail("flows", err.text);
    if (distil_trees(&p, net, &distil_initial, &rows, &report, &err))
        bench_fail("distil", err.text);
    *f = p.trees;
    tree_rows_fini(&rows);
}

/* ---- quality */

static void run_until(struct env *e, const struct policy *p, uint64_t until_ps)
{
    while (env_now_ps(e) < until_ps) {
        const struct env_observation *o;
        uint32_t n = env_observe(e, &o);

        if (n == 0)
            return;
        act(e, p, o, n);
    }
}

static void check(const char *name, const struct policy *p, const char *world)
{
    struct env *e = open_world(world, 1000001);
    struct env_totals before, after;
    struct env_world w;
    uint64_t began_ps;
    double goodput, flows;

    env_world_parse(&w, world, NULL);
    run_until(e, p, SETTLE_PS);
    before = env_totals(e);
    began_ps = env_now_ps(e);
    run_until(e, p, began_ps + MEASURE_PS);
    after = env_totals(e);
    flows = (double)w.qps * (w.kind == ENV_ALL_TO_ALL ? w.hosts - 1 : w.hosts);
    goodput = (double)(after.payload_bytes - before.payload_bytes) * 8e12 / (double)(env_now_ps(e) - began_ps) / 100e9
              / (w.kind == ENV_ALL_TO_ALL ? w.hosts : 1);
    printf("trees.%s.%s goodput %.4f rtt %.2f us formula %.2f us\n", name, world, goodput,
           (after.rtt_us_sum - before.rtt_us_sum) / (double)(after.steps - before.steps),
           8.192 * (1.5 + 0.064 * sqrt(flows)));
    fflush(stdout);
    env_close(e);
}

static void check_all(const char *name, const struct policy *p)
{
    struct policy_story s;

    policy_story_tell(&s, p);
    printf("trees.%s rest %.3f", name, (double)s.rest);
    if (p->body == POLICY_TREES)
        printf(" trees %u operations %u", p->trees.trees, tree_export_cost(&p->trees).operations);
    printf("\n");
    for (uint32_t i = 0; i < CHECKS; i++)
        check(name, p, checks[i]);
}

static void check_forest(const char *name, const struct forest *f)
{
    struct policy p;

    policy_init_trees(&p, f);
    check_all(name, &p);
}

int main(int argc, char **argv)
{
    const char *net_path = "tests/data/rlcc/mlp.rlcc", *trees_path = NULL;
    struct policy net, trees;
    struct forest f;
    struct err err;
    int option;

    while ((option = getopt(argc, argv, "m:t:")) != -1) {
        if (option == 'm')
            net_path = optarg;
        else if (option == 't')
            trees_path = optarg;
        else
            bench_fail("usage", "bench_trees [-m NET] [-t TREES]");
    }
    if (policy_load(&net, net_path, &err))
        bench_fail("net", err.text);
    check_all("net", &net);
    distil(&f, &net, false);
    check_forest("grid", &f);
    distil(&f, &net, true);
    check_forest("flows", &f);
    if (trees_path) {
        if (policy_load(&trees, trees_path, &err))
            bench_fail("trees", err.text);
        check_all("given", &trees);
        policy_fini(&trees);
    }
    policy_fini(&net);
    return 0;
}
