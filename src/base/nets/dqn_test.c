#include "base/nets/dqn.h"
#include "base/digest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One input, two actions, linear: online x -> (1 x, 2 x), target x -> (10 x, -5 x). */
static const struct dqn_cfg tiny = {
    .shape = { .inputs = 1, .layers = 1, .layer = { { 2, NET_LINEAR, true } } },
    .gamma = 0.5, .bend = 1, .batch = 2, .memory = 4, .copy_every = 3, .seed = 1,
};

static void tiny_init(struct dqn *d)
{
    struct dqn_cfg cfg = tiny;

    dqn_init(d, &cfg);
    memcpy(d->online.parameter, (float[]){ 1, 2 }, 2 * sizeof(float));
    memcpy(d->target.parameter, (float[]){ 10, -5 }, 2 * sizeof(float));
}

static void decay__reaches_the_end_value(void **unused)
{
    double factor = dqn_decay(1, 0.01, 2000);

    (void)unused;
    assert_true(fabs(factor - exp(log(0.01) / 2000)) < 1e-14);
    assert_true(fabs(pow(factor, 2000) - 0.01) < 1e-12);
    assert_true(dqn_decay(0.5, 0.5, 7) == 1);
}

static void epsilon__falls_by_a_factor_per_decision(void **unused)
{
    struct dqn_cfg cfg = tiny;
    float state = 1;
    struct dqn d;

    (void)unused;
    cfg.epsilon = 1;
    cfg.epsilon_min = 0.2;
    cfg.epsilon_decay = 0.5;
    dqn_init(&d, &cfg);
    assert_true(dqn_epsilon(&d) == 1);
    dqn_select(&d, &state);
    assert_true(dqn_epsilon(&d) == 0.5);
    dqn_select(&d, &state);
    assert_true(dqn_epsilon(&d) == 0.25);
    dqn_select(&d, &state);
    assert_true(dqn_epsilon(&d) == 0.2);
    dqn_fini(&d);
}

static void pick__explores_with_probability_epsilon(void **unused)
{
    float up = 1, down = -1;
    int other = 0;
    struct dqn d;

    (void)unused;
    tiny_init(&d);
    assert_int_equal(1, dqn_pick(&d.online, &up, 0, &d.rng));
    assert_int_equal(0, dqn_pick(&d.online, &down, 0, &d.rng));
    for (int i = 0; i < 10000; i++)
        other += dqn_pick(&d.online, &up, 0.4, &d.rng) == 0;
    assert_true(abs(other - 2000) < 200);    /* half of the random ones; 200 is five standard deviations */
    dqn_fini(&d);
}

static void load__sets_both_nets(void **unused)
{
    struct net n;
    struct dqn d;

    (void)unused;
    tiny_init(&d);
    net_init(&n, &tiny.shape);
    n.parameter[1] = 7;
    dqn_load(&d, &n);
    assert_true(d.online.parameter[1] == 7 && d.target.parameter[1] == 7 && d.target.parameter[0] == 0);
    dqn_fini(&d);
    net_fini(&n);
}

/* In state 1 after action 0: value 1, target 3 at an end. The squared error is 4 with slope -4; the Huber
 * loss is 1.5 with slope -1. */
static void learn__squares_errors_without_a_bend(void **unused)
{
    float state = 1, record[5];
    const float *records = record;
    struct dqn_step s = { .state = &state, .next = &state, .reward = 3, .is_end = true };
    struct dqn_cfg cfg = tiny;
    struct dqn d;

    (void)unused;
    cfg.bend = 0;
    dqn_init(&d, &cfg);
    d.online.parameter[0] = 1;
    dqn_record(record, &s, 1);
    assert_true(dqn_learn(&d, &records, 1) == 4);
    assert_true(d.gradient_norm == 4);
    dqn_fini(&d);
}

/* Targets of dqn_learn() in state 1 after action 0, reward 3, next state 2, where online is (2, 4) and target
 * (20, -10). Double DQN uses the target's value of online's choice. At an end only the reward counts. */
