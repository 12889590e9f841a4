/* src/sim/host/transport.h - how a NIC passes arriving packets to transports.
 *
 * Each kind of packet has one function that handles its arrival; event/kinds.def lists them. It runs the
 * protocol: it accepts data, answers it, or takes an answer to data. It returns what the NIC must do. The NIC
 * then looks for a packet to send.
 */
#ifndef SIM_HOST_TRANSPORT_H
#define SIM_HOST_TRANSPORT_H

#include "sim/host/nic.h"

enum act {
    ACT_FREE,                    /* free the packet */
    ACT_KEEP,                    /* nothing: the packet is on its way again, as its own answer */
    ACT_IGNORE,                  /* free the packet, which answers a flow that is done */
};

#define KIND(class, number, name, on_arrival) \
    enum act on_arrival(struct sim *, struct host *, struct packet *);
#include "sim/event/kinds.def"

#endif
