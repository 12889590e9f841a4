/* src/env/env_rows.h - states that a policy's own flows go through, and what it does there: rows to grow trees from. */
#ifndef ENV_ENV_ROWS_H
#define ENV_ENV_ROWS_H

#include "base/err.h"
#include "learn/policy/policy.h"
#include "learn/tree/tree_rows.h"

/* Lets a policy control the flows of a world with a name (env_world.h), from its start, and adds 'states' rows, or as many as
 * there are before the scenario is over. Refuses bodies other than mlp and lstm, and names that are none. */
int env_add_rows(struct tree_rows *, const struct policy *, const char *world, uint32_t states, uint64_t seed, struct err *);

#endif
