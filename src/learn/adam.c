#include "learn/adam.h"

#include "base/err.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SUMS 8                   /* independent sums, to overlap the latencies of additions */

static double or_default(double value, double otherwise)
{
    return value > 0 ? value : otherwise;
}

void adam_init(struct adam *a, const struct adam_cfg *cfg, uint32_t parameters)
{
    *a = (struct adam){
        .cfg = {
            .rate = or_default(cfg->rate, 0.001),
            .beta1 = or_default(cfg->beta1, 0.9), .beta2 = or_default(cfg->beta2, 0.999),
            .epsilon = or_default(cfg->epsilon, 1e-8),
        },
        .parameters = parameters,
        .mean = xcalloc(parameters, sizeof(*a->mean)),
        .square = xcalloc(parameters, sizeof(*a->square)),
    };
    adam_reset(a);
}

void adam_fini(struct adam *a)
{
    free(a->mean);
    free(a->square);
    *a = (struct adam){ 0 };
}

void adam_reset(struct adam *a)
{
    memset(a->mean, 0, a->parameters * sizeof(*a->mean));
    memset(a->square, 0, a->parameters * sizeof(*a->square));
    a->beta1_power = a->beta2_power = 1;
}

/* rate m' / (sqrt(v') + epsilon) = step m / (sqrt(v) shrink + epsilon): one division per parameter. */
void adam_step(struct adam *a, float *restrict parameter, const float *restrict gradient)
{
    float beta1 = (float)a->cfg.beta1, rest1 = (float)(1 - a->cfg.beta1);
    float beta2 = (float)a->cfg.beta2, rest2 = (float)(1 - a->cfg.beta2);
    float *restrict mean = a->mean, *restrict square = a->square;
    float step, shrink, epsilon = (float)a->cfg.epsilon;

    a->beta1_power *= a->cfg.beta1;
    a->beta2_power *= a->cfg.beta2;
    step = (float)(a->cfg.rate / (1 - a->beta1_power));
    shrink = (float)(1 / sqrt(1 - a->beta2_power));
    for (uint32_t i = 0; i < a->parameters; i++) {
        float g = gradient[i];

        mean[i] = beta1 * mean[i] + rest1 * g;
        square[i] = beta2 * square[i] + rest2 * (g * g);
        parameter[i] -= step * mean[i] / (sqrtf(square[i]) * shrink + epsilon);
    }
}

/* Sums in a fixed order, which differs from that of the values. */
static double sum_of_squares(const float *value, uint32_t n)
{
    double sum[SUMS] = { 0 }, all = 0;
    uint32_t i = 0;

    for (; i + SUMS <= n; i += SUMS)
        for (uint32_t j = 0; j < SUMS; j++)
            sum[j] += (double)value[i + j] * value[i + j];
    for (; i < n; i++)
        sum[0] += (double)value[i] * value[i];
    for (uint32_t j = 0; j < SUMS; j++)
        all += sum[j];
    return all;
}

double adam_clip(float *gradient, uint32_t n, double norm_max)
{
    double norm = sqrt(sum_of_squares(gradient, n));
    float scale = (float)(norm_max / norm);

    if (norm_max > 0 && norm > norm_max)
        for (uint32_t i = 0; i < n; i++)
            gradient[i] *= scale;
    return norm;
}
