/* src/sim/skip/lanes.h - which flows use which ports, and at what rate.
 *
 * From its post to its last byte's arrival, a flow uses the ports of its path at its rate, and its ACKs use
 * those of the way back. Frames of different flows wait for each other only at crowded ports:
 *
 *   - a port that several flows use is crowded if they need more than LANE_SHARE of it;
 *   - a port that one flow uses is crowded if the flow is faster than the port;
 *   - if the flow fits but the ACKs of others do not, a queue grows slowly. While the flow is held, this
 *     queue is computed. The hold ends when the switch marks the first packet: a number drawn when the hold
 *     begins decides how many marks are to be expected until then.
 *
 * A port whose switch would mark packets in a queue of one packet from each flow is crowded, too.
 */
#ifndef SIM_SKIP_LANES_H
#define SIM_SKIP_LANES_H

#include "sim/nic/nic.h"

#define LANE_HOPS_MAX 16u
#define LANE_SHARE    0.9

/* A port on the way of a flow's data, or of its ACKs. */
struct lane_hop {
    uint64_t ps;                 /* when a full frame gets here if it never waits, after it left its host */
    uint64_t free_ps, seq;       /* when the port will have sent the flow's last frame that skipped it, */
    uint64_t queued_ps;          /* and the last one that stops there, if others do not delay it */
    uint32_t port;
    uint32_t waiting;            /* the flow's frames on their way to this port, or in its queue */
    int32_t  leapt;              /* usual frames that skipped the port and are not yet in its counters: how
                                  * many more than at the hop before */
};

struct lane_way { uint32_t hops; struct lane_hop hop[LANE_HOPS_MAX]; };

/* No hops on both: unknown. */
struct lane_path { struct lane_way data, ack; uint64_t rtt_ps; };

struct lane {                    /* use of a port */
    uint32_t  count, all;        /* flows whose data use it, and with those whose ACKs do */
    uint32_t *held;              /* those of them that are held: data flows first, then those whose ACKs do */
    uint32_t  held_data, held_all, held_max;     /* their numbers, and room for */
    uint64_t  data_bps, ack_bps;
    bool      is_crowded, is_held;   /* is_held: its only flow is held; the queue below is valid */
    double    queue_bytes;       /* at since_ps */
    double    marks_left;        /* expected from then until the first mark; less than 0: not drawn yet */
    uint64_t  since_ps;
    uint64_t  from_ps, to_ps;    /* when frames that skip the port in a row pass it, the last ones */
};

struct lanes {
    struct lane *lane;           /* by port */
    double       ack_share;      /* bits of ACKs per bit of data */
    struct rng   rng;            /* of first marks */
};

void lanes_init(struct lanes *, const struct sim *);
void lanes_fini(struct lanes *, const struct sim *);

/* Finds the path of a flow, by the hash of ECMP. No hops: there is none, or it is too long. */
void lanes_find_path(const struct sim *, const struct flow *, struct lane_path *);

/* A flow uses the ports of its path, or no longer. */
void lanes_add(struct lanes *, const struct sim *, const struct lane_path *, uint64_t bps);
void lanes_remove(struct lanes *, const struct sim *, const struct lane_path *, uint64_t bps);
void lanes_change(struct lanes *, const struct sim *, const struct lane_path *, uint64_t was_bps,
                  uint64_t bps);

/* Returns the rate from which a flow that uses 'bps' of a port crowds it. */
uint64_t lanes_room_bps(const struct lanes *, const struct port *, uint64_t bps);

/* Returns when a port will be crowded, if no flow starts or ends. Not later than now: it is. */
uint64_t lanes_crowded_ps(const struct lanes *, const struct sim *, const struct port *);

/* Returns true if a flow that is alone at a port would be marked if it were held. */
bool lanes_would_mark(const struct lanes *, const struct sim *, const struct lane_hop *);

/* Returns true if a frame must stop at a port: it may wait there, or be lost. */
static inline bool lanes_must_stop(const struct lanes *l, const struct port *p)
{
    const struct lane *a = &l->lane[p->id];

    return p->backlog | p->paused || a->is_crowded ||
           (p->slow_path & SLOW_LINK && (p->is_lossy || p->is_down));
}

/* Enters a flow that is held in the lists of its ports, or removes it. Who walks through a list while holds
 * end begins at the end of the list. */
void lanes_list(struct lanes *, const struct lane_path *, uint32_t flow);
void lanes_unlist(struct lanes *, const struct lane_path *, uint32_t flow);

/* A flow is held: where it is alone, queues begin with what waits now. */
void lanes_hold(struct lanes *, const struct sim *, const struct lane_path *);

/* It is held no longer: ports where its frames would be queued stay busy until they have sent them. Returns
 * the port that marks its next packet, or NULL. */
struct port *lanes_release(struct lanes *, struct sim *, struct lane_path *);

/* Same, but nothing was sent since. */
void lanes_unhold(struct lanes *, const struct lane_path *);

/* Returns how long a frame that arrives at a port now would wait in the queue of a held flow. */
uint64_t lanes_queue_ps(const struct lanes *, const struct sim *, const struct port *);

static inline uint64_t lanes_wait_ps(const struct lanes *l, const struct sim *s, const struct port *p)
{
    return l->lane[p->id].is_held ? lanes_queue_ps(l, s, p) : 0;
}

#endif
