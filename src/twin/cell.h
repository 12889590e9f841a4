/* src/twin/cell.h - a small network that stands for a large one: four racks of eight hosts.
 *
 * What a setting does to messages is decided by the speed of links, the round trip, how far uplinks are shared and the
 * buffer of a port, not by how many racks there are.
 */
#ifndef TWIN_CELL_H
#define TWIN_CELL_H

#include "base/err.h"

#include <stdint.h>

#define CELL_RACKS 4
#define CELL_HOSTS 8             /* of a rack */

struct cell {
    uint64_t    rate_bps;        /* of hosts' links */
    uint64_t    rtt_ps;          /* longest of the empty network */
    double      oversubscription;        /* bandwidth of a rack's hosts over that of its uplinks */
    uint64_t    buffer_bytes;    /* of a switch, for a port; 0: as switches of the simulator come */
    const char *sizes;           /* a table that has a name, or a file */
    double      load;            /* of hosts' links, 0 .. 1 */
};

/* The cell as a scenario. NULL, with a reason: a round trip that no cable is short enough for. To be freed. */
char *cell_text(const struct cell *, struct err *);

#endif
