/* src/base/nets/net_test.c - nets against plain sums in double. */
#include "base/nets/net.h"
#include "base/digest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#define ROWS 7

/* Widths that need a tile, more than a tile, a vector and a remainder; every activation, with and without
 * biases. */
static const struct net_shape odd = {
    .inputs = 5, .layers = 4,
    .layer = { { 23, NET_TANH, false }, { 20, NET_RELU, true }, { 6, NET_RELU, false },
               { 3, NET_TANH, true } },
};

static const struct net_shape acc = {
    .inputs = 12, .layers = 4,
    .layer = { { 20, NET_RELU, false }, { 40, NET_RELU, false }, { 40, NET_RELU, false },
               { 20, NET_LINEAR, false } },
};

static float draw(struct rng *r)
{
    return (float)(2 * rng_real(r) - 1);
}

/* A net with random biases, and ROWS inputs for it. */
static void make_net(struct net *n, const struct net_shape *s, float *x, uint64_t seed)
{
    struct rng r;

    rng_init(&r, seed, 0);
    net_init(n, s);
    net_randomise(n, &r);
    for (uint32_t i = 0; i < n->parameters; i++)
        n->parameter[i] += 0.1f * draw(&r);
    for (uint32_t i = 0; i < ROWS * s->inputs; i++)
        x[i] = draw(&r);
}

/* Independent implementation: in double, one sum after the other. *edge is lowered to the smallest distance
 * of a ReLU's input from 0. */
static void run_plain(const struct net_shape *s, const double *p, const double *x, double *y, double *edge)
{
    double in[64], out[64];
    uint32_t inputs = s->inputs;

    memcpy(in, x, inputs * sizeof(*in));
    for (uint32_t i = 0; i < s->layers; i++) {
        const struct net_layer *l = &s->layer[i];

        for (uint32_t o = 0; o < l->width; o++) {
            double sum = l->is_unbiased ? 0 : p[inputs * l->width + o];

            for (uint32_t j = 0; j < inputs; j++)
                sum += in[j] * p[j * l->width + o];
            if (l->activation == NET_RELU)
                *edge = fmin(*edge, fabs(sum));
            out[o] = l->activation == NET_RELU ? fmax(sum, 0) : l->activation == NET_TANH ? tanh(sum) : sum;
        }
        p += inputs * l->width + (l->is_unbiased ? 0 : l->width);
        inputs = l->width;
        memcpy(in, out, inputs * sizeof(*in));
    }
    memcpy(y, in, inputs * sizeof(*y));
}

static void widen(double *to, const float *from, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        to[i] = (double)from[i];
}

/* ---- shapes ---- */

static void shape_flaw__names_what_is_wrong(void **unused)
{
    struct net_shape s = acc;

    (void)unused;
    assert_null(net_shape_flaw(&acc));
    s.layers = 0;
    assert_string_equal("has no layers or too many", net_shape_flaw(&s));
    s.layers = NET_LAYERS_MAX + 1;
    assert_string_equal("has no layers or too many", net_shape_flaw(&s));
    s = acc;
    s.inputs = 0;
    assert_string_equal("has a layer without neurons or with too many", net_shape_flaw(&s));
    s = acc;
    s.layer[3].width = NET_WIDTH_MAX + 1;
    assert_string_equal("has a layer without neurons or with too many", net_shape_flaw(&s));
    s = acc;
    s.layer[0].activation = NET_ACTIVATIONS;
    assert_string_equal("has an activation that is not known", net_shape_flaw(&s));
}

static void shape_parameters__match_the_papers(void **unused)
{
    static const struct net_shape rlcc = {
        .inputs = 4, .layers = 3,
        .layer = { { 12, NET_RELU, true }, { 12, NET_RELU, true }, { 1, NET_TANH, true } },
    };

    (void)unused;
    assert_int_equal(3560, net_shape_parameters(&acc));      /* 3440 weights, 120 biases */
    assert_int_equal(204, net_shape_parameters(&rlcc));
}

