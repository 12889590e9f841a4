/* src/learn/policy/quant.h - RL-CC's net in integers: 8-bit weights, tanh by a table.
 *
 * A row of weights, those of one output, has a scale of its own: its largest is +-127. Values between layers have
 * one scale for all, a power of 2 that each decision finds anew so that the largest fits in 7 bits. That is
 * allowed because layers without biases before a ReLU keep scales: f(s x) = s f(x). A scale found once and for all
 * would have to span deltas up to 100 and would not see the tenths around 0 that matter. Features are those of
 * tree.h, with 16 bits. Sums have 32 bits. What comes out goes through a table of multipliers: tanh and the
 * division of the action map in one look-up, with a straight line between its places.
 */
#ifndef LEARN_POLICY_QUANT_H
#define LEARN_POLICY_QUANT_H

#include "base/err.h"
#include "learn/net.h"

#define QUANT_FEATURES   4
#define QUANT_WIDTH_MAX  64
#define QUANT_TABLE_SIZE 513     /* of [-8, 8] in steps of 1/32 */

struct quant_layer {
    uint32_t inputs, outputs;
    int32_t  bits;               /* scales count 2^-bits */
    uint16_t scale[QUANT_WIDTH_MAX];
    int8_t   weight[QUANT_WIDTH_MAX][QUANT_WIDTH_MAX];   /* [output][input] */
};

struct quant {
    uint32_t           layers;
    struct quant_layer layer[NET_LAYERS_MAX];
    int32_t            table[QUANT_TABLE_SIZE];          /* multipliers, in 1/65536 */
};

/* From a net without biases, ReLU but for tanh at the end, 4 inputs and 1 output; refuses others. 'range' is that
 * of actions, 0.2 for RL-CC. */
int quant_init(struct quant *, const struct net *, float range, struct err *);

/* Returns what is wrong with it, in words to put behind "the net ", or NULL. */
const char *quant_flaw(const struct quant *);

/* The multiplier, in 1/65536. */
int32_t quant_multiplier(const struct quant *, const int16_t feature[QUANT_FEATURES]);

/* Bytes of weights and scales, and of the table. */
uint32_t quant_bytes(const struct quant *);

#endif
