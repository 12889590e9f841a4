/* src/sim/host/pair/pair_table.h - the lasting queue pairs of a part, found by what they are: see pair.h.
 *
 * A hash table of indices that doubles when it is half full.
 */
#ifndef SIM_HOST_PAIR_PAIR_TABLE_H
#define SIM_HOST_PAIR_PAIR_TABLE_H

#include "sim/host/nic.h"

/* The queue pair that a message is to be posted on, the one it names or the next in turn; its 'phase' is FLOW_FREE if it is new, and all but its number is
 * for the caller to set. NULL: there are too many, and the run has failed. */
struct flow *pair_take(struct sim *, struct host *, const struct flow_spec *);

#endif