static void shape_text__omits_defaults(void **unused)
{
    char text[64], tiny[6];

    (void)unused;
    assert_string_equal("12-20relu-40relu-40relu-20", net_shape_text(text, sizeof(text), &acc));
    assert_string_equal("5-23tanh-20relu*-6relu-3tanh*", net_shape_text(text, sizeof(text), &odd));
    assert_string_equal("12-20", net_shape_text(tiny, sizeof(tiny), &acc));
}

static void shape_equal__compares_every_part(void **unused)
{
    struct net_shape s = odd;

    (void)unused;
    assert_true(net_shape_equal(&s, &odd));
    s.layer[NET_LAYERS_MAX - 1].width = 9;   /* beyond its layers */
    assert_true(net_shape_equal(&s, &odd));
    s.layer[1].is_unbiased = false;
    assert_false(net_shape_equal(&s, &odd));
    s = odd, s.layer[2].activation = NET_TANH;
    assert_false(net_shape_equal(&s, &odd));
    s = odd, s.layer[3].width++;
    assert_false(net_shape_equal(&s, &odd));
    s = odd, s.inputs++;
    assert_false(net_shape_equal(&s, &odd));
    s = odd, s.layers--;
    assert_false(net_shape_equal(&s, &odd));
}

/* ---- parameters ---- */

static void randomise__keeps_to_its_bounds_and_fills_them(void **unused)
{
    double bound = sqrt(6.0 / 40), sum = 0, square = 0;
    const float *w;
    struct rng r;
    struct net n;

    (void)unused;
    rng_init(&r, 1, 0);
    net_init(&n, &acc);
    net_randomise(&n, &r);
    w = n.parameter + 12 * 20 + 20 + 20 * 40 + 40;           /* third layer: 40 x 40, before a ReLU */
    for (int i = 0; i < 1600; i++) {
        assert_true(fabs((double)w[i]) <= bound);
        sum += (double)w[i];
        square += (double)w[i] * (double)w[i];
    }
    for (int i = 1600; i < 1640; i++)
        assert_true(w[i] == 0);
    assert_true(fabs(sum / 1600) < 5 * bound / sqrt(3.0 * 1600));
    assert_true(fabs(square / 1600 * 20 - 1) < 0.12);        /* bound^2 / 3 = 1 / 20; five standard errors */
    net_fini(&n);
}

static void mix__interpolates(void **unused)
{
    struct net a, b;

    (void)unused;
    net_init(&a, &odd);
    net_init(&b, &odd);
    a.parameter[7] = 4;
    b.parameter[7] = 8;
    net_mix(&a, &b, 0.25f);
    assert_true(a.parameter[7] == 5 && a.parameter[6] == 0);
    net_copy(&a, &b);
    assert_memory_equal(a.parameter, b.parameter, a.parameters * sizeof(float));
    net_fini(&a);
    net_fini(&b);
}

/* ---- forward ---- */

static void run__by_hand(void **unused)
{
    /* relu(1*2 + 3*4 - 20) = 0, relu(1*-1 + 3*2 + 1) = 6; then 0*5 + 6*7 + 0.5 */
    static const struct net_shape s = {
        .inputs = 2, .layers = 2, .layer = { { 2, NET_RELU, false }, { 1, NET_LINEAR, false } },
    };
    static const float p[] = { 2, -1, 4, 2, -20, 1, 5, 7, 0.5f }, x[] = { 1, 3 };
    struct net n;
    float y;

    (void)unused;
    net_init(&n, &s);
    assert_int_equal(9, n.parameters);
    memcpy(n.parameter, p, sizeof(p));
    net_run(&n, x, &y);
    assert_true(y == 42.5f);
    net_fini(&n);
}

