/* src/sim/skip/leap.h - frames that skip ports where nothing disturbs them. */
#ifndef SIM_SKIP_LEAP_H
#define SIM_SKIP_LEAP_H

#include "sim/skip/skip_flow.h"

/* A frame leaves port 'from' of a way at at_ps and skips the ports before 'to'. Returns when it arrives. It
 * waits for frames with lower sequence numbers, and where a port is busy. */
uint64_t leap_ps(const struct skip *, const struct sim *, struct lane_way *, uint32_t from, uint32_t to,
                 uint64_t seq, uint32_t bytes, uint64_t at_ps);

/* A packet leaves a port. Returns true if it skips others; false: it goes to the next, as usual. */
bool leap_frame(void *sim, struct port *first, uint32_t id);

#endif
