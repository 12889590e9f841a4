/* src/learn/adam.h - the Adam optimizer. Kingma and Ba, "Adam: A Method for Stochastic Optimization", ICLR
 * 2015.
 *
 *   m = beta1 m + (1 - beta1) g        mean of the gradient
 *   v = beta2 v + (1 - beta2) g^2      and of its square; both start at 0
 *   p -= rate * m' / (sqrt(v') + epsilon),   m' = m / (1 - beta1^t),   v' = v / (1 - beta2^t)
 */
#ifndef LEARN_ADAM_H
#define LEARN_ADAM_H

#include <stdint.h>

struct adam_cfg {                /* 0: the default in brackets */
    double rate;                 /* [0.001] */
    double beta1, beta2;         /* [0.9, 0.999] */
    double epsilon;              /* [1e-8] */
};

struct adam {
    struct adam_cfg cfg;
    uint32_t        parameters;
    double          beta1_power, beta2_power;    /* beta^t */
    float          *mean, *square;
};

void adam_init(struct adam *, const struct adam_cfg *, uint32_t parameters);
void adam_fini(struct adam *);

/* Resets the means. */
void adam_reset(struct adam *);

void adam_step(struct adam *, float *parameter, const float *gradient);

/* Scales a gradient down to length 'norm_max' if it is longer (0: no limit). Returns its original length. */
double adam_clip(float *gradient, uint32_t n, double norm_max);

#endif
