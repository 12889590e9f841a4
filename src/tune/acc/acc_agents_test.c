/* src/tune/acc/acc_agents_test.c - one net per switch, exchange of memories, and a central learner. */
#include "tune/acc/acc_agents.h"
#include "base/err.h"

#include <stdlib.h>
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

static void frozen__net_never_changes(void **unused)
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

/* Agent 1 has no records, so its net does not change. */
static void end_slot__only_agents_with_records_learn(void **unused)
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
    /* updates in slots 4, 6, 8 and 10: every second slot, once there is a batch */
    assert_int_equal(a.updates, 4);
    assert_memory_equal(was, a.dqn[1].online.parameter, a.dqn[1].online.parameters * sizeof(float));
    acc_agents_end_slot(&a);
    acc_agents_end_slot(&a);
    assert_int_equal(a.updates, 4);          /* no new records */
    acc_agents_fini(&a);
}

/* An exchange copies records of one agent into the memory of the other. */
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
    assert_int_equal(a.common.count, 64);            /* agent 1 had no records to give */
    assert_int_equal(a.dqn[1].replay.count, 50);     /* its capacity */
    assert_int_equal(a.dqn[0].replay.count, 50);
    for (uint32_t i = 0; i < 50; i++) {
        assert_true(replay_at(&a.dqn[1].replay, i)[2] == 2);         /* the action */
        assert_true(replay_at(&a.dqn[1].replay, i)[3] == 0.125f);    /* the reward */
    }
    acc_agents_fini(&a);
}

static void init__all_agents_start_from_the_model(void **unused)
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
    acc_agents_init(&a, &cfg, NULL);         /* without a model they differ */
    assert_memory_not_equal(a.dqn[0].online.parameter, a.dqn[1].online.parameter,
                            net.parameters * sizeof(float));
    acc_agents_fini(&a);
    net_fini(&net);
}

/* Agents without a net of their own refuse one of the wrong size, with a wrong checksum or with a NaN, and
 * use a valid one. */
static void take__accepts_only_a_valid_net(void **unused)
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
    assert_int_equal(a.learner.records.count, 0);            /* no records without a net */
    net.parameters = a.frozen.parameters;
    memcpy(p, a.frozen.parameter, net.parameters * sizeof(float));
    for (uint32_t i = 0; i < 3; i++)                         /* the last parameters are the action biases */
        p[net.parameters - 3 + i] = i == (first + 1) % 3 ? 100 : 0;
    net.checksum = acc_checksum(p, net.parameters);
    net.parameters--;
    assert_true(acc_agents_take(&a, &net, &err) < 0);
    net.parameters++;
    net.checksum ^= 1;
    assert_true(acc_agents_take(&a, &net, &err) < 0);
    net.checksum ^= 1;
    p[5] = (float)NAN;
    net.checksum = acc_checksum(p, net.parameters);
    assert_true(acc_agents_take(&a, &net, &err) < 0);
    p[5] = a.frozen.parameter[5];
    net.checksum = acc_checksum(p, net.parameters);
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

#define INPUTS  2
#define ACTIONS 3
#define BATCH   4
#define FLOATS  (2 * INPUTS + 3)

static const struct dqn_cfg cfg = {
    .shape = { .inputs = INPUTS, .layers = 2,
               .layer = { { .width = 8, .activation = NET_RELU }, { .width = ACTIONS } } },
    .gamma = 0.5, .bend = 1, .batch = BATCH, .memory = 50, .copy_every = 5, .epsilon_decay = 1, .seed = 7,
    .adam = { .rate = 0.01 },
};

static void init(struct acc_learner *l, uint32_t send_every)
{
    struct rng rng;
    struct net net;

    rng_init(&rng, 1, 0);
    net_init(&net, &cfg.shape);
    net_randomise(&net, &rng);
    acc_learner_init(l, &cfg, send_every, &net);
    net_fini(&net);
}

static void draw(struct rng *rng, float record[FLOATS])
{
    for (int i = 0; i < FLOATS; i++)
        record[i] = (float)rng_real(rng);
    record[INPUTS] = (float)rng_below(rng, ACTIONS);
    record[FLOATS - 1] = 0;
}

/* Adds the 12 records of an interval in the order 'turn'. */
static void add_interval(struct acc_learner *l, uint64_t seed, const uint32_t turn[12])
{
    float      record[12][FLOATS];
    struct rng rng;

    rng_init(&rng, seed, 0);
    for (int i = 0; i < 12; i++)
        draw(&rng, record[i]);
    for (int i = 0; i < 12; i++)                 /* three slots, two switches, two queues */
        assert_true(acc_records_add(&l->records, turn[i] / 4, turn[i] / 2 % 2, turn[i] % 2, record[turn[i]]));
}

