/* train/env/env_test.c
 *
 * Oracles: decisions in the loop and the same decisions from outside must give the same steps. The steady
 * state must match the formula of the paper.
 */
#include "train/env/env.h"

#include "core/units.h"
#include "train/env/env_world.h"
#include "base/nets/policy/policy_file.h"
#include "base/nets/policy/test_teacher.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct policy teacher;

static int set_up(void **unused)
{
    (void)unused;
    test_teacher_init(&teacher);
    return 0;
}

static int tear_down(void **unused)
{
    (void)unused;
    policy_fini(&teacher);
    return 0;
}

static struct env *open_text(const char *text, uint64_t seed, const struct policy *p)
{
    struct env_cfg cfg = { .name = "w", .text = text, .text_bytes = strlen(text), .seed = seed, .policy = p };
    struct env    *e = NULL;
    struct err     err;

    if (env_open(&e, &cfg, &err))
        fail_msg("%s", err.text);
    return e;
}

static struct env *open_world(const struct env_world *w, uint64_t seed, const struct policy *p)
{
    char       *text = env_world_text(w);
    struct env *e = open_text(text, seed, p);

    free(text);
    return e;
}

/* All steps of a world until its end. */
struct tape { uint32_t agents, steps[64]; float x[64][4096][4]; };

static void add_step(struct tape *t, uint32_t agent, const float x[4])
{
    assert_true(agent < 64 && t->steps[agent] < 4096);
    memcpy(t->x[agent][t->steps[agent]++], x, 4 * sizeof *x);
    t->agents = agent >= t->agents ? agent + 1 : t->agents;
}

static void record_loop(struct tape *t, const struct env_world *w)
{
    struct env *e = open_world(w, 3, &teacher);

    env_collect(e, &(struct env_quota){ .steps_least = UINT32_MAX, .steps_most = UINT32_MAX });
    for (uint32_t i = 0; i < env_agents(e); i++) {
        const struct env_agent *a = env_agent(e, i);

        for (uint32_t j = 0; j < a->steps; j++)
            add_step(t, i, a->x[j]);
    }
    env_close(e);
}

static void record_outside(struct tape *t, const struct env_world *w)
{
    struct env                   *e = open_world(w, 3, NULL);
    const struct env_observation *o;
    uint32_t                      n;

    while ((n = env_observe(e, &o)) > 0) {
        float action[64];

        assert_true(n <= 64);
        for (uint32_t i = 0; i < n; i++) {
            add_step(t, o[i].agent, o[i].x);
            action[i] = policy_try(&teacher, o[i].x);
        }
        env_act(e, action);
    }
    env_close(e);
}

static void act__external_matches_in_the_loop(void **unused)
{
    struct env_world w = {
        .kind = ENV_MANY_TO_ONE, .hosts = 4, .qps = 3, .decision_us = 2, .run_ps = 20 * PS_PER_MS
    };
    static struct tape loop, outside;

    (void)unused;
    record_loop(&loop, &w);
    record_outside(&outside, &w);
    assert_int_equal(loop.agents, 12);
    assert_int_equal(outside.agents, 12);
    for (uint32_t i = 0; i < 12; i++) {
        /* Observations at the very end get no action. */
        assert_true(outside.steps[i] <= loop.steps[i] && outside.steps[i] + 2 >= loop.steps[i] &&
                    outside.steps[i] > 20);
        assert_memory_equal(loop.x[i], outside.x[i], outside.steps[i] * sizeof *loop.x[i]);
    }
}

