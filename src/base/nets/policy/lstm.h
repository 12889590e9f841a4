/* src/base/nets/policy/lstm.h - a recurrent policy: dense layers, an LSTM, dense layers.
 * Hochreiter and Schmidhuber, "Long Short-Term Memory", Neural Computation 9, 1997; with forget gates.
 *
 *   i f o = s(x W + h U + b),  g = tanh(x W + h U + b),  c = f c + i g,  h = o tanh(c),
 *   s(z) = (1 + tanh(z/2))/2
 *
 * RL-CC's is 2-32relu-16relu-lstm16-1tanh with 2,753 parameters; its state, c and h, is 32 numbers per flow.
 * All parameters are in one array: the front (net.h), then W [inputs][i f g o], U [cells][i f g o] and b,
 * then the head. As in net.h, each sum has a fixed order, so results have the same bits on every machine.
 */
#ifndef BASE_NETS_POLICY_LSTM_H
#define BASE_NETS_POLICY_LSTM_H

#include "base/rng.h"
#include "base/nets/net.h"

#define LSTM_CELLS_MAX 16
#define LSTM_GATES     4         /* order: input, forget, candidate, output */

struct lstm_shape {
    struct net_shape front;      /* its outputs are the inputs of the cells */
    uint32_t         cells;
    struct net_shape head;       /* its inputs are the cells */
};

struct lstm {
    struct lstm_shape shape;
    uint32_t          parameters;
    float            *parameter;
    struct net        front, head;           /* views into the parameter array */
    float            *cells;     /* W, U and b, in the same array */
};

/* State of one flow. */
struct lstm_state { float c[LSTM_CELLS_MAX], h[LSTM_CELLS_MAX]; };

/* Scratch memory for one trajectory of up to 'steps', forward and backward. */
struct lstm_batch {
    uint32_t         steps_max, steps;
    struct net_batch front, head;
    float           *gate;       /* [steps][LSTM_GATES][cells], after s() and tanh() */
    float           *c, *c_tanh, *h;         /* [steps][cells] */
    float           *dh;         /* [steps][cells], from the head */
    float           *dx;         /* [steps][inputs of the cells] */
};

extern const struct lstm_shape lstm_shape_rlcc;

bool     lstm_shape_equal(const struct lstm_shape *, const struct lstm_shape *);
uint32_t lstm_shape_parameters(const struct lstm_shape *);

/* Sets all parameters to 0. */
void lstm_init(struct lstm *, const struct lstm_shape *);
void lstm_fini(struct lstm *);

/* Initializes with orthogonal matrices of gain sqrt 2 (net.h); biases are 0. */
void lstm_randomise(struct lstm *, struct rng *);

/* Runs one step and updates the state. A flow starts with a zero state. */
void lstm_run(const struct lstm *, struct lstm_state *, const float *x, float *y);

void lstm_batch_init(struct lstm_batch *, const struct lstm_shape *, uint32_t steps_max);
void lstm_batch_fini(struct lstm_batch *);

/* Runs a whole trajectory, x [steps][inputs], from a zero state. Returns the outputs, [steps][outputs], with
 * the same bits as lstm_run(). x must stay valid until lstm_backward(). */
const float *lstm_forward(const struct lstm *, struct lstm_batch *, const float *x, uint32_t steps);

/* Backpropagation through time of a loss L of those outputs; dy is dL/doutput. Adds to 'gradient'. */
void lstm_backward(const struct lstm *, struct lstm_batch *, const float *dy, float *gradient);

#endif
