/* src/learn/policy/policy_table.h - a policy's decisions as a table, for comparing policies.
 *
 * Rows are the previous delta, columns the current one, and cells the multiplier; both previous actions are
 * 1. There are POLICY_TABLE_SIDE deltas, from an empty network to a very full one.
 */
#ifndef LEARN_POLICY_POLICY_TABLE_H
#define LEARN_POLICY_POLICY_TABLE_H

#include "learn/policy/policy.h"

#define POLICY_TABLE_SIDE 8

extern const float policy_table_delta[POLICY_TABLE_SIDE];

typedef float policy_table[POLICY_TABLE_SIDE][POLICY_TABLE_SIDE];

/* RL-CC's net as released by its authors, evaluated; three digits. */
extern const policy_table policy_table_released;

void policy_table_fill(policy_table, const struct policy *);

/* Largest difference between corresponding cells. */
float policy_table_distance(const policy_table, const policy_table);

/* Prints a header and one line per row, with numbers like "1.051". */
void policy_table_print(FILE *, const policy_table);

/* Table VI of the paper, three by three: under-utilized, on target, congested; previous and current. */
extern const float policy_table_paper[3][3];
void policy_table_fill_paper(float table[3][3], const struct policy *);

#endif