static void learn__targets_match_the_formula(void **unused)
{
    static const struct { bool is_end; float wanted; } row[] = { { false, 3 - 0.5f * 10 }, { true, 3 } };
    float state = 1, next = 2, record[5];
    const float *records = record;

    (void)unused;
    for (int i = 0; i < 2; i++) {
        struct dqn_step s = { .state = &state, .next = &next, .reward = 3, .is_end = row[i].is_end };
        double error = 1 - (double)row[i].wanted;
        struct dqn d;

        dqn_record(record, &s, 1);
        tiny_init(&d);
        assert_true(fabs(dqn_learn(&d, &records, 1) - (fabs(error) - 0.5)) < 1e-6);
        assert_true(d.gradient_norm == 1);   /* d(loss)/d(value) = +-1, d(value)/d(parameter) = 1 */
        /* Adam's first step equals the rate, toward the target; the other action stays. */
        assert_true(fabs((double)d.online.parameter[0] - (1 - copysign(0.001, error))) < 1e-6);
        assert_true(d.online.parameter[1] == 2);
        dqn_fini(&d);
    }
}

/* The same with an upper bound of 4: -2 becomes 0, 13 becomes 4, and 3 stays. */
static void learn__targets_are_clipped(void **unused)
{
    static const struct { float reward; bool is_end; float wanted; } row[] = {
        { 3, false, 0 }, { 13, true, 4 }, { 3, true, 3 },
    };
    float state = 1, next = 2, record[5];
    const float *records = record;

    (void)unused;
    for (int i = 0; i < 3; i++) {
        struct dqn_step s = { .state = &state, .next = &next, .reward = row[i].reward,
                              .is_end = row[i].is_end };
        double error = fabs(1 - (double)row[i].wanted);
        struct dqn d;

        dqn_record(record, &s, 1);
        tiny_init(&d);
        d.cfg.value_max = 4;
        assert_true(fabs(dqn_learn(&d, &records, 1) - (error > 1 ? error - 0.5 : error * error / 2)) < 1e-6);
        dqn_fini(&d);
    }
}

static uint32_t always_first(const void *arg, const float *state)
{
    (void)arg, (void)state;
    return 0;
}

/* In state 1 online is (1, 2). The guide's action 0 should be 0.5 ahead and is 1 behind: loss 1.5. In state
 * -1 it is 1 ahead: no loss. An end whose reward equals the prediction adds nothing. */
static void learn__guide_margin_loss(void **unused)
{
    static const struct dqn_guide guide = { .action = always_first, .margin = 0.5, .weight = 2 };
    static const struct { float state, reward; double loss, norm; } row[] = {
        { 1, 1, 3, 2.8284271247 }, { -1, -1, 0, 0 },
    };

    (void)unused;
    for (int i = 0; i < 2; i++) {
        struct dqn_step s = {
            .state = &row[i].state, .next = &row[i].state, .reward = row[i].reward, .is_end = true
        };
        float           record[5];
        const float    *records = record;
        struct dqn      d;

        dqn_record(record, &s, 1);
        tiny_init(&d);
        d.guide = &guide;
        assert_true(fabs(dqn_learn(&d, &records, 1) - row[i].loss) < 1e-6);
        assert_true(fabs(d.gradient_norm - row[i].norm) < 1e-6);     /* +2 for one action, -2 for the other */
        if (i == 0)
            assert_true(d.online.parameter[0] > 1 && d.online.parameter[1] < 2);
        dqn_fini(&d);
    }
}

/* A net imitates its guide although all actions earn the same. */
static void learn__imitates_the_guide(void **unused)
{
    static const struct dqn_guide guide = { .action = always_first, .margin = 0.1, .weight = 1 };
    float state = 1;
    struct dqn d;

    (void)unused;
    tiny_init(&d);
    d.guide = &guide;
    for (uint32_t i = 0; i < 8; i++)
        dqn_remember(&d,
                     &(struct dqn_step){ .state = &state, .next = &state, .action = i % 2, .is_end = true });
    for (int i = 0; i < 5000; i++)
        dqn_update(&d);
    assert_int_equal(dqn_pick(&d.online, &state, 0, &d.rng), 0);
    dqn_fini(&d);
}

