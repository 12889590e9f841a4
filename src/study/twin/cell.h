/* src/study/twin/cell.h - a small network that represents a large one: at most four racks of eight hosts.
 *
 * The effect of a setting on messages depends on link speeds, round trip, oversubscription and buffer per
 * port, but hardly on the number of racks.
 */
#ifndef STUDY_TWIN_CELL_H
#define STUDY_TWIN_CELL_H

#include "base/err.h"
#include "core/world.h"
#include "study/twin/twin_trial.h"

#define CELL_RACKS   4
#define CELL_HOSTS   8           /* per rack; four times as many if there is one switch */
#define CELL_ALL     (CELL_RACKS * CELL_HOSTS)
#define CELL_UPLINKS 8           /* per rack */

struct cell {
    uint32_t racks, hosts;       /* hosts per rack. One rack: hosts on one switch */
    uint32_t uplinks;            /* per rack */
    uint64_t host_bps[CELL_ALL];                     /* rack by rack */
    uint64_t uplink_bps[CELL_RACKS][CELL_UPLINKS];
    uint64_t rtt_ps;             /* longest, of the empty network */
    uint64_t delay_ps;           /* of each link: see cell_fit() */
};

/* Four racks of eight hosts. */
struct cell cell_of(uint64_t rate_bps, double oversubscription, uint64_t rtt_ps);

/* Returns a cell like a network, with at most hosts_max hosts: its racks, speeds, uplinks and round trip, and
 * the same share of slow racks, hosts and uplinks. If only a share 'sending' of the hosts sends, it has only
 * such hosts, in fewer racks. Uplinks are as narrow as the narrowest tier above them. */
struct cell cell_like(const struct world *, uint32_t hosts_max, double sending);

/* Ports of a switch with hosts; mean speed of hosts; speed of the slowest. */
uint32_t cell_ports(const struct cell *);
double   cell_host_bps(const struct cell *);
double   cell_slowest_bps(const struct cell *);

/* Adds it to a scenario as its topology. */
void cell_build(struct build *, const struct cell *);

/* Finds the link delay for the round trip, from 'twin' with delays of 'tried_ps'. Fails if it is negative. */
int cell_fit(struct cell *, const struct twin *, uint64_t tried_ps, struct err *);

#endif
