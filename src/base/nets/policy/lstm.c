/* src/base/nets/policy/lstm.c - LSTM cells; the dense layers are those of net.c. */
#include "base/nets/policy/lstm.h"

#include "base/err.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GATES_MAX (LSTM_GATES * LSTM_CELLS_MAX)

/* Gates of one step, each [cells], consecutive. */
enum { GATE_INPUT, GATE_FORGET, GATE_CANDIDATE, GATE_OUTPUT };

const struct lstm_shape lstm_shape_rlcc = {
    .front = { .inputs = 2, .layers = 2, .layer = { { 32, NET_RELU, false }, { 16, NET_RELU, false } } },
    .cells = 16,
    .head = { .inputs = 16, .layers = 1, .layer = { { 1, NET_TANH, false } } },
};

static uint32_t cell_inputs(const struct lstm_shape *s)
{
    return net_shape_outputs(&s->front);
}

static uint32_t cell_parameters(const struct lstm_shape *s)
{
    return (cell_inputs(s) + s->cells + 1) * LSTM_GATES * s->cells;
}

bool lstm_shape_equal(const struct lstm_shape *a, const struct lstm_shape *b)
{
    return net_shape_equal(&a->front, &b->front) && a->cells == b->cells &&
           net_shape_equal(&a->head, &b->head);
}

uint32_t lstm_shape_parameters(const struct lstm_shape *s)
{
    return net_shape_parameters(&s->front) + cell_parameters(s) + net_shape_parameters(&s->head);
}

void lstm_init(struct lstm *l, const struct lstm_shape *s)
{
    assert(!net_shape_flaw(&s->front) && !net_shape_flaw(&s->head));
    assert(s->cells >= 1 && s->cells <= LSTM_CELLS_MAX && s->head.inputs == s->cells);
    *l = (struct lstm){ .shape = *s, .parameters = lstm_shape_parameters(s) };
    l->parameter = xcalloc(l->parameters, sizeof(*l->parameter));
    l->front = (struct net){ s->front, net_shape_parameters(&s->front), l->parameter };
    l->cells = l->parameter + l->front.parameters;
    l->head = (struct net){ s->head, net_shape_parameters(&s->head), l->cells + cell_parameters(s) };
}

void lstm_fini(struct lstm *l)
{
    free(l->parameter);
    *l = (struct lstm){ 0 };
}

void lstm_randomise(struct lstm *l, struct rng *rng)
{
    uint32_t inputs = cell_inputs(&l->shape), gates = LSTM_GATES * l->shape.cells;

    orthogonal_net(&l->front, sqrt(2), rng);
    memset(l->cells, 0, cell_parameters(&l->shape) * sizeof(*l->cells));
    orthogonal_fill(l->cells, inputs, gates, sqrt(2), rng);
    orthogonal_fill(l->cells + (size_t)inputs * gates, l->shape.cells, gates, sqrt(2), rng);
    orthogonal_net(&l->head, sqrt(2), rng);
}

/* ---- forward ---- */

static float sigmoid(float z)
{
    return 0.5f + 0.5f * tanh_of(0.5f * z);
}

/* y[o] += sum over i of x[i] * w[i][o], in the order of i. */
static void add_weighted(float *y, const float *w, const float *x, uint32_t inputs, uint32_t outputs)
{
    net_add_product(&(struct matrix_product){ .result = y, .factor = x, .matrix = w, .rows = 1,
                                              .terms = inputs, .term_step = 1, .columns = outputs });
}

static void compute_gates(const struct lstm *l, const float *x, const float *h, float *gate)
{
    uint32_t inputs = cell_inputs(&l->shape), cells = l->shape.cells, gates = LSTM_GATES * cells;
    const float *u = l->cells + (size_t)inputs * gates;

    memcpy(gate, u + (size_t)cells * gates, gates * sizeof(*gate));
    add_weighted(gate, l->cells, x, inputs, gates);
    add_weighted(gate, u, h, cells, gates);
    for (uint32_t kind = 0; kind < LSTM_GATES; kind++, gate += cells)
        for (uint32_t i = 0; i < cells; i++)
            gate[i] = kind == GATE_CANDIDATE ? tanh_of(gate[i]) : sigmoid(gate[i]);
}

/* Updates c and h of the previous step; input and output may be the same arrays. */
static void step_cells(const float *gate, uint32_t cells, const float *c_before, float *c, float *c_tanh,
                       float *h)
{
    const float *in = gate + (size_t)GATE_INPUT * cells, *forget = gate + (size_t)GATE_FORGET * cells;
    const float *candidate = gate + (size_t)GATE_CANDIDATE * cells;
    const float *out = gate + (size_t)GATE_OUTPUT * cells;

    for (uint32_t i = 0; i < cells; i++) {
        c[i] = forget[i] * c_before[i] + in[i] * candidate[i];
        c_tanh[i] = tanh_of(c[i]);
        h[i] = out[i] * c_tanh[i];
    }
}

void lstm_run(const struct lstm *l, struct lstm_state *s, const float *x, float *y)
{
    float seen[NET_WIDTH_MAX], gate[GATES_MAX], c_tanh[LSTM_CELLS_MAX];

    net_run(&l->front, x, seen);
    compute_gates(l, seen, s->h, gate);
    step_cells(gate, l->shape.cells, s->c, s->c, c_tanh, s->h);
    net_run(&l->head, s->h, y);
}

