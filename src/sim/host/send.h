/* src/sim/host/send.h - puts the packets of a host on its wire, one at a time.
 *
 * At each packet boundary acknowledgements go first, then TCP and the queue pairs by their shares.
 */
#ifndef SIM_HOST_SEND_H
#define SIM_HOST_SEND_H

#include "sim/host/nic.h"

/* Port free, pause lifted, pacer due, something new to send: sends what may be sent by the host's port. */
void send_kick(struct sim *, struct host *, struct port *);

/* Selective repeat: moves a flow to the byte to send next. */
void send_find_next(const struct sim *, struct flow *);

#endif
