/* src/sim/skip/hold.h - held flows: no other flow disturbs them, so their packets are not simulated. */
#ifndef SIM_SKIP_HOLD_H
#define SIM_SKIP_HOLD_H

#include "sim/skip/skip_flow.h"

/* Returns when the first port on the path will be crowded, or links change. */
uint64_t hold_crowded_ps(const struct skip *, const struct sim *, const struct skip_flow *);

/* Holds a flow for at most 'packets' packets. Returns false if it would soon go on. */
bool hold_begin(struct skip *, struct sim *, struct flow *, struct skip_flow *, uint64_t packets);

/* Counts what a held flow would have sent by now. It stays held. */
void hold_settle(struct skip *, struct sim *, struct flow *, struct skip_flow *);

/* Same, and ends the hold. */
void hold_end(struct skip *, struct sim *, struct flow *, struct skip_flow *);

/* Ends a hold early: another flow, a pause, a CNP or a change of knobs disturbs the flow. */
void hold_break(struct skip *, struct sim *, struct flow *, struct skip_flow *);

/* Same for all flows that use a port of this path that is crowded now. */
void hold_break_all(struct skip *, struct sim *, const struct lane_path *);

/* The rate of ACKs through a port has changed: recomputes when flows that are held there go on. */
void hold_plan_again(struct skip *, struct sim *, uint32_t port);

#endif
