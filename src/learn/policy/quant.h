/* src/learn/policy/quant.h - RL-CC's net in integers: 8-bit weights, tanh by table lookup.
 *
 * Each row of weights (one output) has its own scale: its largest weight is +-127. Values between layers
 * share one scale, a power of 2 chosen per decision so that the largest value has 7 bits. This is valid
 * because layers without biases before a ReLU are homogeneous: f(s x) = s f(x). A fixed scale would have to
 * cover deltas up to 100, and could not resolve tenths around 0. Features are those of tree.h, with 16 bits;
 * sums have 32 bits. The output is mapped by a table of multipliers, which combines tanh and the division of
 * the action map, with linear interpolation.
 */
#ifndef LEARN_POLICY_QUANT_H
#define LEARN_POLICY_QUANT_H

#include "base/err.h"
#include "learn/net.h"

#define QUANT_FEATURES   4
#define QUANT_WIDTH_MAX  64
#define QUANT_TABLE_SIZE 513     /* [-8, 8] in steps of 1/32 */

struct quant_layer {
    uint32_t inputs, outputs;
    int32_t  bits;               /* scales are in units of 2^-bits */
    uint16_t scale[QUANT_WIDTH_MAX];
    int8_t   weight[QUANT_WIDTH_MAX][QUANT_WIDTH_MAX];   /* [output][input] */
};

struct quant {
    uint32_t           layers;
    struct quant_layer layer[NET_LAYERS_MAX];
    int32_t            table[QUANT_TABLE_SIZE];          /* multipliers, in 1/65536 */
};

/* Converts a net without biases, with ReLU except for tanh at the end, 4 inputs and 1 output; refuses others.
 * 'range' is that of actions, 0.2 for RL-CC. */
int quant_init(struct quant *, const struct net *, float range, struct err *);

/* Returns what is wrong with it, to follow "the net ", or NULL. */
const char *quant_flaw(const struct quant *);

/* Returns the multiplier, in 1/65536. */
int32_t quant_multiplier(const struct quant *, const int16_t feature[QUANT_FEATURES]);

/* Size of weights and scales, and of the table. */
uint32_t quant_bytes(const struct quant *);

#endif
