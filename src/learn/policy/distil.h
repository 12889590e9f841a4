/* src/learn/policy/distil.h - a policy made small: from a teacher of any body to trees that a NIC runs.
 *
 * Trees are grown from states and what the teacher does there: those of a grid (tree_rows.h), those of recorded flows, along
 * which the teacher decides with its own memory, as it would have done, and those of its own flows (env/env_rows.h). A part of the states is set aside:
 * what is told of the trees is measured there. Trees are mended until they can be certified (tree_certify.h).
 *
 * A few thresholds cannot be everywhere: flows under trees come to rest at a delta that is a little off the teacher's, and with many flows a
 * little of delta is much of an RTT (0.025 with 2,048 flows: 2 %). So trees can be centred: all thresholds of deltas are
 * shifted by what is missing, and what that breaks is mended again.
 */
#ifndef LEARN_POLICY_DISTIL_H
#define LEARN_POLICY_DISTIL_H

#include "learn/policy/policy_gap.h"
#include "learn/policy/trajectory.h"
#include "learn/tree/tree_certify.h"
#include "learn/tree/tree_grow.h"

struct distil_cfg {
    struct tree_cfg  tree;
    struct tree_grid grid;
    uint64_t         seed;       /* of what is set aside */
    bool             is_gridless;            /* recorded flows alone */
    bool             is_unmended;
    bool             is_centred;             /* they come to rest where the teacher does */
};

/* Ten trees of depth 4, 20 sweeps, 5 actions and 100 deltas. */
extern const struct distil_cfg distil_initial;

struct distil_report {
    uint32_t           rows, aside;          /* grown from, and measured on */
    struct policy_gap  grown, mended;        /* trees against the teacher, on those set aside; bounds included */
    int64_t            states;   /* that were mended; -1: there was no end to it */
    struct certificate certificate;
};

/* Adds what the teacher decides at each step of each flow, in the state that it remembers there. */
void distil_add_trajectories(struct tree_rows *, const struct policy *teacher, const struct trajectories *);

/* 'seen', rows beside those of the grid, may be NULL if there is one. Trees that cannot be mended are refused (-EPERM), as are too few rows. */
int distil_trees(struct policy *trees, const struct policy *teacher, const struct distil_cfg *,
                 const struct tree_rows *seen, struct distil_report *, struct err *);

/* Some lines of text: how near the trees are, in which state least, and the certificate. */
void distil_print(FILE *, const struct distil_report *, const struct forest *);

#endif
