/* src/tune/acc/acc_test.c - ACC without a network: the tests make up what queues report. */
#include "tune/acc/acc.h"
#include "base/nets/model.h"
#include "tune/test_report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#define QUEUES     4
#define SLOT_BYTES 312500        /* what 25 Gb/s carry in 100 us */

/* Two switches with a port up and a port down each. */
static struct queue_facts facts[QUEUES] = {
    { .device = 0, .is_uplink = true, .rate_bps = 25000000000 }, { .device = 0, .rate_bps = 25000000000 },
    { .device = 1, .is_uplink = true, .rate_bps = 25000000000 }, { .device = 1, .rate_bps = 25000000000 },
};

static struct world make_world(uint64_t seed)
{
    struct world w = test_world(seed);

    w.queue = facts;
    w.queues = QUEUES;
    return w;
}

static void open_acc(struct tuner *t, uint64_t seed, const struct test_option *option)
{
    struct world       world = make_world(seed);
    struct test_option all[16] = { { "guard", "no" } };
    struct err         err;

    for (int n = 1; option->name; option++)
        all[n++] = *option;
    if (test_open(t, &tuner_acc, &world, all, &err))
        fail_msg("%s", err.text);
}

/* Runs a slot in which all queues report the same. Their setting is the tuner's, or SECN2 before its first
 * decision. */
static void run_slot(struct tuner *t, uint64_t queue_bytes, uint64_t sent, uint64_t marked, struct ecn *ecn)
{
    struct queue_slot slot[QUEUES];

    for (int i = 0; i < QUEUES; i++)
        slot[i] = (struct queue_slot){ .tx_bytes = sent, .marked_bytes = marked,
                                       .queue_bytes_mean = queue_bytes, .ecn = { 100000, 400000, 0.2 } };
    if (t->algo->queues(t->state, ecn))
        for (int i = 0; i < QUEUES; i++)
            slot[i].ecn = ecn[i];
    t->algo->slot(t->state, slot);
    assert_true(t->algo->queues(t->state, ecn));
}

static struct acc_figures figures_of(const struct tuner *t)
{
    struct acc_figures f;

    acc_figures(t, &f);
    return f;
}

/* ---- models ---- */

static void write_model(const char *path, const char *kind, uint32_t inputs, uint32_t actions)
{
    struct net_shape shape;
    struct model     m;
    struct net       net;
    struct err       err;

    acc_shape(&shape, inputs, actions);
    net_init(&net, &shape);
    model_init(&m, kind, &net);
    if (model_save(&m, path, &err))
        fail_msg("%s", err.text);
    model_fini(&m);
    net_fini(&net);
}

static void create__a_wrong_model_is_refused_with_one_line(void **state)
{
    static const struct { const char *kind; uint32_t inputs, actions; const char *option, *value; } rows[] = {
        { "acc", 12, 20, NULL, NULL },       { "rlcc", 12, 20, "", "" },          { "acc", 16, 20, "", "" },
        { "acc", 12, 21, "", "" },           { "acc", 12, 20, "history", "5" },
        { "acc", 12, 20, "actions", "text" },
    };
    struct world       world = make_world(1);
    char               path[] = "/tmp/acc_test.XXXXXX";

    (void)state;
    close(mkstemp(path));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bool                     is_good = !rows[i].option, has_option = !is_good && *rows[i].option;
        const struct test_option option[] = { { "model", path },
                                              { has_option ? rows[i].option : NULL, rows[i].value },
                                              { NULL, NULL } };
        struct tuner             t;
        struct err               err = { "" };

        write_model(path, rows[i].kind, rows[i].inputs, rows[i].actions);
        assert_int_equal(test_open(&t, &tuner_acc, &world, option, &err) == 0, is_good);
        if (is_good)
            tuner_close(&t);
        else
            assert_int_equal(strncmp(err.text, "model: ", 7), 0);
        assert_null(strchr(err.text, '\n'));
    }
    assert_int_equal(truncate(path, 100), 0);
    {
        struct tuner t;
        struct err   err = { "" };

        assert_true(test_open(&t, &tuner_acc, &world, TEST_OPTIONS({ "model", path }), &err) < 0);
        assert_int_equal(strncmp(err.text, "model: ", 7), 0);
    }
    unlink(path);
}