static void check_run(const struct net_shape *s)
{
    float x[ROWS * 64], y[64];
    double p[4000], wide[64], want[64], edge = 1;
    struct net n;

    make_net(&n, s, x, 3);
    widen(p, n.parameter, n.parameters);
    for (uint32_t r = 0; r < ROWS; r++) {
        net_run(&n, x + r * s->inputs, y);
        widen(wide, x + r * s->inputs, s->inputs);
        run_plain(s, p, wide, want, &edge);
        for (uint32_t o = 0; o < net_shape_outputs(s); o++)
            assert_true(fabs((double)y[o] - want[o]) < 2e-6);
    }
    net_fini(&n);
}

static void run__is_the_plain_sum(void **unused)
{
    (void)unused;
    check_run(&odd);
    check_run(&acc);
}

static void run__propagates_nan(void **unused)
{
    float x[ROWS * 12], y[20];
    struct net n;

    (void)unused;
    make_net(&n, &acc, x, 3);
    x[5] = NAN;
    net_run(&n, x, y);
    for (int i = 0; i < 20; i++)
        assert_true(isnan(y[i]));
    net_fini(&n);
}

static void forward__gives_the_bits_of_run(void **unused)
{
    static const struct net_shape *const shape[] = { &odd, &acc };
    float x[ROWS * 12], y[20];

    (void)unused;
    for (int i = 0; i < 2; i++) {
        uint32_t outputs = net_shape_outputs(shape[i]);
        struct net_batch b;
        struct net n;

        make_net(&n, shape[i], x, 4);
        net_batch_init(&b, shape[i], ROWS + 2);
        for (uint32_t rows = 1; rows <= ROWS; rows++) {
            const float *all = net_forward(&n, &b, x, rows);

            for (uint32_t r = 0; r < rows; r++) {
                net_run(&n, x + r * shape[i]->inputs, y);
                assert_memory_equal(y, all + r * outputs, outputs * sizeof(*y));
            }
        }
        net_batch_fini(&b);
        net_fini(&n);
    }
}

static void largest__is_the_first_of_equals(void **unused)
{
    static const float value[] = { -3, -1, -2, -1 };

    (void)unused;
    assert_int_equal(1, net_largest(value, 4));
    assert_int_equal(0, net_largest(value, 1));
}

/* ---- backward ---- */

/* Test loss: a weighted sum of all outputs. */
struct loss_probe {
    const struct net_shape *shape;
    double p[4000], x[ROWS * 64], dy[ROWS * 64], edge;
};

static double probe_loss(struct loss_probe *t)
{
    uint32_t outputs = net_shape_outputs(t->shape);
    double y[64], sum = 0;

    for (uint32_t r = 0; r < ROWS; r++) {
        run_plain(t->shape, t->p, t->x + r * t->shape->inputs, y, &t->edge);
        for (uint32_t o = 0; o < outputs; o++)
            sum += t->dy[r * outputs + o] * y[o];
    }
    return sum;
}

static double probe_slope(struct loss_probe *t, double *at)
{
    double step = 1e-6, was = *at, up;

    *at = was + step;
    up = probe_loss(t);
    *at = was - step;
    up -= probe_loss(t);
    *at = was;
    return up / (2 * step);
}

static void check_backward(const struct net_shape *s, uint64_t seed)
{
    static struct loss_probe t;
    static float gradient[4000];
    float x[ROWS * 64], dy[ROWS * 64], dx[ROWS * 64];
    struct net_batch b;
    struct net n;
    struct rng r;

    make_net(&n, s, x, seed);
    rng_init(&r, seed, 1);
    for (uint32_t i = 0; i < ROWS * net_shape_outputs(s); i++)
        dy[i] = draw(&r);
    memset(gradient, 0, sizeof(gradient));
    net_batch_init(&b, s, ROWS);
    net_forward(&n, &b, x, ROWS);
    net_backward(&n, &b, dy, gradient, dx);

    t.shape = s;
    t.edge = 1;
    widen(t.p, n.parameter, n.parameters);
    widen(t.x, x, ROWS * s->inputs);
    widen(t.dy, dy, ROWS * net_shape_outputs(s));
    for (uint32_t i = 0; i < n.parameters; i++)
        assert_true(fabs(probe_slope(&t, &t.p[i]) - (double)gradient[i]) < 2e-5);
    for (uint32_t i = 0; i < ROWS * s->inputs; i++)
        assert_true(fabs(probe_slope(&t, &t.x[i]) - (double)dx[i]) < 2e-5);
    assert_true(t.edge > 1e-5);  /* otherwise a step crossed the kink of a ReLU, and the check is void */
    net_batch_fini(&b);
    net_fini(&n);
}