static void learn__copies_to_the_target_net(void **unused)
{
    float state = 1, next = 2, record[5];
    const float *records = record;
    struct dqn d;

    (void)unused;
    dqn_record(record, &(struct dqn_step){ .state = &state, .next = &next }, 1);
    tiny_init(&d);
    for (int i = 1; i <= 7; i++) {
        float was = d.target.parameter[0];

        dqn_learn(&d, &records, 1);
        if (i % 3 == 0)
            assert_memory_equal(d.target.parameter, d.online.parameter, 2 * sizeof(float));
        else
            assert_true(d.target.parameter[0] == was && was != d.online.parameter[0]);
    }
    dqn_fini(&d);
}

static void learn__ignores_non_finite_batches(void **unused)
{
    float state = 1, next = INFINITY, record[5];
    const float *records = record;
    struct dqn d;

    (void)unused;
    dqn_record(record, &(struct dqn_step){ .state = &state, .next = &next }, 1);
    tiny_init(&d);
    assert_false(isfinite(dqn_learn(&d, &records, 1)));
    assert_true(d.online.parameter[0] == 1 && d.online.parameter[1] == 2 && d.updates == 0);
    dqn_fini(&d);
}

static void update__waits_for_a_batch(void **unused)
{
    float state = 1, next = 2;
    struct dqn_step s = { .state = &state, .next = &next };
    struct dqn d;

    (void)unused;
    tiny_init(&d);
    dqn_remember(&d, &s);
    assert_true(isnan(dqn_update(&d)) && d.updates == 0);
    dqn_remember(&d, &s);
    assert_true(dqn_update(&d) > 0 && d.updates == 1);
    dqn_fini(&d);
}

/* ---- five places in a row: action 0 goes left (and stays at the left end), 1 goes right; leaving at the
 * right end pays 1 and ends. Going right is worth 0.8^(4 - place), going left 0.8 of the value of the place
 * it leads to. */

#define PLACES 5

static const float place[PLACES][PLACES] = {
    { 1, 0, 0, 0, 0 }, { 0, 1, 0, 0, 0 }, { 0, 0, 1, 0, 0 }, { 0, 0, 0, 1, 0 }, { 0, 0, 0, 0, 1 },
};

static void walk(struct dqn *d, int steps)
{
    int at = 0;

    while (steps--) {
        uint32_t action = dqn_select(d, place[at]);
        int to = action ? at + 1 : at > 0 ? at - 1 : 0;
        bool is_end = to == PLACES;

        dqn_remember(d, &(struct dqn_step){ .state = place[at], .next = place[is_end ? 0 : to],
                                            .action = action, .reward = is_end, .is_end = is_end });
        dqn_update(d);
        at = is_end ? 0 : to;
    }
}

static void chain_init(struct dqn *d)
{
    struct dqn_cfg cfg = {
        .shape = { .inputs = PLACES, .layers = 2,
                   .layer = { { 16, NET_RELU, false }, { 2, NET_LINEAR, false } } },
        .gamma = 0.8, .bend = 1, .norm_max = 10, .adam = { .rate = 0.005 },
        .batch = 16, .memory = 1000, .copy_every = 50,
        .epsilon = 1, .epsilon_min = 0.3, .epsilon_decay = dqn_decay(1, 0.3, 2000), .seed = 2,
    };

    dqn_init(d, &cfg);
}

static void update__finds_the_values_of_a_chain(void **unused)
{
    struct dqn d;

    (void)unused;
    chain_init(&d);
    walk(&d, 6000);
    for (int i = 0; i < PLACES; i++) {
        double right = pow(0.8, 4 - i), left = 0.8 * pow(0.8, 4 - (i > 0 ? i - 1 : 0));
        float value[2];

        net_run(&d.online, place[i], value);
        assert_true(fabs((double)value[1] - right) < 0.02);
        assert_true(fabs((double)value[0] - left) < 0.02);
    }
    dqn_fini(&d);
}