static void create__refuses_conflicting_options(void **state)
{
    struct world       world = make_world(1);
    struct tuner       t;
    struct err         err;

    (void)state;
    assert_true(test_open(&t, &tuner_acc, &world,
                          TEST_OPTIONS({ "epsilon", "0.1" }, { "epsilon_min", "0.2" }), &err) < 0);
    assert_int_equal(strncmp(err.text, "epsilon_min: ", 13), 0);
    assert_true(test_open(&t, &tuner_acc, &world, TEST_OPTIONS({ "memory", "10" }), &err) < 0);
    assert_int_equal(strncmp(err.text, "memory: ", 8), 0);
    assert_true(test_open(&t, &tuner_acc, &world,
                          TEST_OPTIONS({ "agents", "central" }, { "learner", "central" }), &err) < 0);
    assert_int_equal(strncmp(err.text, "learner: ", 9), 0);
}

/* 12 -> 20 -> 40 -> 40 -> 20: 3560 parameters, 14 KB; with the target net 28 KB, the paper's 30 KB. */
static void shape__is_the_paper_s(void **state)
{
    struct net_shape shape;

    (void)state;
    acc_shape(&shape, 12, 20);
    assert_int_equal(net_shape_parameters(&shape), 240 + 800 + 1600 + 800 + 120);
    assert_true(2 * 4 * net_shape_parameters(&shape) <= 30000);
}

/* ---- slots ---- */

/* A record after two slots, by hand. The first state repeats the first slot three times. The next state
 * holds it in its first two places. The reward is 0.7 T + 0.3 D of the slot after the decision. */
static void slot__a_record_by_hand(void **state)
{
    static const float none[3560];
    struct net         net = { .parameters = 3560, .parameter = (float *)none };
    struct replay      memory;
    struct tuner       t;
    struct ecn         ecn[QUEUES];
    const float       *r;

    (void)state;
    acc_shape(&net.shape, 12, 20);
    open_acc(&t, 1, TEST_OPTIONS({ "model", "none" }));
    replay_init(&memory, dqn_record_floats(12), 100);
    acc_explore(&t, &(struct acc_explorer){ .net = &net, .memory = &memory });
    run_slot(&t, 7000, SLOT_BYTES, SLOT_BYTES / 2, ecn);
    assert_int_equal(memory.count, 0);
    assert_int_equal(ecn[2].kmin_bytes, 4500);
    run_slot(&t, 31000, SLOT_BYTES / 2, 0, ecn);
    assert_int_equal(memory.count, QUEUES);
    r = replay_at(&memory, 0);
    for (int i = 0; i < 3; i++) {
        assert_true(test_is_near(r[4 * i], 3.0 / 14, 1e-6));
        assert_true(r[4 * i + 1] == 1 && r[4 * i + 2] == 0.5f);
        assert_true(test_is_near(r[4 * i + 3], 14.0 / 19, 1e-6));    /* SECN2 */
    }
    assert_true(r[12] == 0);
    assert_true(test_is_near(r[13], 0.7 * 0.5 + 0.3 * 0.9, 1e-6));
    assert_true(r[14 + 1] == 1 && r[14 + 5] == 1 && r[14 + 9] == 0.5f);
    assert_true(test_is_near(r[14 + 8], 5.0 / 14, 1e-6));
    assert_true(r[14 + 3] == r[14 + 7] && r[14 + 11] == 0);          /* SECN2 twice, then the first action */
    assert_true(r[26] == 0);                                         /* not the end of an episode */
    replay_fini(&memory);
    tuner_close(&t);
}

/* Rule 'short': no decision while the queue is below the smallest Kmin of the template (1.25 KB) and the
 * link is hardly used. Rule 'published': no decision while the queue is below the current Kmin, here 100 KB
 * (SECN2). */
