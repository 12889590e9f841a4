/* src/sim/skip/steady.h - a phase in which nothing changes is flown over.
 *
 * Looks are taken when nothing has started, ended, been lost or been turned for 2, 3, 4, 6, 8, 12, 16 ..
 * units of time, a unit being the longest empty round trip. At 4, 8, 16 .. the last two quarters are
 * compared: by how much each flow's rate (what was acknowledged, between the instants at which it was) and
 * each queue differ. If that is no more than the error that is allowed, and marks, CNPs and pauses differ by
 * no more than chance would have it, the network is steady, and what comes next is more of the same.
 *
 * Then the network's clock stands still while the world's goes on: flows and counters advance as they did in
 * the two quarters, and packets under way are the packets that would be under way then, for each flow so many
 * bytes further on. Nothing in the network needs to be told: pacers, periods of congestion control and
 * time-outs live by its clock. What lives by the world's, flows that start and links that change, comes
 * nearer by as much.
 *
 * It ends where something may change: some round trips before the first flow has sent all, at the next flow,
 * link or knob that changes; after 64 times the time looked at; or, if there was a difference d between the
 * two quarters of length W, where a drift of that kind would have made rates wrong by twice the error e:
 * after 2 e W / d. Then packets are followed, and looked at for twice as long before the next flight.
 *
 * A rate that is not the line's is under some control, whose steps are far apart: then a quarter must be 16
 * periods of rpg_time_reset long. Flows of TCP, and selective repeat, are never taken for steady.
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

/* In flight: goes on to world_ps or to the end of the flight, if that is earlier. */
bool steady_is_flying(const struct steady *);
void steady_fly(struct steady *, struct sim *, uint64_t world_ps);

/* On the ground: when to look, by the network's clock; and the look, after which it may be flying. */
uint64_t steady_due_ps(const struct steady *);
void     steady_look(struct steady *, struct sim *);

/* Something changes now: ends a flight. */
void steady_on_change(struct steady *, struct sim *);

#endif
