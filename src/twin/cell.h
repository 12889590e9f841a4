/* src/twin/cell.h - a small network that stands for a large one: at most four racks of eight hosts.
 *
 * What a setting does to messages is decided by the speed of links, the round trip, how far uplinks are shared and the
 * buffer of a port, not by how many racks there are.
 */
#ifndef TWIN_CELL_H
#define TWIN_CELL_H

#include "base/err.h"
#include "core/world.h"
#include "twin/trial.h"

#include <stdint.h>

#define CELL_RACKS   4           /* at most */
#define CELL_HOSTS   8           /* of a rack, at most; of a network of one switch four times as many */
#define CELL_ALL     (CELL_RACKS * CELL_HOSTS)
#define CELL_UPLINKS 8           /* of a rack, at most */

struct cell {
    uint32_t racks, hosts;       /* hosts: of a rack. One rack: hosts around one switch */
    uint32_t uplinks;            /* of a rack */
    uint64_t host_bps[CELL_ALL];                     /* rack by rack */
    uint64_t uplink_bps[CELL_RACKS][CELL_UPLINKS];
    uint64_t rtt_ps;             /* longest of the empty network */
    uint64_t delay_ps;           /* of each link, which makes it so: see cell_fit() */
};

/* Four racks of eight hosts at such a speed. */
struct cell cell_of(uint64_t rate_bps, double oversubscription, uint64_t rtt_ps);

/* One that is like a network: its racks, speeds, share of uplinks and round trip, cut down to so many hosts. Where speeds
 * differ, it has as large a share of slow racks, hosts and uplinks. */
struct cell cell_like(const struct world *, uint32_t hosts_max);

/* The same where a share of hosts is all that sends: the cell has such hosts alone, with as much of the uplinks as they have there. Racks
 * become one where that is needed to have them all. */
struct cell cell_like_part(const struct world *, uint32_t hosts_max, double sending);

/* Ports of a switch with hosts; speed of hosts, in the mean; and of the slowest. */
uint32_t cell_ports(const struct cell *);
double   cell_host_bps(const struct cell *);
double   cell_slowest_bps(const struct cell *);

/* Makes it the topology of a scenario. */
void cell_build(struct build *, const struct cell *);

/* Finds the delay of links. 'twin' is the cell with delays of 'tried_ps'. Fails if no cable is short enough. */
int cell_fit(struct cell *, const struct twin *, uint64_t tried_ps, struct err *);

#endif