static void slot__idle_queues_are_left_alone(void **state)
{
    static const struct { const char *rule; uint64_t queue_bytes, sent; bool is_busy; } rows[] = {
        { "short", 0, SLOT_BYTES / 21, false },      { "short", 1249, SLOT_BYTES / 21, false },
        { "short", 1250, SLOT_BYTES / 21, true },    { "short", 0, SLOT_BYTES / 19, true },
        { "short", 99999, SLOT_BYTES, true },        { "published", 0, SLOT_BYTES, false },
        { "published", 99999, SLOT_BYTES, false },   { "published", 100000, 0, true },
        { "never", 0, 0, true },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tuner t;
        struct ecn   ecn[QUEUES];

        open_acc(&t, 1, TEST_OPTIONS({ "model", "none" }, { "idle", rows[i].rule }));
        run_slot(&t, rows[i].queue_bytes, rows[i].sent, 0, ecn);
        assert_int_equal(figures_of(&t).decisions, rows[i].is_busy ? QUEUES : 0);
        assert_int_equal(figures_of(&t).skipped, rows[i].is_busy ? 0 : QUEUES);
        if (!rows[i].is_busy)
            assert_int_equal(ecn[0].kmin_bytes, 100000);
        tuner_close(&t);
    }
}

/* Idle queues cause no decisions, but their slots are recorded and learned from. While settings are
 * explored for training, idle queues cause decisions, too. */
static void slot__idle_queues_are_recorded(void **state)
{
    struct acc_rule rule = { { 0 } };
    struct replay   memory;
    struct tuner    t;
    struct ecn      ecn[QUEUES];

    (void)state;
    open_acc(&t, 1,
             TEST_OPTIONS({ "model", "none" }, { "idle", "published" }, { "train", "yes" }, { "batch", "4" },
                                 { "memory", "16" }));
    for (int i = 0; i < 10; i++)
        run_slot(&t, 0, SLOT_BYTES, 0, ecn);
    assert_int_equal(figures_of(&t).decisions, 0);
    assert_in_range(figures_of(&t).updates, 1, 10 * QUEUES);
    tuner_close(&t);

    open_acc(&t, 1, TEST_OPTIONS({ "model", "none" }, { "idle", "published" }));
    replay_init(&memory, dqn_record_floats(12), 100);
    acc_explore(&t, &(struct acc_explorer){ .rule = &rule, .memory = &memory });
    for (int i = 0; i < 10; i++)
        run_slot(&t, 0, SLOT_BYTES, 0, ecn);
    assert_int_equal(figures_of(&t).decisions, 10 * QUEUES);
    assert_int_equal(memory.count, 9 * QUEUES);
    replay_fini(&memory);
    tuner_close(&t);
}

/* Links are fully used in the first half of a run and idle in the second, as when its last flows end. The
 * memory is too small for all records, so it must hold a sample of both halves. */
static void slot__records_sample_the_whole_run(void **state)
{
    struct acc_rule rule = { { 0 } };
    struct replay   memory;
    struct tuner    t;
    struct ecn      ecn[QUEUES];
    uint32_t        early = 0;

    (void)state;
    open_acc(&t, 1, TEST_OPTIONS({ "model", "none" }));
    replay_init(&memory, dqn_record_floats(12), 100);
    acc_explore(&t, &(struct acc_explorer){ .rule = &rule, .memory = &memory });
    for (int i = 0; i < 400; i++)
        run_slot(&t, 0, i < 200 ? SLOT_BYTES : 0, 0, ecn);
    for (uint32_t i = 0; i < memory.count; i++)
        early += replay_at(&memory, i)[1] == 1;
    assert_int_equal(memory.count, 100);
    assert_in_range(early, 30, 70);
    replay_fini(&memory);
    tuner_close(&t);
}

/* The rule for cell 7 applies to 50 KB of queue on a link that is 90 % full. On a full link another cell
 * applies. */
static void slot__a_rule_decides(void **state)
{
    struct acc_rule rule = { { 0 } };
    struct tuner    t;
    struct ecn      ecn[QUEUES];

    (void)state;
    rule.action[7] = 17;
    open_acc(&t, 1, TEST_OPTIONS({ "model", "none" }));
    acc_explore(&t, &(struct acc_explorer){ .rule = &rule });
    run_slot(&t, 50000, SLOT_BYTES * 9 / 10, 0, ecn);
    for (int i = 0; i < QUEUES; i++)
        assert_true(ecn[i].kmin_bytes == 200000 && ecn[i].kmax_bytes == 800000 && ecn[i].pmax == 0.2);
    run_slot(&t, 50000, SLOT_BYTES, 0, ecn);
    assert_int_equal(ecn[0].kmin_bytes, 4500);
    tuner_close(&t);
}

/* An idle queue keeps its setting: the one that was chosen or, after acc_follow(), the one that the switch
 * has. */
