#include "base/nets/policy/quant.h"
#include "base/nets/tree/tree.h"

#include <math.h>
#include <string.h>

#define WEIGHT_MAX     127
#define SCALE_BITS_MAX 48
#define INPUT_BITS     15        /* of the largest feature, after shifting */
#define VALUE_BITS     7
#define OUTPUT_BITS    16        /* of the table's input: 1 is 65536 */
#define STEP_BITS      11        /* 1/32 of that */
#define OUTPUT_MAX     (8 << OUTPUT_BITS)

/* of an LSTM */
#define LSTM_INPUTS          2   /* the last action and delta */
#define LSTM_SCALE_BITS_MAX  32
#define LSTM_VALUE_BITS      15
#define LSTM_FRACTION_BITS   20  /* of values, at most: a bias in this scale fits 64 bits after a layer */
#define BIAS_MAX             (1 << 26)
#define GATE_BITS            15
#define CELL_BITS            11  /* of c: +-16 */
#define SUM_MAX              (1 << 29)       /* of a sum in 2^-OUTPUT_BITS: two fit 32 bits */

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

/* Scales use as many bits as fit into 16 for the largest of them, at most 'bits_max'. */
static void quantise_layer(struct quant_layer *l, const float *weights, int32_t bits_max)
{
    double largest[QUANT_WIDTH_MAX], most = 0;

    for (uint32_t o = 0; o < l->outputs; o++) {
        largest[o] = largest_of_row(weights, l->inputs, l->outputs, o);
        most = largest[o] > most ? largest[o] : most;
        quantise_row(l, weights, o, largest[o]);
    }
    while (l->bits < bits_max && most / WEIGHT_MAX * (double)(2ull << l->bits) < UINT16_MAX)
        l->bits++;
    for (uint32_t o = 0; o < l->outputs; o++)
        l->scale[o] = (uint16_t)fmin(largest[o] / WEIGHT_MAX * (double)(1ull << l->bits) + 0.5, UINT16_MAX);
}

static int16_t saturate(int64_t value)
{
    return (int16_t)(value > INT16_MAX ? INT16_MAX : value < -INT16_MAX ? -INT16_MAX : value);
}

void quant_fill_tanh(struct quant *q)
{
    const int middle = QUANT_TABLE_SIZE / 2;

    for (int i = 0; i < QUANT_TABLE_SIZE; i++)
        q->tanh[i] = saturate(lrintf(tanh_of((float)(i - middle) / 32) * (1 << GATE_BITS)));
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
        quantise_layer(l, weights, SCALE_BITS_MAX);
        weights += (size_t)l->inputs * l->outputs;
    }
    fill_table(q, range);
    return 0;
}

/* A layer with biases behind its weights. */
static int quantise_biased(struct quant_layer *l, const float *weights, struct err *err)
{
    const float *bias = weights + (size_t)l->inputs * l->outputs;

    quantise_layer(l, weights, LSTM_SCALE_BITS_MAX);
    for (uint32_t o = 0; o < l->outputs; o++) {
        if (!(fabsf(bias[o]) < (float)(BIAS_MAX >> OUTPUT_BITS)))
            return err_set(err, EINVAL, "the net has a bias of %g; biases are below %d",
                           (double)bias[o], BIAS_MAX >> OUTPUT_BITS);
        l->bias[o] = (int32_t)lrintf(bias[o] * (1 << OUTPUT_BITS));
    }
    return 0;
}

