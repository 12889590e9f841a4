/* src/sim/look_ahead.h - asks for memory before it is needed, in a network that does not fit the cache. */
#ifndef SIM_LOOK_AHEAD_H
#define SIM_LOOK_AHEAD_H

#include <stdint.h>

/* These events happen soon: see evq.on_near. 'sim' is a struct sim. */
void look_ahead(void *sim, const uint32_t *events, uint32_t count);

#endif
