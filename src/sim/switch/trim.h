/* src/sim/switch/trim.h - queues of Ultra Ethernet: two classes at each port.
 *
 * Data has a limit. If a packet does not fit, either it or the last one in the queue, by a coin, loses its payload: what
 * is left joins the queue of headers, which goes first and has twice the limit. Without trimming the packet is dropped.
 */
#ifndef SIM_SWITCH_TRIM_H
#define SIM_SWITCH_TRIM_H

#include "sim/state/state.h"

/* Books packet 'id' for port 'out'. Afterwards it may be another one, in another class: the one that was last in the
 * queue. Returns false if there is no room. */
bool trim_admit(struct sim *, struct port *out, uint32_t id);

#endif
