/* src/sim/switch/ecn.h - marks that tell of a queue. */
#ifndef SIM_SWITCH_ECN_H
#define SIM_SWITCH_ECN_H

#include "sim/state/state.h"

/* Marks a packet that leaves, or enters, a queue of so many other bytes, by chance between the two thresholds. */
void ecn_mark(struct sim *, struct node *, struct port *, struct packet *, uint32_t queue_bytes);

/* Gives one port thresholds, at once. */
void ecn_set(const struct sim *, struct port *, const struct ecn_cfg *);

/* As the knobs say, or the table of port speeds. */
void ecn_set_by_knobs(const struct sim *, struct port *, bool use_table);

#endif
