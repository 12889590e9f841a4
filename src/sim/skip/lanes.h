/* src/sim/skip/lanes.h - which flows use which ports, and how much of them.
 *
 * A flow uses the ports of its way from when it is posted until its last byte has arrived, at its rate; its
 * acknowledgements use those of the way back. Components of flows that affect each other are cut at ports
 * that are not full. Several flows fill a port if they need more than LANE_SHARE of it. A flow alone does not
 * fill a port of its own speed, but together with acknowledgements of others the queue in front of it grows
 * slowly. That queue is computed, and the port is full when packets may be marked.
 */
#ifndef SIM_SKIP_LANES_H
#define SIM_SKIP_LANES_H

#include "sim/host/nic.h"

#define LANE_HOPS_MAX 16u
#define LANE_SHARE    0.9

struct lane_path {
    uint32_t hops, back_hops;    /* 0: unknown */
    uint32_t port[LANE_HOPS_MAX], back[LANE_HOPS_MAX];
    /* When a full packet and its ACK leave each of them, if they never wait; the last: when it has
     * arrived. */
    uint64_t port_ps[LANE_HOPS_MAX + 1], back_ps[LANE_HOPS_MAX + 1];
    uint64_t rtt_ps;             /* of both */
};

struct lane {                    /* of a port */
    uint32_t *flow;              /* that send data through it */
    uint32_t  count, max;
    uint64_t  data_bps, ack_bps;
    uint32_t  checked;           /* of a host: its flows that are checked; those to it send all packets */
    double    queue_bytes;       /* at since_ps */
    uint64_t  since_ps;
};

struct lanes {
    struct lane *lane;           /* by port */
    bool        *is_full;        /* by port, when it was last looked at: frames wait in its queue */
    double       ack_share;      /* bits of ACKs per bit of data */
};

void lanes_init(struct lanes *, const struct sim *);
void lanes_fini(struct lanes *, const struct sim *);

/* Finds the way of a flow, by the hash of ECMP. It may have none, or too long a one: then hops is 0. */
void lanes_find_path(const struct sim *, const struct flow *, struct lane_path *);

void lanes_add(struct lanes *, const struct sim *, const struct lane_path *, uint32_t flow, uint64_t bps);
void lanes_remove(struct lanes *, const struct sim *, const struct lane_path *, uint32_t flow, uint64_t bps);
void lanes_change(struct lanes *, const struct sim *, const struct lane_path *, uint64_t was_bps,
                  uint64_t bps);

/* What a flow that uses 'bps' of a port may use at most, if other flows do; otherwise UINT64_MAX. */
uint64_t lanes_room_bps(const struct lanes *, const struct port *, uint64_t bps);

/* When a port will be full, if nothing else starts or ends; now if it is. */
uint64_t lanes_full_ps(const struct lanes *, const struct sim *, const struct port *);

/* Looks at the ports of a path: which are full, still have a queue, are paused or may lose frames. */
void lanes_look(struct lanes *, const struct sim *, const struct lane_path *);

#endif
