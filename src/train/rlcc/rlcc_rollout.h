/* src/train/rlcc/rlcc_rollout.h - one rollout: runs all worlds in parallel and collects the trajectories of
 * their agents. */
#ifndef TRAIN_RLCC_RLCC_ROLLOUT_H
#define TRAIN_RLCC_RLCC_ROLLOUT_H

#include "train/rlcc/rlcc_training.h"

/* Statistics of all worlds since the last report. */
struct rlcc_seen {
    double steps, reward, delta, rtt_us;     /* sums over steps */
    double share;                /* utilization of the receivers' links by payload, mean of the worlds */
};

/* Runs all worlds until the quota of this update is met, and starts missing ones. Stores the trajectories in
 * the training and adds to 'seen'. */
int rlcc_rollout(struct rlcc_train *, struct rlcc_seen *, struct err *);

/* Closes one world, or all. The next rollout starts new ones. */
void rlcc_rollout_end(struct rlcc_train *, uint32_t world);
void rlcc_rollout_drop(struct rlcc_train *);

#endif
