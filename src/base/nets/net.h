/* src/base/nets/net.h - small dense neural networks, and the Adam optimizer.
 *
 * A layer is y = f(x W + b), with f linear, ReLU or tanh. All parameters are in one array, layer by layer:
 * the weights of input 0, then those of input 1 and so on, then the biases. Copying, averaging or saving a
 * net is thus one loop.
 *
 * Numbers are float, and results have the same bits on every machine: each output adds its terms in the order
 * of the inputs, for any vector width.
 */
#ifndef BASE_NETS_NET_H
#define BASE_NETS_NET_H

#include "base/rng.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NET_LAYERS_MAX 8
#define NET_WIDTH_MAX  2048      /* inputs, and outputs of a layer */

enum net_activation { NET_LINEAR, NET_RELU, NET_TANH, NET_ACTIVATIONS };

extern const char *const net_activation_name[NET_ACTIVATIONS];

struct net_layer {
    uint32_t            width;   /* outputs */
    enum net_activation activation;
    bool                is_unbiased; /* without b */
};

struct net_shape {
    uint32_t         inputs, layers;
    struct net_layer layer[NET_LAYERS_MAX];
};

struct net {
    struct net_shape shape;
    uint32_t         parameters;
    float           *parameter;
};

/* Scratch memory for up to 'rows' inputs, with the values that the backward pass needs. */
struct net_batch {
    uint32_t     rows_max, rows; /* rows: of the last net_forward() */
    const float *input;          /* of the last net_forward() */
    float       *output[NET_LAYERS_MAX];     /* [rows][width] of each layer, after its activation */
    float       *delta[2];       /* derivatives with respect to outputs and inputs of a layer, alternating */
    float       *turned;         /* transposed weights of a layer, [outputs][inputs] */
};

/* Returns what is wrong with a shape, to follow "the net ", or NULL. */
const char *net_shape_flaw(const struct net_shape *);

bool     net_shape_equal(const struct net_shape *, const struct net_shape *);
uint32_t net_shape_outputs(const struct net_shape *);

/* From here on, the shape must be valid. */
uint32_t net_shape_parameters(const struct net_shape *);

/* Writes "12-20relu-40relu-20" and returns buf. '*' marks a layer without biases. */
char *net_shape_text(char *buf, size_t size, const struct net_shape *);

/* Sets all parameters to 0. */
void net_init(struct net *, const struct net_shape *);
void net_fini(struct net *);

/* Draws weights that preserve the scale of signals: uniform in +-sqrt(6 / inputs) before a ReLU (He et al.,
 * 2015), in +-sqrt(3 / inputs) elsewhere. Biases are 0. */
void net_randomise(struct net *, struct rng *);

/* Copies the parameters; both must have the same shape. */
void net_copy(struct net *to, const struct net *from);

/* Moves each parameter of 'to' toward that of 'from' by 'share' of the difference. */
void net_mix(struct net *to, const struct net *from, float share);

/* Runs one input through the net, without allocation. x and y must not overlap. */
void net_run(const struct net *, const float *x, float *y);

/* Returns the index of the largest of n > 0 values; of equal ones the first. */
uint32_t net_largest(const float *value, uint32_t n);

void net_batch_init(struct net_batch *, const struct net_shape *, uint32_t rows_max);
void net_batch_fini(struct net_batch *);

/* Runs x, [rows][inputs], which must stay valid until net_backward(). Returns the outputs, [rows][outputs],
 * valid until the next net_forward(); they have the same bits as with net_run(). The net must have the shape
 * of the batch. */
const float *net_forward(const struct net *, struct net_batch *, const float *x, uint32_t rows);

/* Backward pass for a loss L of the last net_forward(), with the same net. dy is dL/doutput, [rows][outputs].
 * Adds dL/dparameter, summed over rows, to 'gradient', in the order of the parameters. Stores dL/dx,
 * [rows][inputs], in dx unless NULL. */
void net_backward(const struct net *, struct net_batch *, const float *dy, float *gradient, float *dx);

/* result[row][column] += sum over term of factor[row * row_step + term * term_step] * matrix[term][column] */
struct matrix_product {
    float       *result;
    const float *factor, *matrix;
    uint32_t     rows, row_step;
    uint32_t     terms, term_step;
    uint32_t     columns;
};

/* The terms of each sum are added in their order. */
void net_add_product(const struct matrix_product *);

/* The hyperbolic tangent from + - * / alone, within one unit in the last place. NaN stays NaN. */
float tanh_of(float x);

/* Fills weights [inputs][outputs] with a random matrix whose vectors along the shorter side are orthogonal
 * and of length 'gain' (Saxe et al., 2014). The same bits on every machine. */
void orthogonal_fill(float *weights, uint32_t inputs, uint32_t outputs, double gain, struct rng *);

/* Initializes all layers of a net; biases are 0. */
void orthogonal_net(struct net *, double gain, struct rng *);

/* ---- the Adam optimizer. Kingma and Ba, "Adam: A Method for Stochastic Optimization", ICLR 2015 ----
 *
 *   m = beta1 m + (1 - beta1) g        mean of the gradient
 *   v = beta2 v + (1 - beta2) g^2      and of its square; both start at 0
 *   p -= rate * m' / (sqrt(v') + epsilon),   m' = m / (1 - beta1^t),   v' = v / (1 - beta2^t)
 */
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
