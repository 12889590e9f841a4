#include "base/nets/policy/policy.h"

#include "base/nets/policy/quant.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void action__by_hand(void **unused)
{
    (void)unused;
    assert_true(action_multiplier(0, 0.2f) == 1 && action_multiplier(1, 0.2f) == 1.2f);
    assert_true(fabsf(action_multiplier(-1, 0.2f) - 1 / 1.2f) < 1e-7f);
    assert_true(fabsf(action_multiplier(-0.5f, 0.2f) - 1 / 1.1f) < 1e-7f);
    assert_true(action_multiplier(0.5f, 0.5f) == 1.25f);
    assert_true(action_multiplier(NAN, 0.2f) == 1);
}

/* As in the papers: 204 and 2,753 weights, at most hundreds of bytes per flow. */
static void init__sizes_match_the_papers(void **unused)
{
    struct policy p;
    struct rng rng;

    (void)unused;
    rng_init(&rng, 1, 0);
    policy_init_mlp(&p, &rng);
    assert_int_equal(204, p.mlp.parameters);
    assert_int_equal(16, policy_flow_bytes(p.body));
    policy_fini(&p);
    policy_init_lstm(&p, &rng);
    assert_int_equal(2753, p.lstm.parameters);
    assert_int_equal(16 + 32 * 4, policy_flow_bytes(p.body));
    policy_fini(&p);
}

/* A net that outputs one of its inputs as u = tanh(0.1 x[i]), for x[i] >= 0. */
static void show_input(struct policy *p, uint32_t i)
{
    memset(p->mlp.parameter, 0, p->mlp.parameters * sizeof(float));
    p->mlp.parameter[i * 12] = 1;
    p->mlp.parameter[48] = 1;
    p->mlp.parameter[48 + 144] = 0.1f;
}

static float expected_output(float x)
{
    return 1 + 0.2f * (float)tanh(0.1 * (double)x);
}

/* Two steps with deltas 3 and 7: the value of each input in each step. */
static void decide__sees_two_steps_oldest_first(void **unused)
{
    struct policy_flow flow;
    struct policy p;
    struct rng rng;

    (void)unused;
    rng_init(&rng, 1, 0);
    policy_init_mlp(&p, &rng);
    for (uint32_t i = 0; i < 4; i++) {
        float first, second, third, want[3][4];

        show_input(&p, i);
        policy_start(&p, &flow);
        first = policy_decide(&p, &flow, 3);
        second = policy_decide(&p, &flow, 7);
        third = policy_decide(&p, &flow, 11);
        memcpy(want, (float[3][4]){ { 1, 3, 1, 3 }, { 1, 3, first, 7 }, { first, 7, second, 11 } },
               sizeof(want));
        assert_true(fabsf(first - expected_output(want[0][i])) < 1e-6f);
        assert_true(fabsf(second - expected_output(want[1][i])) < 1e-6f);
        assert_true(fabsf(third - expected_output(want[2][i])) < 1e-6f);
    }
    policy_fini(&p);
}

/* An LSTM sees (last action, delta) and keeps a memory per flow. */
static void decide__keeps_the_memory_of_each_flow(void **unused)
{
    struct policy_flow *flow[2];
    struct lstm_state state[2] = { { { 0 }, { 0 } } };
    float action[2] = { 1, 1 };
    struct policy p;
    struct rng rng;

    (void)unused;
    rng_init(&rng, 2, 0);
    policy_init_lstm(&p, &rng);
    for (int i = 0; i < 2; i++) {
        flow[i] = malloc(policy_flow_bytes(p.body));
        policy_start(&p, flow[i]);
    }
    for (int step = 0; step < 20; step++) {
        int i = step % 3 == 0;
        float x[2] = { action[i], (float)step / 10 - 1 }, u;

        lstm_run(&p.lstm, &state[i], x, &u);
        action[i] = action_multiplier(u, 0.2f);
        assert_true(policy_decide(&p, flow[i], x[1]) == action[i]);
    }
    free(flow[0]);
    free(flow[1]);
    policy_fini(&p);
}

static void decide__walks_trees(void **unused)
{
    struct policy_flow flow;
    struct forest f;
    struct policy p;

    (void)unused;
    forest_init(&f);
    f.trees = 1;
    f.tree[0] =
        (struct tree){ 2, { { 0, TREE_DELTA }, { 127, TREE_DELTA_OLDER } }, { 6554, -6554, 100, -100 } };
    policy_init_trees(&p, &f);
    policy_start(&p, &flow);
    assert_true(policy_decide(&p, &flow, -0.8f) == 72090.0f / 65536);
    assert_true(policy_decide(&p, &flow, 0.5f) == 58982.0f / 65536);
    assert_true(policy_decide(&p, &flow, 0.5f) == 65436.0f / 65536);
    policy_fini(&p);
}

static void init_int8__refuses_other_bodies(void **unused)
{
    struct policy p, int8;
    struct forest f;
    struct err err;

    (void)unused;
    forest_init(&f);
    policy_init_trees(&p, &f);
    assert_int_equal(-EINVAL, policy_init_int8(&int8, &p, &err));
    assert_string_equal("only an mlp or an lstm can be made int8, not trees", err.text);
}

/* The specialized code path of mlp gives the same bits as net_run(). */
static void mlp__matches_net_run(void **unused)
{
    struct policy p;
    struct rng rng;

    (void)unused;
    rng_init(&rng, 4, 0);
    policy_init_mlp(&p, &rng);
    for (int i = 0; i < 20000; i++) {
        float x[POLICY_FEATURES], u;

        for (int k = 0; k < POLICY_FEATURES; k++)
            x[k] = (float)(rng_real(&rng) * (i % 2 ? 4 : 100) - 2);
        net_run(&p.mlp, x, &u);
        assert_true(policy_try(&p, x) == action_multiplier(u, p.range));
    }
    policy_fini(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mlp__matches_net_run),
        cmocka_unit_test(action__by_hand),
        cmocka_unit_test(init__sizes_match_the_papers),
        cmocka_unit_test(init_int8__refuses_other_bodies),
        cmocka_unit_test(decide__sees_two_steps_oldest_first),
        cmocka_unit_test(decide__keeps_the_memory_of_each_flow),
        cmocka_unit_test(decide__walks_trees),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
