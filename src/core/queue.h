/* src/core/queue.h - what is set and seen at one egress queue of a switch.
 *
 * The waist once more, for who decides queue by queue: knobs and reports are of a whole network. A network has
 * its queues in an order that stays; all arrays of queues are in that order. The simulator fills them from its
 * ports (sim/observe/queue_telemetry.h), an agent of a real switch from the three counters that every one of them has.
 */
#ifndef CORE_QUEUE_H
#define CORE_QUEUE_H

#include "core/knobs.h"

#include <stdbool.h>
#include <stdint.h>

struct ecn {                     /* what is set: the thresholds of one queue */
    uint32_t kmin_bytes, kmax_bytes;
    double   pmax;               /* marking probability at kmax */
};

struct queue_facts {             /* what does not change */
    uint32_t device;             /* the switch, of those that have queues: 0, 1, ...; queues of one follow each other */
    bool     is_uplink;          /* leads away from hosts */
    uint64_t rate_bps;           /* of the link */
    uint32_t port;               /* of the world: see world.h */
};

struct queue_slot {              /* what is seen in one slot of time */
    uint64_t   tx_bytes;         /* frames of the queue that were sent, without preambles and gaps */
    uint64_t   marked_bytes;     /* of those: data that carry a mark, by whichever switch */
    uint64_t   queue_bytes_mean; /* length over time */
    struct ecn ecn;              /* in force at the end */
};

/* What a setting means for a queue. */
struct ecn ecn_of_knobs(const struct knobs *);

bool ecn_equal(const struct ecn *, const struct ecn *);

/* Puts what is named of kmin, kmax and pmax over it; of the thresholds one that is not named gives way. */
void ecn_put(const struct knob_set *, struct ecn *);

#endif
