#include "learn/policy/quant.h"

#include "learn/policy/action.h"
#include "learn/tanh.h"
#include "learn/tree/tree.h"

#include <math.h>
#include <string.h>

#define WEIGHT_MAX     127
#define SCALE_BITS_MAX 48
#define INPUT_BITS     15        /* of the largest feature, after shifting */
#define VALUE_BITS     7
#define OUTPUT_BITS    16        /* of the table's input: 1 is 65536 */
#define STEP_BITS      11        /* 1/32 of that */
#define OUTPUT_MAX     (8 << OUTPUT_BITS)

/* ---- quantization ---- */

static const char *shape_flaw(const struct net_shape *s)
{
    if (s->inputs != QUANT_FEATURES || net_shape_outputs(s) != 1)
        return "does not have 4 inputs and 1 output";
    for (uint32_t i = 0; i < s->layers; i++) {
        enum net_activation wanted = i + 1 < s->layers ? NET_RELU : NET_TANH;

        if (!s->layer[i].is_unbiased || s->layer[i].activation != wanted)
            return "is not all ReLU without biases and tanh at the end";
        if (s->layer[i].width > QUANT_WIDTH_MAX)
            return "has a layer that is too wide";
    }
    return NULL;
}

static double largest_of_row(const float *weights, uint32_t inputs, uint32_t outputs, uint32_t o)
{
    float largest = 0;

    for (uint32_t i = 0; i < inputs; i++) {
        float size = fabsf(weights[(size_t)i * outputs + o]);

        largest = size > largest ? size : largest;
    }
    return (double)largest;
}

static int8_t round_weight(double value)
{
    return (int8_t)(value + (value < 0 ? -0.5 : 0.5));
}

static void quantise_row(struct quant_layer *l, const float *weights, uint32_t o, double largest)
{
    for (uint32_t i = 0; i < l->inputs; i++)
        l->weight[o][i] =
            largest > 0 ? round_weight((double)weights[(size_t)i * l->outputs + o] / largest * WEIGHT_MAX)
                        : 0;
}

/* Scales use as many bits as fit into 16 for the largest of them. */
static void quantise_layer(struct quant_layer *l, const float *weights)
{
    double largest[QUANT_WIDTH_MAX], most = 0;

    for (uint32_t o = 0; o < l->outputs; o++) {
        largest[o] = largest_of_row(weights, l->inputs, l->outputs, o);
        most = largest[o] > most ? largest[o] : most;
        quantise_row(l, weights, o, largest[o]);
    }
    while (l->bits < SCALE_BITS_MAX && most / WEIGHT_MAX * (double)(2ull << l->bits) < UINT16_MAX)
        l->bits++;
    for (uint32_t o = 0; o < l->outputs; o++)
        l->scale[o] = (uint16_t)fmin(largest[o] / WEIGHT_MAX * (double)(1ull << l->bits) + 0.5, UINT16_MAX);
}

static void fill_table(struct quant *q, float range)
{
    const int middle = QUANT_TABLE_SIZE / 2;

    for (int i = 0; i < QUANT_TABLE_SIZE; i++) {
        float u = tanh_of((float)(i - middle) / 32);

        q->table[i] = (int32_t)((double)action_multiplier(u, range) * TREE_ONE + 0.5);
    }
}

int quant_init(struct quant *q, const struct net *net, float range, struct err *err)
{
    const char *flaw = shape_flaw(&net->shape);
    const float *weights = net->parameter;
    uint32_t inputs = net->shape.inputs;

    if (flaw)
        return err_set(err, EINVAL, "the net %s", flaw);
    memset(q, 0, sizeof(*q));
    q->layers = net->shape.layers;
    for (uint32_t i = 0; i < q->layers; i++) {
        struct quant_layer *l = &q->layer[i];

        l->inputs = inputs;
        l->outputs = inputs = net->shape.layer[i].width;
        quantise_layer(l, weights);
        weights += (size_t)l->inputs * l->outputs;
    }
    fill_table(q, range);
    return 0;
}

const char *quant_flaw(const struct quant *q)
{
    uint32_t inputs = QUANT_FEATURES;

    if (q->layers < 1 || q->layers > NET_LAYERS_MAX)
        return "has no layers or too many";
    for (uint32_t i = 0; i < q->layers; i++) {
        const struct quant_layer *l = &q->layer[i];

        if (l->inputs != inputs || l->outputs < 1 || l->outputs > QUANT_WIDTH_MAX)
            return "has layers that do not fit together";
        if (l->bits < 0 || l->bits > SCALE_BITS_MAX)
            return "has a scale out of range";
        inputs = l->outputs;
    }
    for (int i = 0; i < QUANT_TABLE_SIZE; i++)
        if (q->table[i] < 1 || q->table[i] > 2 * TREE_ONE)
            return "has a table of multipliers out of range";
    return inputs == 1 ? NULL : "does not have 1 output";
}

