/* src/sim/transport/transports.h - the list of transports. */
#ifndef SIM_TRANSPORT_TRANSPORTS_H
#define SIM_TRANSPORT_TRANSPORTS_H

#include "sim/transport/transport.h"

extern const struct transport *const transports[TRANSPORTS];

#endif