static void follow__uses_the_setting_of_the_switch(void **state)
{
    static struct queue_facts one = { .rate_bps = 25000000000 };
    struct acc_rule           rule = { { 0 } };
    struct world              world = make_world(1);

    (void)state;
    rule.action[12] = 14;                    /* 100/400 KB */
    world.queue = &one;
    world.queues = 1;
    for (int is_following = 0; is_following < 2; is_following++) {
        struct queue_slot busy = { .tx_bytes = SLOT_BYTES, .queue_bytes_mean = 70000,
                                   .ecn = { 400000, 1600000, 0.2 } };
        /* the switch has not applied what was chosen */
        struct queue_slot idle = { .ecn = { 400000, 1600000, 0.2 } };
        struct tuner      t;
        struct ecn        ecn;
        struct err        err;

        if (test_open(&t, &tuner_acc, &world, TEST_OPTIONS({ "model", "none" }), &err))
            fail_msg("%s", err.text);
        acc_explore(&t, &(struct acc_explorer){ .rule = &rule });
        if (is_following)
            acc_follow(&t);
        t.algo->slot(t.state, &busy);
        assert_true(t.algo->queues(t.state, &ecn));
        assert_int_equal(ecn.kmax_bytes, 400000);
        t.algo->slot(t.state, &idle);
        t.algo->queues(t.state, &ecn);
        assert_int_equal(ecn.kmax_bytes, is_following ? 1600000 : 400000);
        tuner_close(&t);
    }
}

/* Ports of 100 and of 25 Gb/s: the same action sets four times the thresholds on the faster port, and four
 * times the queue is the same state. With scale 'none' all ports are treated alike. */
static void slot__thresholds_scale_with_port_speed(void **state)
{
    static struct queue_facts two[] = { { .is_uplink = true, .rate_bps = 100000000000 },
                                        { .rate_bps = 25000000000 } };
    static const struct { const char *scale; uint32_t kmin, kmax; } rows[] = { { "port", 400000, 1600000 },
                                                                             { "none", 100000, 400000 } };
    struct acc_rule    rule = { { 0 } };
    struct world       world = make_world(1);

    (void)state;
    rule.action[12] = 14;                    /* at most 80 KB of queue and a full link: SECN2 */
    world.queue = two;
    world.queues = 2;
    for (int i = 0; i < 2; i++) {
        bool              is_by_speed = i == 0;
        struct queue_slot slot[] = { { .tx_bytes = 4 * SLOT_BYTES,
                                       .queue_bytes_mean = is_by_speed ? 280000 : 70000 },
                                     { .tx_bytes = SLOT_BYTES, .queue_bytes_mean = 70000 } };
        struct tuner      t;
        struct ecn        ecn[2];
        struct err        err;

        if (test_open(&t, &tuner_acc, &world,
                      TEST_OPTIONS({ "model", "none" }, { "scale", rows[i].scale }), &err))
            fail_msg("%s", err.text);
        acc_explore(&t, &(struct acc_explorer){ .rule = &rule });
        t.algo->slot(t.state, slot);
        assert_true(t.algo->queues(t.state, ecn));
        assert_int_equal(ecn[0].kmin_bytes, rows[i].kmin);
        assert_int_equal(ecn[0].kmax_bytes, rows[i].kmax);
        assert_int_equal(ecn[1].kmin_bytes, 100000);
        assert_int_equal(ecn[1].kmax_bytes, 400000);
        tuner_close(&t);
    }
}

/* The reward does not change after the first slot: from the fourth slot on, queues count as idle, until it
 * changes. */
static void slot__idle_when_the_reward_stays(void **state)
{
    static const struct { uint64_t queue_bytes; uint64_t decisions; } rows[] = {
        { 50000, 1 }, { 50000, 2 }, { 50000, 3 }, { 50000, 3 }, { 50000, 3 }, { 90000, 4 }, { 90000, 5 },
        { 90000, 6 }, { 90000, 6 },
    };
    struct tuner t;
    struct ecn   ecn[QUEUES];

    (void)state;
    open_acc(&t, 1, TEST_OPTIONS({ "model", "none" }));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        run_slot(&t, rows[i].queue_bytes, SLOT_BYTES, 0, ecn);
        assert_int_equal(figures_of(&t).decisions, rows[i].decisions * QUEUES);
    }
    tuner_close(&t);
}

