/* src/tune/acc/acc_agents_test.c - nets per switch, and the memory they share. */
#include "tune/acc/acc_agents.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <math.h>
#include <string.h>
#include <cmocka.h>

static struct acc_agents_cfg make_cfg(uint32_t agents, bool is_learning)
{
    return (struct acc_agents_cfg){
        .dqn = { .shape = { .inputs = 2, .layers = 2,
                            .layer = { { .width = 8, .activation = NET_RELU }, { .width = 3 } } },
                 .gamma = 0.5, .bend = 1, .batch = 4, .memory = 50, .copy_every = 5,
                 .epsilon = 0, .epsilon_decay = 1, .seed = 7 },
        .agents = agents, .is_learning = is_learning,
        .exchange_slots = 3,
    };
}

static void remember(struct acc_agents *a, uint32_t agent, uint32_t action, float reward)
{
    static const float state[2] = { 0.5f, 0.25f };
    struct dqn_step    step = { .state = state, .next = state, .reward = reward, .action = action };

    acc_agents_remember(a, agent, 0, &step);
}

static void frozen__nothing_that_happens_changes_it(void **unused)
{
    struct acc_agents_cfg cfg = make_cfg(2, false);
    struct acc_agents     a;
    float                 was[100], state[2] = { 0.5f, 0.25f };
    uint32_t              first;

    (void)unused;
    acc_agents_init(&a, &cfg, NULL);
    memcpy(was, a.frozen.parameter, a.frozen.parameters * sizeof(float));
    first = acc_agents_choose(&a, 0, state);
    for (int i = 0; i < 50; i++) {
        remember(&a, 0, 1, 1);
        acc_agents_end_slot(&a);
        assert_int_equal(acc_agents_choose(&a, i % 2, state), first);
    }
    assert_memory_equal(was, a.frozen.parameter, a.frozen.parameters * sizeof(float));
    assert_int_equal(a.updates, 0);
    acc_agents_fini(&a);
}

/* Only an agent that has gone through something learns. */
static void end_slot__who_has_experience_learns(void **unused)
{
    struct acc_agents_cfg cfg = make_cfg(2, true);
    struct acc_agents     a;
    float                 was[100];

    (void)unused;
    cfg.exchange_slots = 0;
    acc_agents_init(&a, &cfg, NULL);
    memcpy(was, a.dqn[1].online.parameter, a.dqn[1].online.parameters * sizeof(float));
    for (int i = 0; i < 10; i++) {
        remember(&a, 0, 1, 1);
        acc_agents_end_slot(&a);
    }
    /* in every second slot, from the fourth on, when there is a batch */
    assert_int_equal(a.updates, 4);
    assert_memory_equal(was, a.dqn[1].online.parameter, a.dqn[1].online.parameters * sizeof(float));
    acc_agents_end_slot(&a);
    acc_agents_end_slot(&a);
    assert_int_equal(a.updates, 4);          /* nothing new */
    acc_agents_fini(&a);
}

/* What one has been through, the other has in its memory after an exchange, and not before. */
static void end_slot__memories_are_exchanged(void **unused)
{
    struct acc_agents_cfg cfg = make_cfg(2, true);
    struct acc_agents     a;

    (void)unused;
    acc_agents_init(&a, &cfg, NULL);
    for (int i = 0; i < 2; i++) {
        remember(&a, 0, 2, 0.125f);
        acc_agents_end_slot(&a);
    }
    assert_int_equal(a.dqn[1].replay.count, 0);
    acc_agents_end_slot(&a);
    assert_int_equal(a.common.count, 64);            /* the other had none to give */
    assert_int_equal(a.dqn[1].replay.count, 50);     /* its capacity */
    assert_int_equal(a.dqn[0].replay.count, 50);
    for (uint32_t i = 0; i < 50; i++) {
        assert_true(replay_at(&a.dqn[1].replay, i)[2] == 2);         /* the action */
        assert_true(replay_at(&a.dqn[1].replay, i)[3] == 0.125f);    /* the reward */
    }
    acc_agents_fini(&a);
}

static void init__a_model_is_where_all_begin(void **unused)
{
    struct acc_agents_cfg cfg = make_cfg(3, true);
    struct acc_agents     a;
    struct net            net;
    struct rng            rng;

    (void)unused;
    rng_init(&rng, 5, 0);
    net_init(&net, &cfg.dqn.shape);
    net_randomise(&net, &rng);
    acc_agents_init(&a, &cfg, &net);
    for (int i = 0; i < 3; i++)
        assert_memory_equal(a.dqn[i].online.parameter, net.parameter, net.parameters * sizeof(float));
    acc_agents_fini(&a);
    acc_agents_init(&a, &cfg, NULL);         /* without one they differ */
    assert_memory_not_equal(a.dqn[0].online.parameter, a.dqn[1].online.parameter,
                            net.parameters * sizeof(float));
    acc_agents_fini(&a);
    net_fini(&net);
}

/* What a controller sends, to agents that were given nothing yet. */
static void take__a_sound_net_and_no_other(void **unused)
{
    static const float    state[2] = { 0.5f, 0.25f };
    struct acc_agents_cfg cfg = make_cfg(1, true);
    struct acc_agents     a;
    float                 p[100];
    struct acc_net        net = { .version = 4, .seed = 9, .parameter = p };
    struct err            err;
    uint32_t              first;

    (void)unused;
    cfg.is_central = true;
    cfg.send_every = 1;
    acc_agents_init(&a, &cfg, NULL);
    acc_agents_drop(&a);
    first = acc_agents_choose(&a, 0, state);
    remember(&a, 0, 1, 1);
    assert_int_equal(a.learner.records.count, 0);            /* not before there is a net */
    net.parameters = a.frozen.parameters;
    memcpy(p, a.frozen.parameter, net.parameters * sizeof(float));
    for (uint32_t i = 0; i < 3; i++)                         /* the last parameters are those of actions */
        p[net.parameters - 3 + i] = i == (first + 1) % 3 ? 100 : 0;
    net.checksum = acc_checksum(p, net.parameters);
    net.parameters--;
    assert_true(acc_agents_take(&a, &net, &err) < 0);
    net.parameters++;
    net.checksum ^= 1;
    assert_true(acc_agents_take(&a, &net, &err) < 0);
    net.checksum ^= 1;
    p[5] = (float)NAN;
    assert_true(acc_agents_take(&a, &net, &err) < 0);
    p[5] = a.frozen.parameter[5];
    assert_int_equal(acc_agents_choose(&a, 0, state), first);
    assert_int_equal(acc_agents_take(&a, &net, &err), 0);
    assert_int_equal(acc_agents_choose(&a, 0, state), (first + 1) % 3);
    remember(&a, 0, 1, 1);
    assert_int_equal(a.learner.records.count, 1);
    acc_agents_drop(&a);
    assert_int_equal(acc_agents_choose(&a, 0, state), first);
    assert_int_equal(a.learner.records.count, 0);
    acc_agents_fini(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frozen__nothing_that_happens_changes_it),
        cmocka_unit_test(end_slot__who_has_experience_learns),
        cmocka_unit_test(end_slot__memories_are_exchanged),
        cmocka_unit_test(init__a_model_is_where_all_begin),
        cmocka_unit_test(take__a_sound_net_and_no_other),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
