/* src/base/nets/policy/quant.h - RL-CC's net in integers: 8-bit weights, tanh by table lookup.
 *
 * Each row of weights (one output) has its own scale: its largest weight is +-127. Values between layers
 * share one scale, a power of 2 chosen per decision so that the largest value has 7 bits. This is valid
 * because layers without biases before a ReLU are homogeneous: f(s x) = s f(x). A fixed scale would have to
 * cover deltas up to 100, and could not resolve tenths around 0. Features are those of tree.h, with 16 bits;
 * sums have 32 bits. The output is mapped by a table of multipliers, which combines tanh and the division of
 * the action map, with linear interpolation.
 *
 * An LSTM has biases, so it is not homogeneous: the scale of its values is bounded, and biases are added in
 * that scale. Values between its layers, gates and the state have 16 bits; tanh of gates is by table, too.
 */
#ifndef BASE_NETS_POLICY_QUANT_H
#define BASE_NETS_POLICY_QUANT_H

#include "base/err.h"
#include "base/nets/net.h"
#include "base/nets/policy/lstm.h"

#define QUANT_FEATURES   4
#define QUANT_WIDTH_MAX  64
#define QUANT_CELLS_MAX  16
#define QUANT_TABLE_SIZE 513     /* [-8, 8] in steps of 1/32 */

/* Maps u in -1 .. 1 to a multiplier of the rate: 1 + range u, or for u < 0 1 / (1 - range u). NaN: 1. */
static inline float action_multiplier(float u, float range)
{
    if (u >= 0)
        return 1 + range * u;
    return u < 0 ? 1 / (1 - range * u) : 1;
}

struct quant_layer {
    uint32_t inputs, outputs;
    int32_t  bits;               /* scales are in units of 2^-bits */
    uint16_t scale[QUANT_WIDTH_MAX];
    int8_t   weight[QUANT_WIDTH_MAX][QUANT_WIDTH_MAX];   /* [output][input] */
    int32_t  bias[QUANT_WIDTH_MAX];          /* in 1/65536; 0 if the net is not an LSTM */
};

/* Layers of an LSTM: two in front, gates from the input (with biases), gates from the state, head. */
enum { QUANT_GATES = 2, QUANT_GATES_OF_STATE, QUANT_HEAD, QUANT_LSTM_LAYERS };

struct quant {
    bool               is_lstm;
    uint32_t           layers;
    struct quant_layer layer[NET_LAYERS_MAX];
    int32_t            table[QUANT_TABLE_SIZE];          /* multipliers, in 1/65536 */
    int32_t            tanh[QUANT_TABLE_SIZE];           /* for an LSTM, in 1/32768; fits 16 bits */
};

/* What an LSTM remembers of a flow: c in 1/2048, h in 1/32768. */
struct quant_state { int16_t c[QUANT_CELLS_MAX], h[QUANT_CELLS_MAX]; };

/* Converts a net without biases, with ReLU except for tanh at the end, 4 inputs and 1 output; refuses others.
 * 'range' is that of actions, 0.2 for RL-CC. */
int quant_init(struct quant *, const struct net *, float range, struct err *);

/* Converts an LSTM of RL-CC's shape; refuses others, and biases of 1024 and more. */
int quant_init_lstm(struct quant *, const struct lstm *, float range, struct err *);

/* Fills what is the same in all: the table of tanh. For a quant that is read from a file. */
void quant_fill_tanh(struct quant *);

/* Returns the inputs of a layer, which follow from the layers before it. */
uint32_t quant_inputs(const struct quant *, uint32_t layer);

/* Returns what is wrong with it, to follow "the net ", or NULL. */
const char *quant_flaw(const struct quant *);

/* Returns the multiplier, in 1/65536. */
int32_t quant_multiplier(const struct quant *, const int16_t feature[QUANT_FEATURES]);

/* The same of an LSTM, which sees the last action and delta, and updates the flow's state. */
int32_t quant_step(const struct quant *, struct quant_state *, const int16_t feature[QUANT_FEATURES]);

/* Size of weights, scales and biases, and of the tables. */
uint32_t quant_bytes(const struct quant *);

/* Multiplications of a decision by 8-bit weights. */
uint32_t quant_multiplications(const struct quant *);

#endif
