/* src/cmd/gym/test_world.h - a world without a simulation, for tests of sessions.
 *
 * Each agent has a number x, which starts at seed + i; an action multiplies it. A batch contains all agents,
 * in odd rounds only those with odd indices. The world is over after batches_max batches.
 */
#ifndef CMD_GYM_TEST_WORLD_H
#define CMD_GYM_TEST_WORLD_H

#include "cmd/gym/gym.h"

#define TEST_WORLD_AGENTS 5

struct test_world {
    uint32_t               batches, batches_max, resets;
    float                  x[TEST_WORLD_AGENTS];
    struct env_observation seen[TEST_WORLD_AGENTS];
    uint32_t               n;
};

static inline int test_world_reset(void *arg, uint64_t seed, struct err *err)
{
    struct test_world *w = arg;

    if (seed == 666)
        return err_set(err, EINVAL, "this seed bears no fruit");
    w->batches = 0;
    w->resets++;
    for (uint32_t i = 0; i < TEST_WORLD_AGENTS; i++)
        w->x[i] = (float)(seed % 1000) + (float)i;
    return 0;
}

static inline void test_world_observe(void *arg, struct gym_batch *b)
{
    struct test_world *w = arg;

    w->n = 0;
    b->is_over = w->batches == w->batches_max;
    for (uint32_t i = 0; i < TEST_WORLD_AGENTS && !b->is_over; i++)
        if (w->batches % 2 == 0 || i % 2)
            w->seen[w->n++] =
                (struct env_observation){ .agent = i, .x = { 1, 2, 3, w->x[i] }, .rate = 0.5f, .rtt_us = 9 };
    w->batches += !b->is_over;
    b->n = w->n;
    b->seen = w->seen;
    b->agents = TEST_WORLD_AGENTS;
    b->now_ps = 1000ull * w->batches;
    b->end_ps = UINT64_MAX;
    b->totals.steps = w->batches;
}

static inline void test_world_act(void *arg, const float *multiplier)
{
    struct test_world *w = arg;

    for (uint32_t i = 0; i < w->n; i++)
        w->x[w->seen[i].agent] *= multiplier[i];
}

static inline struct gym_world test_world_of(struct test_world *w)
{
    return (struct gym_world){ .name = "test", .arg = w, .worlds = 1, .reset = test_world_reset,
                               .observe = test_world_observe,
                               .act = test_world_act };
}

#endif
