/* src/learn/policy/policy_file.h - conversion between policies and models (learn/model.h).
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
#ifndef LEARN_POLICY_POLICY_FILE_H
#define LEARN_POLICY_POLICY_FILE_H

#include "learn/model.h"
#include "learn/policy/policy.h"

#define POLICY_FILE_VERSION 1

/* The model has no notes other than "range". */
void policy_to_model(const struct policy *, struct model *);

/* Refuses unknown kinds, versions and shapes. 'name' precedes the reason in err. */
int policy_from_model(struct policy *, const struct model *, const char *name, struct err *);

/* Like model_load(); also takes a checkpoint of RL-CC's authors (policy_torch.h). */
int policy_model_load(struct model *, const char *path, struct err *);

/* policy_model_load() followed by policy_from_model(). */
int policy_load(struct policy *, const char *path, struct err *);

#endif
