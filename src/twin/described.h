/* src/twin/described.h - a network that people describe in a few numbers, as a scenario. */
#ifndef TWIN_DESCRIBED_H
#define TWIN_DESCRIBED_H

#include "base/err.h"
#include "scenario/scenario_build.h"
#include "twin/recorded.h"

#include <stdint.h>

struct described {
    uint64_t    rate_bps;        /* of hosts' links */
    uint64_t    rtt_ps;          /* longest of the empty network */
    double      oversubscription;        /* bandwidth of a rack's hosts over that of its uplinks */
    uint64_t    buffer_bytes;    /* of a switch, for a port; 0: as switches of the simulator come */
    const char *sizes;           /* a built-in table, or a file */
    const struct recorded *messages;         /* or the sizes of these; NULL: nothing was recorded */
    double      load;            /* of hosts' links, 0 .. 1 */
};

/* A cell with such traffic. To be given back in any case. */
int described_build(struct build *, const struct described *, struct err *);

#endif