/* Recorded on aarch64 and x86-64, with gcc and clang. */
static void update__gives_the_same_bits_everywhere(void **unused)
{
    char text[DIGEST_TEXT_SIZE];
    struct digest digest;
    struct dqn d;

    (void)unused;
    chain_init(&d);
    walk(&d, 500);
    digest_init(&digest);
    digest_add(&digest, d.online.parameter, d.online.parameters * sizeof(float));
    assert_string_equal("8a958bc4d4dc16e2741b2a7b8f8cfe3f", digest_text(text, &digest));
    dqn_fini(&d);
}

/* Rewards 0.1, 0.2, 0.7: expected thousands of 10,000 draws; 250 is more than five standard deviations. */
static void draw_by_reward__in_proportion(void **unused)
{
    static const float reward[] = { 0.1f, 0.2f, 0.7f };
    const float *drawn[100];
    int count[3] = { 0 };
    struct dqn d;

    (void)unused;
    dqn_init(&d, &tiny);
    for (uint32_t i = 0; i < 3; i++) {
        float state = (float)i;

        dqn_remember(&d, &(struct dqn_step){ .state = &state, .next = &state, .reward = reward[i] });
    }
    for (int i = 0; i < 100; i++) {
        dqn_draw_by_reward(&d.replay, 1, &d.rng, 100, drawn);
        for (int k = 0; k < 100; k++)
            count[(int)drawn[k][0]]++;
    }
    assert_true(abs(count[0] - 1000) < 250 && abs(count[1] - 2000) < 250 && abs(count[2] - 7000) < 250);
    dqn_fini(&d);
}

static void draw_by_reward__ends_without_rewards(void **unused)
{
    float state = 5;
    const float *drawn[2];
    struct dqn d;

    (void)unused;
    dqn_init(&d, &tiny);
    dqn_remember(&d, &(struct dqn_step){ .state = &state, .next = &state });
    dqn_draw_by_reward(&d.replay, 1, &d.rng, 2, drawn);
    assert_true(drawn[0][0] == 5 && drawn[1][0] == 5);
    dqn_fini(&d);
}

/* ---- loss ---- */

static void loss__by_hand(void **unused)
{
    static const struct { float error, bend; double loss; float slope; } row[] = {
        { 0, 0, 0, 0 }, { -2, 0, 4, -4 }, { 3, 0, 9, 6 }, { 0.25f, 0, 0.0625, 0.5f },
        /* bend 2: 2 * (2 - 1), 2 * (3 - 1) */
        { 0, 2, 0, 0 }, { -2, 2, 2, -2 }, { -3, 2, 4, -2 }, { 3, 2, 4, 2 }, { 0.25f, 2, 0.03125, 0.25f },
    };

    (void)unused;
    for (unsigned i = 0; i < sizeof(row) / sizeof(*row); i++) {
        float slope = 9;

        assert_true(dqn_loss(row[i].error, row[i].bend, &slope) == row[i].loss);
        assert_true(slope == row[i].slope);
    }
}

/* ---- replay_memory ---- */

/* Records (i, -i) for i = first .. first + n - 1. */
static void add_records(struct replay *r, int first, int n)
{
    for (int i = first; i < first + n; i++)
        replay_add(r, (float[]){ (float)i, (float)-i });
}

static void add__replaces_the_oldest(void **unused)
{
    struct replay r;

    (void)unused;
    replay_init(&r, 2, 5);
    add_records(&r, 0, 3);
    assert_int_equal(3, r.count);
    assert_true(replay_at(&r, 0)[0] == 0 && replay_at(&r, 2)[1] == -2);
    add_records(&r, 3, 9);
    assert_int_equal(5, r.count);
    assert_int_equal(12, r.added);
    for (uint32_t i = 0; i < 5; i++)
        assert_true(replay_at(&r, i)[0] == (float)(7 + i) && replay_at(&r, i)[1] == -(float)(7 + i));
    replay_fini(&r);
}

/* 50 records of a ring that has wrapped, 100,000 draws: the sum of squares of (count - 2000) / sqrt(2000) has
 * mean 49 and standard deviation sqrt(98). Too even a result is refused as well. */
