#include "train/twin/twin_rows.h"
#include "base/rng.h"
#include "learn/adam.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BATCH    32
#define RATE     0.003
#define RATE_END 0.05            /* final rate, relative to the initial one */
#define CLIP     5.0
#define BEND     0.3f            /* transition of the Huber loss: larger errors count linearly */
#define BAD      0.5f            /* log slowdown above the default beyond which differences are irrelevant */
#define HEAD_OF  4               /* each head ignores one of so many networks */

enum { OUTPUTS = SURROGATE_OUTPUTS };     /* a constant, so that it is not recomputed */

void twin_rows_add(struct twin_rows *t, const struct twin_row *row)
{
    if ((t->rows & (t->rows - 1)) == 0)
        t->row = xrealloc(t->row, (t->rows ? 2ul * t->rows : 1) * sizeof(*t->row));
    t->row[t->rows++] = *row;
}

static bool is_used_by_head(const struct twin_row *row, int head)
{
    struct rng r;

    rng_init(&r, (uint64_t)head, row->network);
    return rng_below(&r, HEAD_OF) != 0;
}

/* Derivative of a row's loss with respect to the net's outputs. */
static void compute_slope(const struct twin_row *row, const float *output, float *slope)
{
    for (int h = 0; h < SURROGATE_HEADS; h++)
        for (int i = 0; i < GOAL_PARTS; i++) {
            float wanted = fminf(row->gain[i], BAD + (row->gain[i] - BAD) / 4),
                  e = output[h * GOAL_PARTS + i] - wanted;
            bool  counts = row->has[i] && is_used_by_head(row, h);

            slope[h * GOAL_PARTS + i] = counts ? fmaxf(-BEND, fminf(BEND, e)) / BATCH : 0;
        }
}

static void shuffle(uint32_t *order, uint32_t count, struct rng *rng)
{
    for (uint32_t i = count; i > 1; i--) {
        uint32_t k = (uint32_t)rng_below(rng, i), was = order[i - 1];

        order[i - 1] = order[k];
        order[k] = was;
    }
}

struct net_fit { struct net_batch batch; struct adam adam; float *input, *slope, *gradient; };

static void fit_init(struct net_fit *f, const struct net *net)
{
    struct adam_cfg cfg = { .rate = RATE };

    net_batch_init(&f->batch, &net->shape, BATCH);
    adam_init(&f->adam, &cfg, net->parameters);
    f->input = xcalloc((size_t)BATCH * SURROGATE_INPUTS, sizeof(float));
    f->slope = xcalloc((size_t)BATCH * OUTPUTS, sizeof(float));
    f->gradient = xcalloc(net->parameters, sizeof(float));
}

static void fit_fini(struct net_fit *f)
{
    net_batch_fini(&f->batch);
    adam_fini(&f->adam);
    free(f->input);
    free(f->slope);
    free(f->gradient);
}

static void fit_batch(struct net_fit *f, const struct twin_rows *t, const uint32_t *order, uint32_t count,
                      struct net *net)
{
    const float *output;

    for (uint32_t i = 0; i < count; i++)
        memcpy(f->input + (size_t)i * SURROGATE_INPUTS, t->row[order[i]].input,
               SURROGATE_INPUTS * sizeof(float));
    output = net_forward(net, &f->batch, f->input, count);
    for (uint32_t i = 0; i < count; i++)
        compute_slope(&t->row[order[i]], output + (size_t)i * OUTPUTS, f->slope + (size_t)i * OUTPUTS);
    memset(f->gradient, 0, net->parameters * sizeof(float));
    net_backward(net, &f->batch, f->slope, f->gradient, NULL);
    adam_clip(f->gradient, net->parameters, CLIP);
    adam_step(&f->adam, net->parameter, f->gradient);
}

void twin_rows_fit(const struct twin_rows *t, struct net *net, uint32_t epochs, uint64_t seed)
{
    struct net_fit f;
    struct rng rng;
    uint32_t  *order = xcalloc(t->rows + 1ul, sizeof(*order));

    rng_init(&rng, seed, t->rows);
    net_randomise(net, &rng);
    fit_init(&f, net);
    for (uint32_t i = 0; i < t->rows; i++)
        order[i] = i;
    for (uint32_t e = 0; e < epochs; e++) {
        f.adam.cfg.rate = RATE * (1 - (1 - RATE_END) * e / epochs);
        shuffle(order, t->rows, &rng);
        for (uint32_t i = 0; i < t->rows; i += BATCH)
            fit_batch(&f, t, order + i, t->rows - i < BATCH ? t->rows - i : BATCH, net);
    }
    fit_fini(&f);
    free(order);
}
