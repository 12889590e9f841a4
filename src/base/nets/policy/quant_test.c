/* src/base/nets/policy/quant_test.c - an integer net against its floating-point original. */
#include "base/nets/policy/quant.h"

#include "base/err.h"
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

#define STATES 1000000

static void make_identity(struct net *n)
{
    struct net_shape s = { .inputs = 4, .layers = 1, .layer = { { 1, NET_TANH, true } } };

    net_init(n, &s);
}

/* One layer, one weight: tests the table of multipliers alone. Features of 1/256 and the largest weight of a
 * row are exact, so the error is that of interpolation and of rounding to 1/65536. */
static void multiplier__one_weight_matches_tanh(void **unused)
{
    struct quant q;
    struct net n;

    (void)unused;
    make_identity(&n);
    n.parameter[TREE_DELTA] = -0.5f;
    assert_int_equal(0, quant_init(&q, &n, 0.2f, NULL));
    assert_null(quant_flaw(&q));
    for (int delta = -32768; delta <= 32767; delta += 7) {
        int16_t x[4] = { 0, 0, 0, (int16_t)delta };
        double want = (double)action_multiplier((float)tanh(-0.5 * delta / 256), 0.2f);

        assert_true(fabs(quant_multiplier(&q, x) / 65536.0 - want) < 6e-5);
    }
    net_fini(&n);
}

/* Rows with very different weights keep their precision: each has its own scale. */
static void init__scales_each_row(void **unused)
{
    struct net_shape s = { .inputs = 4, .layers = 2,
                           .layer = { { 2, NET_RELU, true }, { 1, NET_TANH, true } } };
    struct quant q;
    struct net n;

    (void)unused;
    net_init(&n, &s);
    for (int i = 0; i < 4; i++) {
        n.parameter[2 * i] = 100 * (float)(i + 1);           /* row 0 */
        n.parameter[2 * i + 1] = -0.001f * (float)(4 - i);   /* row 1 */
    }
    assert_int_equal(0, quant_init(&q, &n, 0.2f, NULL));
    assert_memory_equal(((int8_t[]){ 32, 64, 95, 127 }), q.layer[0].weight[0], 4);
    assert_memory_equal(((int8_t[]){ -127, -95, -64, -32 }), q.layer[0].weight[1], 4);
    assert_true(fabs(q.layer[0].scale[0] * exp2(-q.layer[0].bits) - 400.0 / 127) < 1e-4);
    assert_int_equal(2 * 4 + 2 * 2 + 1 * 2 + 1 * 2 + 513 * 4, quant_bytes(&q));
    net_fini(&n);
}

static void init__refuses_other_nets(void **unused)
{
    struct net_shape biased = policy_shape_mlp, wide = policy_shape_mlp, three = policy_shape_mlp;
    const struct { struct net_shape *shape; const char *why; } row[] = {
        { &biased, "the net is not all ReLU without biases and tanh at the end" },
        { &wide, "the net has a layer that is too wide" },
        { &three, "the net does not have 4 inputs and 1 output" },
    };

    (void)unused;
    biased.layer[1].is_unbiased = false;
    wide.layer[0].width = QUANT_WIDTH_MAX + 1;
    three.inputs = 3;
    for (int i = 0; i < 3; i++) {
        struct quant q;
        struct err err;
        struct net n;

        net_init(&n, row[i].shape);
        assert_int_equal(-EINVAL, quant_init(&q, &n, 0.2f, &err));
        assert_string_equal(row[i].why, err.text);
        net_fini(&n);
    }
}

static void flaw__names_what_is_wrong(void **unused)
{
    struct quant q, good;
    struct net n;

    (void)unused;
    make_identity(&n);
    assert_int_equal(0, quant_init(&good, &n, 0.2f, NULL));
    q = good;
    q.layers = 0;
    assert_string_equal("has no layers or too many", quant_flaw(&q));
    q = good;
    q.layer[0].inputs = 5;
    assert_string_equal("has layers that do not fit together", quant_flaw(&q));
    q = good;
    q.layer[0].bits = 99;
    assert_string_equal("has a scale out of range", quant_flaw(&q));
    q = good;
    q.layer[0].outputs = 2;
    assert_string_equal("does not have 1 output", quant_flaw(&q));
    q = good;
    q.table[5] = 0;
    assert_string_equal("has a table of multipliers out of range", quant_flaw(&q));
    net_fini(&n);
}

