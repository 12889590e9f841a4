/* src/base/nets/policy/lstm_test.c - LSTM cells against plain sums in double. */
#include "base/nets/policy/lstm.h"

#include "base/digest.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define STEPS 9
#define WIDE  64                 /* largest layer width here */

/* The smallest shape in which every part has more than one element. */
static const struct lstm_shape tiny = {
    .front = { .inputs = 2, .layers = 1, .layer = { { 3, NET_TANH, false } } },
    .cells = 2,
    .head = { .inputs = 2, .layers = 1, .layer = { { 1, NET_TANH, false } } },
};

static void make_lstm(struct lstm *l, const struct lstm_shape *s, float *x, uint64_t seed)
{
    struct rng rng;

    rng_init(&rng, seed, 0);
    lstm_init(l, s);
    lstm_randomise(l, &rng);
    for (uint32_t i = 0; i < l->parameters; i++)
        l->parameter[i] += (float)(0.2 * rng_real(&rng) - 0.1);
    for (uint32_t i = 0; i < STEPS * s->front.inputs; i++)
        x[i] = (float)(2 * rng_real(&rng) - 1);
}

/* One dense layer of net.h. Returns the end of its parameters. */
static const double *plain_layer(const struct net_layer *l, uint32_t inputs, const double *p, const double *x,
                                 double *y)
{
    for (uint32_t o = 0; o < l->width; o++) {
        double sum = p[inputs * l->width + o];

        for (uint32_t i = 0; i < inputs; i++)
            sum += x[i] * p[i * l->width + o];
        y[o] = l->activation == NET_RELU ? fmax(sum, 0) : l->activation == NET_TANH ? tanh(sum) : sum;
    }
    return p + (inputs + 1) * l->width;
}

static const double *plain_net(const struct net_shape *s, const double *p, const double *x, double *y)
{
    double in[WIDE];
    uint32_t inputs = s->inputs;

    memcpy(in, x, inputs * sizeof(*in));
    for (uint32_t i = 0; i < s->layers; i++) {
        p = plain_layer(&s->layer[i], inputs, p, in, y);
        inputs = s->layer[i].width;
        memcpy(in, y, inputs * sizeof(*in));
    }
    return p;
}

/* Input of a gate of a cell. */
static double plain_gate(const struct lstm_shape *s, const double *p, const double *x, const double *h,
                         uint32_t gate, uint32_t cell)
{
    uint32_t inputs = net_shape_outputs(&s->front), row = 4 * s->cells, at = gate * s->cells + cell;
    double sum = p[(inputs + s->cells) * row + at];

    for (uint32_t i = 0; i < inputs; i++)
        sum += x[i] * p[i * row + at];
    for (uint32_t i = 0; i < s->cells; i++)
        sum += h[i] * p[(inputs + i) * row + at];
    return sum;
}

static double logistic(double z)
{
    return 1 / (1 + exp(-z));
}

/* The whole trajectory in double, by the equations in lstm.h. */
static void run_plain(const struct lstm_shape *s, const double *p, const float *x, double *y)
{
    double seen[WIDE], in[WIDE], c[WIDE] = { 0 }, h[WIDE] = { 0 }, before[WIDE];
    uint32_t cell_row = 4 * s->cells;

    for (uint32_t t = 0; t < STEPS; t++) {
        const double *at;

        for (uint32_t i = 0; i < s->front.inputs; i++)
            in[i] = (double)x[t * s->front.inputs + i];
        at = plain_net(&s->front, p, in, seen);
        memcpy(before, h, sizeof(h));
        for (uint32_t i = 0; i < s->cells; i++) {
            c[i] =
                logistic(plain_gate(s, at, seen, before, 1, i)) * c[i] +
                logistic(plain_gate(s, at, seen, before, 0, i)) * tanh(plain_gate(s, at, seen, before, 2, i));
            h[i] = logistic(plain_gate(s, at, seen, before, 3, i)) * tanh(c[i]);
        }
        at += (net_shape_outputs(&s->front) + s->cells + 1) * cell_row;
        plain_net(&s->head, at, h, &y[t]);
    }
}

static double *widen(const float *from, uint32_t n)
{
    double *to = test_malloc(n * sizeof(*to));

    for (uint32_t i = 0; i < n; i++)
        to[i] = (double)from[i];
    return to;
}

/* ---- tests ---- */

static void shape__has_the_parameters_of_the_paper(void **unused)
{
    (void)unused;
    assert_int_equal(2753, lstm_shape_parameters(&lstm_shape_rlcc));
}

static void shape_equal__compares_all_parts(void **unused)
{
    struct lstm_shape s = lstm_shape_rlcc;

    (void)unused;
    assert_true(lstm_shape_equal(&s, &lstm_shape_rlcc));
    s.cells = 17;
    assert_false(lstm_shape_equal(&s, &lstm_shape_rlcc));
    s = lstm_shape_rlcc;
    s.front.layers = 1;
    assert_false(lstm_shape_equal(&s, &lstm_shape_rlcc));
}

