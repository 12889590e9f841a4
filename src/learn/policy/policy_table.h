/* src/learn/policy/policy_table.h - what a policy does, as a table that two policies can be compared by.
 *
 * Rows are the delta before, columns the delta now, both actions before are 1; in each cell stands the multiplier.
 * Deltas are those of POLICY_TABLE_SIDE places, from an empty network to a very full one.
 */
#ifndef LEARN_POLICY_POLICY_TABLE_H
#define LEARN_POLICY_POLICY_TABLE_H

#include "learn/policy/policy.h"

#define POLICY_TABLE_SIDE 8

extern const float policy_table_delta[POLICY_TABLE_SIDE];

typedef float policy_table[POLICY_TABLE_SIDE][POLICY_TABLE_SIDE];

/* RL-CC's net as its authors have released it, evaluated; to three digits. */
extern const policy_table policy_table_released;

void policy_table_fill(policy_table, const struct policy *);

/* The largest difference between two cells at the same place. */
float policy_table_distance(const policy_table, const policy_table);

/* One line per row under a line of columns; numbers as "1.051". */
void policy_table_print(FILE *, const policy_table);

/* The three by three of the paper's table VI: under-utilised, on target, congested before, and the same now. */
extern const float policy_table_paper[3][3];
void policy_table_fill_paper(float table[3][3], const struct policy *);

#endif
