/* src/sim/event/counters.h - what is counted over a part of the network. All of them only grow. */
#ifndef SIM_EVENT_COUNTERS_H
#define SIM_EVENT_COUNTERS_H

#include "lb/conweave.h"
#include "meter/fct.h"

#include <stdint.h>

struct sim_counters {
    uint64_t events;
    uint64_t flows_started, flows_done;
    uint64_t bytes_started, bytes_done;      /* payload of those flows */
    uint64_t data_sent, data_received;       /* packets, by hosts; received: all that arrive */
    uint64_t payload_sent, payload_received;
    uint64_t payload_dropped;
    uint64_t payload_stale;      /* arrived after its flow was over, twice, or out of order and was not kept */
    uint64_t acks_sent, nacks_sent, cnps_sent, cnps_received;
    uint64_t timeouts;
    uint64_t payload_spurious;   /* sent again after a time-out, and the receiver had it already */
    uint64_t delayed;            /* packets held by HF2T */
    uint64_t reordered;          /* packets of queue pairs that arrived beyond the one that was expected */
    uint64_t rtt_ps_sum, rtt_samples;        /* from a data packet to its acknowledgement */
    uint64_t pfc_sent, pauses, resumes;      /* the last two: received */
    uint64_t dropped_buffer;     /* no room in the switch */
    uint64_t dropped_lossy;      /* of those: in classes that may lose packets */
    uint64_t dropped_wire;       /* bit errors and loss */
    uint64_t dropped_down;       /* the link went down */
    uint64_t dropped_no_route;
    uint64_t flowlets;           /* begun by flows that paused: see lb.h */
    uint64_t reroutes;           /* of those: on another path than the last */
    struct conweave_counters conweave;
    uint64_t reordered_by_size[FCT_BUCKETS], nacks_by_size[FCT_BUCKETS];     /* 'reordered', 'nacks_sent': by flow size */
};

#endif
