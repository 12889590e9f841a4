/* src/sim/skip/lanes.h - which flows use which ports, and at what rate.
 *
 * From its post to its last byte's arrival, a flow uses the ports of its path at its rate, and its ACKs use
 * those of the way back. Flows affect each other only at full ports. Several flows fill a port if they need
 * more than LANE_SHARE of it. A lone flow does not fill a port of its own speed, but with the ACKs of others,
 * the queue before the port grows slowly. That queue is computed, and the port is full when packets may be
 * marked.
 */
#ifndef SIM_SKIP_LANES_H
#define SIM_SKIP_LANES_H

#include "sim/host/nic.h"

#define LANE_HOPS_MAX 16u
#define LANE_SHARE    0.9

struct lane_way {
    uint32_t hops;
    uint32_t port[LANE_HOPS_MAX];
    uint64_t ps[LANE_HOPS_MAX + 1];      /* when a frame leaves each port, if it never waits; last: arrives */
};

/* The ports of a flow's full packets, and those of their ACKs. No hops on both: unknown. */
struct lane_path { struct lane_way data, ack; uint64_t rtt_ps; };

struct lane {                    /* use of a port */
    uint32_t *flow;              /* flows that send data through it */
    uint32_t  count, max;
    uint64_t  data_bps, ack_bps;
    uint32_t  checked;           /* checked flows of a host; flows to that host are not held */
    double    queue_bytes;       /* at since_ps */
    uint64_t  since_ps;
};

struct lanes {
    struct lane *lane;           /* by port */
    bool        *is_full;        /* by port, as of the last lanes_look(): frames wait in its queue */
    double       ack_share;      /* bits of ACKs per bit of data */
};

void lanes_init(struct lanes *, const struct sim *);
void lanes_fini(struct lanes *, const struct sim *);

/* Finds the path of a flow, by the hash of ECMP. No hops: there is none, or it is too long. */
void lanes_find_path(const struct sim *, const struct flow *, struct lane_path *);

void lanes_add(struct lanes *, const struct sim *, const struct lane_path *, uint32_t flow, uint64_t bps);
void lanes_remove(struct lanes *, const struct sim *, const struct lane_path *, uint32_t flow, uint64_t bps);
void lanes_change(struct lanes *, const struct sim *, const struct lane_path *, uint64_t was_bps,
                  uint64_t bps);

/* Returns the rate limit of a flow that uses 'bps' of a port; UINT64_MAX if no other flow uses it. */
uint64_t lanes_room_bps(const struct lanes *, const struct port *, uint64_t bps);

/* Returns when a port will be full, if no flow starts or ends. Not later than now: it is full. */
uint64_t lanes_full_ps(const struct lanes *, const struct sim *, const struct port *);

/* Updates is_full for the ports of a path: full, with a backlog, paused, or lossy. */
void lanes_look(struct lanes *, const struct sim *, const struct lane_path *);

#endif