static void backward__is_the_slope_of_the_loss(void **unused)
{
    (void)unused;
    check_backward(&odd, 1);
    check_backward(&acc, 5);
}

static void backward__adds_to_the_gradient(void **unused)
{
    static float once[4000], twice[4000];
    float x[ROWS * 64], dy[ROWS * 64];
    struct net_batch b;
    struct net n;

    (void)unused;
    make_net(&n, &odd, x, 6);
    for (uint32_t i = 0; i < ROWS * 3; i++)
        dy[i] = (float)i;
    net_batch_init(&b, &odd, ROWS);
    net_forward(&n, &b, x, ROWS);
    net_backward(&n, &b, dy, once, NULL);
    net_backward(&n, &b, dy, twice, NULL);
    net_backward(&n, &b, dy, twice, NULL);
    for (uint32_t i = 0; i < n.parameters; i++)
        assert_true(fabs(2 * (double)once[i] - (double)twice[i]) <= 1e-5 * (1 + fabs((double)once[i])));
    net_batch_fini(&b);
    net_fini(&n);
}

/* Recorded on aarch64 and x86-64, with gcc and clang. */
static void backward__gives_the_same_bits_everywhere(void **unused)
{
    static float gradient[4000];
    char text[DIGEST_TEXT_SIZE];
    float x[ROWS * 5], dx[ROWS * 5];
    struct digest digest;
    struct net_batch b;
    struct net n;

    (void)unused;
    make_net(&n, &odd, x, 7);
    net_batch_init(&b, &odd, ROWS);
    net_backward(&n, &b, net_forward(&n, &b, x, ROWS), gradient, dx);
    digest_init(&digest);
    digest_add(&digest, gradient, n.parameters * sizeof(float));
    digest_add(&digest, dx, sizeof(dx));
    assert_string_equal("6cc685de8b7c3ba6a458537a9b1dafe2", digest_text(text, &digest));
    net_batch_fini(&b);
    net_fini(&n);
}

/* ---- tanh ---- */

static void of__matches_the_c_library(void **unused)
{
    (void)unused;
    for (float x = 1e-9f; x < 30; x *= 1.0007f) {
        double want = tanh((double)x), unit = nextafterf((float)want, 2) - (float)want;

        assert_true(fabs((double)tanh_of(x) - want) <= unit);
        assert_true(tanh_of(-x) == -tanh_of(x));
    }
}

static void of__is_monotonic_between_pieces(void **unused)
{
    static const float seam[] = { 0x1p-13f, 9.02f };

    (void)unused;
    for (int i = 0; i < 2; i++) {
        float x = seam[i] * 0.99999f;

        for (int step = 0; step < 400; step++, x = nextafterf(x, 10))
            assert_true(tanh_of(nextafterf(x, 10)) >= tanh_of(x));
    }
}

static void of__extreme_values(void **unused)
{
    (void)unused;
    assert_true(tanh_of(0) == 0);
    assert_true(signbit(tanh_of(-0.0f)));
    assert_true(tanh_of(INFINITY) == 1 && tanh_of(-INFINITY) == -1);
    assert_true(isnan(tanh_of(NAN)));
}

/* ---- orthogonal ---- */

#define SIDE_MAX 64

/* Scalar products of all pairs of vectors along the shorter side are 0, and gain^2 of a vector with
 * itself. */