/* In the order of an LSTM's layers here, but the biases of the gates follow the weights of the state. */
int quant_init_lstm(struct quant *q, const struct lstm *lstm, float range, struct err *err)
{
    static const uint32_t outputs[QUANT_LSTM_LAYERS] = { 32, 16, 64, 64, 1 };
    const float *weights = lstm->parameter;

    if (!lstm_shape_equal(&lstm->shape, &lstm_shape_rlcc))
        return err_set(err, EINVAL, "the net is not 2-32relu-16relu-lstm16-1tanh");
    memset(q, 0, sizeof(*q));
    q->is_lstm = true;
    for (q->layers = 0; q->layers < QUANT_LSTM_LAYERS; q->layers++) {
        struct quant_layer *l = &q->layer[q->layers];

        l->inputs = quant_inputs(q, q->layers);
        l->outputs = outputs[q->layers];
        if (q->layers == QUANT_GATES)
            quantise_layer(l, weights, LSTM_SCALE_BITS_MAX);
        else if (quantise_biased(l, weights, err))
            return -EINVAL;
        weights += (size_t)(l->inputs + (q->layers != QUANT_GATES)) * l->outputs;
    }
    fill_table(q, range);
    quant_fill_tanh(q);
    return 0;
}

uint32_t quant_inputs(const struct quant *q, uint32_t layer)
{
    if (layer == 0)
        return q->is_lstm ? LSTM_INPUTS : QUANT_FEATURES;
    if (q->is_lstm && (layer == QUANT_GATES_OF_STATE || layer == QUANT_HEAD))
        return q->layer[QUANT_GATES].outputs / LSTM_GATES;
    return q->layer[layer - 1].outputs;
}

static const char *lstm_flaw(const struct quant *q)
{
    const struct quant_layer *gates = &q->layer[QUANT_GATES];

    if (q->layers != QUANT_LSTM_LAYERS)
        return "does not have the layers of an LSTM";
    if (gates->outputs % LSTM_GATES || gates->outputs > LSTM_GATES * QUANT_CELLS_MAX ||
        q->layer[QUANT_GATES_OF_STATE].outputs != gates->outputs)
        return "has gates that do not fit together";
    for (uint32_t i = 0; i < q->layers; i++)
        for (uint32_t o = 0; o < q->layer[i].outputs; o++)
            if (q->layer[i].bias[o] <= -BIAS_MAX || q->layer[i].bias[o] >= BIAS_MAX)
                return "has a bias out of range";
    return NULL;
}

const char *quant_flaw(const struct quant *q)
{
    int32_t bits_max = q->is_lstm ? LSTM_SCALE_BITS_MAX : SCALE_BITS_MAX;

    if (q->layers < 1 || q->layers > NET_LAYERS_MAX)
        return "has no layers or too many";
    for (uint32_t i = 0; i < q->layers; i++) {
        const struct quant_layer *l = &q->layer[i];

        if (l->inputs != quant_inputs(q, i) || l->inputs < 1 || l->outputs < 1 ||
            l->outputs > QUANT_WIDTH_MAX)
            return "has layers that do not fit together";
        if (l->bits < 0 || l->bits > bits_max)
            return "has a scale out of range";
    }
    for (int i = 0; i < QUANT_TABLE_SIZE; i++)
        if (q->table[i] < 1 || q->table[i] > 2 * TREE_ONE)
            return "has a table of multipliers out of range";
    if (q->layer[q->layers - 1].outputs != 1)
        return "does not have 1 output";
    return q->is_lstm ? lstm_flaw(q) : NULL;
}

/* ---- inference ---- */

/* Values are value[i] * 2^-bits. */
struct quant_values { int32_t value[QUANT_WIDTH_MAX]; int32_t bits; };

static int bits_of(uint64_t size)
{
    return size ? 64 - __builtin_clzll(size) : 0;
}

/* Shifts with rounding, by at least 'shift', until the largest has at most 'bits_max' bits. */
static void fit_values(const int64_t *wide, uint32_t n, int32_t bits, int bits_max, int shift,
                       struct quant_values *v)
{
    uint64_t all = 0;

