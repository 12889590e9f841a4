/* src/sim/skip/skip_flow.h - state of skipping: paths of flows, rates on them, and holds. */
#ifndef SIM_SKIP_SKIP_FLOW_H
#define SIM_SKIP_SKIP_FLOW_H

#include "sim/skip/alone.h"
#include "sim/skip/lanes.h"

#define SKIP_LOSS_RTTS 4u        /* after packets were lost, a flow with packets under way is not held */
#define SKIP_PATIENCE  32u       /* packets until a flow looks again whether it is alone */

struct skip_flow {
    struct lane_path path;
    uint32_t         ports;      /* of the flow when its path was found, and its ends */
    uint32_t         src, dst;
    uint16_t         generation;
    uint64_t         rate_bps;   /* of its congestion control, when it was last counted in the lanes, */
    uint64_t         bps;        /* and as counted there */
    uint32_t         messages;   /* posted, and not arrived; 0: not in the lanes */
    uint32_t         patience;
    bool             is_joined, is_held, is_unsettled;   /* joined: in the lanes; unsettled: in that list */
    uint64_t         untracked;  /* frames of bytes before this one may be anywhere on the path */
    struct alone     now, end;   /* held: after what is counted; when it goes on */
    uint64_t         other_bps;  /* of others at its host's port, since then */
    uint64_t         packets;    /* at most, of those it has left */
    uint64_t         from, end_sent;     /* bytes sent when it began and when it will end */
    uint64_t         skipped_to; /* first byte after those that its sender has skipped */
    struct port     *marks;      /* the port that marks its next packet, or NULL */
    uint32_t         unacked;    /* packets of them that no counted ACK is for */
};

/* Skipping costs time for every frame that is simulated. So it rests where it saves too little. Frames do not
 * overtake those of the same flow that skipped ports before. */
struct skip_thrift {
    uint64_t frames, hops;       /* simulated and skipped, when it last began */
    uint64_t until_packet;       /* resting: until so many data packets are simulated; 0: it does not rest */
    uint64_t drained_ps;         /* resting: until then frames that skipped ports are on their way; 0: none */
    uint64_t counted;            /* resting: simulated packets up to which rest_packets counts */
    uint32_t rests;              /* in a row */
};

struct skip {
    struct skip_stats  stats;
    struct lanes       lanes;
    struct skip_flow  *flow;     /* by flow */
    uint32_t          *unsettled, unsettled_count, unsettled_max;    /* flows with packets to be counted */
    char              *end_state;/* of congestion control, when a held flow goes on; by flow */
    uint32_t           flows;
    bool               has_drawn;/* a number that was drawn has changed a result */
    bool               is_turn;  /* a host is about to send: no other may, nor may it twice */
    uint64_t           frames;   /* that left a port, and what else took as long */
    struct skip_thrift thrift;
    uint64_t           losses, lost_ps;  /* of all flows so far; when one last saw more of them; 0: never */
    uint32_t           epoch;    /* of the routes by which paths were found: see sim/change.h */
};

static inline uint32_t skip_flow_id(const struct sim *s, const struct flow *f)
{
    return (uint32_t)(f - s->flows.flow);
}

static inline void *skip_flow_end_state(const struct skip *k, const struct sim *s, uint32_t id)
{
    return k->end_state + (size_t)id * s->flows.cc_stride;
}

static inline bool skip_is_resting(const struct skip *k)
{
    return k->thrift.until_packet > 0;
}

/* Makes room for flows up to this one. */
void skip_flow_grow(struct skip *, const struct sim *, uint32_t id);

static inline struct skip_flow *skip_flow_of(struct skip *k, const struct sim *s, uint32_t id)
{
    if (id >= k->flows)
        skip_flow_grow(k, s, id);
    return &k->flow[id];
}

/* Returns the rate at which others send through a host's port. */
uint64_t skip_flow_other_bps(const struct skip *, const struct host *);

/* Returns the rate of a flow, limited by its port. */
uint64_t skip_flow_allowed_bps(const struct skip *, const struct sim *, const struct flow *,
                               uint64_t rate_bps);

void skip_flow_set_bps(struct skip *, const struct sim *, struct skip_flow *, uint64_t bps);

/* Adds a flow with messages to the lanes of its path, or removes it. */
void skip_flow_join(struct skip *, struct sim *, const struct flow *, struct skip_flow *);
void skip_flow_part(struct skip *, struct sim *, struct skip_flow *);

/* Returns the number of flows so far, with index 0. */
static inline uint32_t skip_flows(const struct skip *k, const struct sim *s)
{
    return k->flows < s->flows.used ? k->flows : s->flows.used;
}

/* Finds the paths of all flows by today's routes. Frames in flight are not tracked. */
void skip_find_paths(struct skip *, struct sim *);

/* Same if links have changed. */
void skip_follow_changes(struct skip *, struct sim *);

/* Returns when the flow must be simulated because links will change: packets in flight may be lost then. */
uint64_t skip_flow_change_ps(const struct skip *, const struct sim *, const struct skip_flow *);

static inline void skip_count_frames(struct port *p, enum packet_class class, uint64_t frames,
                                     uint32_t bytes)
{
    p->counters.tx_packets[class] += frames;
    p->counters.tx_bytes += frames * bytes;
}

/* Counts frames of a flow that have skipped ports. */
void skip_flow_count_leaps(struct sim *, struct skip_flow *);

/* The flow has packets that skip_settle() must count. */
static inline void skip_flow_unsettle(struct skip *k, struct skip_flow *sf)
{
    if (sf->is_unsettled)
        return;
    sf->is_unsettled = true;
    k->unsettled = xgrow(k->unsettled, k->unsettled_count, &k->unsettled_max, 64, sizeof *k->unsettled);
    k->unsettled[k->unsettled_count++] = (uint32_t)(sf - k->flow);
}

/* Returns why packets can never be skipped in this world; NULL: they can. */
const char *skip_why_never(const struct sim *);

/* Returns false if a monitor, recording or verb needs every packet from now on. */
bool skip_is_allowed(struct skip *, const struct sim *);

#endif