static void slot__central_has_one_setting_per_direction(void **state)
{
    struct tuner t;
    struct ecn   ecn[QUEUES];
    uint32_t     different = 0;

    (void)state;
    open_acc(&t, 3, TEST_OPTIONS({ "model", "none" }, { "agents", "central" }, { "train", "yes" },
                                 { "epsilon", "1" }));
    for (uint64_t i = 0; i < 50; i++) {
        run_slot(&t, 50000 + 10000 * i, SLOT_BYTES, 0, ecn);
        assert_memory_equal(&ecn[0], &ecn[2], sizeof *ecn);
        assert_memory_equal(&ecn[1], &ecn[3], sizeof *ecn);
        different += memcmp(&ecn[0], &ecn[1], sizeof *ecn) != 0;
    }
    assert_true(different > 25);
    tuner_close(&t);
}

/* ---- learning ---- */

/* A network in which only a low Kmax keeps queues short and links full. */
static double run_simple(struct tuner *t, uint32_t slots)
{
    struct acc_figures before = figures_of(t), after;
    struct ecn         ecn[QUEUES] = { { 0 } };
    uint64_t           noise = 0;

    for (uint32_t i = 0; i < slots; i++) {
        struct queue_slot slot[QUEUES];

        if (!t->algo->queues(t->state, ecn))
            for (int q = 0; q < QUEUES; q++)
                ecn[q] = (struct ecn){ 100000, 400000, 0.2 };
        for (int q = 0; q < QUEUES; q++) {
            bool is_low = ecn[q].kmax_bytes <= 60000;

            noise = noise * 6364136223846793005ull + 1442695040888963407ull;
            slot[q] = (struct queue_slot){ .tx_bytes = (is_low ? 250000 : 150000) + (noise >> 50),
                                           .ecn = ecn[q], .queue_bytes_mean = is_low ? 15000 : 900000 };
        }
        t->algo->slot(t->state, slot);
    }
    after = figures_of(t);
    return (after.reward_sum - before.reward_sum) / (double)(after.rewards - before.rewards);
}

/* Expected reward: 0.7 * 0.82 + 0.3 with a low Kmax, 0.7 * 0.5 + 0.3 * 0.4 otherwise. Five of twenty
 * actions have a low Kmax. */
static void learn__the_reward_rises(void **state)
{
    struct tuner t;
    double       first, last;

    (void)state;
    open_acc(&t, 1, TEST_OPTIONS({ "model", "none" }, { "train", "yes" }, { "epsilon", "1" },
                                 { "epsilon_min", "0.02" }, { "epsilon_decisions", "600" },
                                 { "rate", "0.001" }, { "gamma", "0.5" }));
    first = run_simple(&t, 40);
    run_simple(&t, 1000);
    last = run_simple(&t, 100);
    assert_true(first < 0.75);
    assert_true(last > 0.82);
    assert_true(figures_of(&t).updates > 1000);
    tuner_close(&t);
}

static void learn__the_same_seed_does_the_same(void **state)
{
    double reward[3];

    (void)state;
    for (int i = 0; i < 3; i++) {
        struct tuner t;

        open_acc(&t, i == 2 ? 8 : 7,
                 TEST_OPTIONS({ "model", "none" }, { "train", "yes" }, { "epsilon", "0.3" }));
        reward[i] = run_simple(&t, 200);
        tuner_close(&t);
    }
    assert_true(reward[0] == reward[1]);
    assert_true(reward[0] != reward[2]);
}

/* ---- a central learner ---- */

#define SPLIT_OPTIONS TEST_OPTIONS({ "train", "yes" }, { "learner", "central" }, { "send_every", "3" }, \
                                   { "epsilon", "0.3" }, { "idle", "never" }, { "guard", "no" })

/* Opens the agent of switch i, which sees only its own queues. With -1, opens the learner of a controller,
 * which has no queues. */
static struct acc_agents *open_split(struct tuner *t, int i)
{
    struct queue_facts two[2] = { { .is_uplink = true, .rate_bps = 25000000000 },
                                  { .rate_bps = 25000000000 } };
    struct world       world = test_world(5);
    struct err         err;

    world.queue = two;
    world.queues = i < 0 ? 0 : 2;
    if (i >= 0)
        world.seed = 77 + (uint64_t)i;           /* no effect: the controller's seed counts */
    assert_int_equal(test_open(t, &tuner_acc, &world, SPLIT_OPTIONS, &err), 0);
    if (i >= 0)
        acc_follow(t);
    return acc_central(t);
}

