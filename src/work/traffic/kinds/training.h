/* src/work/traffic/kinds/training.h - API for training traffic. Hosts are node numbers; arguments must be
 * valid. */
#ifndef WORK_TRAFFIC_KINDS_TRAINING_H
#define WORK_TRAFFIC_KINDS_TRAINING_H

#include "work/traffic/collective.h"
#include "work/traffic/traffic_flow.h"
#include "work/traffic/iteration.h"
#include "work/traffic/read.h"

#include <stdio.h>

/* Training with iterations of several steps, which are copied. Workers perform their collectives and wait for
 * the last of them. delay_ps later, at least a link's delay, all know that it has finished, compute for
 * compute_ps, and start the next iteration, until 'iterations' have started or stop is reached. Worker i is
 * on hosts[i]. An iteration lasts from its start, including computing in its steps, until the last worker has
 * sent and received all of it. size_bytes is reported in results. */
struct traffic_steps {
    struct iteration_cfg iteration;
    uint64_t             size_bytes, compute_ps, delay_ps;
    uint32_t             iterations;     /* UINT32_MAX: practically unlimited */
    uint64_t             step_ps;    /* cost of a step: from what a message waits for to its start; a channel
                                      * of a worker takes one step at a time */
};
void traffic_add_training_steps(struct traffic *, const struct traffic_common *, const struct traffic_steps *,
                                const uint32_t *hosts);

/* The messages of an iteration of an entry whose kind is training, and what each waits for. A message's
 * number is the tag of its flow. */
const struct iteration *training_iteration(const struct traffic *, uint32_t entry);

/* The kind of collective (iteration_kind_name()) that a message of an entry belongs to, by its tag;
 * ITERATION_KINDS: the entry is no training. */
uint32_t training_kind_of(const struct traffic *, uint32_t entry, uint64_t tag);

/* ---- reading, for the kind only ---- */

extern const struct key_row training_keys[];

/* Reads an entry. Returns false if it is invalid. The reader owns the steps and hosts. */
struct training_request { struct traffic_steps steps; struct hosts workers; };

bool training_read(struct entry *, struct training_request *);
void training_print_steps(FILE *);

/* ---- language models: training_model.c ---- */

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
