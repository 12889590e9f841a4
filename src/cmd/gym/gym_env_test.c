/* src/cmd/gym/gym_env_test.c - a session gives the same results as direct calls of the C environment. */
#include "cmd/gym/gym.h"

#include "core/units.h"
#include "train/env/env_world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define AGENTS 8

static char *world_text(double decision_us)
{
    struct env_world w = { .kind = ENV_MANY_TO_ONE, .hosts = 4, .qps = 2, .decision_us = decision_us,
                           .run_ps = 20 * PS_PER_MS };

    return env_world_text(&w);
}

static struct env_cfg cfg_of(char *text)
{
    return (struct env_cfg){ .name = "w", .text = text, .text_bytes = strlen(text), .seed = 1 };
}

/* An arbitrary rule that depends on the observation. */
static float choose_action(const float x[4])
{
    return x[3] > 2 ? 0.6f : x[3] > 0 ? 0.9f : 1.05f;
}

static uint32_t u32(const uint8_t *at)
{
    uint32_t value;

    memcpy(&value, at, 4);
    return value;
}

/* Compares the batch in the reply with the environment's observations, and acts on both. Returns n. */
static uint32_t step_both(struct gym_session *s, struct env *direct)
{
    const struct env_observation *o;
    uint32_t n = env_observe(direct, &o), act[2 + AGENTS] = { n, 0 };
    const uint8_t *p = s->reply.bytes + GYM_HEAD_BYTES + 56;
    float action[AGENTS];

    assert_true(n <= AGENTS);
    assert_int_equal(n, u32(p - 16));
    assert_int_equal(n == 0, u32(p - 8));
    for (uint32_t i = 0; i < n; i++) {
        assert_int_equal(o[i].agent, u32(p + 4 * i));
        assert_memory_equal(o[i].x, p + 4 * n + 16 * i, 16);
        action[i] = choose_action(o[i].x);
    }
    if (n > 0) {
        memcpy(act + 2, action, n * sizeof(float));
        env_act(direct, action);
        assert_int_equal(0, gym_session_take(s, GYM_ACT, (const uint8_t *)act, 8 + 4 * n, NULL));
    }
    return n;
}

static void session__matches_direct_calls(void **unused)
{
    static const uint8_t hello[] = { 'A', 'G', 'Y', 'M', 1, 0, 0, 0 }, seed[8] = { 3 };
    char *text = world_text(2);
    struct env_cfg cfg = cfg_of(text);
    struct gym_session s;
    struct gym_world world;
    struct gym_env g;
    struct env *direct;
    uint32_t steps = 0, n;

    (void)unused;
    assert_int_equal(0, gym_env_open(&g, &cfg, 1, NULL));
    cfg.seed = 3;
    assert_int_equal(0, env_open(&direct, &cfg, NULL));
    world = gym_env_world(&g);
    gym_session_init(&s, &world);
    assert_int_equal(0, gym_session_take(&s, GYM_HELLO, hello, 8, NULL));
    assert_int_equal(0, gym_session_take(&s, GYM_RESET, seed, 8, NULL));
    while ((n = step_both(&s, direct)) > 0)
        steps += n;
    assert_true(steps > 500);
    gym_session_fini(&s);
    env_close(direct);
    gym_env_close(&g);
    free(text);
}

/* Parallel worlds: agent a of world w sees the same as if the world were alone. */
static void session__worlds_are_independent(void **unused)
{
    char *text = world_text(2);
    struct env_cfg cfg = cfg_of(text);
    struct gym_world world;
    struct gym_env g;
    struct err err;

    (void)unused;
    assert_int_equal(0, gym_env_open(&g, &cfg, 3, NULL));
    world = gym_env_world(&g);
    assert_int_equal(3, world.worlds);
    assert_int_equal(0, world.reset(world.arg, 5, &err));
    for (uint32_t w = 0; w < 3; w++) {
        struct env *alone;

        cfg.seed = 15 + w;
        assert_int_equal(0, env_open(&alone, &cfg, NULL));
        assert_int_equal(0, world.reset(world.arg, 5, &err));
        for (int i = 0; i < 200; i++) {
            const struct env_observation *o;
            float action[3 * AGENTS];
            struct gym_batch b;
            uint32_t n = env_observe(alone, &o), mine = 0;

            world.observe(world.arg, &b);
            for (uint32_t j = 0; j < b.n; j++) {
                action[j] = choose_action(b.seen[j].x);
                if (b.seen[j].agent % 3 != w)
                    continue;
                assert_true(mine < n);
                assert_int_equal(o[mine].agent, b.seen[j].agent / 3);
                assert_memory_equal(o[mine].x, b.seen[j].x, sizeof(o->x));
                mine++;
            }
            assert_int_equal(n, mine);
            world.act(world.arg, action);
            for (uint32_t j = 0; j < n; j++)
                action[j] = choose_action(o[j].x);
            env_act(alone, action);
        }
        env_close(alone);
    }
    gym_env_close(&g);
    free(text);
}

static void open__refuses_before_a_client_connects(void **unused)
{
    char *text = world_text(0);
    struct env_cfg cfg = cfg_of(text);
    struct gym_env g;
    struct err err;

    (void)unused;
    assert_true(gym_env_open(&g, &cfg, 1, &err) < 0);
    assert_string_equal("w: decisions from outside need time: set the knob rlcc_decision", err.text);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(session__matches_direct_calls),
        cmocka_unit_test(session__worlds_are_independent),
        cmocka_unit_test(open__refuses_before_a_client_connects),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