static void give_net(struct acc_agents *to, const struct acc_learner *l, uint32_t agent)
{
    struct acc_net net = { l->version, acc_agents_seed(5, agent),
                           acc_checksum(l->net.parameter, l->net.parameters), l->net.parameter,
                           l->net.parameters };
    struct err     err;

    assert_int_equal(acc_agents_take(to, &net, &err), 0);
}

/* Records of the last switch arrive first. */
static void give_records(struct acc_agents *const agent[2], struct acc_learner *l)
{
    for (uint32_t i = 2; i-- > 0; ) {
        const struct acc_records *r = &agent[i]->learner.records;

        for (uint32_t n = 0; n < r->count; n++) {
            assert_null(acc_learner_flaw(l, r->record + (size_t)n * r->floats));
            assert_true(acc_records_add(&l->records, r->key[n].slot, i, r->key[n].queue,
                                        r->record + (size_t)n * r->floats));
        }
        acc_agents_clear(agent[i]);
    }
}

/* Agents at two switches with a remote learner decide like the single tuner of a simulation. */
static void learner__remote_learns_the_same(void **state)
{
    struct tuner       whole, part[2], far;
    struct acc_agents *agent[2], *learner;
    struct ecn         ecn[QUEUES] = { { 0 } }, split[QUEUES] = { { 0 } };
    struct test_net    net;
    struct tuner_note  note;
    struct knobs       knobs;
    struct rng         rng;

    (void)state;
    knobs_init(&knobs);
    rng_init(&rng, 1, 0);
    open_acc(&whole, 5, SPLIT_OPTIONS);
    learner = open_split(&far, -1);
    for (int i = 0; i < 2; i++)
        agent[i] = open_split(&part[i], i);
    for (int interval = 0; interval < 20; interval++) {
        for (uint32_t i = 0; i < 2; i++)
            give_net(agent[i], &learner->learner, i);
        for (int n = 0; n < 10; n++) {
            struct queue_slot slot[QUEUES];

            for (int i = 0; i < QUEUES; i++)
                slot[i] = (struct queue_slot){ rng_below(&rng, SLOT_BYTES), rng_below(&rng, SLOT_BYTES),
                                               rng_below(&rng, 1000000),
                                               interval + n ? ecn[i] : (struct ecn){ 100000, 400000, 0.2 } };
            whole.algo->slot(whole.state, slot);
            assert_true(whole.algo->queues(whole.state, ecn));
            for (int i = 0; i < 2; i++) {
                part[i].algo->slot(part[i].state, slot + 2 * i);
                assert_true(part[i].algo->queues(part[i].state, split + 2 * i));
            }
            assert_memory_equal(ecn, split, sizeof ecn);
        }
        tuner_step(&whole, test_report(&net, 0.9, 0.5, 1, 0.5), &knobs, &note);
        give_records(agent, &learner->learner);
        acc_learner_learn(&learner->learner);
        assert_int_equal(learner->learner.version, acc_central(&whole)->version);
        assert_memory_equal(learner->learner.net.parameter, acc_central(&whole)->learner.net.parameter,
                            learner->learner.net.parameters * sizeof(float));
    }
    assert_true(learner->learner.version > 5);
    assert_non_null(strstr(note.why, "; net "));
    for (int i = 0; i < 2; i++)
        tuner_close(&part[i]);
    tuner_close(&far);
    tuner_close(&whole);
}

static void step__reports_decisions(void **state)
{
    struct test_net   net;
    struct knobs      knobs, was;
    struct tuner_note note;
    struct tuner      t;

    (void)state;
    knobs_init(&knobs);
    was = knobs;
    open_acc(&t, 1, TEST_OPTIONS({ "model", "none" }));
    run_simple(&t, 10);
    tuner_step(&t, test_report(&net, 1, 1, 1, 0.5), &knobs, &note);
    assert_memory_equal(&knobs, &was, sizeof knobs);                 /* no knobs of the network */
    assert_int_equal(note.phase, TUNER_FROZEN);
    assert_true(note.utility > 0.3 && note.utility <= 1);
    assert_non_null(strstr(note.why, " decisions in 10 slots"));
    tuner_step(&t, test_report(&net, 1, 1, 1, 0.5), &knobs, &note);
    assert_non_null(strstr(note.why, "0 decisions in 0 slots"));
    assert_true(isnan(note.utility));
    tuner_close(&t);
}

