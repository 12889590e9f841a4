/* src/learn/policy/orthogonal.h - where a policy's training begins. */
#ifndef LEARN_POLICY_ORTHOGONAL_H
#define LEARN_POLICY_ORTHOGONAL_H

#include "base/rng.h"
#include "learn/net.h"

/* Fills weights [inputs][outputs] with a random matrix whose shorter side is made of vectors at right angles to
 * each other, all as long as 'gain' (Saxe et al., 2014). The same bits on every machine. */
void orthogonal_fill(float *weights, uint32_t inputs, uint32_t outputs, double gain, struct rng *);

/* All layers of a net so; biases are 0. */
void orthogonal_net(struct net *, double gain, struct rng *);

#endif
