/* src/sim/skip/skip_turn.h - it is a flow's turn to send: it is held if it is alone. */
#ifndef SIM_SKIP_SKIP_TURN_H
#define SIM_SKIP_SKIP_TURN_H

#include <stdbool.h>

struct flow;

/* Returns true if the flow is held. */
bool skip_turn(void *sim, struct flow *);

#endif
