/* train/rlcc/adpg_test.c - the loss against hand-computed values and finite differences. */
#include "train/rlcc/adpg.h"

#include "base/nets/net.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static const struct net_shape mlp = {
    .inputs = 4, .layers = 3,
    .layer = { { 12, NET_RELU, true }, { 12, NET_RELU, true }, { 1, NET_TANH, true } },
};

/* The definition in adpg.h, sum by sum. */
static double loss_by_definition(const struct adpg_cfg *cfg, const double *u, const float *delta, uint32_t n)
{
    double sum = 0;

    for (uint32_t i = 0; i < n; i++) {
        double to_go = 0, smooth = 0;

        for (uint32_t k = i; k < n; k++)
            to_go += pow(cfg->gamma, k - i) * (double)delta[k];
        for (uint32_t j = i + 1; j < n; j++)
            smooth += 0.5 * (u[i] - u[j]) * (u[i] - u[j]);
        sum += (u[i] * to_go + cfg->smoothing * smooth) / (n - i);
    }
    return sum / n;
}

/* gamma 1/2, two steps. To-go: (2 + 1/2 (-4)) / 2 = 0 and -4. Loss: (1/2 0 + 1/4 (-4)) / 2 = -1/2, and for
 * the smoothing 1/2 (1/4)^2 / 2 / 2 = 1/128. Slopes: 0 and -2; smoothing +-(1/4) / 2 / 2 = +-1/16. */
static void loss__of_two_steps_by_hand(void **unused)
{
    static const float u[] = { 0.5f, 0.25f }, delta[] = { 2, -4 };
    struct adpg_cfg cfg = { .gamma = 0.5, .smoothing = 0, .clip = 1 };
    float slope[2];

    (void)unused;
    assert_true(adpg_loss(&cfg, u, delta, 2, slope) == -0.5);
    assert_true(slope[0] == 0 && slope[1] == -2);
    cfg.smoothing = 1;
    assert_true(adpg_loss(&cfg, u, delta, 2, slope) == -0.5 + 1.0 / 128);
    assert_true(slope[0] == 0.0625f && slope[1] == -2.0625f);
}

/* Equation (3): each action is weighted with the delta that followed it, 1/n sum_i u[i] delta[i]. */
static void loss__without_gamma_is_equation_3(void **unused)
{
    static const float u[] = { 0.5f, 0.25f, -1 }, delta[] = { 2, -4, 8 };
    struct adpg_cfg cfg = { .gamma = 0, .smoothing = 0, .clip = 1 };
    float slope[3];

    (void)unused;
    assert_true(fabs(adpg_loss(&cfg, u, delta, 3, slope) - (1 - 1 - 8) / 3.0) < 1e-12);
    for (int i = 0; i < 3; i++)
        assert_true(fabs((double)slope[i] - (double)delta[i] / 3) < 1e-6);
}

/* With gamma 1, the to-go of a constant delta is that delta for any length of the flow: a mean. */
static void loss__uses_the_mean_to_go(void **unused)
{
    static const float u[] = { 1, 1, 1, 1, 1 }, delta[] = { 3, 3, 3, 3, 3 };
    struct adpg_cfg cfg = { .gamma = 1, .smoothing = 1, .clip = 1 };
    float slope[5];

    (void)unused;
    for (uint32_t n = 2; n <= 5; n++) {
        assert_true(fabs(adpg_loss(&cfg, u, delta, n, slope) - 3) < 1e-12);
        for (uint32_t i = 0; i < n; i++)
            assert_true(fabs((double)slope[i] - 3.0 / n) < 1e-6);
    }
}

static void loss__matches_the_definition_and_its_slope(void **unused)
{
    struct adpg_cfg cfg = { .gamma = 0.9, .smoothing = 0.7, .clip = 1 };
    float u[40], delta[40], slope[40];
    double exact[40];
    struct rng rng;

    (void)unused;
    rng_init(&rng, 1, 0);
    for (uint32_t n = 2; n <= 40; n++) {
        for (uint32_t i = 0; i < n; i++) {
            exact[i] = (double)(u[i] = (float)(2 * rng_real(&rng) - 1));
            delta[i] = (float)(8 * rng_real(&rng) - 2);
        }
        assert_true(fabs(adpg_loss(&cfg, u, delta, n, slope) - loss_by_definition(&cfg, exact, delta, n)) <
                    1e-9);
        for (uint32_t i = 0; i < n; i++) {
            double up, at = exact[i];

            exact[i] = at + 1e-4;
            up = loss_by_definition(&cfg, exact, delta, n);
            exact[i] = at - 1e-4;
            assert_true(fabs((up - loss_by_definition(&cfg, exact, delta, n)) / 2e-4 - (double)slope[i]) <
                        1e-6);
            exact[i] = at;
        }
    }
}

/* ---- updates ---- */

struct toy_world { float state[8][6 * 4], delta[8][6]; struct adpg_trajectory t[8]; };

static void draw_world(struct toy_world *w, uint32_t agents, const uint32_t *steps, uint64_t seed)
{
    struct rng rng;

    rng_init(&rng, seed, 0);
    for (uint32_t a = 0; a < agents; a++) {
        for (uint32_t i = 0; i < steps[a] * 4; i++)
            w->state[a][i] = (float)(i % 2 ? 4 * rng_real(&rng) - 1 : 0.8 + 0.4 * rng_real(&rng));
        for (uint32_t i = 0; i < steps[a]; i++)
            w->delta[a][i] = (float)(4 * rng_real(&rng) - 1);
        w->t[a] = (struct adpg_trajectory){ steps[a], w->state[a], w->delta[a] };
    }
}