void lstm_batch_init(struct lstm_batch *b, const struct lstm_shape *s, uint32_t steps_max)
{
    size_t numbers = (size_t)steps_max * s->cells;

    *b = (struct lstm_batch){
        .steps_max = steps_max,
        .gate = xcalloc(LSTM_GATES * numbers, sizeof(float)),
        .c = xcalloc(numbers, sizeof(float)),
        .c_tanh = xcalloc(numbers, sizeof(float)),
        .h = xcalloc(numbers, sizeof(float)),
        .dh = xcalloc(numbers, sizeof(float)),
        .dx = xcalloc((size_t)steps_max * cell_inputs(s), sizeof(float)),
    };
    net_batch_init(&b->front, &s->front, steps_max);
    net_batch_init(&b->head, &s->head, steps_max);
}

void lstm_batch_fini(struct lstm_batch *b)
{
    net_batch_fini(&b->front);
    net_batch_fini(&b->head);
    free(b->gate);
    free(b->c);
    free(b->c_tanh);
    free(b->h);
    free(b->dh);
    free(b->dx);
    *b = (struct lstm_batch){ 0 };
}

static const float zeros[LSTM_CELLS_MAX];

/* Row t - 1 of [steps][cells], or zeros for t = 0. */
static const float *row_before(const float *rows, uint32_t t, uint32_t cells)
{
    return t ? rows + (size_t)(t - 1) * cells : zeros;
}

const float *lstm_forward(const struct lstm *l, struct lstm_batch *b, const float *x, uint32_t steps)
{
    uint32_t inputs = cell_inputs(&l->shape), cells = l->shape.cells;
    const float *seen = net_forward(&l->front, &b->front, x, steps);

    b->steps = steps;
    for (uint32_t t = 0; t < steps; t++) {
        float *gate = b->gate + (size_t)t * LSTM_GATES * cells;
        size_t at = (size_t)t * cells;

        compute_gates(l, seen + (size_t)t * inputs, row_before(b->h, t, cells), gate);
        step_cells(gate, cells, row_before(b->c, t, cells), b->c + at, b->c_tanh + at, b->h + at);
    }
    return net_forward(&l->head, &b->head, b->h, steps);
}

/* ---- backward ---- */

/* From dL/dh and dL/dc after a step, computes dL/dz of its gates, and dc before the step. */
static void backprop_gates(const struct lstm_batch *b, uint32_t t, uint32_t cells, const float *dh, float *dc,
                           float *dz)
{
    const float *gate = b->gate + (size_t)t * LSTM_GATES * cells, *c_tanh = b->c_tanh + (size_t)t * cells;
    const float *c_before = row_before(b->c, t, cells);

    for (uint32_t i = 0; i < cells; i++) {
        float in = gate[i], forget = gate[GATE_FORGET * cells + i];
        float candidate = gate[GATE_CANDIDATE * cells + i], out = gate[GATE_OUTPUT * cells + i];
        float d = dc[i] + dh[i] * out * (1 - c_tanh[i] * c_tanh[i]);

        dz[i] = d * candidate * (in * (1 - in));
        dz[GATE_FORGET * cells + i] = d * c_before[i] * (forget * (1 - forget));
        dz[GATE_CANDIDATE * cells + i] = d * in * (1 - candidate * candidate);
        dz[GATE_OUTPUT * cells + i] = dh[i] * c_tanh[i] * (out * (1 - out));
        dc[i] = d * forget;
    }
}

/* gradient[i][o] += x[i] * dz[o] */
static void add_outer(float *gradient, const float *x, const float *dz, uint32_t inputs, uint32_t outputs)
{
    net_add_product(&(struct matrix_product){ .result = gradient, .factor = x, .matrix = dz, .rows = inputs,
                                              .row_step = 1, .terms = 1, .columns = outputs });
}

/* dx[i] = sum over o of w[i][o] * dz[o], in the order of o. */
static void backprop_weights(float *dx, const float *w, const float *dz, uint32_t inputs, uint32_t outputs)
{
    memset(dx, 0, inputs * sizeof(*dx));
    net_add_product(&(struct matrix_product){ .result = dx, .factor = w, .matrix = dz, .rows = inputs,
                                              .row_step = outputs, .terms = outputs, .term_step = 1,
                                              .columns = 1 });
}

/* Backward through one step; dh becomes dL/dh of the previous step. */
static void backprop_step(const struct lstm *l, struct lstm_batch *b, uint32_t t, float *dh, float *dc,
                          float *gradient)
{
    uint32_t inputs = cell_inputs(&l->shape), cells = l->shape.cells, gates = LSTM_GATES * cells;
    const float *seen = b->front.output[l->shape.front.layers - 1] + (size_t)t * inputs;
    float dz[GATES_MAX], *u_gradient = gradient + (size_t)inputs * gates;

    backprop_gates(b, t, cells, dh, dc, dz);
    add_outer(gradient, seen, dz, inputs, gates);
    add_outer(u_gradient, row_before(b->h, t, cells), dz, cells, gates);
    for (uint32_t o = 0; o < gates; o++)
        u_gradient[(size_t)cells * gates + o] += dz[o];
    backprop_weights(b->dx + (size_t)t * inputs, l->cells, dz, inputs, gates);
    backprop_weights(dh, l->cells + (size_t)inputs * gates, dz, cells, gates);
}

void lstm_backward(const struct lstm *l, struct lstm_batch *b, const float *dy, float *gradient)
{
    float dh[LSTM_CELLS_MAX] = { 0 }, dc[LSTM_CELLS_MAX] = { 0 };
    float *cells_gradient = gradient + l->front.parameters;
    uint32_t cells = l->shape.cells;

    net_backward(&l->head, &b->head, dy, cells_gradient + cell_parameters(&l->shape), b->dh);
    for (uint32_t t = b->steps; t-- > 0;) {
        for (uint32_t i = 0; i < cells; i++)
            dh[i] += b->dh[(size_t)t * cells + i];
        backprop_step(l, b, t, dh, dc, cells_gradient);
    }
    net_backward(&l->front, &b->front, b->dx, gradient, NULL);
}