static const uint32_t in_order[12] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 };

/* Reference: a plain DQN agent that gets the records one by one and learns after every fourth. The order in
 * which records reach the learner must not matter. */
static void learn__equals_a_dqn_agent_with_the_same_records(void **state)
{
    static const uint32_t mixed[12] = { 7, 2, 11, 0, 9, 5, 3, 10, 1, 8, 6, 4 };
    struct acc_learner    l[2];
    struct dqn            d;
    float                 before[100];

    (void)state;
    init(&l[0], 1);
    init(&l[1], 1);
    dqn_init(&d, &cfg);
    dqn_load(&d, &l[0].net);
    memcpy(before, d.online.parameter, d.online.parameters * sizeof(float));
    for (uint64_t seed = 0; seed < 30; seed++) {
        float      record[FLOATS];
        struct rng rng;

        add_interval(&l[0], seed, in_order);
        add_interval(&l[1], seed, mixed);
        assert_true(acc_learner_learn(&l[0]) && acc_learner_learn(&l[1]));
        rng_init(&rng, seed, 0);
        for (int i = 0; i < 12; i++) {
            draw(&rng, record);
            replay_add(&d.replay, record);
            if (i % BATCH == BATCH - 1)
                dqn_update(&d);
        }
        for (int i = 0; i < 2; i++)
            assert_memory_equal(l[i].net.parameter, d.online.parameter, d.online.parameters * sizeof(float));
    }
    assert_memory_not_equal(l[0].net.parameter, before, d.online.parameters * sizeof(float));
    assert_int_equal(l[0].version, 31);
    dqn_fini(&d);
    acc_learner_fini(&l[0]);
    acc_learner_fini(&l[1]);
}

static void learn__yields_a_net_every_n_updates(void **state)
{
    struct acc_learner l;

    (void)state;
    init(&l, 7);                                 /* three updates per interval */
    for (uint64_t i = 1; i <= 6; i++) {
        add_interval(&l, i, in_order);
        assert_int_equal(acc_learner_learn(&l), i % 3 == 0);
    }
    assert_int_equal(l.version, 3);
    assert_false(acc_learner_learn(&l));         /* no records */
    acc_learner_fini(&l);
}

static void learn__bounds_the_work_of_an_interval(void **state)
{
    struct acc_learner l;
    struct rng         rng;
    float              record[FLOATS];
    uint32_t           taken = 0;

    (void)state;
    init(&l, 1);
    rng_init(&rng, 1, 0);
    for (uint32_t i = 0; i < 2 * ACC_RECORDS_MAX; i++) {
        draw(&rng, record);
        taken += acc_records_add(&l.records, i, 3, 0, record);
    }
    assert_int_equal(taken, ACC_RECORDS_MAX);
    assert_true(acc_records_add(&l.records, 0, 2, 0, record));   /* each switch has its own limit */
    acc_learner_learn(&l);
    assert_int_equal(l.dqn.updates, ACC_UPDATES_MAX);
    assert_true(acc_records_add(&l.records, 0, 3, 0, record));
    acc_learner_fini(&l);
}

static void flaw__finds_impossible_records(void **state)
{
    static const struct { int at; float value; } row[] = {
        { 0, NAN }, { 1, -0.1f }, { 1, 1.1f }, { INPUTS, ACTIONS }, { INPUTS, -1 }, { INPUTS, 0.5f },
        { INPUTS, NAN }, { INPUTS, INFINITY }, { INPUTS + 1, 1.5f }, { INPUTS + 1, NAN },
        { INPUTS + 2, INFINITY }, { FLOATS - 1, 1 },
    };
    struct acc_learner l;
    struct rng         rng;
    float              record[FLOATS];

    (void)state;
    init(&l, 1);
    rng_init(&rng, 1, 0);
    draw(&rng, record);
    assert_null(acc_learner_flaw(&l, record));
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        float bad[FLOATS];

        memcpy(bad, record, sizeof bad);
        bad[row[i].at] = row[i].value;
        assert_non_null(acc_learner_flaw(&l, bad));
    }
    acc_learner_fini(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frozen__net_never_changes),
        cmocka_unit_test(end_slot__only_agents_with_records_learn),
        cmocka_unit_test(end_slot__memories_are_exchanged),
        cmocka_unit_test(init__all_agents_start_from_the_model),
        cmocka_unit_test(take__accepts_only_a_valid_net),
        cmocka_unit_test(learn__equals_a_dqn_agent_with_the_same_records),
        cmocka_unit_test(learn__yields_a_net_every_n_updates),
        cmocka_unit_test(learn__bounds_the_work_of_an_interval),
        cmocka_unit_test(flaw__finds_impossible_records),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
