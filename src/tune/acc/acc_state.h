/* src/tune/acc/acc_state.h - what ACC makes of what is seen at a queue: numbers for a net, and a reward.
 *
 * Of each slot four numbers in 0 .. 1 (the paper says that they are normalised, not how):
 *
 *   queue     log2(1 + mean length / 1 KB) / 14: 0 empty, 0.31 at 20 KB, 0.71 at 1 MB, 1 at 16 MB
 *   sent      bytes sent / what the link carries in a slot
 *   marked    so for bytes that carry a mark
 *   setting   number of the action in force / number of the last
 *
 * Reward: w T + (1 - w) D. T is 'sent'. D is 1 for an empty queue and falls with its length L:
 *
 *   step      1 - n/10, n the smallest with L <= E(n) = 20 * 2^n KB; 0 above E(9)   (figure 4)
 *   linear    1 - L / 10 MB                                                        (design 1 of the appendix)
 */
#ifndef TUNE_ACC_ACC_STATE_H
#define TUNE_ACC_ACC_STATE_H

#include "core/queue.h"

#include <stdint.h>

#define ACC_FEATURES 4           /* of a slot */

enum acc_reward { ACC_STEP, ACC_LINEAR };

extern const char *const acc_reward_names[];     /* NULL-terminated */

struct acc_seen {                /* at one queue in one slot, or on average at several */
    double feature[ACC_FEATURES];
    double throughput, delay;    /* T and D */
};

/* 'action' of 'actions' is in force. */
void acc_see(struct acc_seen *, const struct queue_slot *, const struct queue_facts *, uint64_t slot_ps,
             uint32_t action, uint32_t actions, enum acc_reward);

/* D for a mean length. */
double acc_delay(enum acc_reward, uint64_t queue_bytes);

#endif
