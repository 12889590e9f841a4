/* bench/bench_trees.c - trees for a NIC, made in three ways, beside the net: how large they are and how well they do.
 *
 *   bench_trees [-u UPDATES] [-m NET] [-d] [-o FILE]
 *
 * grid:    distilled from the net on the grid of states, as anole distil does without options
 * flows:   distilled from the grid and from what the net's own flows see in worlds of training
 * direct:  without the net, by the policy gradient in the same worlds, UPDATES of it [600; 0: none] (tree_adpg.h)
 *
 * Each is mended and certified, and decides from outside in worlds that it has not learnt in: mean goodput of the line's, mean
 * RTT, and the formula's for even shares. -d: the direct trees alone; -o writes them as a model.
 */
#include "bench.h"
#include "base/err.h"
#include "core/units.h"
#include "env/env.h"
#include "env/env_rows.h"
#include "env/env_world.h"
#include "learn/policy/distil.h"
#include "learn/policy/policy_file.h"
#include "learn/policy/policy_story.h"
#include "learn/policy/tree_adpg.h"
#include "learn/tree/tree_export.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#define DECISION_US 0.1
#define STEPS       16u          /* of each agent for an update: 15 that are followed by another */
#define STEPS_MOST  2000u        /* of a world, for an update */
#define AGENTS_MAX  4096u
#define DELTA_MOST  5.0f         /* of what is learnt from: the first burst is not all there is to learn */
#define RENEW       50u          /* updates after which a world begins anew */
#define SETTLE_PS   (60 * PS_PER_MS)         /* the first burst has gone */
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

/* ---- what agents go through ---- */

/* Of one world, since the last update. */
struct diary {
    struct env *env;
    uint32_t    total;
    uint32_t    steps[AGENTS_MAX];
    float       x[AGENTS_MAX][STEPS][POLICY_FEATURES];
    float       delta[AGENTS_MAX][STEPS];
};

static void note(struct diary *d, const struct env_observation *o)
{
    if (o->agent < AGENTS_MAX && d->steps[o->agent] < STEPS)
        memcpy(d->x[o->agent][d->steps[o->agent]++], o->x, sizeof(o->x));
    d->total++;
}

static bool has_all(const struct diary *d)
{
    for (uint32_t i = 0; i < env_agents(d->env); i++)
        if (d->steps[i] < STEPS)
            return false;
    return env_agents(d->env) > 0;
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

static void run_lesson(struct diary *d, const struct policy *p)
{
    memset(d->steps, 0, sizeof(d->steps));
    d->total = 0;
    while (d->total < STEPS_MOST && !has_all(d)) {
        const struct env_observation *o;
        uint32_t n = env_observe(d->env, &o);

        if (n == 0)
            bench_fail("trees", "a world is over");
        for (uint32_t i = 0; i < n; i++)
            note(d, &o[i]);
        act(d->env, p, o, n);
    }
}

/* ---- directly */

/* Trajectories of a diary: what step i decided is followed by the delta that step i + 1 sees. */
static uint32_t take(struct diary *d, struct adpg_trajectory *t)
{
    uint32_t agents = 0;

    for (uint32_t i = 0; i < AGENTS_MAX && i < env_agents(d->env); i++) {
        if (d->steps[i] < 3)
            continue;
        for (uint32_t j = 0; j + 1 < d->steps[i]; j++)
            d->delta[i][j] = d->x[i][j + 1][3] < DELTA_MOST ? d->x[i][j + 1][3] : DELTA_MOST;
        t[agents++] = (struct adpg_trajectory){ d->steps[i] - 1, d->x[i][0], d->delta[i] };
    }
    return agents;
}

static void tell(uint32_t update, const struct diary *d)
{
    fprintf(stderr, "update %u, mean delta by world", update);
    for (uint32_t w = 0; w < LESSONS; w++) {
        double   sum = 0;
        uint32_t n = 0;

        for (uint32_t i = 0; i < AGENTS_MAX; i++)
            for (uint32_t j = 0; j < d[w].steps[i]; j++, n++)
                sum += (double)d[w].x[i][j][3];
        fprintf(stderr, " %.2f", n ? sum / n : 0);
    }
    fprintf(stderr, "\n");
}

static void train(struct forest *f, uint32_t updates)
{
    static struct adpg_trajectory t[LESSONS * AGENTS_MAX];
    struct diary *d = xcalloc(LESSONS, sizeof(*d));
    struct tree_adpg a;

    tree_adpg_init(&a, &(struct tree_adpg_cfg){ .adpg.adam.rate = 0.02, .grow_every = updates / 15 }, STEPS);
    for (uint32_t i = 0; i < updates; i++) {
        uint32_t agents = 0;
        struct policy p;

        tree_adpg_forest(&a, f);
        policy_init_trees(&p, f);
        for (uint32_t w = 0; w < LESSONS; w++) {
            if (i % RENEW == w) {
                env_close(d[w].env);
                d[w].env = NULL;
            }
            d[w].env = d[w].env ? d[w].env : open_world(lessons[w], 1 + i);
            run_lesson(&d[w], &p);
            agents += take(&d[w], t + agents);
        }
        tree_adpg_update(&a, t, agents);
        if (i % 50 == 0)
            tell(i, d);
    }
    for (uint32_t w = 0; w < LESSONS; w++)
        env_close(d[w].env);
    if (tree_adpg_mended(&a, f) < 0)
        bench_fail("direct", "could not be mended");
    tree_adpg_fini(&a);
    free(d);
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

/* ---- how well they do */

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

static void save(const struct forest *f, const char *path)
{
    struct policy p;
    struct model m;
    struct err err;

    policy_init_trees(&p, f);
    policy_to_model(&p, &m);
    if (model_save(&m, path, &err))
        bench_fail("save", err.text);
    model_fini(&m);
}

int main(int argc, char **argv)
{
    const char *net_path = "tests/data/rlcc/mlp.rlcc", *out = NULL;
    uint32_t updates = 600;
    bool is_direct = false;
    struct policy net;
    struct forest f;
    struct err err;
    int option;

    while ((option = getopt(argc, argv, "u:m:o:d")) != -1) {
        if (option == 'u')
            updates = (uint32_t)atoi(optarg);
        else if (option == 'm')
            net_path = optarg;
        else if (option == 'o')
            out = optarg;
        else if (option == 'd')
            is_direct = true;
        else
            bench_fail("usage", "bench_trees [-u UPDATES] [-m NET] [-d] [-o FILE]");
    }
    if (policy_load(&net, net_path, &err))
        bench_fail("net", err.text);
    if (!is_direct) {
        check_all("net", &net);
        distil(&f, &net, false);
        check_forest("grid", &f);
        distil(&f, &net, true);
        check_forest("flows", &f);
    }
    if (updates > 0) {
        train(&f, updates);
        check_forest("direct", &f);
    }
    if (out)
        save(&f, out);
    policy_fini(&net);
    return 0;
}
