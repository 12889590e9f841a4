/* src/sim/skip/skip.h - leaves senders alone that nothing disturbs (fidelity: fast).
 *
 * What happens to a message, in the order of time:
 *
 *   skip.c       It is posted. Its flow now uses the ports of its path (skip_flow.h, lanes.h).
 *   skip_turn.c  It is the flow's turn to send. If no port on its path is full, the flow is held.
 *   hold.c       The flow sends nothing until one packet of the message is left; that time follows from its
 *                congestion control alone (alone.h). If another flow fills a port of the path, PFC pauses
 *                one, a CNP arrives or knobs change, the flow has sent what it would have, and goes on
 *                packet by packet.
 *   leap.c       Packets that are sent, and ACKs, wait at full ports only. When one leaves a port, it arrives
 *                behind the last port before the next full one.
 *   skip.c       It has arrived.
 *
 * So a message costs a few events, whatever its size. Of two flows that meet at one port of six, an event is
 * left for each packet at its sender, that port and its receiver, and for its ACK. Nothing else is kept in
 * step: counters and progress of held flows are brought up to date when they are read (skip_settle()). One
 * hold in 200 is simulated as well, to measure how far off the others are.
 *
 * A lone flow takes exactly as long as with all its packets, at any rate. One thing is approximated: of flows
 * that do not fill a port, ACKs slow down data of the same host by their share; they have no other effect on
 * each other.
 *
 * Where anything needs every packet (skip_allowed.h), every packet is simulated.
 */
#ifndef SIM_SKIP_SKIP_H
#define SIM_SKIP_SKIP_H

#include "sim/skip/skip_stats.h"
#include "sim/state/state.h"

/* Starts skipping in a new world, before any event. */
void skip_new(struct sim *);
void skip_free(struct sim *);

/* Brings counters and the progress of flows up to date. */
void skip_settle(struct sim *);

/* Knobs are about to change: no flow is held. */
void skip_on_change(struct sim *);

/* NULL: every packet is simulated because fidelity is not fast. */
const struct skip_stats *skip_stats(const struct sim *);

#endif