/* ---- inference ---- */

/* Values are value[i] * 2^-bits. */
struct quant_values { int32_t value[QUANT_WIDTH_MAX]; int32_t bits; };

static int bits_of(uint64_t size)
{
    return size ? 64 - __builtin_clzll(size) : 0;
}

/* Shifts, with rounding, by the minimum that leaves the largest at most 'bits_max' bits. */
static void fit_values(const int64_t *wide, uint32_t n, int32_t bits, int bits_max, struct quant_values *v)
{
    uint64_t all = 0;
    int shift;

    for (uint32_t i = 0; i < n; i++)
        all |= (uint64_t)(wide[i] < 0 ? -wide[i] : wide[i]);
    shift = bits_of(all) > bits_max ? bits_of(all) - bits_max : 0;
    for (uint32_t i = 0; i < n; i++) {
        int64_t rounded = shift ? (wide[i] + (1ll << (shift - 1))) >> shift : wide[i];

        v->value[i] = (int32_t)(rounded < 1 << bits_max ? rounded : (1 << bits_max) - 1);
    }
    v->bits = bits - shift;
}

static void multiply_weights(const struct quant_layer *l, const struct quant_values *v, int64_t *wide)
{
    for (uint32_t o = 0; o < l->outputs; o++) {
        int32_t sum = 0;

        for (uint32_t i = 0; i < l->inputs; i++)
            sum += l->weight[o][i] * v->value[i];
        wide[o] = (int64_t)sum * l->scale[o];
    }
}

static int32_t look_up_multiplier(const struct quant *q, int32_t z)
{
    uint32_t at = (uint32_t)(z + OUTPUT_MAX), place = at >> STEP_BITS, rest = at & ((1u << STEP_BITS) - 1);

    if (place >= QUANT_TABLE_SIZE - 1)
        return q->table[QUANT_TABLE_SIZE - 1];
    return q->table[place] + (int32_t)((int64_t)(q->table[place + 1] - q->table[place]) * rest >> STEP_BITS);
}

/* Converts from 2^-bits to 2^-OUTPUT_BITS, clipped to the range of the table. */
static int32_t bound_output(int64_t wide, int32_t bits)
{
    int shift = bits - OUTPUT_BITS;
    int64_t z = shift >= 0 ? wide >> (shift < 63 ? shift : 63) : wide;

    for (; shift < 0 && z > -OUTPUT_MAX && z < OUTPUT_MAX; shift++)
        z *= 2;
    return (int32_t)(z < -OUTPUT_MAX ? -OUTPUT_MAX : z > OUTPUT_MAX ? OUTPUT_MAX : z);
}

int32_t quant_multiplier(const struct quant *q, const int16_t feature[QUANT_FEATURES])
{
    int64_t wide[QUANT_WIDTH_MAX];
    int32_t bits = 12;           /* of TREE_ACTION_ONE */
    struct quant_values v;

    for (int i = 0; i < QUANT_FEATURES; i++)
        wide[i] = i % 2 ? feature[i] * (TREE_ACTION_ONE / TREE_DELTA_ONE) : feature[i] + TREE_ACTION_ONE;
    fit_values(wide, QUANT_FEATURES, bits, INPUT_BITS, &v);
    for (uint32_t i = 0; i < q->layers; i++) {
        const struct quant_layer *l = &q->layer[i];

        multiply_weights(l, &v, wide);
        bits = v.bits + l->bits;
        for (uint32_t o = 0; o < l->outputs && i + 1 < q->layers; o++)
            wide[o] = wide[o] < 0 ? 0 : wide[o];
        if (i + 1 < q->layers)
            fit_values(wide, l->outputs, bits, VALUE_BITS, &v);
    }
    return look_up_multiplier(q, bound_output(wide[0], bits));
}

uint32_t quant_bytes(const struct quant *q)
{
    uint32_t bytes = sizeof(q->table);

    for (uint32_t i = 0; i < q->layers; i++)
        bytes += q->layer[i].outputs * (q->layer[i].inputs + (uint32_t)sizeof(q->layer[i].scale[0]));
    return bytes;
}
