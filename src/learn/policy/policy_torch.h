/* src/learn/policy/policy_torch.h - reads a net of RL-CC's authors: a checkpoint of PyTorch.
 *
 * A checkpoint is a zip archive without compression. DIR/data.pkl names the tensors and the storage of each,
 * DIR/data/KEY are the numbers of a storage: float32, little-endian, one output after the other. Of the
 * pickle only names and keys are read: a key is the next text of digits after a tensor's name.
 *
 * The authors' training code (github.com/NVlabs/RLCC) and the net that they released (github.com/benja263/
 * rl-cc, trained_models/rlcc_nn_model) have the tensors net.0.weight, net.2.weight and output_layer.weight of
 * 4-12relu-12relu-1tanh without biases. Their features are in the order of policy.h.
 */
#ifndef LEARN_POLICY_POLICY_TORCH_H
#define LEARN_POLICY_POLICY_TORCH_H

#include "learn/policy/policy.h"

/* Whether a file that starts with these bytes is a zip archive. */
bool policy_torch_is(const void *bytes, size_t length);

/* Makes an mlp. 'name' precedes the reason in err. */
int policy_torch_parse(struct policy *, const char *name, const void *bytes, size_t length, struct err *);

#endif