/* ---- the guard ---- */

/* One interval: a slot of full queues, then a report of messages. Their slowdown is 2 with the initial
 * thresholds and 'slowdown' with others. Returns true if the initial thresholds are set. */
static bool run_interval(struct tuner *t, double slowdown, struct tuner_note *note)
{
    struct test_net net;
    struct ecn      ecn[QUEUES];
    struct knobs    knobs;
    bool            is_start;

    knobs_init(&knobs);
    run_slot(t, 300000, SLOT_BYTES, 0, ecn);
    is_start = ecn[0].kmin_bytes == 100000;
    test_report(&net, 0.9, 0.5, 1, 0.5);
    net.report.has_seen = true;
    net.report.seen.done[PREDICT_MICE] = (struct seen_class){ 100, 100 * (is_start ? 2 : slowdown) };
    tuner_step(t, &net.report, &knobs, note);
    return is_start;
}

/* Opens agents that never choose the initial thresholds in these slots. */
static void open_guarded(struct tuner *t)
{
    open_acc(t, 2, TEST_OPTIONS({ "model", "none" }, { "guard", "yes" }, { "idle", "never" }));
}

/* The initial thresholds are set for 16 intervals, and again after a contest that shows no gain. If
 * messages are faster with the agents, the agents decide from then on. */
static void guard__keeps_the_initial_thresholds_unless_messages_are_faster(void **state)
{
    static const struct { double slowdown; bool ends_at_start; } row[] = {
        { 1.4, false }, { 2, true }, { 2.1, true }, { 8, true },
    };

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct tuner_note note;
        struct tuner      t;
        int               agents = 0;

        open_guarded(&t);
        for (int n = 0; n < 16; n++)
            assert_true(run_interval(&t, row[i].slowdown, &note));
        for (int n = 0; n < 48; n++)
            agents += !run_interval(&t, row[i].slowdown, &note);
        for (int n = 0; n < 8; n++)
            assert_true(run_interval(&t, row[i].slowdown, &note) == row[i].ends_at_start);
        assert_true(agents > 0);
        if (row[i].slowdown == 8)
            assert_int_equal(agents, 2);         /* stopped after one block */
        tuner_close(&t);
    }
}

/* Without messages in the report, as at a switch, the guard ends after the first interval. */
static void guard__ends_without_message_reports(void **state)
{
    struct test_net   net;
    struct tuner_note note;
    struct knobs      knobs;
    struct tuner      t;
    struct ecn        ecn[QUEUES];

    (void)state;
    knobs_init(&knobs);
    open_guarded(&t);
    run_slot(&t, 300000, SLOT_BYTES, 0, ecn);
    assert_int_equal(figures_of(&t).decisions, 0);
    tuner_step(&t, test_report(&net, 0.9, 0.5, 1, 0.5), &knobs, &note);
    run_slot(&t, 300000, SLOT_BYTES, 0, ecn);
    assert_int_equal(figures_of(&t).decisions, QUEUES);
    tuner_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(create__a_wrong_model_is_refused_with_one_line),
        cmocka_unit_test(create__refuses_conflicting_options),
        cmocka_unit_test(shape__is_the_paper_s),
        cmocka_unit_test(slot__a_record_by_hand),
        cmocka_unit_test(slot__idle_queues_are_left_alone),
        cmocka_unit_test(slot__idle_queues_are_recorded),
        cmocka_unit_test(slot__records_sample_the_whole_run),
        cmocka_unit_test(slot__a_rule_decides),
        cmocka_unit_test(slot__thresholds_scale_with_port_speed),
        cmocka_unit_test(follow__uses_the_setting_of_the_switch),
        cmocka_unit_test(slot__idle_when_the_reward_stays),
        cmocka_unit_test(slot__central_has_one_setting_per_direction),
        cmocka_unit_test(learn__the_reward_rises),
        cmocka_unit_test(learn__the_same_seed_does_the_same),
        cmocka_unit_test(learner__remote_learns_the_same),
        cmocka_unit_test(step__reports_decisions),
        cmocka_unit_test(guard__keeps_the_initial_thresholds_unless_messages_are_faster),
        cmocka_unit_test(guard__ends_without_message_reports),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
