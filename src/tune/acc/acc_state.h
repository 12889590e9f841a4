/* src/tune/acc/acc_state.h - a queue's slot as ACC sees it: features for a net, a reward, the cell of a
 * rule; and the settings that it chooses from.
 *
 * A slot has four features in 0 .. 1 (the paper normalizes them but does not say how):
 *
 *   queue     log2(1 + mean length / 1 KB) / 14: 0 empty, 0.31 at 20 KB, 0.71 at 1 MB, 1 at 16 MB
 *   sent      bytes sent / capacity of the link in a slot
 *   marked    marked bytes / capacity
 *   setting   index of the current action / index of the last action
 *
 * Reward: w T + (1 - w) D. T is 'sent'. D is 1 for an empty queue and falls with its length L:
 *
 *   step      1 - n/10, n the smallest with L <= E(n) = 20 * 2^n KB; 0 above E(9)   (figure 4)
 *   linear    1 - L / 10 MB                                                        (design 1 of the appendix)
 *
 * A rule has one action for each of 15 cells. It has so few parts that training can search for one by trial,
 * and the net then starts with it (train/train.h).
 *
 *                link below 80 %   80 to 95 %   above
 *   below 5 KB         0                5         10
 *   to 20 KB           1                6         11
 *   to 80 KB           2                7         12      mean length in the last slot,
 *   to 320 KB          3                8         13      per 25 Gb/s of the port if lengths are scaled
 *   above              4                9         14
 *
 * The settings that ACC chooses from are a list. The paper has three lists that do not agree; only 20 actions
 * match the stated size and cost of its net.
 *
 *   template   20 settings for a port of 25 Gb/s, from the earliest to the latest marking. They include all
 *              settings that ACC is compared with, also scaled to 100 Gb/s, so that it can be at least as
 *              good
 *   text       section 3.3: kmin of E(n), kmax of 1, 2, 5, 10 MB, not below kmin, pmax 1 %, 5 %, 10 % .. 100
 *              %: 630
 *   pairs      section 5.4: kmin and kmax of E(n), kmin <= kmax, pmax 5 %, 10 % .. 100 %: 55 x 20
 */
#ifndef TUNE_ACC_ACC_STATE_H
#define TUNE_ACC_ACC_STATE_H

#include "core/queue.h"

enum acc_actions { ACC_TEMPLATE, ACC_TEXT, ACC_PAIRS };

extern const char *const acc_actions_names[];    /* NULL-terminated */

#define ACC_LEVELS 10            /* of E(n) */
#define ACC_ACTIONS_MAX 1100

/* E(n) in bytes. */
uint64_t acc_level_bytes(uint32_t n);

/* Writes all actions in order, unless 'ecn' is NULL. Returns their number. */
uint32_t acc_actions_list(enum acc_actions, struct ecn *);

/* Returns the action nearest to a setting, by the sum of the log ratios of kmin, kmax and pmax. */
uint32_t acc_actions_nearest(const struct ecn *action, uint32_t actions, const struct ecn *);

/* ---- what it sees ---- */

#define ACC_FEATURES   4
#define ACC_RULE_CELLS 15

enum acc_reward { ACC_STEP, ACC_LINEAR };

extern const char *const acc_reward_names[];     /* NULL-terminated */

struct acc_rule { uint16_t action[ACC_RULE_CELLS]; };

struct acc_seen {                /* of one queue in one slot, or the mean of several */
    double feature[ACC_FEATURES];
    double throughput, delay;    /* T and D */
};

/* 'action' of 'actions' is the current one. */
void acc_see(struct acc_seen *, const struct queue_slot *, const struct queue_facts *, uint64_t slot_ps,
             uint32_t action, uint32_t actions, enum acc_reward);

/* Returns D for a mean length. */
double acc_delay(enum acc_reward, uint64_t queue_bytes);

/* Returns the cell of a slot from its features. */
uint32_t acc_rule_cell(const float *feature);

#endif
