/* src/sim/skip/skip.h - fidelity fast: does not simulate packets of senders that nothing disturbs.
 *
 * A message passes these steps:
 *
 *   on_start()    It is posted. Its flow now uses the ports of its path (skip_flow.h, lanes.h).
 *   skip_turn()   The flow may send. If no port on its path is full, the flow is held.
 *   hold_begin()  A held flow sends nothing until one packet of the message is left. Its congestion control
 *                 alone determines that time (alone.h). If another flow fills a port of the path, PFC pauses
 *                 a port, a CNP arrives or knobs change, the hold ends: the packets that the flow would have
 *                 sent by now count as sent, and the next ones are simulated.
 *   leap_frame()  Simulated packets, and ACKs, wait only at full ports. When one leaves a port, it arrives
 *                 behind the last port before the next full one.
 *   on_arrival()  The message has arrived.
 *
 * So a message takes a few events, whatever its size. If two flows meet at one of six ports, each packet has
 * an event at its sender, at that port and at its receiver, and one for its ACK. Counters and the progress of
 * held flows are updated when they are read (skip_settle()).
 *
 * A lone flow takes exactly as long as with all its packets, at any rate. One thing is approximated: if flows
 * do not fill a port, ACKs slow down data of the same host by their share, and flows have no other effect on
 * each other.
 *
 * If a feature needs every packet (skip_is_allowed()), every packet is simulated.
 */
#ifndef SIM_SKIP_SKIP_H
#define SIM_SKIP_SKIP_H

#include "sim/skip/skip_flow.h"

/* Starts skipping in a new world, before any event. */
void skip_new(struct sim *);
void skip_free(struct sim *);

/* Brings counters and the progress of flows up to date. */
void skip_settle(struct sim *);

/* Knobs are about to change: no flow is held. */
void skip_on_change(struct sim *);

/* NULL: every packet is simulated because fidelity is not fast. */
const struct skip_stats *skip_stats(const struct sim *);

/* Returns true if skipping drew a random number that has changed a result. */
bool skip_has_drawn(const struct sim *);

#endif
