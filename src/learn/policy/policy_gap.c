#include "learn/policy/policy_gap.h"

#include "base/rng.h"

#include <math.h>
#include <string.h>

void policy_gap_add(struct policy_gap *g, const float x[POLICY_FEATURES], float a, float b)
{
    double away = fabs((double)a - (double)b);

    if (g->states == 0 || away > g->largest) {
        g->largest = away;
        memcpy(g->x, x, sizeof(g->x));
        g->a = a;
        g->b = b;
    }
    g->states++;
    g->sum += away;
    g->squares += away * away;
}

static float draw_action(struct rng *rng)
{
    double low = 1 / (1 + (double)POLICY_RANGE), high = 1 + (double)POLICY_RANGE;

    return (float)(low + (high - low) * rng_real(rng));
}

static float draw_delta(struct rng *rng, float delta_max)
{
    double place = rng_real(rng);

    return (float)(rng_below(rng, 2) ? 1.6 * place - 0.8 : 0.8 + ((double)delta_max - 0.8) * place);
}

void policy_gap_state(struct rng *rng, float delta_max, float x[POLICY_FEATURES])
{
    for (int i = 0; i < POLICY_FEATURES; i++)
        x[i] = i % 2 ? draw_delta(rng, delta_max) : draw_action(rng);
}

void policy_gap_draw(struct policy_gap *g, const struct policy *a, const struct policy *b,
                     const struct policy_gap_cfg *cfg)
{
    uint64_t states = cfg->states ? cfg->states : 1000000;
    float delta_max = cfg->delta_max > 0 ? cfg->delta_max : POLICY_GAP_NEAR;
    struct rng rng;

    rng_init(&rng, cfg->seed ? cfg->seed : 1, 0);
    for (uint64_t i = 0; i < states; i++) {
        float x[POLICY_FEATURES];

        policy_gap_state(&rng, delta_max, x);
        policy_gap_add(g, x, policy_try(a, x), policy_try(b, x));
    }
}

double policy_gap_mean(const struct policy_gap *g)
{
    return g->states ? g->sum / (double)g->states : 0;
}

double policy_gap_rms(const struct policy_gap *g)
{
    return g->states ? sqrt(g->squares / (double)g->states) : 0;
}

void policy_gap_print(FILE *out, const struct policy_gap *g, const char *a, const char *b)
{
    fprintf(out, "  mean %.5f, root mean square %.5f\n", policy_gap_mean(g), policy_gap_rms(g));
    fprintf(out, "  largest %.5f: %s %.4f, %s %.4f\n", g->largest, a, (double)g->a, b, (double)g->b);
    fprintf(out, "    at actions %.3f, %.3f and deltas %.3f, %.3f, the older one first\n", (double)g->x[0],
            (double)g->x[2], (double)g->x[1], (double)g->x[3]);
}
