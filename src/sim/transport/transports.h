/* src/sim/transport/transports.h - all transports, and what is done for each. */
#ifndef SIM_TRANSPORT_TRANSPORTS_H
#define SIM_TRANSPORT_TRANSPORTS_H

#include "sim/transport/transport.h"

/* Allocates memory for this many flows, and for a part. */
void transports_reserve(struct sim *, uint32_t flows);
void transports_reserve_part(struct sim *);

void transports_release(struct sim *);

/* Returns true if any of them needs its timers. */
bool transports_have_timers(const struct sim *);

/* Returns the transport of a message that a host posts. */
enum transport_id transports_choose(const struct sim *, const struct host *, const struct flow_spec *);

#endif