static void draw__is_uniform(void **unused)
{
    const float *record[10];
    uint32_t count[50] = { 0 };
    double chi = 0;
    struct replay r;
    struct rng rng;

    (void)unused;
    rng_init(&rng, 1, 0);
    replay_init(&r, 2, 50);
    add_records(&r, 0, 120);
    for (int i = 0; i < 10000; i++) {
        replay_draw(&r, &rng, 10, record);
        for (int j = 0; j < 10; j++)
            count[(int)record[j][0] - 70]++;
    }
    for (int i = 0; i < 50; i++)
        chi += (count[i] - 2000.0) * (count[i] - 2000.0) / 2000;
    assert_true(chi > 15 && chi < 49 + 5 * sqrt(98));
    replay_fini(&r);
}

static void draw__uses_existing_records_only(void **unused)
{
    const float *record[100];
    struct replay r;
    struct rng rng;

    (void)unused;
    rng_init(&rng, 1, 0);
    replay_init(&r, 2, 50);
    add_records(&r, 1, 3);
    replay_draw(&r, &rng, 100, record);
    for (int i = 0; i < 100; i++)
        assert_true(record[i][0] >= 1 && record[i][0] <= 3);
    replay_fini(&r);
}

/* 200 records are offered to a memory of 50, 4,000 times: each is kept 1,000 times on average, with a
 * variance of 4,000 / 4 * 3 / 4 = 750. The sum of squares of (count - 1000) / sqrt(750) has mean 200 and
 * standard deviation sqrt(400). */
static void sample__keeps_each_with_the_same_probability(void **unused)
{
    uint32_t count[200] = { 0 };
    double chi = 0;
    struct rng rng;

    (void)unused;
    rng_init(&rng, 1, 0);
    for (int i = 0; i < 4000; i++) {
        struct replay r;

        replay_init(&r, 2, 50);
        for (int j = 0; j < 200; j++)
            replay_sample(&r, &rng, (float[]){ (float)j, (float)-j });
        assert_int_equal(50, r.count);
        assert_int_equal(200, r.added);
        for (uint32_t j = 0; j < 50; j++)
            count[(int)replay_at(&r, j)[0]]++;
        replay_fini(&r);
    }
    for (int i = 0; i < 200; i++)
        chi += (count[i] - 1000.0) * (count[i] - 1000.0) / 750;
    assert_true(chi > 100 && chi < 300);
}

static void add_all__appends_in_order(void **unused)
{
    static const float records[] = { 4, -4, 5, -5, 6, -6 };
    struct replay to;

    (void)unused;
    replay_init(&to, 2, 8);
    add_records(&to, 100, 6);
    replay_add_all(&to, records, 3);
    assert_int_equal(8, to.count);
    assert_true(replay_at(&to, 0)[0] == 101 && replay_at(&to, 4)[0] == 105);
    assert_true(replay_at(&to, 5)[0] == 4 && replay_at(&to, 7)[1] == -6);
    replay_fini(&to);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decay__reaches_the_end_value),
        cmocka_unit_test(epsilon__falls_by_a_factor_per_decision),
        cmocka_unit_test(pick__explores_with_probability_epsilon),
        cmocka_unit_test(load__sets_both_nets),
        cmocka_unit_test(learn__squares_errors_without_a_bend),
        cmocka_unit_test(learn__targets_match_the_formula),
        cmocka_unit_test(draw_by_reward__in_proportion),
        cmocka_unit_test(draw_by_reward__ends_without_rewards),
        cmocka_unit_test(learn__targets_are_clipped),
        cmocka_unit_test(learn__guide_margin_loss),
        cmocka_unit_test(learn__imitates_the_guide),
        cmocka_unit_test(learn__copies_to_the_target_net),
        cmocka_unit_test(learn__ignores_non_finite_batches),
        cmocka_unit_test(update__waits_for_a_batch),
        cmocka_unit_test(update__finds_the_values_of_a_chain),
        cmocka_unit_test(update__gives_the_same_bits_everywhere),
        cmocka_unit_test(loss__by_hand),
        cmocka_unit_test(add__replaces_the_oldest),
        cmocka_unit_test(draw__is_uniform),
        cmocka_unit_test(draw__uses_existing_records_only),
        cmocka_unit_test(sample__keeps_each_with_the_same_probability),
        cmocka_unit_test(add_all__appends_in_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