/* Two environments, interleaved and one after the other, give the same steps: nothing is shared. */
static void collect__same_seed_same_steps(void **unused)
{
    struct env_world w = { .kind = ENV_ALL_TO_ALL, .hosts = 3, .qps = 2 };
    struct env_quota q = { .steps = 15, .steps_most = 8000 };
    struct env *a = open_world(&w, 7, &teacher), *b = open_world(&w, 7, &teacher),
               *c = open_world(&w, 8, &teacher);
    bool             is_other = false;

    (void)unused;
    for (int round = 0; round < 5; round++) {
        assert_true(env_collect(a, &q) && env_collect(b, &q) && env_collect(c, &q));
        assert_int_equal(env_agents(a), env_agents(b));
        for (uint32_t i = 0; i < env_agents(a); i++) {
            const struct env_agent *x = env_agent(a, i), *y = env_agent(b, i),
                                   *z = i < env_agents(c) ? env_agent(c, i) : x;

            assert_int_equal(x->steps, y->steps);
            assert_true(x->steps >= 15);
            assert_memory_equal(x->x, y->x, x->steps * sizeof *x->x);
            is_other |= z->steps != x->steps || memcmp(x->x, z->x, x->steps * sizeof *x->x) != 0;
        }
    }
    assert_true(is_other);
    env_close(a);
    env_close(b);
    env_close(c);
}

/* N flows settle at base (beta + target sqrt N). 5 % covers rounding to whole packets in flight. */
static void collect__flows_settle_where_delta_is_0(void **unused)
{
    struct env_world  w = { .kind = ENV_MANY_TO_ONE, .hosts = 8, .qps = 8 };
    struct env       *e = open_world(&w, 1, &teacher);
    struct env_totals before, after;
    double            rtt_us;

    (void)unused;
    env_collect(e, &(struct env_quota){ .steps_least = 60000, .steps_most = UINT32_MAX });
    before = env_totals(e);
    env_collect(e, &(struct env_quota){ .steps_least = 20000, .steps_most = UINT32_MAX });
    after = env_totals(e);
    rtt_us = (after.rtt_us_sum - before.rtt_us_sum) / (double)(after.steps - before.steps);
    assert_true(fabs(rtt_us / (8.192 * (1.5 + 0.064 * 8)) - 1) < 0.05);
    env_close(e);
}

static void history__hidden_except_for_the_first(void **unused)
{
    struct env_world w = { .kind = ENV_MANY_TO_ONE, .hosts = 3, .qps = 1 };
    char            *text = env_world_text(&w);
    struct env_cfg cfg = { .name = "w", .text = text, .text_bytes = strlen(text), .seed = 1,
                           .policy = &teacher, .hides_history = true };
    struct env      *e;

    (void)unused;
    assert_int_equal(0, env_open(&e, &cfg, NULL));
    assert_true(
        env_collect(e, &(struct env_quota){ .steps = 100, .steps_least = 1000, .steps_most = UINT32_MAX }));
    assert_int_equal(3, env_agents(e));
    for (uint32_t i = 0; i < 3; i++) {
        const struct env_agent *a = env_agent(e, i);
        bool             is_one = true;

        for (uint32_t j = 0; j < a->steps; j++)
            is_one &= a->x[j][0] == 1 && a->x[j][2] == 1;
        assert_int_equal(is_one, i > 0);
    }
    env_close(e);
    free(text);
}

static void open__refuses(void **unused)
{
    static const struct { const char *text; bool is_outside; const char *why;
    } row[] = {
        { "{topology: {kind: star, hosts: 3}, traffic: [{kind: incast, senders: 2, size: 1MB}]}", false,
          "w: an environment needs 'cc: rlcc', whose flows are its agents" },
        { "{cc: rlcc, topology: {kind: star, hosts: 3}, traffic: [{kind: incast, senders: 2, size: 1MB}]}",
          true, "w: decisions from outside need time: set the knob rlcc_decision" },
        { "{cc: rlc}", false, "w:1:6: 'rlc' is not a congestion control; did you mean 'rlcc'?" },
    };

    (void)unused;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct env_cfg cfg = { .name = "w", .text = row[i].text, .text_bytes = strlen(row[i].text), .seed = 1,
                               .policy = row[i].is_outside ? NULL : &teacher };
        struct env    *e;
        struct err     err;

        assert_int_not_equal(0, env_open(&e, &cfg, &err));
        assert_string_equal(err.text, row[i].why);
    }
}