    for (uint32_t i = 0; i < n; i++)
        all |= (uint64_t)(wide[i] < 0 ? -wide[i] : wide[i]);
    shift = bits_of(all) - bits_max > shift ? bits_of(all) - bits_max : shift;
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

/* Interpolates in a table, whose ends hold beyond. */
static int32_t look_up(const int32_t *table, int32_t z)
{
    int32_t  bounded = z < -OUTPUT_MAX ? -OUTPUT_MAX : z > OUTPUT_MAX ? OUTPUT_MAX : z;
    uint32_t at = (uint32_t)(bounded + OUTPUT_MAX), place = at >> STEP_BITS;
    uint32_t rest = at & ((1u << STEP_BITS) - 1);

    if (place >= QUANT_TABLE_SIZE - 1)
        return table[QUANT_TABLE_SIZE - 1];
    return table[place] + (int32_t)((int64_t)(table[place + 1] - table[place]) * rest >> STEP_BITS);
}

/* Converts from 2^-bits to 2^-OUTPUT_BITS, clipped to +-most. */
static int32_t bound_output(int64_t wide, int32_t bits, int32_t most)
{
    int shift = bits - OUTPUT_BITS;
    int64_t z = shift >= 0 ? wide >> (shift < 63 ? shift : 63) : wide;

    for (; shift < 0 && z > -most && z < most; shift++)
        z *= 2;
    return (int32_t)(z < -most ? -most : z > most ? most : z);
}

/* The last action and delta, or all features, in 2^-12. */
static void load_features(const int16_t feature[QUANT_FEATURES], uint32_t inputs, struct quant_values *v)
{
    int64_t wide[QUANT_FEATURES];

    feature += QUANT_FEATURES - inputs;
    for (uint32_t i = 0; i < inputs; i++)
        wide[i] = i % 2 ? feature[i] * (TREE_ACTION_ONE / TREE_DELTA_ONE) : feature[i] + TREE_ACTION_ONE;
    fit_values(wide, inputs, 12, INPUT_BITS, 0, v);
}

static void apply_relu(int64_t *wide, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        wide[i] = wide[i] < 0 ? 0 : wide[i];
}

int32_t quant_multiplier(const struct quant *q, const int16_t feature[QUANT_FEATURES])
{
    int64_t wide[QUANT_WIDTH_MAX];
    int32_t bits = 0;
    struct quant_values v;

    wide[0] = 0;                 /* without layers; gcc cannot know that there are some */
    load_features(feature, QUANT_FEATURES, &v);
    for (uint32_t i = 0; i < q->layers; i++) {
        const struct quant_layer *l = &q->layer[i];

        multiply_weights(l, &v, wide);
        bits = v.bits + l->bits;
        if (i + 1 == q->layers)
            break;
        apply_relu(wide, l->outputs);
        fit_values(wide, l->outputs, bits, VALUE_BITS, 0, &v);
    }
    return look_up(q->table, bound_output(wide[0], bits, OUTPUT_MAX));
}

/* ---- inference of an LSTM ---- */

/* A bias in 2^-bits. */
static int64_t scale_bias(int32_t bias, int32_t bits)
{
    int32_t shift = bits - OUTPUT_BITS;

    if (shift >= 0)
        return (int64_t)bias * (1ll << shift);
    return bias >> (shift > -31 ? -shift : 31);
}

/* Returns the bits of 'wide'. */
static int32_t run_biased(const struct quant_layer *l, const struct quant_values *v, int64_t *wide)
{
    int32_t bits = v->bits + l->bits;

    multiply_weights(l, v, wide);
    for (uint32_t o = 0; o < l->outputs; o++)
        wide[o] += scale_bias(l->bias[o], bits);
    return bits;
}

/* z in 2^-OUTPUT_BITS, the result in 2^-GATE_BITS. */
static int32_t look_up_sigmoid(const struct quant *q, int32_t z)
{
    return ((1 << GATE_BITS) + look_up(q->tanh, z / 2)) / 2;
}

/* gate[] in 2^-OUTPUT_BITS, before sigmoid and tanh. */
static void compute_gates(const struct quant *q, const struct quant_values *x, const struct quant_state *s,
                          int32_t *gate)
{
    const struct quant_layer *of_input = &q->layer[QUANT_GATES], *of_state = &q->layer[QUANT_GATES_OF_STATE];
    struct quant_values h = { .bits = GATE_BITS };
    int64_t wide[QUANT_WIDTH_MAX] = { 0 };
    int32_t bits;

    multiply_weights(of_input, x, wide);
    for (uint32_t o = 0; o < of_input->outputs; o++)
        gate[o] = bound_output(wide[o], x->bits + of_input->bits, SUM_MAX);
    for (uint32_t i = 0; i < of_state->inputs; i++)
        h.value[i] = s->h[i];
    bits = run_biased(of_state, &h, wide);
    for (uint32_t o = 0; o < of_state->outputs; o++)
        gate[o] += bound_output(wide[o], bits, SUM_MAX);
}

/* The order of gates is that of lstm.h: input, forget, candidate, output. */
static void step_cell(const struct quant *q, const int32_t *gate, uint32_t cells, int16_t *c, int16_t *h)
{
    int64_t in = look_up_sigmoid(q, gate[0]), forget = look_up_sigmoid(q, gate[cells]);
    int64_t candidate = look_up(q->tanh, gate[2ul * cells]), out = look_up_sigmoid(q, gate[3ul * cells]);
    int64_t sum = forget * *c + (in * candidate >> (GATE_BITS - CELL_BITS));

    *c = saturate((sum + (1 << (GATE_BITS - 1))) >> GATE_BITS);
    *h = saturate(out * look_up(q->tanh, *c * (1 << (OUTPUT_BITS - CELL_BITS))) >> GATE_BITS);
}

int32_t quant_step(const struct quant *q, struct quant_state *s, const int16_t feature[QUANT_FEATURES])
{
    uint32_t cells = q->layer[QUANT_HEAD].inputs;
    struct quant_values v = { .bits = 0 }, h = { .bits = GATE_BITS };
    int32_t gate[QUANT_WIDTH_MAX] = { 0 }, bits;
    int64_t wide[QUANT_WIDTH_MAX] = { 0 };

    load_features(feature, LSTM_INPUTS, &v);
    for (uint32_t i = 0; i < QUANT_GATES; i++) {
        bits = run_biased(&q->layer[i], &v, wide);
        apply_relu(wide, q->layer[i].outputs);
        fit_values(wide, q->layer[i].outputs, bits, LSTM_VALUE_BITS,
                   bits > LSTM_FRACTION_BITS ? bits - LSTM_FRACTION_BITS : 0, &v);
    }
    compute_gates(q, &v, s, gate);
    for (uint32_t i = 0; i < cells; i++) {
        step_cell(q, gate + i, cells, &s->c[i], &s->h[i]);
        h.value[i] = s->h[i];
    }
    bits = run_biased(&q->layer[QUANT_HEAD], &h, wide);
    return look_up(q->table, bound_output(wide[0], bits, OUTPUT_MAX));
}

uint32_t quant_bytes(const struct quant *q)
{
    uint32_t bytes = sizeof(q->table) + (q->is_lstm ? QUANT_TABLE_SIZE * sizeof(int16_t) : 0);

    for (uint32_t i = 0; i < q->layers; i++) {
        const struct quant_layer *l = &q->layer[i];
        bool has_bias = q->is_lstm && i != QUANT_GATES;

        bytes += l->outputs * (l->inputs + (uint32_t)sizeof(l->scale[0]) +
                               (has_bias ? (uint32_t)sizeof(l->bias[0]) : 0));
    }
    return bytes;
}

uint32_t quant_multiplications(const struct quant *q)
{
    uint32_t all = 0;

    for (uint32_t i = 0; i < q->layers; i++)
        all += q->layer[i].inputs * q->layer[i].outputs;
    return all;
}
