/* src/core/queue.h - settings and measurements of one egress queue of a switch.
 *
 * Knobs and reports describe a whole network; this is their counterpart for tuners that control each queue.
 * Arrays of queues have a fixed order. The simulator fills them from its ports
 * (sim/observe/queue_telemetry.h), an agent of a real switch from three counters that every switch has.
 */
#ifndef CORE_QUEUE_H
#define CORE_QUEUE_H

#include "core/knobs.h"

#include <stdbool.h>
#include <stdint.h>

struct ecn {                     /* thresholds of one queue */
    uint32_t kmin_bytes, kmax_bytes;
    double   pmax;               /* marking probability at kmax */
};

struct queue_facts {             /* constant properties */
    uint32_t device;             /* number of the switch: 0, 1, ...; the queues of a switch are consecutive */
    bool     is_uplink;          /* leads away from hosts */
    uint64_t rate_bps;           /* of the link */
    uint32_t port;               /* of the world: see world.h */
};

struct queue_slot {              /* measurements of one time slot */
    uint64_t   tx_bytes;         /* frames sent, without preambles and gaps */
    uint64_t   marked_bytes;     /* of these: data marked by any switch */
    uint64_t   queue_bytes_mean; /* mean length over time */
    struct ecn ecn;              /* thresholds at the end */
};

/* The thresholds of a setting. */
struct ecn ecn_of_knobs(const struct knobs *);

bool ecn_equal(const struct ecn *, const struct ecn *);

/* Applies the named ones of kmin, kmax and pmax. If kmin would exceed kmax, adjusts the one not named. */
void ecn_put(const struct knob_set *, struct ecn *);

#endif
