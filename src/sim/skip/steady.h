/* src/sim/skip/steady.h - advances a steady phase without simulating packets.
 *
 * The world is examined when nothing has started, ended, been lost or changed for 2, 3, 4, 6, 8, 12, 16 ..
 * units of time; a unit is the longest empty round trip. At 4, 8, 16 .. the last two quarters are compared:
 * how much the rate of each flow (bytes acknowledged, between the times of the acknowledgements) and each
 * queue differ. If they differ by at most the allowed error, and marks, CNPs and pauses by no more than
 * chance, the network is steady.
 *
 * Then the network's clock stands still while the world's advances: flows and counters advance as in the two
 * quarters, and packets in flight stand for those in flight later, each flow's so many bytes further on.
 * Pacers, congestion control and time-outs use the network's clock and need no change. Flows that start and
 * links that change use the world's clock and come closer.
 *
 * A flight ends where something may change: some round trips before the first flow has sent everything; at
 * the next flow, link or knob change; after 64 times the observed time; or, if the quarters of length W
 * differed by d, where a drift of that kind would make rates wrong by twice the error e: after 2 e W / d.
 * Then packets are simulated, and observed for twice as long before the next flight.
 *
 * A rate below line rate is under a control whose steps are far apart: then a quarter must last 16 periods of
 * rpg_time_reset. TCP and selective repeat never count as steady.
 */
#ifndef SIM_SKIP_STEADY_H
#define SIM_SKIP_STEADY_H

#include "sim/skip/told.h"
#include "sim/state/state.h"

#include <stdbool.h>
#include <stdint.h>

struct steady;

struct steady *steady_new(struct sim *, struct skip_told *);
void           steady_free(struct steady *);

/* In flight: advances to world_ps or the end of the flight, whichever is earlier. */
bool steady_is_flying(const struct steady *);
void steady_fly(struct steady *, struct sim *, uint64_t world_ps);

/* Otherwise: when to look, by the network's clock; and the look, which may start a flight. */
uint64_t steady_due_ps(const struct steady *);
void     steady_look(struct steady *, struct sim *);

/* Something changes now: ends a flight. */
void steady_on_change(struct steady *, struct sim *);

#endif