/* Realistic states: actions within their range, half of the deltas near 0, half up to 'far'. */
static void draw_state(int16_t *x, uint32_t far, struct rng *rng)
{
    for (int i = 0; i < 4; i++)
        if (i % 2 == 0)
            x[i] = (int16_t)((int)rng_below(rng, 1503) - 683);
        else
            x[i] = (int16_t)(rng_below(rng, 2) ? (int)rng_below(rng, 410) - 205 : (int)rng_below(rng, far));
}

struct quant_error { double largest, sum; };

static struct quant_error compare(const struct policy *p, uint32_t states, uint32_t far)
{
    struct quant_error e = { 0 };
    struct quant q;
    struct rng rng;

    assert_int_equal(0, quant_init(&q, &p->mlp, p->range, NULL));
    rng_init(&rng, 5, 0);
    for (uint32_t i = 0; i < states; i++) {
        int16_t x[4];
        double away;

        draw_state(x, far, &rng);
        away = fabs(quant_multiplier(&q, x) / 65536.0
                    - (double)policy_try(p, (float[]){ 1 + (float)x[0] / 4096, (float)x[1] / 256,
                                                       1 + (float)x[2] / 4096, (float)x[3] / 256 }));
        e.largest = fmax(e.largest, away);
        e.sum += away;
    }
    return e;
}

/* Up to delta 5 the error of a multiplier is below 0.025. If two deltas of 50 nearly cancel, eight bits
 * cannot resolve the difference, and the decision may be anything in between; the mean error is small.
 * bench_rlcc prints the figures. */
static void multiplier__approximates_the_net(void **unused)
{
    struct quant_error near, far;
    struct policy p;

    (void)unused;
    test_teacher_init(&p);
    near = compare(&p, STATES, 5 * 256);
    far = compare(&p, STATES / 5, 77 * 256);
    assert_true(near.largest < 0.025);
    assert_true(near.sum / STATES < 0.0015);
    assert_true(far.largest < 0.25);
    assert_true(far.sum / (STATES / 5) < 0.0015);
    policy_fini(&p);
}

static void multiplier__approximates_random_nets(void **unused)
{
    struct rng rng;

    (void)unused;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct policy p;

        rng_init(&rng, seed, 0);
        policy_init_mlp(&p, &rng);
        assert_true(compare(&p, 5000, 5 * 256).sum / 5000 < 0.006);
        policy_fini(&p);
    }
}

/* ---- LSTM ---- */

/* An LSTM of zeros: the input, forget and output gates are 1/2. With a candidate near 1, c is 1 - 2^-n after
 * n steps. */
static void step__follows_the_closed_form(void **unused)
{
    const uint32_t cells = lstm_shape_rlcc.cells;
    struct quant_state s = { 0 };
    struct lstm l;
    struct quant q;
    float *bias;

    (void)unused;
    lstm_init(&l, &lstm_shape_rlcc);
    bias = l.cells + (size_t)(2 * cells) * LSTM_GATES * cells;
    for (uint32_t i = 0; i < cells; i++)
        bias[2 * cells + i] = 9;
    l.head.parameter[0] = 1;
    l.head.parameter[cells] = -0.25f;        /* its bias */
    assert_int_equal(0, quant_init_lstm(&q, &l, 0.2f, NULL));
    assert_null(quant_flaw(&q));
    for (int n = 1; n <= 12; n++) {
        double c = 1 - exp2(-n), u = tanh(0.5 * tanh(c) - 0.25);
        double want = (double)action_multiplier((float)u, 0.2f);

        assert_true(fabs(quant_step(&q, &s, (int16_t[4]){ 0 }) / 65536.0 - want) < 2e-4);
        assert_true(fabs(s.c[3] / 2048.0 - c) < 2.0 / 2048);
    }
    lstm_fini(&l);
}

/* Flows of 50 steps; some of their deltas are far from 0. */
static struct quant_error compare_lstm(const struct policy *p, uint32_t flows)
{
    struct policy_flow *a = xcalloc(1, sizeof *a);
    struct policy_flow *b = xcalloc(1, sizeof *b);
    struct quant_error  e = { 0 };
    struct policy       int8;
    struct rng          rng;

    assert_int_equal(0, policy_init_int8(&int8, p, NULL));
    rng_init(&rng, 6, 0);
    for (uint32_t i = 0; i < flows; i++) {
        policy_start(p, a);
        policy_start(&int8, b);
        for (int step = 0; step < 50; step++) {
            int16_t x[4];
            double away;

            draw_state(x, 20 * 256, &rng);
            b->action = a->action = 1 + (float)x[2] / 4096;
            away = fabs((double)policy_decide(p, a, (float)x[3] / 256) -
                        (double)policy_decide(&int8, b, (float)x[3] / 256));
            e.largest = fmax(e.largest, away);
            e.sum += away / (50.0 * flows);
        }
    }
    policy_fini(&int8);
    free(a);
    free(b);
    return e;
}

