/* src/core/report.h - what is seen of a network in one monitor interval.
 *
 * The other half of the waist: knobs are what we set, reports what we see. The simulator fills them from its
 * counters (sim/observe/observe.h), agents of a real network from theirs. All are differences over the interval unless
 * it is said otherwise.
 */
#ifndef CORE_REPORT_H
#define CORE_REPORT_H

#include "core/fsd.h"
#include "core/knobs.h"

#include <stdbool.h>
#include <stdint.h>

struct report_port {             /* one direction of a link, told by its sender */
    uint64_t tx_bytes;           /* frames */
    uint64_t rate_bps;           /* of the link */
    uint64_t pauses;             /* pause frames that came */
    uint64_t paused_ps;          /* time with a class paused */
    uint64_t queue_bytes_peak;   /* longest queue of a class in the interval; hosts: 0 */
    uint64_t marked_packets;
    bool     is_uplink;          /* from a host to its switch */
};

struct report_pair {             /* two hosts whose round trips were measured */
    uint64_t base_rtt_ps;        /* of a full packet and its acknowledgement on an empty path */
    uint64_t rtt_ps_sum, rtt_samples;
    uint64_t rtt_ps_last;
};

#define REPORT_MONITORS_MAX 8

struct report_monitor {          /* what one monitor says of flow sizes */
    const char *name;
    struct fsd  fsd;
};

struct report {
    uint64_t     start_ps, end_ps;
    struct knobs knobs;          /* in force at the end */

    uint64_t payload_bytes;      /* that came to receivers, in order */
    uint64_t flows_started, flows_done;
    uint64_t flows_active;       /* at the end */
    uint64_t data_packets;       /* sent by hosts */
    uint64_t marked_packets, cnps, nacks, timeouts, dropped_packets;
    uint64_t pauses, paused_ps;  /* pause frames that came; time of all ports together */
    uint64_t rtt_samples, rtt_ps_sum, rtt_ps_peak;
    uint64_t queue_bytes_peak;   /* longest queue of any switch port in the interval */
    uint64_t queue_bytes;        /* held by all switches at the end */

    /* Flow sizes, as the first monitor sees them; empty if there is none. */
    struct fsd fsd;

    const struct report_monitor *monitor;    /* all of them; good until the next report, as all below */
    uint32_t                  monitors;
    const struct report_pair *pair;          /* with samples; a host takes one every 50 us at most */
    uint32_t                  pairs;
    const struct report_port *port;
    uint32_t                  ports;
    const uint64_t           *entry_bytes;   /* acknowledged, by entry of the traffic list; a real network has none */
    uint32_t                  entries;
};

#endif