static void begin(struct policy *p, struct adpg *a, const struct adpg_cfg *cfg)
{
    struct rng rng;

    rng_init(&rng, 9, 0);
    *p = (struct policy){ .body = POLICY_MLP };
    net_init(&p->mlp, &mlp);
    orthogonal_net(&p->mlp, sqrt(2), &rng);
    adpg_init(a, cfg, p, 6);
}

/* Agents with a single step affect neither the gradient nor its normalization. */
static void update__ignores_agents_with_one_step(void **unused)
{
    static const uint32_t with[] = { 1, 6, 1, 3, 1 };
    struct adpg_cfg cfg = { 0 };
    struct toy_world w;
    struct adpg_trajectory two[2];
    struct policy p[2];
    struct adpg a[2];

    (void)unused;
    draw_world(&w, 5, with, 3);
    two[0] = w.t[1];
    two[1] = w.t[3];
    for (int i = 0; i < 2; i++)
        begin(&p[i], &a[i], &cfg);
    assert_int_equal(2, adpg_agents(w.t, 5));
    assert_true(adpg_update(&a[0], w.t, 5) == adpg_update(&a[1], two, 2));
    assert_memory_equal(p[0].mlp.parameter, p[1].mlp.parameter, 204 * sizeof(float));
    for (int i = 0; i < 2; i++) {
        adpg_fini(&a[i]);
        policy_fini(&p[i]);
    }
}

static void update__without_agents_changes_nothing(void **unused)
{
    static const uint32_t steps[] = { 1, 1 };
    struct adpg_cfg cfg = { 0 };
    float before[204];
    struct toy_world w;
    struct adpg a;
    struct policy p;

    (void)unused;
    draw_world(&w, 2, steps, 3);
    begin(&p, &a, &cfg);
    memcpy(before, p.mlp.parameter, sizeof(before));
    assert_true(adpg_update(&a, w.t, 2) == 0);
    assert_memory_equal(before, p.mlp.parameter, sizeof(before));
    adpg_fini(&a);
    policy_fini(&p);
}

/* Two agents with equal trajectories count as one. */
static void update__is_a_mean_over_agents(void **unused)
{
    static const uint32_t steps[] = { 5 };
    struct adpg_cfg cfg = { 0 };
    struct adpg_trajectory two[2];
    struct policy p[2];
    struct adpg a[2];
    struct toy_world w;

    (void)unused;
    draw_world(&w, 1, steps, 4);
    two[0] = two[1] = w.t[0];
    for (int i = 0; i < 2; i++)
        begin(&p[i], &a[i], &cfg);
    assert_true(adpg_update(&a[0], w.t, 1) == adpg_update(&a[1], two, 2));
    for (int i = 0; i < 204; i++)
        assert_true(fabsf(a[0].gradient[i] - a[1].gradient[i]) < 1e-6f);
    for (int i = 0; i < 2; i++) {
        adpg_fini(&a[i]);
        policy_fini(&p[i]);
    }
}

static void update__clips_every_component(void **unused)
{
    static const uint32_t steps[] = { 6 };
    struct adpg_cfg cfg = { .clip = 0.01 };
    uint32_t cut = 0, whole = 0;
    struct toy_world w;
    struct adpg a;
    struct policy p;

    (void)unused;
    draw_world(&w, 1, steps, 5);
    begin(&p, &a, &cfg);
    adpg_update(&a, w.t, 1);
    for (int i = 0; i < 204; i++) {
        assert_true(fabsf(a.gradient[i]) <= 0.01f);
        cut += fabsf(a.gradient[i]) == 0.01f;
        whole += fabsf(a.gradient[i]) < 0.01f && a.gradient[i] != 0;
    }
    assert_true(cut > 0 && whole > 0);
    adpg_fini(&a);
    policy_fini(&p);
}

/* A toy network: rate *= 1 + 0.2 u, delta = rate - 1, without delay. Following the gradient raises the rate
 * below 1 and lowers it above. */
static float play(const struct net *n, float rate, struct toy_world *w)
{
    float last = rate - 1;

    for (int i = 0; i < 6; i++) {
        float x[4] = { 1, last, 1, rate - 1 }, u;

        memcpy(w->state[0] + 4 * i, x, sizeof(x));
        last = rate - 1;
        net_run(n, x, &u);
        rate *= 1 + 0.2f * u;
        w->delta[0][i] = rate - 1;
    }
    w->t[0] = (struct adpg_trajectory){ 6, w->state[0], w->delta[0] };
    return fabsf(rate - 1);
}

static void update__learns_a_toy(void **unused)
{
    struct adpg_cfg cfg = { 0 };
    struct toy_world w;
    struct adpg a;
    struct policy p;

    (void)unused;
    begin(&p, &a, &cfg);
    for (int i = 0; i < 300; i++) {
        play(&p.mlp, i % 2 ? 0.5f : 1.5f, &w);
        adpg_update(&a, w.t, 1);
    }
    assert_true(play(&p.mlp, 0.6f, &w) < 0.15f && play(&p.mlp, 1.4f, &w) < 0.15f);
    adpg_fini(&a);
    policy_fini(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loss__of_two_steps_by_hand),
        cmocka_unit_test(loss__without_gamma_is_equation_3),
        cmocka_unit_test(loss__uses_the_mean_to_go),
        cmocka_unit_test(loss__matches_the_definition_and_its_slope),
        cmocka_unit_test(update__ignores_agents_with_one_step),
        cmocka_unit_test(update__without_agents_changes_nothing),
        cmocka_unit_test(update__is_a_mean_over_agents),
        cmocka_unit_test(update__clips_every_component),
        cmocka_unit_test(update__learns_a_toy),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
