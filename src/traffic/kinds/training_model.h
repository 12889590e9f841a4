/* src/traffic/kinds/training_model.h - steps of an iteration from the shape of a language model.
 *
 * A worker holds layers / pipeline layers, each divided among its tensor group. For each micro-batch it
 * receives activations from the stage before, computes, and sends activations on; then the same backwards.
 * While it computes the last micro-batch backwards, gradients are reduced in buckets. Inside a layer, workers
 * exchange
 *
 *   tensor   two all-reduces of the activations; by time only where the group is inside a server
 *   context  keys and values of the other parts of the sequence, while they compute
 *   expert   tokens to their experts and back
 *
 * Activations, weights and gradients have 16 bits. Computing takes 2 operations per active parameter and
 * token, plus attention, at the speed that a GPU achieves, and twice that backwards. All forward passes come
 * before all backward passes.
 */
#ifndef TRAFFIC_KINDS_TRAINING_MODEL_H
#define TRAFFIC_KINDS_TRAINING_MODEL_H

#include "traffic/iteration.h"
#include "traffic/read.h"

#include <stdio.h>

struct model_shape {
    uint32_t layers, hidden, ffn, heads, kv_heads, vocabulary;
    uint32_t experts, active, shared, expert_ffn, dense_layers;  /* experts 0: all layers are dense */
    uint64_t attention;          /* parameters of a layer's attention; 0: by heads */
    uint32_t cache;              /* values that a layer keeps of a token; 0: keys and values by heads */
};

extern const char *const model_names[];          /* NULL-terminated */

/* Returns the bytes that a model keeps of a token, by the model's place in model_names[]. */
double model_cache_bytes(uint32_t model);

/* Returns the number of parameters; of those, what a token uses. */
double model_parameters(const struct model_shape *);
double model_active_parameters(const struct model_shape *);

/* Reads 'model' of an entry and writes at most ITERATION_STEPS_MAX steps. Returns their number. 'server' is
 * the number of workers in a server. 'how' has channels, chunk, rails and skew. Computing after the last step
 * is added to 'compute_ps'. */
uint32_t model_read_steps(const struct entry *, const struct parallel *, uint32_t server,
                          const struct collective_cfg *how, struct iteration_step *, uint64_t *compute_ps);

void model_print_markdown(FILE *);

#endif
