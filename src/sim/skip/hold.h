/* src/sim/skip/hold.h - a flow that is held: its packets are not simulated, because nothing disturbs it. */
#ifndef SIM_SKIP_HOLD_H
#define SIM_SKIP_HOLD_H

#include "sim/skip/skip_flow.h"

/* When the first port on its path will be full, or links change. */
uint64_t hold_full_ps(const struct skip *, const struct sim *, const struct skip_flow *);

/* Holds a flow for at most so many packets. */
void hold_begin(struct skip *, struct sim *, struct flow *, struct skip_flow *, uint64_t packets);

/* A held flow has sent what it would have until now; it stays held. */
void hold_settle(struct skip *, struct sim *, struct flow *, struct skip_flow *);

/* The same, and it goes on. */
void hold_end(struct skip *, struct sim *, struct flow *, struct skip_flow *);

/* Something disturbs a flow, held or not: it goes on packet by packet. */
void hold_break(struct skip *, struct sim *, struct flow *, struct skip_flow *);

/* The same for all flows with a port of this path that is full now. */
void hold_break_all(struct skip *, struct sim *, const struct lane_path *);

/* Others send more or fewer ACKs by a port: flows that are held there go on at another time. */
void hold_plan_again(struct skip *, struct sim *, uint32_t port);

/* One hold in 200 is simulated, to compare. */
bool hold_is_to_check(const struct skip *, const struct sim *, const struct flow *, uint64_t packets);

/* A flow that could be held is simulated, and so are those to its host, for their ACKs; a copy of its state
 * is held. */
void hold_check(struct skip *, struct sim *, struct flow *, struct skip_flow *, uint64_t packets);

/* It is the turn of the packet up to which it would have been held. */
void hold_end_check(struct skip *, struct sim *, struct flow *, struct skip_flow *);

#endif
