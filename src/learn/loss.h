/* src/learn/loss.h - loss functions.
 *
 * Both return the mean over n > 0 values and store its derivative with respect to each value in 'slope'.
 */
#ifndef LEARN_LOSS_H
#define LEARN_LOSS_H

#include <stdint.h>

/* Squared error: e^2. */
double loss_mse(const float *value, const float *wanted, uint32_t n, float *slope);

/* Huber loss: e^2 / 2 up to |e| = bend, then linear: bend (|e| - bend / 2). */
double loss_huber(const float *value, const float *wanted, uint32_t n, float bend, float *slope);

#endif
