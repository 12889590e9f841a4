/* src/learn/policy/tree_adpg.h - trees without a teacher: grown and adjusted by the policy gradient itself.
 * After Fuhrer et al., "Gradient Boosting Reinforcement Learning", ICML 2025, with the gradient of adpg.h in place of an
 * actor-critic's.
 *
 * A forest of float leaves decides u, the sum of the leaves that a state is in. Each update takes the trajectories of a
 * rollout, and the derivative of ADPG's loss by each u in it is used twice:
 *
 *   grow      every so many updates, until there are enough, a tree is fitted to it by least squares: the pseudo-residual
 *             of gradient boosting. What questions it asks is where states differ in what they want
 *   adjust    all leaves are parameters; each has the sum of the derivatives of the states in it as its gradient, and
 *             Adam takes a step
 *
 * Boosting alone would need hundreds of trees; leaves that go on learning make do with as many as a NIC takes. Leaves that no
 * state was in stay as they are. In the multiplier u counts the range of actions, 1 + 0.2 u, within [1/1.2, 1.2]: unlike
 * that of nets, straight also below 1, which is what a sum of leaves in integers can be.
 */
#ifndef LEARN_POLICY_TREE_ADPG_H
#define LEARN_POLICY_TREE_ADPG_H

#include "learn/policy/adpg.h"
#include "learn/tree/tree_certify.h"
#include "learn/tree/tree_grow.h"

struct tree_adpg_cfg {           /* 0: the value in brackets */
    struct adpg_cfg adpg;
    struct tree_cfg tree;        /* [10 trees of depth 4]; no sweeps */
    uint32_t        grow_every;  /* [20] updates */
    double          grow_rate;   /* [0.05] of u: what a new tree changes where the derivative is as large as its root mean
                                  * square */
};

#define TREE_ADPG_PARAMETERS (1 + TREE_TREES_MAX * TREE_LEAVES_MAX)

struct tree_adpg {
    struct tree_adpg_cfg cfg;
    struct forest        shape;  /* questions; its leaves are not used */
    float                parameter[TREE_ADPG_PARAMETERS];    /* base, then the leaves tree by tree */
    float                gradient[TREE_ADPG_PARAMETERS];     /* of the last update, after cutting */
    certify_weights      visits; /* states that were in each leaf, of all updates */
    struct adam          adam;
    struct tree_rows     rows;   /* states of the last update, */
    float               *want;   /* and what each wants of u: against its derivative */
    uint32_t             wants_max;
    float               *u, *slope;
    uint32_t             steps_max, updates;
};

/* Trajectories have at most 'steps_max' steps. */
void tree_adpg_init(struct tree_adpg *, const struct tree_adpg_cfg *, uint32_t steps_max);
void tree_adpg_fini(struct tree_adpg *);

/* What it decides in a state: u within [-5/6, 1]. */
float tree_adpg_u(const struct tree_adpg *, const int16_t feature[TREE_FEATURES]);

/* One update from a rollout of n agents; states have the four features of policy.h. Returns the loss; without an agent of
 * two steps or more nothing changes and it is 0. */
double tree_adpg_update(struct tree_adpg *, const struct adpg_trajectory *, uint32_t n);

/* As integers, to decide with. */
void tree_adpg_forest(const struct tree_adpg *, struct forest *);

/* The same, mended by visits: leaves that few states were in give way. Returns what certify_mend() does. */
int64_t tree_adpg_mended(const struct tree_adpg *, struct forest *);

#endif