static void check_angles(const float *w, uint32_t inputs, uint32_t outputs, double gain)
{
    bool is_wide = outputs > inputs;
    uint32_t vectors = is_wide ? inputs : outputs, n = is_wide ? outputs : inputs;

    for (uint32_t a = 0; a < vectors; a++)
        for (uint32_t b = 0; b < vectors; b++) {
            double sum = 0;

            for (uint32_t i = 0; i < n; i++)
                sum += (double)w[is_wide ? a * n + i : i * vectors + a]
                    * (double)w[is_wide ? b * n + i : i * vectors + b];
            assert_true(fabs(sum - (a == b ? gain * gain : 0)) < 1e-6);
        }
}

static void fill__is_orthogonal(void **unused)
{
    static const uint32_t side[][2] = { { 4, 12 }, { 12, 12 }, { 12, 1 }, { 16, 64 }, { 64, 16 }, { 1, 1 } };
    float w[SIDE_MAX * SIDE_MAX];
    struct rng rng;

    (void)unused;
    rng_init(&rng, 7, 0);
    for (uint32_t i = 0; i < sizeof(side) / sizeof(*side); i++) {
        orthogonal_fill(w, side[i][0], side[i][1], sqrt(2), &rng);
        check_angles(w, side[i][0], side[i][1], sqrt(2));
    }
}

/* Each component of a unit vector among n has mean 0 and variance 1/n, at any position. */
static void fill__favours_no_direction(void **unused)
{
    double sum[4] = { 0 }, square[4] = { 0 };
    struct rng rng;
    float w[4];

    (void)unused;
    rng_init(&rng, 8, 0);
    for (int i = 0; i < 4000; i++) {
        orthogonal_fill(w, 4, 1, 1, &rng);
        for (int j = 0; j < 4; j++) {
            sum[j] += (double)w[j];
            square[j] += (double)w[j] * (double)w[j];
        }
    }
    for (int j = 0; j < 4; j++) {
        assert_true(fabs(sum[j] / 4000) < 4 * sqrt(0.25 / 4000));
        assert_true(fabs(square[j] / 4000 - 0.25) < 0.015);
    }
}

static void net__biases_are_zero(void **unused)
{
    struct net_shape s = { .inputs = 2, .layers = 2,
                           .layer = { { 3, NET_RELU, false }, { 1, NET_TANH, true } } };
    struct rng rng;
    struct net n;

    (void)unused;
    rng_init(&rng, 1, 0);
    net_init(&n, &s);
    n.parameter[7] = 5;
    orthogonal_net(&n, 2, &rng);
    check_angles(n.parameter, 2, 3, 2);
    for (int i = 6; i < 9; i++)
        assert_true(n.parameter[i] == 0);
    check_angles(n.parameter + 9, 3, 1, 2);
    net_fini(&n);
}

/* Recorded on x86-64; aarch64 must give the same. */
static void fill__has_the_same_bits_everywhere(void **unused)
{
    char text[DIGEST_TEXT_SIZE];
    struct digest digest;
    float w[12 * 12];
    struct rng rng;

    (void)unused;
    rng_init(&rng, 3, 0);
    orthogonal_fill(w, 12, 12, sqrt(2), &rng);
    digest_init(&digest);
    digest_add(&digest, w, sizeof(w));
    assert_string_equal("34654b6d7e5fb82481c92ccf5caf552d", digest_text(text, &digest));
}

/* ---- adam ---- */

/* With beta1 = beta2 = 1/2 and epsilon 1, from p = 10 with rate 1:
 *
 *   g = 2:   m = 1      v = 2     m' = 2      v' = 4         p -= 2 / 3
 *   g = -4:  m = -3/2   v = 9     m' = -2     v' = 12        p += 2 / (sqrt(12) + 1)
 *   g = 0:   m = -3/4   v = 9/2   m' = -6/7   v' = 36/7      p += (6/7) / (sqrt(36/7) + 1)
 */
