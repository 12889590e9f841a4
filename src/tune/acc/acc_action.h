/* src/tune/acc/acc_action.h - the settings that ACC chooses from.
 *
 * The paper has three lists that do not agree; only 20 actions match the stated size and cost of its net.
 *
 *   template   20 settings for a port of 25 Gb/s, from the earliest to the latest marking. They include all
 *              settings that ACC is compared with, also scaled to 100 Gb/s, so that it can be at least as
 *              good
 *   text       section 3.3: kmin of E(n), kmax of 1, 2, 5, 10 MB, not below kmin, pmax 1 %, 5 %, 10 % .. 100
 *              %: 630
 *   pairs      section 5.4: kmin and kmax of E(n), kmin <= kmax, pmax 5 %, 10 % .. 100 %: 55 x 20
 *
 * E(n) = 20 * 2^n KB, n = 0 .. 9.
 */
#ifndef TUNE_ACC_ACC_ACTION_H
#define TUNE_ACC_ACC_ACTION_H

#include "core/queue.h"

#include <stdint.h>

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

#endif
