/* src/learn/policy/tree_adpg.h - trees trained by the policy gradient itself, without a teacher.
 * After Fuhrer et al., "Gradient Boosting Reinforcement Learning", ICML 2025, with the gradient of adpg.h in
 * place of an actor-critic's.
 *
 * A forest with float leaves computes u, the sum of the leaves that a state falls into. Each update uses the
 * derivative of ADPG's loss with respect to each u of a rollout twice:
 *
 *   grow      every grow_every updates, until there are enough, a tree is fitted to the derivatives by least
 *             squares: the pseudo-residuals of gradient boosting. Its splits separate states with different
 *             gradients.
 *   adjust    all leaves are parameters. The gradient of a leaf is the sum of the derivatives of its states,
 *             and Adam makes a step.
 *
 * Boosting alone would need hundreds of trees; with trainable leaves, as many as fit on a NIC suffice. Leaves
 * without states do not change. The multiplier is 1 + 0.2 u, within [1/1.2, 1.2]: unlike that of nets it is
 * linear below 1 too, as a sum of integer leaves must be.
 */
#ifndef LEARN_POLICY_TREE_ADPG_H
#define LEARN_POLICY_TREE_ADPG_H

#include "learn/policy/adpg.h"
#include "learn/tree/tree_certify.h"
#include "learn/tree/tree_grow.h"

struct tree_adpg_cfg {           /* 0: the default in brackets */
    struct adpg_cfg adpg;
    struct tree_cfg tree;        /* [10 trees of depth 4]; no sweeps */
    uint32_t        grow_every;  /* [20] updates */
    double          grow_rate;   /* [0.05] change of u by a new tree where the derivative equals its root mean
                                  * square */
};

#define TREE_ADPG_PARAMETERS (1 + TREE_TREES_MAX * TREE_LEAVES_MAX)

struct tree_adpg {
    struct tree_adpg_cfg cfg;
    struct forest        shape;  /* splits; its leaves are not used */
    float                parameter[TREE_ADPG_PARAMETERS];    /* base, then the leaves tree by tree */
    float                gradient[TREE_ADPG_PARAMETERS];     /* of the last update, after clipping */
    certify_weights      visits; /* number of states in each leaf, over all updates */
    struct adam          adam;
    struct tree_rows     rows;   /* states of the last update */
    float               *want;   /* desired change of u in each, opposite to its derivative */
    uint32_t             wants_max;
    float               *u, *slope;
    uint32_t             steps_max, updates;
};

/* Trajectories have at most 'steps_max' steps. */
void tree_adpg_init(struct tree_adpg *, const struct tree_adpg_cfg *, uint32_t steps_max);
void tree_adpg_fini(struct tree_adpg *);

/* The decision in a state: u within [-5/6, 1]. */
float tree_adpg_u(const struct tree_adpg *, const int16_t feature[TREE_FEATURES]);

/* Makes one update from a rollout of n agents; states have the four features of policy.h. Returns the loss.
 * If no agent has two steps, changes nothing and returns 0. */
double tree_adpg_update(struct tree_adpg *, const struct adpg_trajectory *, uint32_t n);

/* Converts to integers, for decisions. */
void tree_adpg_forest(const struct tree_adpg *, struct forest *);

/* The same, repaired with visits as weights: leaves with few states change most. Returns the result of
 * certify_mend(). */
int64_t tree_adpg_mended(const struct tree_adpg *, struct forest *);

#endif
