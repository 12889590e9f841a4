/* src/learn/policy/orthogonal.c - normal random numbers and Gram-Schmidt orthogonalization, in double. */
#include "learn/policy/orthogonal.h"

#include "base/err.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Marsaglia's polar method: uses no function whose last digit differs between machines. */
static double draw_normal(struct rng *rng)
{
    double x, y, size;

    do {
        x = 2 * rng_real(rng) - 1;
        y = 2 * rng_real(rng) - 1;
        size = x * x + y * y;
    } while (size >= 1 || size == 0);
    return x * sqrt(-2 * rng_log(size) / size);
}

static double dot(const double *a, const double *b, uint32_t n)
{
    double sum = 0;

    for (uint32_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Removes the components of a vector along the previous ones. */
static void orthogonalize(double *vector, const double *before, uint32_t count, uint32_t n)
{
    for (uint32_t i = 0; i < count; i++, before += n) {
        double shared = dot(vector, before, n);

        for (uint32_t j = 0; j < n; j++)
            vector[j] -= shared * before[j];
    }
}

/* Two passes suffice: the second removes the rounding errors of the first. */
static void draw_vector(double *vector, const double *before, uint32_t count, uint32_t n, struct rng *rng)
{
    double size;

    for (uint32_t i = 0; i < n; i++)
        vector[i] = draw_normal(rng);
    orthogonalize(vector, before, count, n);
    orthogonalize(vector, before, count, n);
    size = sqrt(dot(vector, vector, n));
    for (uint32_t i = 0; i < n; i++)
        vector[i] /= size;
}

void orthogonal_fill(float *weights, uint32_t inputs, uint32_t outputs, double gain, struct rng *rng)
{
    bool is_wide = outputs > inputs;
    uint32_t vectors = is_wide ? inputs : outputs, n = is_wide ? outputs : inputs;
    double *vector = xcalloc((size_t)vectors * n, sizeof(*vector));

    for (uint32_t v = 0; v < vectors; v++)
        draw_vector(vector + (size_t)v * n, vector, v, n, rng);
    for (uint32_t i = 0; i < inputs; i++)
        for (uint32_t o = 0; o < outputs; o++)
            weights[(size_t)i * outputs + o] =
                (float)(gain * vector[is_wide ? (size_t)i * n + o : (size_t)o * n + i]);
    free(vector);
}

void orthogonal_net(struct net *net, double gain, struct rng *rng)
{
    float *p = net->parameter;
    uint32_t inputs = net->shape.inputs;

    memset(p, 0, net->parameters * sizeof(*p));
    for (uint32_t i = 0; i < net->shape.layers; i++) {
        const struct net_layer *l = &net->shape.layer[i];

        orthogonal_fill(p, inputs, l->width, gain, rng);
        p += (size_t)inputs * l->width + (l->is_unbiased ? 0 : l->width);
        inputs = l->width;
    }
}