static void step__approximates_the_lstm(void **unused)
{
    struct quant_error e;
    struct policy      p;
    struct err         err;

    (void)unused;
    assert_int_equal(0, policy_load(&p, "data/models/rlcc_lstm.model", &err));
    e = compare_lstm(&p, 200);
    assert_true(e.sum < 0.001 && e.largest < 0.02);
    policy_fini(&p);
    for (uint64_t seed = 1; seed <= 10; seed++) {
        struct rng rng;

        rng_init(&rng, seed, 0);
        policy_init_lstm(&p, &rng);
        assert_true(compare_lstm(&p, 20).sum < 0.003);
        policy_fini(&p);
    }
}

/* 2640 multiplications; the paper has 2600 FLOPs. */
static void init_lstm__has_the_size_of_the_paper(void **unused)
{
    struct quant q;
    struct lstm l;

    (void)unused;
    lstm_init(&l, &lstm_shape_rlcc);
    assert_int_equal(0, quant_init_lstm(&q, &l, 0.2f, NULL));
    assert_int_equal(2 * 32 + 32 * 16 + 16 * 64 + 16 * 64 + 16, quant_multiplications(&q));
    assert_int_equal(2640 + 2 * 177 + 4 * 113 + 513 * 6, quant_bytes(&q));
    lstm_fini(&l);
}

static void init_lstm__refuses_other_nets(void **unused)
{
    struct lstm_shape shape = lstm_shape_rlcc;
    struct quant q;
    struct lstm l;
    struct err err;

    (void)unused;
    shape.cells = shape.head.inputs = 8;
    lstm_init(&l, &shape);
    assert_int_equal(-EINVAL, quant_init_lstm(&q, &l, 0.2f, &err));
    assert_string_equal("the net is not 2-32relu-16relu-lstm16-1tanh", err.text);
    lstm_fini(&l);
    lstm_init(&l, &lstm_shape_rlcc);
    l.parameter[64] = 1024;                  /* a bias of the first layer */
    assert_int_equal(-EINVAL, quant_init_lstm(&q, &l, 0.2f, &err));
    assert_string_equal("the net has a bias of 1024; biases are below 1024", err.text);
    lstm_fini(&l);
}

static void flaw__names_what_is_wrong_with_an_lstm(void **unused)
{
    struct quant q, good;
    struct lstm l;

    (void)unused;
    lstm_init(&l, &lstm_shape_rlcc);
    assert_int_equal(0, quant_init_lstm(&good, &l, 0.2f, NULL));
    q = good;
    q.layer[QUANT_GATES].outputs = q.layer[QUANT_GATES_OF_STATE].outputs = 62;
    q.layer[QUANT_GATES_OF_STATE].inputs = q.layer[QUANT_HEAD].inputs = 15;
    assert_string_equal("has gates that do not fit together", quant_flaw(&q));
    q = good;
    q.layer[QUANT_GATES_OF_STATE].outputs = 60;
    assert_string_equal("has gates that do not fit together", quant_flaw(&q));
    q = good;
    q.layer[QUANT_HEAD].bias[0] = 1 << 26;
    assert_string_equal("has a bias out of range", quant_flaw(&q));
    q = good;
    q.layer[0].bits = 33;
    assert_string_equal("has a scale out of range", quant_flaw(&q));
    q = good;
    q.layers = 6;
    q.layer[5] = (struct quant_layer){ .inputs = 1, .outputs = 1 };
    assert_string_equal("does not have the layers of an LSTM", quant_flaw(&q));
    lstm_fini(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(init__scales_each_row),
        cmocka_unit_test(init__refuses_other_nets),
        cmocka_unit_test(flaw__names_what_is_wrong),
        cmocka_unit_test(multiplier__one_weight_matches_tanh),
        cmocka_unit_test(multiplier__approximates_the_net),
        cmocka_unit_test(multiplier__approximates_random_nets),
        cmocka_unit_test(step__follows_the_closed_form),
        cmocka_unit_test(step__approximates_the_lstm),
        cmocka_unit_test(init_lstm__has_the_size_of_the_paper),
        cmocka_unit_test(init_lstm__refuses_other_nets),
        cmocka_unit_test(flaw__names_what_is_wrong_with_an_lstm),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
