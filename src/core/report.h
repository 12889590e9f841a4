/* src/core/report.h - measurements of a network in one monitor interval.
 *
 * The counterpart of knobs: knobs are what we set, reports what we see. The simulator fills them from its
 * counters (sim/observe/observe.h), agents of a real network from theirs. Values are differences over the
 * interval unless stated otherwise.
 *
 * Devices and ports have the same indices as in the world (world.h). A report states which devices are
 * missing and how old it is, because in a real network not every agent answers in time. A report owns its
 * arrays.
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
    uint64_t age_ps;             /* of its last report, at the end of the interval */
    bool     is_missing;         /* no report in time: not part of any sum */
    bool     counts_no_pauses;   /* how long its ports were paused is unknown */
};

struct report_port {             /* one direction of a link, reported by its sender */
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
    uint64_t base_rtt_ps;        /* full packet and its acknowledgement on an empty path */
    uint64_t rtt_ps_sum, rtt_samples;
    uint64_t rtt_ps_last;
};

struct outcome;                  /* see decision.h */

#define REPORT_MONITORS_MAX 8

struct report_monitor {          /* flow sizes according to one monitor */
    const char *name;
    struct fsd  fsd;
};

struct report {
    uint64_t     number;         /* 1, 2, ...; a gap means a lost report */
    uint64_t     start_ps, end_ps;
    struct knobs knobs;          /* setting at the end */

    /* Outcome of the tuner's last decision; NULL: none. Set by tune/loop.h. */
    const struct outcome *outcome;

    union {                      /* see figures.def; a real network does not have all of them */
        struct {
#define COUNTER(name, ...) uint64_t name;
#define STATE(name, ...)   uint64_t name;
#include "core/figures.def"
        };
        uint64_t count[FIGURE_COUNTS];
    };

    /* Flow sizes according to the first monitor; empty without monitors. */
    struct fsd fsd;

    /* Messages as hosts see them; only if the tuner needs them (tuner.h). */
    struct seen seen;
    bool        has_seen;

    struct report_monitor *monitor;          /* all of them */
    uint32_t               monitors;
    struct report_pair    *pair;             /* with samples; a host takes one every 50 us at most */
    uint32_t               pairs, pairs_max; /* max: allocated */
    struct report_port    *port;
    uint32_t               ports;
    struct report_device  *device;
    uint32_t               devices;
    uint64_t              *entry_bytes;      /* acknowledged, by entry of the traffic list; simulation only */
    uint32_t               entries;
};

/* Initializes an empty report for a network of this size. */
void report_init(struct report *, uint32_t devices, uint32_t ports, uint32_t entries);
void report_fini(struct report *);

/* Clears a report for another interval, and keeps its arrays. No device is missing. */
void report_clear(struct report *);
void report_clear_all_but_ports(struct report *);    /* for a caller that sets all rows of ports */

/* Adds the next interval: adds counts, keeps peaks, takes states from the end. Ignores monitors. */
void report_add(struct report *sum, const struct report *next);

/* Copies a report into 'to', which must be uninitialized. */
void report_copy(struct report *to, const struct report *from);

/* Adds an empty pair; the pointer is valid until the next call. */
struct report_pair *report_add_pair(struct report *);

/* True if the port's device has reported. */
static inline bool report_has_port(const struct report *r, uint32_t port)
{
    return !r->device || !r->device[r->port[port].device].is_missing;
}

/* True if it is known how long the port was paused. */
static inline bool report_knows_pauses(const struct report *r, uint32_t port)
{
    return report_has_port(r, port) && !(r->device && r->device[r->port[port].device].counts_no_pauses);
}

#endif
