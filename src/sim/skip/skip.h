/* src/sim/skip/skip.h - leaves senders alone that nothing disturbs (fidelity: fast).
 *
 * When it is a flow's turn to send, and no port on its way is full (lanes.h), its packets are not simulated:
 * the flow is held until it has one packet of the message left, and the time of that follows from its control
 * alone (alone.h). It is sent, and ends the message. If another flow comes into its way before that, PFC
 * pauses a port of it, a CNP arrives or knobs change, the flow has sent what it would have, and goes on packet
 * by packet. So a message costs a few events, whatever its size, and there is nothing else to keep in step:
 * counters and progress of held flows are brought up to date when they are read (skip_settle()).
 *
 * Frames that are simulated wait at full ports only. When one leaves a port, it arrives behind the last port
 * before the next full one, when its way has taken it there. So of two flows that meet at one port of six, an
 * event is left for each packet at its sender, that port, its receiver, and for its acknowledgement.
 *
 * One hold in 200 is simulated as well, to measure how far off the others are.
 *
 * A lone flow takes exactly as long as with all its packets, at any rate. Approximated is what flows that do not fill a
 * port do to each other: acknowledgements slow down data of the same host by their share, and nothing else.
 *
 * Where anything needs every packet (skip_told.why_not), every packet is simulated.
 */
#ifndef SIM_SKIP_SKIP_H
#define SIM_SKIP_SKIP_H

#include "sim/skip/told.h"
#include "sim/state/state.h"

/* Starts skipping in a new world, before any event. */
void skip_new(struct sim *);
void skip_free(struct sim *);

/* Brings counters and the progress of flows up to date. */
void skip_settle(struct sim *);

/* Knobs are about to change: no flow is held. */
void skip_on_change(struct sim *);

/* NULL: every packet is simulated because fidelity is not fast. */
const struct skip_told *skip_told(const struct sim *);

#endif
