/* src/sim/state/model.h - what a model of devices decides, besides the numbers of struct sim_cfg.
 *
 * A model is a row of data and functions, chosen when a world is built (sim/choose_model.c). The rows of the
 * ns-3 forks are in sim/forks/; no other code asks which model runs. A function that is NULL is behaviour
 * that real devices do not have.
 */
#ifndef SIM_STATE_MODEL_H
#define SIM_STATE_MODEL_H

#include "core/units.h"
#include "net/route.h"

#include <stdbool.h>
#include <stdint.h>

struct flow;
struct flow_rx;
struct host;
struct lb_algo;
struct lb_packet;
struct node;
struct packet;
struct port;
struct sim;
struct sim_cfg;

/* after_send */
#define SENT_TIMER     1u        /* a queue pair that has sent restarts its timer */
#define SENT_ASKS      2u        /* it may have to ask for an ACK: see pacer_may_send() */
#define SENT_SPRAYED   4u        /* its packets are sprayed: see host/sender_spray.h */
#define SENT_VERB      8u        /* its packets may be of a SEND or a datagram: see host/verbs.h */

#define REPLY_BY_CLASS UINT8_MAX /* reply_queue */

/* Classes of an ingress port whose sender must pause, and those whose sender may resume; bit masks. */
struct account_pfc { uint8_t pause, resume; };

/* An account of switch buffers that replaces the one in switch/switch.c. */
struct account {
    void         (*init)   (struct sim *, struct node *);
    /* Books a packet that came in by 'in' and leaves by 'out'. Returns false if there is no room. */
    bool         (*admit)  (struct sim *, struct port *in, const struct port *out, struct packet *,
                            struct account_pfc *);
    /* A packet has left its queue of 'out'. Returns the port it came in by if the sender there may resume, or
     * NULL. */
    struct port *(*release)(struct sim *, const struct port *out, const struct packet *);
    /* returns what does not hold, or NULL */
    const char  *(*check)  (const struct sim *, const struct node *);
};

/* A list of a host's queue pairs, for worlds whose links change: see forks/qp_order.h. */
struct qp_list {
    /* a message to 'dst' is about to be posted */
    void (*on_start) (struct sim *, const struct host *, uint32_t dst);
    void (*add)      (struct sim *, const struct host *, const struct flow *);
    void (*remove)   (struct sim *, const struct host *, const struct flow *);
    void (*on_change)(struct sim *, struct host *);      /* links have changed */
};

struct model {
    /* Time. */
    uint64_t (*frame_ps)(uint32_t bytes, uint64_t rate_bps);     /* NULL: see model_frame_ps() */
    uint32_t tick_ps;            /* messages within a server take multiples of this */
    uint32_t spacing_bytes;      /* per frame on the wire */
    uint32_t telemetry_bytes;    /* of a data header, and in model nic of ACKs: ideal times leave them out */

    /* Ideal times; NULL: exact ones, see state/ideal.c. */
    /* round trip of a lone packet over one link */
    uint64_t (*hop_ps)(const struct sim_cfg *, const struct port *);
    /* besides the sum over all links */
    uint64_t (*rest_ps)(const struct sim *, uint64_t bytes, uint64_t slowest_bps);
    uint64_t (*end_ps)(const struct sim *, const struct flow *);     /* the ideal, seen at the end of a
                                                                      * flow; or NULL */

    /* Building. */
    uint32_t (*build)(struct sim *);     /* after nodes: own state. Returns the number of lossy links with
                                          * a setting of their own */
    struct route_cfg route;      /* order of next hops */
    /* returns bytes of a data header, by cc_telemetry */
    uint32_t (*telemetry_sizes)(uint32_t kind, uint32_t *ack_bytes);
    bool     (*knows_rate)(uint64_t rate_bps);       /* telemetry can encode this link speed; NULL: any */

    /* Switches. */
    /* that one class of a port needs */
    uint32_t (*headroom_bytes)(const struct sim_cfg *, const struct port *);
    uint32_t shares;             /* of headroom and reserve set aside per port; 0: one per class in use */
    uint8_t  unbooked_prios;     /* classes on no account of a buffer */
    const struct account *account;
    uint8_t  pfc_queue;          /* of a port, for PFC frames */
    uint8_t  weight_max;         /* of a class; 0: classes alternate by packet, whatever their weights */
    double   (*random)(struct sim *, const struct node *);       /* in [0, 1); NULL: from the node's own
                                                                  * stream */
    uint32_t unmarked_bytes;     /* of a queue that do not count against marking thresholds */
    uint8_t  marked_kinds;       /* bit by enum packet_kind: these count when they are marked, */
    uint8_t  marked_flags;       /* unless they have one of these flags */
    void     (*on_down)(struct sim *, struct port *);        /* the link of a switch's port goes down */
    const struct lb_algo *conga; /* used as balancer conga; NULL: that of lb/conga.c */
    void     (*lb_key)(struct lb_packet *, const struct packet *);   /* how balancers tell flows apart;
                                                                      * NULL: by addresses and ports */

    /* Senders. */
    uint16_t sport_first, sport_mask;
    uint32_t (*source_port)(struct sim *, struct host *, uint32_t dst);      /* NULL: counted per host */
    uint8_t  after_send;         /* SENT_TIMER, .. */
    /* The rate of a waiting flow has changed: moves its next packet. NULL: a packet keeps its time, and the
     * window is asked about at each turn of a flow, as cfg says, whatever its control says. */
    void     (*repace)(const struct sim *, struct flow *);
    /* the wake-up stays as it is: armed, or not */
    bool     (*keeps_wake)(const struct sim *, const struct host *);
    void     (*keep_finished)(struct sim *, struct host *);      /* a queue pair has finished, and keeps
                                                                  * its position */
    /* a finished flow still sends */
    bool     (*sends_acked)(const struct sim *, const struct host *, const struct flow *);
    bool     (*on_timeout)(struct sim *, struct host *);     /* replaces answer_on_timeout() */
    /* an answer has arrived; sets the timer */
    void     (*on_answer)(struct sim *, const struct host *, struct flow *);
    void     (*on_late_answer)(struct sim *, uint32_t packet);       /* of a flow that is over: takes the
                                                                      * packet */
    bool     (*takes_digest)(struct sim *, const struct host *);     /* a sender uses the digest of an ACK;
                                                                      * NULL: always */
    const struct qp_list *list;

    /* Receivers. */
    uint8_t  echo;               /* flag of the ACK for a marked packet; 0: a mark makes a CNP */
    uint8_t  ack_flags;          /* an ACK with one of these flags goes at once, whatever ack_every says */
    uint8_t  reply_queue;        /* of a host's port, for answers of all classes; or REPLY_BY_CLASS */
    /* Data has arrived that was received before. NULL: no answer. */
    void     (*on_copy)(struct sim *, struct host *, struct flow_rx *, const struct packet *, uint8_t flags);
    /* The sender knows that a flow is over: the receiver forgets it, and copies go to on_forgotten(). */
    void     (*forget)(struct sim *, const struct flow *);
    void     (*on_forgotten)(struct sim *, struct host *, struct flow_rx *, const struct packet *,
                             uint8_t flags);
};

/* Time from the start of a frame to the earliest start of the next. Rounded up, so that no flow exceeds its
 * rate. */
static inline uint64_t model_frame_ps(const struct model *m, uint32_t bytes, uint64_t rate_bps)
{
    if (m->frame_ps)
        return m->frame_ps(bytes, rate_bps);
    return ((uint64_t)(bytes + m->spacing_bytes) * 8 * PS_PER_S + rate_bps - 1) / rate_bps;
}

#endif
