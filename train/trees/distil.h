/* train/trees/distil.h - distills a policy of any kind into trees that a NIC can run.
 *
 * Trees are grown from states and the teacher's actions in them. States come from a grid (tree_grow.h) and
 * from the teacher's own flows (train/env/env_world.h). Some states are held out to evaluate the trees. Trees
 * are repaired until they can be certified (tree_certify.h).
 *
 * With few thresholds, flows under trees settle at a slightly different delta than under the teacher. With
 * many flows, a small delta is a large part of an RTT (0.025 with 2,048 flows: 2 %). Centering shifts all
 * thresholds of deltas by the difference, and then repairs the trees again.
 */
#ifndef TRAIN_TREES_DISTIL_H
#define TRAIN_TREES_DISTIL_H

#include "base/nets/policy/policy_story.h"
#include "base/nets/tree/tree_certify.h"
#include "train/trees/tree_grow.h"

struct distil_cfg {
    struct tree_cfg  tree;
    struct tree_grid grid;
    uint64_t         seed;       /* for the held-out states */
    bool             is_gridless;            /* rows of flows only */
    bool             is_unmended;
    bool             is_centred;             /* trees settle where the teacher does */
};

/* Ten trees of depth 4, 20 sweeps, 5 actions and 100 deltas. */
extern const struct distil_cfg distil_initial;

struct distil_report {
    uint32_t           rows, aside;          /* training rows, and held-out rows */
    struct policy_gap  grown, mended;        /* on held-out rows, with bounds */
    int64_t            states;   /* number of repaired states; -1: the repair did not end */
    struct certificate certificate;
};

/* 'seen' (NULL: none) holds rows besides the grid. Refuses too few rows, and trees beyond repair (-EPERM). */
int distil_trees(struct policy *trees, const struct policy *teacher, const struct distil_cfg *,
                 const struct tree_rows *seen, struct distil_report *, struct err *);

/* Prints the difference from the teacher, the worst state, and the certificate. */
void distil_print(FILE *, const struct distil_report *, const struct forest *);

#endif