static void forward__matches_plain_sums(void **unused)
{
    static const struct lstm_shape *const shape[] = { &tiny, &lstm_shape_rlcc };

    (void)unused;
    for (int k = 0; k < 2; k++) {
        float x[STEPS * 2];
        double want[STEPS], *p;
        const float *y;
        struct lstm_batch b;
        struct lstm l;

        make_lstm(&l, shape[k], x, 5);
        lstm_batch_init(&b, shape[k], STEPS);
        y = lstm_forward(&l, &b, x, STEPS);
        p = widen(l.parameter, l.parameters);
        run_plain(shape[k], p, x, want);
        for (int t = 0; t < STEPS; t++)
            assert_true(fabs((double)y[t] - want[t]) < 2e-6);
        test_free(p);
        lstm_batch_fini(&b);
        lstm_fini(&l);
    }
}

static void run__gives_the_bits_of_forward(void **unused)
{
    struct lstm_state state = { 0 };
    struct lstm_batch b;
    struct lstm l;
    float x[STEPS * 2], u;
    const float *y;

    (void)unused;
    make_lstm(&l, &lstm_shape_rlcc, x, 6);
    lstm_batch_init(&b, &lstm_shape_rlcc, STEPS + 3);
    y = lstm_forward(&l, &b, x, STEPS);
    for (int t = 0; t < STEPS; t++) {
        lstm_run(&l, &state, x + 2 * t, &u);
        assert_memory_equal(&u, &y[t], sizeof(u));
    }
    lstm_batch_fini(&b);
    lstm_fini(&l);
}

/* L = sum of weight[t] * y[t]. */
static double loss(const struct lstm_shape *s, const double *p, const float *x, const float *weight)
{
    double y[STEPS], sum = 0;

    run_plain(s, p, x, y);
    for (int t = 0; t < STEPS; t++)
        sum += (double)weight[t] * y[t];
    return sum;
}

/* Finite differences in double, for every parameter. Parameters whose step crosses the kink of a ReLU are
 * skipped; there are none in 'tiny' and few in RL-CC's net. */
static void check_gradient(const struct lstm_shape *s, uint64_t seed, uint32_t wrong_max)
{
    static const float weight[STEPS] = { 1, -2, 0.5f, 0, 3, -1, 1, 0.25f, -0.75f };
    float x[STEPS * 2], *gradient;
    uint32_t wrong = 0;
    struct lstm_batch b;
    struct lstm l;
    double *p;

    make_lstm(&l, s, x, seed);
    gradient = test_calloc(l.parameters, sizeof(*gradient));
    p = widen(l.parameter, l.parameters);
    lstm_batch_init(&b, s, STEPS);
    lstm_forward(&l, &b, x, STEPS);
    lstm_backward(&l, &b, weight, gradient);
    for (uint32_t i = 0; i < l.parameters; i++) {
        double at = p[i], up, down, slope;

        p[i] = at + 1e-5;
        up = loss(s, p, x, weight);
        p[i] = at - 1e-5;
        down = loss(s, p, x, weight);
        p[i] = at;
        slope = (up - down) / 2e-5;
        wrong += fabs(slope - (double)gradient[i]) > 1e-4 * fmax(1, fabs(slope));
    }
    assert_true(wrong <= wrong_max);
    test_free(p);
    test_free(gradient);
    lstm_batch_fini(&b);
    lstm_fini(&l);
}

static void backward__is_the_slope_through_all_steps(void **unused)
{
    (void)unused;
    check_gradient(&tiny, 1, 0);
    check_gradient(&tiny, 2, 0);
    check_gradient(&lstm_shape_rlcc, 3, 4);
}

static void backward__adds_and_has_the_same_bits_everywhere(void **unused)
{
    float x[STEPS * 2], weight[STEPS], gradient[2753] = { 0 }, twice[2753];
    char text[DIGEST_TEXT_SIZE];
    struct digest digest;
    struct lstm_batch b;
    struct lstm l;

    (void)unused;
    make_lstm(&l, &lstm_shape_rlcc, x, 4);
    for (int t = 0; t < STEPS; t++)
        weight[t] = (float)(t % 3) - 1;
    lstm_batch_init(&b, &lstm_shape_rlcc, STEPS);
    lstm_forward(&l, &b, x, STEPS);
    lstm_backward(&l, &b, weight, gradient);
    digest_init(&digest);
    digest_add(&digest, gradient, sizeof(gradient));
    assert_string_equal("27e82606c2b35c996d3fff558caa100f", digest_text(text, &digest));
    memcpy(twice, gradient, sizeof(twice));
    lstm_backward(&l, &b, weight, twice);
    for (uint32_t i = 0; i < 2753; i++)
        assert_true(fabsf(twice[i] - 2 * gradient[i]) <= 1e-5f * fmaxf(1, fabsf(gradient[i])));
    lstm_batch_fini(&b);
    lstm_fini(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shape__has_the_parameters_of_the_paper),
        cmocka_unit_test(shape_equal__compares_all_parts),
        cmocka_unit_test(forward__matches_plain_sums),
        cmocka_unit_test(run__gives_the_bits_of_forward),
        cmocka_unit_test(backward__is_the_slope_through_all_steps),
        cmocka_unit_test(backward__adds_and_has_the_same_bits_everywhere),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
