/* src/base/nets/policy/test_teacher.h - a net that behaves like RL-CC's, for tests and benchmarks.
 *
 * Fitted by least squares to the table of the released net (policy_story.h), so that its nonlinearity is
 * realistic.
 */
#ifndef BASE_NETS_POLICY_TEST_TEACHER_H
#define BASE_NETS_POLICY_TEST_TEACHER_H

#include "base/rng.h"
#include "base/nets/net.h"
#include "base/nets/policy/policy_story.h"

#include <string.h>

#define TEST_TEACHER_ROWS (POLICY_TABLE_SIDE * POLICY_TABLE_SIDE)

/* Inverse of the action map. */
static inline float test_teacher_u(float multiplier)
{
    float u = multiplier >= 1 ? (multiplier - 1) / POLICY_RANGE : (1 - 1 / multiplier) / POLICY_RANGE;

    return u > 1 ? 1 : u < -1 ? -1 : u;
}

static inline void test_teacher_rows(float *x, float *wanted)
{
    for (int i = 0; i < TEST_TEACHER_ROWS; i++) {
        float row[] = { 1, policy_table_delta[i / POLICY_TABLE_SIDE], 1,
                        policy_table_delta[i % POLICY_TABLE_SIDE] };

        memcpy(x + POLICY_FEATURES * i, row, sizeof(row));
        wanted[i] = test_teacher_u(policy_table_released[i / POLICY_TABLE_SIDE][i % POLICY_TABLE_SIDE]);
    }
}

static inline void test_teacher_init(struct policy *p)
{
    float x[TEST_TEACHER_ROWS * POLICY_FEATURES], wanted[TEST_TEACHER_ROWS], dy[TEST_TEACHER_ROWS],
        gradient[204];
    struct adam_cfg cfg = { .rate = 0.003 };
    struct net_batch b;
    struct adam adam;
    struct rng rng;

    rng_init(&rng, 1, 0);
    policy_init_mlp(p, &rng);
    test_teacher_rows(x, wanted);
    net_batch_init(&b, &p->mlp.shape, TEST_TEACHER_ROWS);
    adam_init(&adam, &cfg, p->mlp.parameters);
    for (int step = 0; step < 6000; step++) {
        const float *u = net_forward(&p->mlp, &b, x, TEST_TEACHER_ROWS);

        for (int i = 0; i < TEST_TEACHER_ROWS; i++)
            dy[i] = 2 * (u[i] - wanted[i]) / TEST_TEACHER_ROWS;
        memset(gradient, 0, sizeof(gradient));
        net_backward(&p->mlp, &b, dy, gradient, NULL);
        adam_step(&adam, p->mlp.parameter, gradient);
    }
    adam_fini(&adam);
    net_batch_fini(&b);
}

#endif
