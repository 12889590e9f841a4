/* src/sim/skip/leap.h - a frame leaves a port, and skips those behind it that are not full. */
#ifndef SIM_SKIP_LEAP_H
#define SIM_SKIP_LEAP_H

#include <stdbool.h>
#include <stdint.h>

struct port;

/* The packet leaves the port. Returns true if it skips others; false: it goes to the next, as usual. */
bool leap_frame(void *sim, struct port *, uint32_t packet);

#endif
