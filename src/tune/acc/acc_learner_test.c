/* src/tune/acc/acc_learner_test.c - one learner for many switches. */
#include "tune/acc/acc_learner.h"
#include "base/err.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

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

/* 'turn' says in which order the records come. */
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

/* A plain DQN agent that gets the records one by one, and a batch after every fourth, is the reference. */
static void learn__does_as_a_dqn_agent_with_these_records(void **state)
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

static void learn__a_net_comes_after_so_many_updates(void **state)
{
    struct acc_learner l;

    (void)state;
    init(&l, 7);                                 /* three updates in an interval */
    for (uint64_t i = 1; i <= 6; i++) {
        add_interval(&l, i, in_order);
        assert_int_equal(acc_learner_learn(&l), i % 3 == 0);
    }
    assert_int_equal(l.version, 3);
    assert_false(acc_learner_learn(&l));         /* without records */
    acc_learner_fini(&l);
}

static void learn__the_time_of_an_interval_is_bounded(void **state)
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
    assert_true(acc_records_add(&l.records, 0, 2, 0, record));   /* another switch has room */
    acc_learner_learn(&l);
    assert_int_equal(l.dqn.updates, ACC_UPDATES_MAX);
    assert_true(acc_records_add(&l.records, 0, 3, 0, record));
    acc_learner_fini(&l);
}

static void flaw__what_no_switch_can_have_made(void **state)
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
        cmocka_unit_test(learn__does_as_a_dqn_agent_with_these_records),
        cmocka_unit_test(learn__a_net_comes_after_so_many_updates),
        cmocka_unit_test(learn__the_time_of_an_interval_is_bounded),
        cmocka_unit_test(flaw__what_no_switch_can_have_made),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
