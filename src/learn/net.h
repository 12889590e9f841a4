/* src/learn/net.h - small dense nets.
 *
 * A layer is y = f(x W + b) with f linear, ReLU or tanh. All parameters of a net stand in one array, layer
 * by layer: the weights, all those of input 0 first, then those of input 1 and so on, then the biases. So a
 * copy, a mean or a file of a net is one loop over one array.
 *
 * Numbers are float, and results have the same bits on every machine: each output adds its terms in the
 * order of the inputs, whatever number of outputs a processor computes at once.
 */
#ifndef LEARN_NET_H
#define LEARN_NET_H

#include "base/rng.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NET_LAYERS_MAX 8
#define NET_WIDTH_MAX  2048      /* inputs, and outputs of a layer */
#define NET_ROWS_MAX   4         /* of net_run_rows() */

enum net_activation { NET_LINEAR, NET_RELU, NET_TANH, NET_ACTIVATIONS };

extern const char *const net_activation_name[NET_ACTIVATIONS];

struct net_layer {
    uint32_t            width;   /* outputs */
    enum net_activation activation;
    bool                is_unbiased; /* there is no b */
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

/* Room to take up to 'rows' inputs through a net at once and to remember what is needed on the way back. */
struct net_batch {
    uint32_t     rows_max, rows; /* rows: of the last net_forward() */
    const float *input;          /* of the last net_forward() */
    float       *output[NET_LAYERS_MAX];     /* [rows][width] of each layer, after its activation */
    float       *delta[2];       /* derivatives by a layer's outputs and by its inputs, in turn */
    float       *turned;         /* weights of one layer, [outputs][inputs] */
};

/* Returns what is wrong with a shape, in words to put behind "the net ", or NULL. */
const char *net_shape_flaw(const struct net_shape *);

bool     net_shape_equal(const struct net_shape *, const struct net_shape *);
uint32_t net_shape_outputs(const struct net_shape *);

/* The shape must be without flaw from here on. */
uint32_t net_shape_parameters(const struct net_shape *);

/* Writes "12-20relu-40relu-20"; returns buf. A layer without biases ends in '*'. */
char *net_shape_text(char *buf, size_t size, const struct net_shape *);

/* All parameters are 0. */
void net_init(struct net *, const struct net_shape *);
void net_fini(struct net *);

/* Draws weights so that signals neither grow nor fade from layer to layer: uniform in +-sqrt(6 / inputs)
 * before a ReLU (He et al., 2015), in +-sqrt(3 / inputs) elsewhere. Biases are 0. */
void net_randomise(struct net *, struct rng *);

/* Copies the parameters; both have the same shape. */
void net_copy(struct net *to, const struct net *from);

/* Moves each parameter of 'to' by 'share' of the way to that of 'from'. */
void net_mix(struct net *to, const struct net *from, float share);

/* One input through the net, without allocating; y and x do not overlap. */
void net_run(const struct net *, const float *x, float *y);

/* Several rows, one after the other in x and in y: the bits that net_run() gives for each, in less time. */
void net_run_rows(const struct net *, const float *x, uint32_t rows, float *y);

/* The number of the largest of n > 0 values; of equal ones the first. */
uint32_t net_largest(const float *value, uint32_t n);

void net_batch_init(struct net_batch *, const struct net_shape *, uint32_t rows_max);
void net_batch_fini(struct net_batch *);

/* x is [rows][inputs] and must stay as it is until net_backward(). Returns the outputs, [rows][outputs],
 * which are the bits that net_run() gives and hold until the next net_forward(). The net has the shape of the
 * batch. */
const float *net_forward(const struct net *, struct net_batch *, const float *x, uint32_t rows);

/* For a loss L of the outputs of the last net_forward(), with the same net: adds dL/dparameter, summed over
 * the rows, to 'gradient' (as long and in the same order as the parameters), and writes dL/dx,
 * [rows][inputs], to dx unless that is NULL. dy is dL/doutput, [rows][outputs]. */
void net_backward(const struct net *, struct net_batch *, const float *dy, float *gradient, float *dx);

#endif
