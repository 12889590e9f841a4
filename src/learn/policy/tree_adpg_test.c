/* src/learn/policy/tree_adpg_test.c - trees trained by the policy gradient, against closed forms.
 *
 * The environment is a flow on a link with a known response: at rate r, delta = 4 ln(r / share). The
 * multiplier exp(-delta / 4) brings delta to 0 at once, and any policy that goes down above 0 and up below
 * converges to 0.
 */
#include "learn/policy/tree_adpg.h"

#include "base/rng.h"
#include "learn/policy/policy.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define AGENTS 64
#define STEPS  24

struct test_rollout {
    float state[AGENTS][STEPS][4], delta[AGENTS][STEPS];
    struct adpg_trajectory t[AGENTS];
};

static float delta_of(double rate)
{
    return (float)(4 * log(rate));
}

static float decide(const struct tree_adpg *a, const float x[4])
{
    int16_t feature[4];

    forest_features(x, feature);
    return 1 + 0.2f * tree_adpg_u(a, feature);
}

/* Starts at rates from a third to three times the share. */
static void roll_out(struct test_rollout *r, const struct tree_adpg *a, struct rng *rng)
{
    for (int i = 0; i < AGENTS; i++) {
        double rate = exp((2 * rng_real(rng) - 1) * log(3));
        float x[4] = { 1, delta_of(rate), 1, delta_of(rate) };

        for (int j = 0; j < STEPS; j++) {
            float m = decide(a, x);

            memcpy(r->state[i][j], x, sizeof(x));
            rate *= (double)m;
            x[0] = x[2];
            x[1] = x[3];
            x[2] = m;
            x[3] = delta_of(rate);
            r->delta[i][j] = x[3];
        }
        r->t[i] = (struct adpg_trajectory){ STEPS, &r->state[i][0][0], r->delta[i] };
    }
}

static void train(struct tree_adpg *a, const struct tree_adpg_cfg *cfg, int updates)
{
    static struct test_rollout r;
    struct rng rng;

    rng_init(&rng, 1, 0);
    tree_adpg_init(a, cfg, STEPS);
    for (int i = 0; i < updates; i++) {
        roll_out(&r, a, &rng);
        tree_adpg_update(a, r.t, AGENTS);
    }
}

/* Mean of |delta| over the second half of each agent's steps. */
static double mean_residual(const struct tree_adpg *a)
{
    static struct test_rollout r;
    struct rng rng;
    double sum = 0;

    rng_init(&rng, 99, 0);
    roll_out(&r, a, &rng);
    for (int i = 0; i < AGENTS; i++)
        for (int j = STEPS / 2; j < STEPS; j++)
            sum += fabs((double)r.delta[i][j]);
    return sum / (AGENTS * STEPS / 2);
}

static void update__converges_to_the_target(void **unused)
{
    struct tree_adpg_cfg cfg = { .tree = { .trees = 4 }, .adpg.smoothing = 0.1 };
    struct tree_adpg before, after;

    (void)unused;
    train(&before, &cfg, 0);
    assert_true(mean_residual(&before) > 1.5);   /* 4 ln 3 / 2 is 2.2: rates stay unchanged */
    train(&after, &cfg, 300);
    assert_int_equal(4, after.shape.trees);
    assert_true(mean_residual(&after) < 0.25);
    for (float delta = 0.5f; delta < 4; delta += 0.5f) {
        assert_true(decide(&after, (float[]){ 1, delta, 1, delta }) < 1);
        assert_true(decide(&after, (float[]){ 1, -delta, 1, -delta }) > 1);
    }
    tree_adpg_fini(&before);
    tree_adpg_fini(&after);
}

/* Without trees all states have the same action, and rates do not converge. */
static void update__needs_its_trees(void **unused)
{
    struct tree_adpg_cfg cfg = { .grow_every = UINT32_MAX, .adpg.smoothing = 0.1 };
    struct tree_adpg a;

    (void)unused;
    train(&a, &cfg, 300);
    assert_int_equal(0, a.shape.trees);
    assert_true(mean_residual(&a) > 1);
    tree_adpg_fini(&a);
}

/* The first split of the first tree is on delta, near 0, where the derivative changes its sign. Leaves oppose
 * it. */
static void grow__splits_where_states_differ(void **unused)
{
    struct tree_adpg_cfg cfg = { .tree = { .trees = 1, .depth = 1 }, .grow_every = 1, .adpg.smoothing = -1 };
    struct tree_adpg a;

    (void)unused;
    train(&a, &cfg, 1);
    assert_int_equal(1, a.shape.tree[0].depth);
    assert_true(a.shape.tree[0].split[0].feature == TREE_DELTA ||
                a.shape.tree[0].split[0].feature == TREE_DELTA_OLDER);
    assert_true(abs(a.shape.tree[0].split[0].threshold) < 0.4 * TREE_DELTA_ONE);
    assert_true(a.parameter[1] > 0.01f && a.parameter[2] < -0.01f);
    tree_adpg_fini(&a);
}

