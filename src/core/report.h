/* src/core/report.h - what is seen of a network in one monitor interval.
 *
 * The other half of the waist: knobs are what we set, reports what we see. The simulator fills them from its
 * counters (sim/observe.h), agents of a real network from theirs. All are differences over the interval unless
 * it is said otherwise.
 */
#ifndef CORE_REPORT_H
#define CORE_REPORT_H

#include "core/knobs.h"

#include <stdint.h>

struct report_port {             /* one direction of a link, told by its sender */
    uint64_t tx_bytes;           /* frames */
    uint64_t rate_bps;           /* of the link */
    uint64_t paused_ps;          /* time with a class paused */
    uint64_t queue_bytes_peak;   /* longest queue of a class in the interval; hosts: 0 */
    uint64_t marked_packets;
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

    const struct report_port *port;          /* good until the next report */
    uint32_t                  ports;
    const uint64_t           *entry_bytes;   /* acknowledged, by entry of the traffic list; a real network has none */
    uint32_t                  entries;
};

#endif
