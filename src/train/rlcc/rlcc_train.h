/* src/train/rlcc/rlcc_train.h - trains an RL-CC policy from scratch in parallel worlds.
 *
 * An update runs every world until each agent has made enough steps with the current policy. It then takes
 * the gradient over all agents (learn/policy/adpg.h), makes one Adam step, and discards the rollout. Worlds
 * persist across updates; each restarts every 'renew' updates with another seed. Every five such periods all
 * restart at once, and weights and Adam's means are saved. An interrupted training resumes there with the
 * same result.
 *
 * Worlds run on 'jobs' threads and are evaluated in the order of their numbers, so the weights do not depend
 * on the number of jobs.
 */
#ifndef TRAIN_RLCC_RLCC_TRAIN_H
#define TRAIN_RLCC_RLCC_TRAIN_H

#include "train/rlcc/rlcc_training.h"

extern const struct rlcc_request rlcc_initial;        /* defaults */

/* Refuses unknown worlds. Call rlcc_train_close() in any case. */
int  rlcc_train_open(struct rlcc_train *, const struct rlcc_request *, struct err *);
void rlcc_train_close(struct rlcc_train *);

/* Trains, resuming an interrupted training, and writes the model. */
int rlcc_train_run(struct rlcc_train *, struct err *);

#endif
