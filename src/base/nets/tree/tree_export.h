/* src/base/nets/tree/tree_export.h - writes trees as C code for a NIC.
 *
 * The result is a single file without library calls, allocation, floating point, division or loops. It
 * decides as rule_decide() does, bit by bit:
 *
 *   struct rlcc_flow      state of a flow, 12 bytes
 *   struct rlcc_params    parameters, and rlcc_params_default
 *   rlcc_start()          starts a flow
 *   rlcc_tree()           the multiplier for four features
 *   rlcc_decide()         an RTT in, the rate out
 *
 * Instead of evaluating every split, a binary search locates a feature between its thresholds. A table holds
 * the answers to all splits on that feature there, four bits per tree. The combined answers of the four
 * features are the leaf indices of all trees; leaves are looked up for two trees at once.
 */
#ifndef BASE_NETS_TREE_TREE_EXPORT_H
#define BASE_NETS_TREE_TREE_EXPORT_H

#include "base/err.h"
#include "base/nets/tree/tree.h"

#include <stdio.h>

enum tree_export_layout {
    TREE_EXPORT_C,               /* as above */
    TREE_EXPORT_DOCA             /* with the entry points of DOCA PCC (programmable congestion control) */
};

struct tree_export_cost {
    uint32_t operations;         /* upper bound of the integer operations of rlcc_tree() */
    uint32_t table_bytes;
};

/* 'title' begins the first comment. Refuses (-EPERM) trees that certify_rule() rejects, with the reason. */
int tree_export(FILE *, enum tree_export_layout, const struct forest *, const struct rule_params *,
                const char *title, struct err *);

struct tree_export_cost tree_export_cost(const struct forest *);

/* Prints one line. */
void tree_export_print_cost(FILE *, const struct forest *);

#endif