static void step__by_hand(void **unused)
{
    struct adam_cfg cfg = { .rate = 1, .beta1 = 0.5, .beta2 = 0.5, .epsilon = 1 };
    static const float gradient[] = { 2, -4, 0 };
    double move[] = { -2.0 / 3, 2 / (sqrt(12) + 1), 6.0 / 7 / (sqrt(36.0 / 7) + 1) }, want = 10;
    struct adam a;
    float p = 10;

    (void)unused;
    adam_init(&a, &cfg, 1);
    for (int i = 0; i < 3; i++) {
        adam_step(&a, &p, &gradient[i]);
        want += move[i];
        assert_true(fabs((double)p - want) < 3e-6);
    }
    adam_reset(&a);
    adam_step(&a, &p, &gradient[0]);
    assert_true(fabs((double)p - (want + move[0])) < 3e-6);
    adam_fini(&a);
}

/* With a constant gradient of any size, a step equals the rate. */
static void step__is_the_rate_by_default(void **unused)
{
    float p[7] = { 0 }, g[7] = { 1e-3f, -1e-3f, 1, -1, 100, -100, 0 };
    struct adam a;

    (void)unused;
    adam_init(&a, &(struct adam_cfg){ 0 }, 7);
    for (int step = 1; step <= 5; step++) {
        adam_step(&a, p, g);
        for (int i = 0; i < 6; i++)
            assert_true(fabs((double)p[i] + 0.001 * step * (i % 2 ? -1 : 1)) < 1e-7);
        assert_true(p[6] == 0);
    }
    adam_fini(&a);
}

static void clip__shortens_and_keeps_the_direction(void **unused)
{
    float g[20] = { [0] = 3, [9] = -4, [17] = 12 };  /* length 13 */

    (void)unused;
    assert_true(adam_clip(g, 20, 0) == 13);
    assert_true(adam_clip(g, 20, 13) == 13);
    assert_true(g[0] == 3 && g[9] == -4 && g[17] == 12);
    assert_true(adam_clip(g, 20, 6.5) == 13);
    assert_true(g[0] == 1.5f && g[9] == -2 && g[17] == 6);
}

static void clip__of_nothing(void **unused)
{
    float g[3] = { 0 };

    (void)unused;
    assert_true(adam_clip(g, 3, 1) == 0);
    assert_true(g[0] == 0 && g[1] == 0 && g[2] == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shape_flaw__names_what_is_wrong),
        cmocka_unit_test(shape_parameters__match_the_papers),
        cmocka_unit_test(shape_text__omits_defaults),
        cmocka_unit_test(shape_equal__compares_every_part),
        cmocka_unit_test(randomise__keeps_to_its_bounds_and_fills_them),
        cmocka_unit_test(mix__interpolates),
        cmocka_unit_test(run__by_hand),
        cmocka_unit_test(run__is_the_plain_sum),
        cmocka_unit_test(run__propagates_nan),
        cmocka_unit_test(forward__gives_the_bits_of_run),
        cmocka_unit_test(largest__is_the_first_of_equals),
        cmocka_unit_test(backward__is_the_slope_of_the_loss),
        cmocka_unit_test(backward__adds_to_the_gradient),
        cmocka_unit_test(backward__gives_the_same_bits_everywhere),
        cmocka_unit_test(of__matches_the_c_library),
        cmocka_unit_test(of__is_monotonic_between_pieces),
        cmocka_unit_test(of__extreme_values),
        cmocka_unit_test(fill__is_orthogonal),
        cmocka_unit_test(fill__favours_no_direction),
        cmocka_unit_test(fill__has_the_same_bits_everywhere),
        cmocka_unit_test(net__biases_are_zero),
        cmocka_unit_test(step__by_hand),
        cmocka_unit_test(step__is_the_rate_by_default),
        cmocka_unit_test(clip__shortens_and_keeps_the_direction),
        cmocka_unit_test(clip__of_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
