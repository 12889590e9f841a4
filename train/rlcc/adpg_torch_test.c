/* train/rlcc/adpg_torch_test.c - compares training runs step by step with PyTorch.
 *
 * tests/tools/torch_adpg.py generated the reference figures and documents all inputs. Run from the top of the
 * repository.
 */
#include "train/rlcc/adpg.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#define STEPS     20
#define AGENTS    6u
#define STEPS_MAX 15u
#define INPUTS    4u

static const uint32_t length[AGENTS] = { 1, 2, 5, 9, 15, 7 };
static const struct adpg_cfg cfg = { .gamma = 0.99, .smoothing = 1, .clip = 0.05,
                                     .adam = { .rate = 0.01, .epsilon = 1e-5 } };
static const struct net_shape mlp = {
    .inputs = 4, .layers = 3,
    .layer = { { 12, NET_RELU, true }, { 12, NET_RELU, true }, { 1, NET_TANH, true } },
};

struct torch_rollout {
    float                  state[AGENTS][STEPS_MAX * INPUTS], delta[AGENTS][STEPS_MAX];
    struct adpg_trajectory trajectory[AGENTS];
};

static uint32_t draw(uint32_t *x)
{
    *x = 1664525u * *x + 1013904223u;
    return *x >> 8;
}

static void draw_parameters(float *p, uint32_t n, uint32_t *x)
{
    for (uint32_t i = 0; i < n; i++)
        p[i] = ((float)draw(x) - 0x1p23f) * 0x1p-24f;
}

static float draw_delta(uint32_t *x)
{
    return (float)(draw(x) >> 4) * 0x1p-18f - 2;
}

static void draw_rollout(struct torch_rollout *r, uint32_t inputs, uint32_t *x)
{
    for (uint32_t a = 0; a < AGENTS; a++) {
        for (uint32_t i = 0; i < length[a] * inputs; i++)
            r->state[a][i] = i % 2 ? draw_delta(x) : (float)(draw(x) >> 4) * 0x1p-21f + 0.75f;
        for (uint32_t i = 0; i < length[a]; i++)
            r->delta[a][i] = draw_delta(x);
        r->trajectory[a] = (struct adpg_trajectory){ length[a], r->state[a], r->delta[a] };
    }
}

static double read_figure(FILE *f)
{
    double figure;

    assert_int_equal(1, fscanf(f, "%lf", &figure));
    return figure;
}

static void check_figure(FILE *f, double is, double size_min)
{
    double want = read_figure(f);

    assert_true(fabs(is - want) <= 2e-5 * fmax(fabs(want), size_min));
}

static void check_parameters(FILE *f, const struct adpg *a, uint32_t apart)
{
    double sum = 0;

    for (uint32_t i = 0; i < a->parameters; i++)
        sum += (double)a->parameter[i];
    check_figure(f, sum, 1);
    for (uint32_t i = 0; i < a->parameters; i += apart)
        check_figure(f, (double)a->parameter[i], 0.5);
}

/* Recovers the gradient before clipping from a separate step. */
static double largest_component(struct adpg *a, const struct torch_rollout *r)
{
    float largest = 0;   /* without fmax: gcc 12 for aarch64 crashes on that loop */
    uint32_t agents = adpg_agents(r->trajectory, AGENTS);

    for (uint32_t i = 0; i < a->parameters; i++)
        a->gradient[i] = 0;
    for (uint32_t i = 0; i < AGENTS; i++)
        if (length[i] > 1)
            adpg_add(a, &r->trajectory[i], 1.0 / agents, a->gradient);
    for (uint32_t i = 0; i < a->parameters; i++)
        largest = fabsf(a->gradient[i]) > largest ? fabsf(a->gradient[i]) : largest;
    return (double)largest;
}

static void check_run(const char *path, struct adpg *a, uint32_t inputs, uint32_t apart, uint32_t *x)
{
    FILE *f = fopen(path, "r");
    struct torch_rollout r;
    char line[256];

    assert_non_null(f);
    for (int i = 0; i < 3; i++)
        assert_non_null(fgets(line, sizeof(line), f));
    for (int step = 1; step <= STEPS; step++) {
        double largest;

        draw_rollout(&r, inputs, x);
        largest = largest_component(a, &r);
        assert_int_equal(step, (int)read_figure(f));
        check_figure(f, adpg_update(a, r.trajectory, AGENTS), 0.1);
        check_figure(f, largest, 0);
        check_parameters(f, a, apart);
    }
    assert_int_equal('\n', fgetc(f));
    assert_int_equal(EOF, fgetc(f));
    fclose(f);
}

static void update__net_matches_pytorch(void **unused)
{
    uint32_t x = 1;
    struct adpg a;
    struct policy p = { .body = POLICY_MLP };

    (void)unused;
    net_init(&p.mlp, &mlp);
    draw_parameters(p.mlp.parameter, p.mlp.parameters, &x);
    adpg_init(&a, &cfg, &p, STEPS_MAX);
    check_run("tests/data/learn/torch_adpg_mlp.txt", &a, 4, 17, &x);
    adpg_fini(&a);
    policy_fini(&p);
}

static void update__lstm_matches_pytorch(void **unused)
{
    uint32_t x = 1;
    struct adpg a;
    struct policy p = { .body = POLICY_LSTM };

    (void)unused;
    lstm_init(&p.lstm, &lstm_shape_rlcc);
    draw_parameters(p.lstm.parameter, p.lstm.parameters, &x);
    adpg_init(&a, &cfg, &p, STEPS_MAX);
    check_run("tests/data/learn/torch_adpg_lstm.txt", &a, 2, 89, &x);
    adpg_fini(&a);
    policy_fini(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(update__net_matches_pytorch),
        cmocka_unit_test(update__lstm_matches_pytorch),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
