/* src/train/rlcc/rlcc_rollout.h - one rollout: all worlds run on, side by side, and what their agents went through. */
#ifndef TRAIN_RLCC_RLCC_ROLLOUT_H
#define TRAIN_RLCC_RLCC_ROLLOUT_H

#include "train/rlcc/rlcc_training.h"

/* Of all worlds since they were last looked at. */
struct rlcc_seen {
    double steps, reward, delta, rtt_us;     /* sums over steps */
    double share;                /* of the receivers' links that was used by payload, the mean of the worlds */
};

/* Lets all worlds run on until the quota of this update is met; those that are not there begin. Leaves the trajectories in
 * the training and adds to 'seen' what was seen. */
int rlcc_rollout(struct rlcc_train *, struct rlcc_seen *, struct err *);

/* Ends a world, or all of them: others begin with the next rollout. */
void rlcc_rollout_end(struct rlcc_train *, uint32_t world);
void rlcc_rollout_drop(struct rlcc_train *);

#endif
