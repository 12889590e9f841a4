/* src/sim/state/model.h - the behaviour of a device model, in addition to the numbers of struct sim_cfg.
 *
 * A model is a row of data and functions, chosen when a world is built (sim/choose_model.c). The rows of the
 * ns-3 forks are in sim/forks/; no other code asks which model runs. A NULL function stands for behaviour
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
#define SENT_TIMER     1u        /* a queue pair restarts its timer after sending */
#define SENT_ASKS      2u        /* it may have to request an ACK: see pacer_may_send() */
#define SENT_SPRAYED   4u        /* its packets are sprayed: see host/sender_spray.h */
#define SENT_VERB      8u        /* packets may belong to a SEND or a datagram: see host/verbs.h */

#define REPLY_BY_CLASS UINT8_MAX /* value of reply_queue */

/* Bit masks: classes of an ingress port whose sender must pause, and those whose sender may resume. */
struct account_pfc { uint8_t pause, resume; };

/* Buffer accounting that replaces the one in switch/switch.c. */
struct account {
    void         (*init)   (struct sim *, struct node *);
    /* Charges a packet that arrived at 'in' and leaves by 'out'. Returns false if there is no room. */
    bool         (*admit)  (struct sim *, struct port *in, const struct port *out, struct packet *,
                            struct account_pfc *);
    /* A packet has left its queue at 'out'. Returns its ingress port if the sender there may resume, or
     * NULL. */
    struct port *(*release)(struct sim *, const struct port *out, const struct packet *);
    /* Returns which invariant does not hold, or NULL. */
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
    uint32_t telemetry_bytes;    /* part of a data header, and in model nic of ACKs; not part of ideal
                                  * times */

    /* Ideal times; NULL: exact ones, see state/ideal.c. */
    /* Round trip of a lone packet over one link. */
    uint64_t (*hop_ps)(const struct sim_cfg *, const struct port *);
    /* Time in addition to the sum over all links. */
    uint64_t (*rest_ps)(const struct sim *, uint64_t bytes, uint64_t slowest_bps);
    uint64_t (*end_ps)(const struct sim *, const struct flow *);     /* ideal time, computed when a flow ends;
                                                                      * or NULL */

    /* Building. */
    uint32_t (*build)(struct sim *);     /* called after nodes are built. Returns the number of lossy links
                                          * with a separate setting */
    struct route_cfg route;      /* order of next hops */
    /* Returns the telemetry bytes of a data header, by cc_telemetry. */
    uint32_t (*telemetry_sizes)(uint32_t kind, uint32_t *ack_bytes);
    bool     (*knows_rate)(uint64_t rate_bps);       /* telemetry can encode this link speed; NULL: any */

    /* Switches. */
    /* Headroom of one class of a port. */
    uint32_t (*headroom_bytes)(const struct sim_cfg *, const struct port *);
    uint32_t shares;             /* headroom and reserve shares set aside per port; 0: one per class in use */
    uint8_t  unbooked_prios;     /* classes without buffer accounting */
    const struct account *account;
    uint8_t  pfc_queue;          /* port queue for PFC frames */
    uint8_t  weight_max;         /* largest weight of a class; 0: classes alternate by packet regardless of
                                  * weights */
    double   (*random)(struct sim *, const struct node *);       /* in [0, 1); NULL: from the node's stream */
    uint32_t unmarked_bytes;     /* bytes of a queue that do not count against marking thresholds */
    uint8_t  marked_kinds;       /* bit by enum packet_kind: kinds that are counted when marked, */
    uint8_t  marked_flags;       /* except packets with one of these flags */
    void     (*on_down)(struct sim *, struct port *);        /* the link of a switch's port goes down */
    const struct lb_algo *conga; /* implementation of balancer conga; NULL: lb/conga.c */
    void     (*lb_key)(struct lb_packet *, const struct packet *);   /* flow key for balancers; NULL:
                                                                      * addresses and ports */

    /* Senders. */
    uint16_t sport_first, sport_mask;
    uint32_t (*source_port)(struct sim *, struct host *, uint32_t dst);      /* NULL: counted per host */
    uint8_t  after_send;         /* SENT_TIMER, .. */
    /* The rate of a waiting flow has changed: reschedules its next packet. NULL: a packet keeps its time, and
     * the window of cfg, not of the congestion control, is checked at each turn of a flow. */
    void     (*repace)(const struct sim *, struct flow *);
    /* Returns true if the wake-up must stay as it is, armed or not. */
    bool     (*keeps_wake)(const struct sim *, const struct host *);
    void     (*keep_finished)(struct sim *, struct host *);      /* a queue pair has finished but keeps its
                                                                  * position */
    /* Returns true if a finished flow still sends. */
    bool     (*sends_acked)(const struct sim *, const struct host *, const struct flow *);
    bool     (*on_timeout)(struct sim *, struct host *);     /* replaces answer_on_timeout() */
    /* An ACK, NACK or CNP has arrived; sets the timer. */
    void     (*on_answer)(struct sim *, const struct host *, struct flow *);
    void     (*on_late_answer)(struct sim *, uint32_t packet);       /* an ACK of a finished flow; takes the
                                                                      * packet */
    bool     (*takes_digest)(struct sim *, const struct host *);     /* a sender uses the digest of an ACK;
                                                                      * NULL: always */
    const struct qp_list *list;

    /* Receivers. */
    uint8_t  echo;               /* flag of the ACK for a marked packet; 0: a mark causes a CNP */
    uint8_t  ack_flags;          /* an ACK with one of these flags is sent immediately, regardless of
                                  * ack_every */
    uint8_t  reply_queue;        /* port queue for ACKs of all classes, or REPLY_BY_CLASS */
    /* A duplicate data packet has arrived. NULL: no response. */
    void     (*on_copy)(struct sim *, struct host *, struct flow_rx *, const struct packet *, uint8_t flags);
    /* The sender knows that a flow is done: the receiver forgets it, and duplicates go to on_forgotten(). */
    void     (*forget)(struct sim *, const struct flow *);
    void     (*on_forgotten)(struct sim *, struct host *, struct flow_rx *, const struct packet *,
                             uint8_t flags);
};

/* Returns the time from the start of a frame to the earliest start of the next. Rounded up, so that no flow
 * exceeds its rate. */
static inline uint64_t model_frame_ps(const struct model *m, uint32_t bytes, uint64_t rate_bps)
{
    if (m->frame_ps)
        return m->frame_ps(bytes, rate_bps);
    return ((uint64_t)(bytes + m->spacing_bytes) * 8 * PS_PER_S + rate_bps - 1) / rate_bps;
}

#endif
