/* src/learn/tree/tree_export.h - trees as C for a NIC.
 *
 * What is written is one file that needs no library, allocates nothing, has no floating point, no division and no
 * loop, and decides as rule.h does, bit by bit:
 *
 *   struct rlcc_flow      what a flow remembers, 12 bytes
 *   struct rlcc_params    what can be set, and rlcc_params_default
 *   rlcc_start()          a flow begins
 *   rlcc_tree()           the multiplier of four features
 *   rlcc_decide()         an RTT in, the rate out
 *
 * Of all questions about one feature only few are asked: a search finds between which thresholds it lies, and a
 * table has the answers to all questions about it there, four bits per tree. The answers of the four features
 * together hold the number of every tree's leaf; those of two trees are looked up at once.
 */
#ifndef LEARN_TREE_TREE_EXPORT_H
#define LEARN_TREE_TREE_EXPORT_H

#include "base/err.h"
#include "learn/tree/rule.h"

#include <stdio.h>

enum tree_export_layout {
    TREE_EXPORT_C,               /* as above */
    TREE_EXPORT_DOCA             /* and the entry points of a programmable congestion control (DOCA PCC) */
};

struct tree_export_cost {
    uint32_t operations;         /* integer operations of rlcc_tree() at most: comparisons, loads, shifts, ... */
    uint32_t table_bytes;
};

/* 'title' is put into the first comment: one line. Refuses (-EPERM) trees that certify_rule() does not let pass,
 * and says which claim is broken by which state. */
int tree_export(FILE *, enum tree_export_layout, const struct forest *, const struct rule_params *,
                const char *title, struct err *);

struct tree_export_cost tree_export_cost(const struct forest *);

/* A line of text. */
void tree_export_print_cost(FILE *, const struct forest *);

#endif
