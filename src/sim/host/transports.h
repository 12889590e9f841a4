/* src/sim/host/transports.h - the list of transports. */
#ifndef SIM_HOST_TRANSPORTS_H
#define SIM_HOST_TRANSPORTS_H

#include "sim/host/transport.h"

extern const struct transport *const transports[TRANSPORTS];

#endif
