#include "learn/policy/orthogonal.h"

#include "base/digest.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fill__is_orthogonal),
        cmocka_unit_test(fill__favours_no_direction),
        cmocka_unit_test(fill__has_the_same_bits_everywhere),
        cmocka_unit_test(net__biases_are_zero),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
