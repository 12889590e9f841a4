/* src/scenario/scenario_control.h - the keys cc and rlcc: the hosts' congestion control, and the model of
 * a learned one. */
#ifndef SCENARIO_SCENARIO_CONTROL_H
#define SCENARIO_SCENARIO_CONTROL_H

#include "base/reader.h"
#include "scenario/made.h"

/* cc: NAME, or a map. Its key 'others' is read later, when the network is known. */
void scenario_read_cc(const struct section *, struct sim_cfg *);
void scenario_read_cc_others(const struct section *, struct scenario *);

/* Reads which hosts take data in slowly: 'drain_hosts'. */
void scenario_read_slow_hosts(const struct section *, struct scenario *);

/* rlcc: NAME, or a map, or nothing. The model is read here, so that errors in it name the place of the key.
 * With another congestion control nothing is read. */
void scenario_read_rlcc(struct reader *, struct scenario *, const struct yaml_node *);
void scenario_rlcc_fini(struct scenario *);

#endif
