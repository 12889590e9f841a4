/* src/base/nets/policy/policy_file.h - conversion between policies and models (base/nets/model.h).
 *
 *   kind         contents of the file
 *   rlcc-mlp     a net, as in other models; note "range" is that of actions
 *   rlcc-lstm    a body: uint32 cells; front and head, each uint32 inputs, uint32 layers and for each layer
 *                uint32 outputs, activation, 1 if without biases; float32 parameters in the order of lstm.h;
 *                note "range"
 *   rlcc-int8    a body: uint32 layers; for each: uint32 outputs, int32 bits, uint16 scales, int8 weights,
 *                one output after the other; int32 table of multipliers
 *   rlcc-int8_lstm  the same with the layers of quant.h; int32 biases follow the weights of a layer
 *   rlcc-trees   a body: uint32 trees, int32 base, lowest and highest multiplier; for each tree: uint32
 *                depth, for each split int32 feature and threshold, int32 leaves
 *
 * A body starts with uint32 POLICY_FILE_VERSION. The encoding is canonical.
 */
#ifndef BASE_NETS_POLICY_POLICY_FILE_H
#define BASE_NETS_POLICY_POLICY_FILE_H

#include "base/nets/model.h"
#include "base/nets/policy/policy.h"

#define POLICY_FILE_VERSION 1

/* The model has no notes other than "range". */
void policy_to_model(const struct policy *, struct model *);

/* Refuses unknown kinds, versions and shapes. 'name' precedes the reason in err. */
int policy_from_model(struct policy *, const struct model *, const char *name, struct err *);

/* Like model_load(); also takes a checkpoint of RL-CC's authors (see below). */
int policy_model_load(struct model *, const char *path, struct err *);

/* Both make a model, followed by policy_from_model(). */
int policy_parse(struct policy *, const char *name, const void *bytes, size_t length, struct err *);
int policy_load(struct policy *, const char *path, struct err *);

/* ---- nets of RL-CC's authors: checkpoints of PyTorch ----
 *
 * A checkpoint is a zip archive without compression. DIR/data.pkl names the tensors and the storage of each,
 * DIR/data/KEY are the numbers of a storage: float32, little-endian, one output after the other. Of the
 * pickle only names and keys are read: a key is the next text of digits after a tensor's name.
 *
 * The authors' training code (github.com/NVlabs/RLCC) and the net that they released (github.com/benja263/
 * rl-cc, trained_models/rlcc_nn_model) have the tensors net.0.weight, net.2.weight and output_layer.weight of
 * 4-12relu-12relu-1tanh without biases. Their features are in the order of policy.h.
 */
/* Whether a file that starts with these bytes is a zip archive. */
bool policy_torch_is(const void *bytes, size_t length);

/* Makes an mlp. 'name' precedes the reason in err. */
int policy_torch_parse(struct policy *, const char *name, const void *bytes, size_t length, struct err *);

#endif
