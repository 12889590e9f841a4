/* src/learn/policy/lstm.h - a policy with a memory: dense layers, an LSTM, dense layers.
 * Hochreiter and Schmidhuber, "Long Short-Term Memory", Neural Computation 9, 1997; with forget gates.
 *
 *   i f o = s(x W + h U + b),  g = tanh(x W + h U + b),  c = f c + i g,  h = o tanh(c),  s(z) = (1 + tanh(z/2))/2
 *
 * RL-CC's is 2-32relu-16relu-lstm16-1tanh with 2,753 parameters; its state, c and h, is 32 numbers per flow.
 * All parameters stand in one array: those of the front (net.h), then W [inputs][i f g o], U [cells][i f g o]
 * and b, then those of the head. As in net.h each sum adds its terms in one order, so results have the same
 * bits on every machine.
 */
#ifndef LEARN_POLICY_LSTM_H
#define LEARN_POLICY_LSTM_H

#include "base/rng.h"
#include "learn/net.h"

#define LSTM_CELLS_MAX 64
#define LSTM_GATES     4         /* in the order input, forget, candidate, output */

struct lstm_shape {
    struct net_shape front;      /* its outputs are what the cells see */
    uint32_t         cells;
    struct net_shape head;       /* its inputs are the cells */
};

struct lstm {
    struct lstm_shape shape;
    uint32_t          parameters;
    float            *parameter;
    struct net        front, head;           /* views of the same array */
    float            *cells;     /* W, U and b in it */
};

/* What one flow remembers. */
struct lstm_state { float c[LSTM_CELLS_MAX], h[LSTM_CELLS_MAX]; };

/* Room to take one trajectory of up to 'steps' through the policy and back. */
struct lstm_batch {
    uint32_t         steps_max, steps;
    struct net_batch front, head;
    float           *gate;       /* [steps][LSTM_GATES][cells], after s() and tanh() */
    float           *c, *c_tanh, *h;         /* [steps][cells] */
    float           *dh;         /* [steps][cells], by way of the head */
    float           *dx;         /* [steps][inputs of the cells] */
};

extern const struct lstm_shape lstm_shape_rlcc;

/* Returns what is wrong with a shape, in words to put behind "the net ", or NULL. */
const char *lstm_shape_flaw(const struct lstm_shape *);
bool        lstm_shape_equal(const struct lstm_shape *, const struct lstm_shape *);
uint32_t    lstm_shape_parameters(const struct lstm_shape *);

/* All parameters are 0. */
void lstm_init(struct lstm *, const struct lstm_shape *);
void lstm_fini(struct lstm *);

/* Right angles everywhere, of length sqrt 2 (orthogonal.h); biases are 0. */
void lstm_randomise(struct lstm *, struct rng *);

/* One step: x through the policy, y out; the state goes on from where it is. A flow begins with all 0. */
void lstm_run(const struct lstm *, struct lstm_state *, const float *x, float *y);

void lstm_batch_init(struct lstm_batch *, const struct lstm_shape *, uint32_t steps_max);
void lstm_batch_fini(struct lstm_batch *);

/* A whole trajectory, x [steps][inputs], from a state of 0. Returns the outputs, [steps][outputs]: the bits
 * that lstm_run() gives. x must stay as it is until lstm_backward(). */
const float *lstm_forward(const struct lstm *, struct lstm_batch *, const float *x, uint32_t steps);

/* For a loss L of those outputs: adds dL/dparameter to 'gradient', through all steps. dy is dL/doutput. */
void lstm_backward(const struct lstm *, struct lstm_batch *, const float *dy, float *gradient);

#endif
