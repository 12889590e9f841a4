/* src/env/env_rows.h - training data for trees: states that a policy's flows visit, and its actions there. */
#ifndef ENV_ENV_ROWS_H
#define ENV_ENV_ROWS_H

#include "base/err.h"
#include "learn/policy/policy.h"
#include "learn/tree/tree_grow.h"

/* Runs a policy in a named world (env_world.h) from its start and adds 'states' rows, or fewer if the
 * scenario ends. Refuses policies other than mlp and lstm, and unknown names. */
int env_add_rows(struct tree_rows *, const struct policy *, const char *world, uint32_t states, uint64_t seed,
                 struct err *);

#endif
