/* src/learn/loss.h - how far predictions are from what they should be, and which way to go.
 *
 * Both return the mean over n > 0 values and write its derivative by each of them to 'slope'.
 */
#ifndef LEARN_LOSS_H
#define LEARN_LOSS_H

#include <stdint.h>

/* Error e counts e^2. */
double loss_mse(const float *value, const float *wanted, uint32_t n, float *slope);

/* Error e counts e^2 / 2 up to |e| = bend, and from there on a straight line: bend (|e| - bend / 2). */
double loss_huber(const float *value, const float *wanted, uint32_t n, float bend, float *slope);

#endif
