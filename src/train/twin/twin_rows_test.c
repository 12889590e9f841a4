/* src/train/twin/twin_rows_test.c - fits nets to data from a formula. */
#include "train/twin/twin_rows.h"
#include "base/rng.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* Gains are linear in the first two inputs, with some noise. Only every other network has elephants. */
static struct twin_row make_row(struct rng *r, uint32_t network)
{
    struct twin_row row = { .network = network };

    for (int i = 0; i < SURROGATE_INPUTS; i++)
        row.input[i] = (float)(2 * rng_real(r) - 1);
    for (int i = 0; i < GOAL_PARTS; i++) {
        row.has[i] = i != GOAL_ELEPHANTS || network % 2;
        row.gain[i] = row.has[i] ? 0.3f * row.input[0] - 0.2f * row.input[25] : 7;
    }
    return row;
}

static struct twin_rows make_rows(void)
{
    struct twin_rows t = { 0 };
    struct rng       r;

    rng_init(&r, 1, 0);
    for (uint32_t i = 0; i < 400; i++) {
        struct twin_row row = make_row(&r, i / 8);

        twin_rows_add(&t, &row);
    }
    return t;
}

static void fit(const struct twin_rows *t, struct net *net)
{
    struct net_shape shape;

    surrogate_shape(&shape);
    net_init(net, &shape);
    twin_rows_fit(t, net, 60, 3);
}

/* The error on unseen rows is a fraction of the signal. Missing parts have no effect. */
static void twin_rows_fit__finds_a_line(void **state)
{
    struct twin_rows t = make_rows();
    struct net       net;
    struct rng       r;
    double           off = 0, all = 0;

    (void)state;
    fit(&t, &net);
    rng_init(&r, 2, 0);
    for (uint32_t i = 0; i < 200; i++) {
        struct twin_row row = make_row(&r, 1);
        float           out[SURROGATE_OUTPUTS];

        net_run(&net, row.input, out);
        for (int k = 0; k < SURROGATE_OUTPUTS; k++) {
            off += pow(out[k] - row.gain[k % GOAL_PARTS], 2);
            all += pow(row.gain[k % GOAL_PARTS], 2);
        }
    }
    assert_true(off < 0.1 * all);
    net_fini(&net);
    free(t.row);
}

static void twin_rows_fit__is_reproducible_and_heads_differ(void **state)
{
    struct twin_rows t = make_rows();
    struct net       one, two;
    float            out[SURROGATE_OUTPUTS];

    (void)state;
    fit(&t, &one);
    fit(&t, &two);
    assert_memory_equal(one.parameter, two.parameter, one.parameters * sizeof(float));
    net_run(&one, t.row[0].input, out);
    for (int h = 1; h < SURROGATE_HEADS; h++)
        assert_true(out[h * GOAL_PARTS] != out[0]);
    net_fini(&one);
    net_fini(&two);
    free(t.row);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(twin_rows_fit__finds_a_line),
        cmocka_unit_test(twin_rows_fit__is_reproducible_and_heads_differ),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
