/* src/train/rlcc/rlcc_train.h - a policy of RL-CC from nothing: worlds side by side, and what is learnt from each rollout.
 *
 * An update: every world runs on until each of its agents has made so many steps, by the policy as it is; then the gradient
 * over all agents is taken (learn/policy/adpg.h), one step of Adam, and the rollout is thrown away. Worlds go on from update
 * to update; each begins anew every 'renew' updates, with another seed. Every five times as many all of them do: then all
 * there is to know, weights and Adam's means, is written to a file, and an interrupted training goes on from there as if
 * nothing had been.
 *
 * Trees learn in the same way without a net (learn/policy/tree_adpg.h); the forest that is written is mended and certified.
 *
 * Worlds run on as many threads as there are jobs and are read in the order of their numbers, so the same request gives the
 * same weights for any number of jobs.
 */
#ifndef TRAIN_RLCC_RLCC_TRAIN_H
#define TRAIN_RLCC_RLCC_TRAIN_H

#include "train/rlcc/rlcc_training.h"

/* Where the request says nothing: for nets, and for trees. */
extern const struct rlcc_request rlcc_initial, rlcc_initial_trees;

/* Refuses worlds that there are not. To be closed in any case. */
int  rlcc_train_open(struct rlcc_train *, const struct rlcc_request *, struct err *);
void rlcc_train_close(struct rlcc_train *);

/* Trains, from where an interrupted training was, and writes the model. */
int rlcc_train_run(struct rlcc_train *, struct err *);

#endif
