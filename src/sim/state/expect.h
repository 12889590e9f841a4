/* src/sim/state/expect.h - what must hold; otherwise we were wrong, and the program says where and ends. */
#ifndef SIM_STATE_EXPECT_H
#define SIM_STATE_EXPECT_H

#include "sim/state/state.h"

void expect_of_node(bool holds, const struct sim *, uint32_t node, const char *what);
void expect_of_world(bool holds, const struct sim *, const char *what);

#endif
