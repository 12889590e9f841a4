/* src/base/nets/dqn_torch_test.c - compares a training run step by step with PyTorch.
 *
 * tests/tools/torch_reference.py generated the reference figures and documents all inputs. Run from the top
 * of the repository.
 */
#include "base/nets/dqn.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define FIGURES "tests/data/learn/torch_dqn.txt"
#define INPUTS  12u
#define ACTIONS 20u
#define BATCH   32u
#define STEPS   30
#define APART   89u              /* stride of the parameters in the file */
#define FLOATS  (2 * INPUTS + 3)

static const struct dqn_cfg cfg = {
    .shape = {
        .inputs = INPUTS, .layers = 4,
        .layer = { { 20, NET_RELU, false }, { 40, NET_RELU, false }, { 40, NET_RELU, false },
                   { ACTIONS, NET_LINEAR, false } },
    },
    .gamma = 0.9, .bend = 1, .norm_max = 0.2, .adam = { .rate = 0.001 },
    .batch = BATCH, .memory = 1, .copy_every = 10,
};

/* The upper 24 bits of a linear congruential generator. */
static uint32_t draw(uint32_t *x)
{
    *x = 1664525u * *x + 1013904223u;
    return *x >> 8;
}

static void draw_net(struct net *n, uint32_t *x)
{
    for (uint32_t i = 0; i < n->parameters; i++)
        n->parameter[i] = ((float)draw(x) - 0x1p23f) * 0x1p-25f;
}

static void draw_record(float *record, uint32_t *x)
{
    float state[INPUTS], next[INPUTS];
    struct dqn_step s = { .state = state, .next = next };

    for (uint32_t i = 0; i < INPUTS; i++)
        state[i] = (float)draw(x) * 0x1p-24f;
    s.action = draw(x) % ACTIONS;
    s.reward = (float)draw(x) * 0x1p-22f - 2;
    for (uint32_t i = 0; i < INPUTS; i++)
        next[i] = (float)draw(x) * 0x1p-24f;
    s.is_end = draw(x) % 8 == 0;
    dqn_record(record, &s, INPUTS);
}

static double learn_batch(struct dqn *d, uint32_t *x)
{
    float record[BATCH][FLOATS];
    const float *records[BATCH];

    for (uint32_t i = 0; i < BATCH; i++) {
        draw_record(record[i], x);
        records[i] = record[i];
    }
    return dqn_learn(d, records, BATCH);
}

static double read_figure(FILE *f)
{
    double figure;

    assert_int_equal(1, fscanf(f, "%lf", &figure));
    return figure;
}

/* Relative tolerance 1e-5. Parameters average about 0.1 and may be near 0, so their tolerance is relative to
 * 0.1. */
static void check_figure(FILE *f, double is, double size_min)
{
    double want = read_figure(f);

    assert_true(fabs(is - want) <= 1e-5 * fmax(fabs(want), size_min));
}

static void check_parameters(FILE *f, const struct net *n)
{
    double sum = 0;

    for (uint32_t i = 0; i < n->parameters; i++)
        sum += (double)n->parameter[i];
    check_figure(f, sum, 0);
    for (uint32_t i = 0; i < n->parameters; i += APART)
        check_figure(f, (double)n->parameter[i], 0.1);
}

static void skip_comments(FILE *f)
{
    char line[256];
    int first;

    while ((first = fgetc(f)) == '#')
        assert_non_null(fgets(line, sizeof(line), f));
    ungetc(first, f);
}

static void learn__matches_pytorch(void **unused)
{
    FILE *f = fopen(FIGURES, "r");
    uint32_t x = 1;
    struct dqn d;

    (void)unused;
    assert_non_null(f);
    skip_comments(f);
    dqn_init(&d, &cfg);
    draw_net(&d.online, &x);
    net_copy(&d.target, &d.online);
    for (int step = 1; step <= STEPS; step++) {
        double loss = learn_batch(&d, &x);

        assert_int_equal(step, (int)read_figure(f));
        check_figure(f, loss, 0);
        check_figure(f, d.gradient_norm, 0);
        check_parameters(f, &d.online);
    }
    assert_int_equal('\n', fgetc(f));
    assert_int_equal(EOF, fgetc(f));
    dqn_fini(&d);
    fclose(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(learn__matches_pytorch),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