static double loss_of(struct tree_adpg *a, const struct test_rollout *r)
{
    double loss = 0;
    float u[STEPS], slope[STEPS];

    for (int i = 0; i < AGENTS; i++) {
        for (int j = 0; j < STEPS; j++) {
            int16_t feature[4];

            forest_features(r->state[i][j], feature);
            u[j] = tree_adpg_u(a, feature);
        }
        loss += adpg_loss(&a->cfg.adpg, u, r->delta[i], STEPS, slope) / AGENTS;
    }
    return loss;
}

/* Compares each leaf's gradient with finite differences of the loss. */
static void update__has_the_gradient_of_finite_differences(void **unused)
{
    struct tree_adpg_cfg cfg = { .tree = { .trees = 3 }, .grow_every = 5,
                                 .adpg = { .clip = 1e9, .smoothing = 0.5 } };
    static struct test_rollout r;
    struct tree_adpg a, moved;
    struct rng rng;
    int checked = 0;

    (void)unused;
    train(&a, &cfg, 20);
    rng_init(&rng, 5, 0);
    roll_out(&r, &a, &rng);
    moved = a;
    tree_adpg_update(&a, r.t, AGENTS);           /* a.gradient belongs to the parameters in 'moved' */
    for (uint32_t i = 0; i < 1 + 3 * TREE_LEAVES_MAX; i++) {
        float kept = moved.parameter[i];
        double high, low;

        moved.parameter[i] = kept + 1e-3f;
        high = loss_of(&moved, &r);
        moved.parameter[i] = kept - 1e-3f;
        low = loss_of(&moved, &r);
        moved.parameter[i] = kept;
        assert_true(fabs((high - low) / 2e-3 - (double)a.gradient[i]) < 2e-3);
        checked += fabs((double)a.gradient[i]) > 1e-2;
    }
    assert_true(checked > 5);
    tree_adpg_fini(&a);
}

/* The integer forest decides the same except for rounding: 17 leaves of 1/65536. */
static void forest__decides_as_the_leaves_do(void **unused)
{
    struct tree_adpg_cfg cfg = { .tree = { .trees = 6 }, .grow_every = 5 };
    struct tree_adpg a;
    struct forest f;
    struct rng rng;

    (void)unused;
    train(&a, &cfg, 40);
    tree_adpg_forest(&a, &f);
    assert_null(forest_flaw(&f));
    rng_init(&rng, 2, 0);
    for (int i = 0; i < 10000; i++) {
        int16_t x[4];

        for (int j = 0; j < 4; j++)
            x[j] = (int16_t)rng_below(&rng, 65536);
        assert_true(fabs(forest_multiplier(&f, x) / 65536.0 - (1 + 0.2 * (double)tree_adpg_u(&a, x))) < 2e-4);
    }
    tree_adpg_fini(&a);
}

/* The repaired forest is certified and still converges. */
static void mended__is_certified(void **unused)
{
    struct tree_adpg_cfg cfg = { .tree = { .trees = 4 }, .adpg.smoothing = 0.1 };
    struct rule_params params;
    struct certificate c;
    struct tree_adpg a;
    struct policy p;
    struct forest f;
    double rate = 3;
    float x[4] = { 1, 0, 1, 0 };

    (void)unused;
    train(&a, &cfg, 300);
    assert_true(tree_adpg_mended(&a, &f) >= 0);
    assert_int_equal(0, rule_params_make(&params, &(struct rule_cfg){ 0 }, NULL));
    assert_true(certify_rule(&c, &f, &params));
    policy_init_trees(&p, &f);
    x[1] = x[3] = delta_of(rate);
    for (int i = 0; i < 40; i++) {
        float m = policy_try(&p, x);

        rate *= (double)m;
        memmove(x, x + 2, 2 * sizeof(*x));
        x[2] = m;
        x[3] = delta_of(rate);
    }
    assert_true(fabsf(x[3]) < 1);
    tree_adpg_fini(&a);
}

static void update__without_agents_changes_nothing(void **unused)
{
    static const float state[4] = { 1, 0, 1, 0 }, delta[1] = { 1 };
    const struct adpg_trajectory t = { 1, state, delta };
    struct tree_adpg a, kept;

    (void)unused;
    tree_adpg_init(&a, &(struct tree_adpg_cfg){ 0 }, 4);
    kept = a;
    assert_true(tree_adpg_update(&a, &t, 1) == 0);
    assert_memory_equal(&kept, &a, sizeof(a));
    tree_adpg_fini(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(update__converges_to_the_target),
        cmocka_unit_test(update__needs_its_trees),
        cmocka_unit_test(grow__splits_where_states_differ),
        cmocka_unit_test(update__has_the_gradient_of_finite_differences),
        cmocka_unit_test(forest__decides_as_the_leaves_do),
        cmocka_unit_test(mended__is_certified),
        cmocka_unit_test(update__without_agents_changes_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
