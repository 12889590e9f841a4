/* src/sim/state/expect.h - checks an invariant. If it does not hold, prints where and aborts. */
#ifndef SIM_STATE_EXPECT_H
#define SIM_STATE_EXPECT_H

#include "sim/state/state.h"

void expect_of_node(bool holds, const struct sim *, uint32_t node, const char *what);
void expect_of_world(bool holds, const struct sim *, const char *what);

#endif
