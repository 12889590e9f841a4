/* src/core/report.h - what is seen of a network in one monitor interval.
 *
 * The other half of the waist: knobs are what we set, reports what we see. The simulator fills them from its
 * counters (sim/observe/observe.h), agents of a real network from theirs. All are differences over the interval unless
 * it is said otherwise.
 *
 * Devices and ports are those of the world (world.h), of the same numbers. A report says which devices are not in it and
 * how old it is, for in a real network not every agent answers in time. It owns its arrays: who holds one can keep it
 * as long as it is wanted.
 */
#ifndef CORE_REPORT_H
#define CORE_REPORT_H

#include "core/figures.h"
#include "core/fsd.h"
#include "core/knobs.h"
#include "core/seen/seen.h"

#include <stdbool.h>
#include <stdint.h>

struct report_device {
    uint64_t age_ps;             /* of what it told, at the end of the interval */
    bool     is_missing;         /* it told nothing in time: no sum has its share */
};

struct report_port {             /* one direction of a link, told by its sender */
    uint32_t device;
    uint64_t rate_bps;           /* of the link */
    bool     is_uplink;          /* from a host to its switch */
    union {                      /* see figures.def */
        struct {
#define PORT(name, ...) uint64_t name;
#include "core/figures.def"
        };
        uint64_t count[PORT_COUNTS];
    };
};

struct report_pair {             /* two hosts whose round trips were measured */
    uint32_t src, dst;           /* devices */
    uint64_t base_rtt_ps;        /* of a full packet and its acknowledgement on an empty path */
    uint64_t rtt_ps_sum, rtt_samples;
    uint64_t rtt_ps_last;
};

struct outcome;                  /* see decision.h */

#define REPORT_MONITORS_MAX 8

struct report_monitor {          /* what one monitor says of flow sizes */
    const char *name;
    struct fsd  fsd;
};

struct report {
    uint64_t     number;         /* 1, 2, ...: where one is left out a report was lost */
    uint64_t     start_ps, end_ps;
    struct knobs knobs;          /* in force at the end */

    /* What became of the setting that its reader gave last; NULL: it gave none. Whoever shows the report to a tuner
     * puts it there (tune/loop.h). */
    const struct outcome *outcome;

    union {                      /* see figures.def; a real network does not have all of them */
        struct {
#define COUNTER(name, ...) uint64_t name;
#define STATE(name, ...)   uint64_t name;
#include "core/figures.def"
        };
        uint64_t count[FIGURE_COUNTS];
    };

    /* Flow sizes, as the first monitor sees them; empty if there is none. */
    struct fsd fsd;

    /* Messages, as hosts see them; only if the tuner asks for it (tuner.h). */
    struct seen seen;
    bool        has_seen;

    struct report_monitor *monitor;          /* all of them */
    uint32_t               monitors;
    struct report_pair    *pair;             /* with samples; a host takes one every 50 us at most */
    uint32_t               pairs, pairs_max; /* max: room for so many */
    struct report_port    *port;
    uint32_t               ports;
    struct report_device  *device;
    uint32_t               devices;
    uint64_t              *entry_bytes;      /* acknowledged, by entry of the traffic list; a real network has none */
    uint32_t               entries;
};

/* Makes an empty one of a network of so many. */
void report_init(struct report *, uint32_t devices, uint32_t ports, uint32_t entries);
void report_fini(struct report *);

/* Empties it for another interval: all is 0, nobody is missing, and what it owns stays. */
void report_clear(struct report *);

/* Adds the next stretch of time to 'sum', an interval of the same network: counts as sums, peaks as peaks, states as they
 * are at the end. What monitors say is left alone. */
void report_add(struct report *sum, const struct report *next);

/* Makes 'to', which holds nothing, another report of the same. */
void report_copy(struct report *to, const struct report *from);

/* A pair more, empty; good until the next is added. */
struct report_pair *report_add_pair(struct report *);

/* Did its device tell something? */
static inline bool report_has_port(const struct report *r, uint32_t port)
{
    return !r->device || !r->device[r->port[port].device].is_missing;
}

/* The share of devices that told something, 0 .. 1; 1 if there are none. */
double report_coverage(const struct report *);

/* The age of the oldest thing in it. */
uint64_t report_age_ps(const struct report *);

#endif