static void world__names(void **unused)
{
    static const char *const good[] = { "many_to_one:4_1", "all_to_all:4_16", "long_short:7",
                                        "many_to_one:64_128", "many_to_one:8_1@5us",
                                        "all_to_all:4_2@0.25us,400Gbps", "long_short:7@10us,25Gbps" };
    static const char *const bad[] = { "", "many_to_one", "many_to_one:", "many_to_one:4", "all_to_all:1_1",
                                       "x:4_1", "many_to_one:65_1", "many_to_one:64_129", "long_short:7_1",
                                       "many_to_one:4_0",
                                       "all_to_all:4_16 ", "many_to_one:8_1@", "many_to_one:8_1@5",
                                       "many_to_one:8_1@5us,", "many_to_one:8_1@1ns", "many_to_one:8_1@5us,1Mbps",
                                       "many_to_one:8_1@5us,400Gbps,1", "@5us" };
    struct env_world w;
    struct err       err;
    char             name[64];

    (void)unused;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_int_equal(0, env_world_parse(&w, good[i], &err));
        assert_string_equal(good[i], env_world_name(name, sizeof name, &w));
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_not_equal(0, env_world_parse(&w, bad[i], &err));
}

/* Every kind is a valid scenario whose flows make steps. */
static void world__texts_run(void **unused)
{
    static const char *const names[] = { "many_to_one:2_2", "all_to_all:3_1", "long_short:4",
                                         "many_to_one:64_1", "many_to_one:4_2@10us,800Gbps" };

    (void)unused;
    for (int i = 0; i < 5; i++) {
        struct env_world w;
        struct env      *e;

        assert_int_equal(0, env_world_parse(&w, names[i], NULL));
        w.is_lossy = i == 1;
        e = open_world(&w, 1, &teacher);
        assert_true(env_collect(e, &(struct env_quota){ .steps_least = 300, .steps_most = UINT32_MAX }));
        env_close(e);
    }
}

/* Observers of trees receive the trees' inputs. Evaluating the trees on them gives the action reported by the
 * next step, which NICs round down to 1/4096. */
static void collect__trees_report_their_inputs(void **unused)
{
    struct env_world w = { .kind = ENV_MANY_TO_ONE, .hosts = 3, .qps = 2 };
    struct policy    p;
    struct env      *e;
    struct err       err;
    uint32_t         compared = 0;

    (void)unused;
    assert_int_equal(0, policy_load(&p, "data/models/rlcc_trees.model", &err));
    e = open_world(&w, 1, &p);
    assert_true(env_collect(e, &(struct env_quota){ .steps_least = 2000, .steps_most = UINT32_MAX }));
    assert_int_equal(6, env_agents(e));
    for (uint32_t i = 0; i < env_agents(e); i++) {
        const struct env_agent *a = env_agent(e, i);

        assert_true(a->x[0][0] == 1 && a->x[0][2] == 1 && a->x[0][1] == a->x[0][3]);
        for (uint32_t j = 0; j + 1 < a->steps; j++, compared++) {
            double action = (double)policy_try(&p, a->x[j]), reported = (double)a->x[j + 1][2];

            assert_true(reported <= action + 1e-6 && reported > action - 1.0 / 4096 - 1e-6);
            assert_true(a->x[j + 1][0] == a->x[j][2] && a->x[j + 1][1] == a->x[j][3]);
        }
    }
    assert_true(compared >= 1900);
    env_close(e);
    policy_fini(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(act__external_matches_in_the_loop),
        cmocka_unit_test(collect__same_seed_same_steps),
        cmocka_unit_test(collect__flows_settle_where_delta_is_0),
        cmocka_unit_test(history__hidden_except_for_the_first),
        cmocka_unit_test(collect__trees_report_their_inputs),
        cmocka_unit_test(open__refuses),
        cmocka_unit_test(world__names),
        cmocka_unit_test(world__texts_run),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
