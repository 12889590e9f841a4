/* src/learn/policy/orthogonal.h - orthogonal initialization of weights. */
#ifndef LEARN_POLICY_ORTHOGONAL_H
#define LEARN_POLICY_ORTHOGONAL_H

#include "base/rng.h"
#include "learn/net.h"

/* Fills weights [inputs][outputs] with a random matrix whose vectors along the shorter side are orthogonal
 * and of length 'gain' (Saxe et al., 2014). The same bits on every machine. */
void orthogonal_fill(float *weights, uint32_t inputs, uint32_t outputs, double gain, struct rng *);

/* Initializes all layers of a net; biases are 0. */
void orthogonal_net(struct net *, double gain, struct rng *);

#endif
