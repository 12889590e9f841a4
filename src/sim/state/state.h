/* src/sim/state/state.h - struct sim: the world, or the part of it that one thread runs.
 *
 * Parts share the network and the arrays behind 'flows', 'program' and the host tables; each part uses the
 * entries of its own nodes. Each part has a separate engine.
 */
#ifndef SIM_STATE_STATE_H
#define SIM_STATE_STATE_H

#include "base/arena.h"
#include "sim/cc/cc.h"
#include "core/units.h"
#include "sim/lb/entropy.h"
#include "work/net/address.h"
#include "work/net/graph.h"
#include "work/net/route.h"
#include "sim/event/engine.h"
#include "sim/event/mrg.h"
#include "sim/event/program.h"
#include "sim/link/port.h"
#include "sim/state/cfg.h"

#include <stdbool.h>
#include <stdint.h>

/* the behaviour of a device model, in addition to the numbers of struct sim_cfg.
 *
 * A model is a row of data and functions, chosen when a world is built (sim/build_model.c). The rows of the
 * ns-3 forks are in sim/forks/; no other code asks which model runs. A NULL function stands for behaviour
 * that real devices do not have.
 */

struct flow;
struct flow_rx;
struct host;
struct sim;

#define REPLY_BY_CLASS UINT8_MAX /* value of reply_queue */

/* Bit masks: classes of an ingress port whose sender must pause, and those whose sender may resume. */
struct account_pfc { uint8_t pause, resume; };

/* Buffer accounting that replaces the one in switch/switch.c. */
struct account {
    void         (*init)   (struct sim *, struct node *);
    /* Charges a packet that arrived at 'in' and leaves by 'out'. Returns false if there is no room. */
    bool         (*admit)  (struct sim *, struct port *in, const struct port *out, struct packet *,
                            struct account_pfc *);
    /* A packet has left its queue at 'out'. Returns its ingress port if that may resume, or NULL. */
    struct port *(*release)(struct sim *, const struct port *out, const struct packet *);
    /* Returns which invariant does not hold, or NULL. */
    const char  *(*check)  (const struct sim *, const struct node *);
};

/* A list of a host's queue pairs, for worlds whose links change: see forks/ns3.h. */
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
    uint32_t telemetry_bytes;    /* part of a data header, and in model nic of ACKs; not of ideal times */

    /* Ideal times; NULL: exact ones, see state/ideal.c. */
    /* Round trip of a lone packet over one link. */
    uint64_t (*hop_ps)(const struct sim_cfg *, const struct port *);
    /* Time in addition to the sum over all links. */
    uint64_t (*rest_ps)(const struct sim *, uint64_t bytes, uint64_t slowest_bps);
    uint64_t (*end_ps)(const struct sim *, const struct flow *); /* ideal time at the flow's end, or NULL */

    /* Building. */
    uint32_t (*build)(struct sim *);     /* after nodes are built. Returns the links with their own loss */
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
    uint8_t  weight_max;         /* largest weight of a class; 0: classes alternate by packet */
    double   (*random)(struct sim *, const struct node *);       /* in [0, 1); NULL: from the node's stream */
    uint32_t unmarked_bytes;     /* bytes of a queue that do not count against marking thresholds */
    uint8_t  marked_classes;     /* bit by enum packet_class: packets that are counted when marked, */
    uint8_t  marked_flags;       /* except packets with one of these flags */
    void     (*on_down)(struct sim *, struct port *);        /* the link of a switch's port goes down */
    const struct lb_algo *conga; /* implementation of balancer conga; NULL: sim/lb/conga.c */
    void     (*lb_key)(struct lb_packet *, const struct packet *);   /* NULL: addresses and ports */

    /* Senders. */
    uint16_t sport_first, sport_mask;
    uint32_t (*source_port)(struct sim *, struct host *, uint32_t dst);      /* NULL: counted per host */
    bool     asks;               /* a sender that needs an ACK requests it: see transport/rc/rc_send.c */
    void     (*on_sent)(struct sim *, const struct host *, struct flow *);   /* a queue pair sends; or NULL */
    /* The rate of a waiting flow has changed: reschedules its next packet. NULL: a packet keeps its time, and
     * the window of cfg, not of the congestion control, is checked at each turn of a flow. */
    void     (*repace)(const struct sim *, struct flow *);
    /* Returns true if the wake-up must stay as it is, armed or not. */
    bool     (*keeps_wake)(const struct sim *, const struct host *);
    void     (*keep_finished)(struct sim *, struct host *); /* a finished queue pair stays in its place */
    /* Returns true if a finished flow still sends. */
    bool     (*sends_acked)(const struct sim *, const struct host *, const struct flow *);
    bool     (*on_timeout)(struct sim *, struct host *);     /* replaces transport.timer() */
    /* An ACK, NACK or CNP has arrived; sets the timer. */
    void     (*on_answer)(struct sim *, const struct host *, struct flow *);
    bool     ignores_late_answers;   /* an answer to a finished flow does not wake the NIC */
    bool     (*takes_digest)(struct sim *, const struct host *);     /* of an ACK; NULL: always */
    const struct qp_list *list;

    /* Receivers. */
    uint8_t  echo;               /* flag of the ACK for a marked packet; 0: a mark causes a CNP */
    uint8_t  ack_flags;          /* an ACK with one of these flags is sent immediately */
    uint8_t  reply_queue;        /* port queue for ACKs of all classes, or REPLY_BY_CLASS */
    /* A duplicate data packet has arrived. NULL: no response. */
    void     (*on_copy)(struct sim *, struct host *, struct flow_rx *, const struct packet *, uint8_t flags);
    /* The sender knows that a flow is done: the receiver forgets it, and duplicates go to on_forgotten(). */
    void     (*forget)(struct sim *, const struct flow *);
    void     (*on_forgotten)(struct sim *, struct host *, struct flow_rx *, const struct packet *,
                             uint8_t flags);
};

/* Returns the least time between the starts of two frames, rounded up, so that no flow exceeds its rate. */
static inline uint64_t model_frame_ps(const struct model *m, uint32_t bytes, uint64_t rate_bps)
{
    if (m->frame_ps)
        return m->frame_ps(bytes, rate_bps);
    return ((uint64_t)(bytes + m->spacing_bytes) * 8 * PS_PER_S + rate_bps - 1) / rate_bps;
}

/* Senders that spray. kind 0: another balancer. */
struct spray_state {
    uint8_t  kind;               /* enum entropy_kind + 1 */
    uint32_t paths, goods;
    char    *state;              /* by flow: struct entropy, its penalties and its good EVs */
    size_t   stride;
};

/* The network, shared by all parts of a world. A part touches only the entries of its own nodes. */

#define LINKS_MANY 2048u         /* ports of this many links take 2 MB and do not fit the cache */

/* State of a switch in model conweave. */
struct conweave_node {
    _Alignas(64) int64_t egress_bytes_left;  /* see forks/conweave_buffer.h */
    struct mrg           mrg;                /* its random numbers */
};

#define LAST_WAYS 2u              /* per port, for data and for other packets: one cache line */

/* Cached route: the egress port of the last packet. */
struct last_way {
    uint64_t nodes;              /* its source and destination, laid out as in struct packet */
    uint32_t ports, port;
};

struct network {
    struct port   *port;
    struct node   *node;
    struct host   *host;
    uint32_t       nodes, ports, hosts;
    struct conweave_node *conweave;          /* by node; NULL: another model */
    uint64_t      *pausing_until_ps;         /* model conweave: see forks/conweave_buffer.h */
    struct last_way (*last_way)[LAST_WAYS][2];   /* by ingress port, by flow parity, and by data or other; for
                                                  * the current routes */
    struct route  *route;                    /* one per epoch (set of links that are up) */
    uint64_t      *epoch_ps;                 /* start of the next epoch; NEVER: this is the last */
    uint32_t      *epoch_change;             /* first of cfg.change at that time */
    uint64_t       base_rtt_ps;              /* the longest */
    uint32_t       base_rtt_hops;            /* links on that path, including those of both hosts */
    bool           is_uneven;                /* see sim_ideal_is_uneven() */
    uint64_t       bdp_bytes;                /* the largest; 0: not defined in this model */
    struct graph   graph;
};

/* Persistent queue pairs and their messages: see nic/flow.h. NULL if unused. */
struct pairs {
    struct pair   *pair;                     /* by flow index */
    struct posted *posted;                   /* messages; 0 is not used */
    uint32_t      *arrived;                  /* receiver, by flow: last message that arrived completely */
    uint64_t      *reposted_ps;              /* receiver: see nic/flow.h */
    uint32_t      *sends;                    /* receiver, by flow index: SENDs that have arrived */
    bool           has_verbs;                /* a datagram was posted, or a SEND that needs a receive */
    uint32_t       first, used, limit, free; /* message numbers of this part */
    uint32_t      *slot, mask, count;        /* hash table of indices */
};

/* Queue pairs and TCP connections, from index 1. Arrays parallel to 'flow' are NULL if unused. */
struct flows {
    struct flow         *flow;
    struct flow_rx      *rx;
    char                *cc_state;           /* state of congestion control: see flow_cc() */
    size_t               cc_stride;          /* bytes per flow */
    struct probe        *probe;              /* NULL: probes disabled */
    uint32_t             first, used, limit; /* indices of this part */
    uint32_t             free;
    uint32_t             resting, resting_last;  /* finished, but packets may be in flight */
    struct pairs         pairs;
};

/* Receivers of marked packets, set by the knobs. */
struct np_cfg {
    uint32_t cc_prios;           /* bit mask: classes with congestion control */
    uint8_t  cnp_prio;
    uint8_t  probe_prio, resp_prio;      /* of RTT probes: see nic/probe.h; PRIOS: class of the flow */
    uint8_t  moderation;         /* CNPs are spaced by 0 flow, 1 address, 2 port */
    uint64_t gap_ps;             /* minimum time between two CNPs */
};

#define TRANSPORTS_MAX 8u        /* see transport/transport.h */

/* Congestion control of a transport that does not use that of the host: its configuration, and its group. */
struct own_control { const void *cfg; uint32_t at; };

/* State of hosts besides struct host. */
struct host_state {
    const struct transport *const *transport;    /* by enum transport_id */
    const struct transport *sharing;         /* the one with share() */
    void                 *own[TRANSPORTS_MAX];   /* what a transport keeps, by enum transport_id */
    const struct np_algo *np;                /* how receivers respond to marked packets */
    struct np_cfg         np_cfg;
    uint64_t              window_bytes_max;  /* see pacer_is_limited() */
    uint64_t              bdp_bps;           /* cfg.window_bytes is the BDP at this link rate and scales with
                                              * a host's rate; 0: it does not scale */
    uint64_t              pair_rto_ps;       /* like cfg.rto_ps, for queue pairs: longer than that of UET, */
    uint64_t              pair_rto_ps_max;   /* up to this */
    bool                  has_fifo;          /* tx_fifo: see nic/send.h */
    bool                  has_held;          /* the window is checked at each turn: see model.repace */
    bool                  paces_window;      /* windows follow rates, and are checked when rates change */
    /* Asked before a queue pair sends; true: not now. NULL: it always may. See nic/send.h */
    bool                (*on_turn)(struct sim *, struct host *, struct flow *);
    uint8_t               ack_prio[PRIOS];   /* class of the ACKs for data of each class */
    uint8_t               reply_queue[PRIOS];    /* port queue for ACKs of each class */
    struct hf2t          *hf2t;              /* NULL: never enabled */
    struct gap_record    *gap_record;        /* NULL: gaps are not recorded */
    struct qp_order      *qp_order;          /* by host; NULL: see model.list */
    struct drain         *drain;             /* by host; NULL: no host drains slowly */
    char                 *cc_cfg;            /* by host link speed and congestion control: see build.h */
    char                 *cc_forgot;         /* likewise, after a NIC lost its setting; NULL: none does */
    char                 *cc_own;            /* by host: see sim_apply_host(); NULL: none */
    struct cc_at         *cc_at;             /* speed and congestion control of each */
    struct own_control   *own_control;       /* by host; NULL: all flows use that of their host */
    uint64_t              fastest_bps;       /* fastest host link */
    uint32_t              cc_cfgs;
    uint32_t             *list_free[32];     /* free tables by log2 of their size */
    struct cnp_entry     *cnp_free;          /* free entries: see nic/np/np.h */
    uint64_t             *busy_ps;           /* by host: see struct cc_probe; NULL: probes disabled */
};

/* Queues of Ultra Ethernet in switches: see switch/switch.h. */
struct trimming {
    uint8_t  classes;            /* of data and headers; bit mask. 0: none in this world */
    uint8_t  prios;              /* of data */
    bool     is_on;              /* packets are trimmed; otherwise dropped */
    uint32_t queue_bytes_max[PRIOS];         /* limit of a port's queue, by class; 0: not UET */
};

/* State of switches besides struct node and struct port. */
struct switch_state {
    struct trimming trim;
    uint32_t       pass_bytes_max;           /* largest frame that may bypass a queue without accounting .. */
    uint32_t       pass_alone_max;           /* .. and without a scheduler update, if the account is empty */
    int64_t        pass_used_max;            /* lossy: buffer bytes up to which frames bypass; -1: never */
    uint8_t        lossless_prios;           /* classes with PFC, charged to ingress ports */
    uint8_t        ecn_prios;                /* classes with their own thresholds */
    uint8_t        queue_prios;              /* classes of a port's queue: see observe/queue_telemetry.h */
    struct ecn_cfg ecn_class[PRIOS];
    bool           has_credit;               /* receivers limit what reaches them: their links do not mark */
    /* Mark a packet that leaves or enters a queue with this many other bytes. on_admit: NULL if unused. */
    void         (*on_leave)(struct sim *, struct port *, struct packet *, uint32_t queue_bytes);
    void         (*on_admit)(struct sim *, struct port *, struct packet *, uint32_t queue_bytes);
    struct ecn_view *view;                   /* by port and class: see switch/ecn_view.h; NULL: not used */
};

/* ConWeave's decision about a packet. */
enum weave_does {
    WEAVE_IGNORED,               /* forward it as usual */
    WEAVE_FORWARDED,             /* forward it to 'out'; NULL: no path */
    WEAVE_CONSUMED,              /* held, or addressed to this switch and freed */
    WEAVE_RELEASED,              /* forward it, and the packets of weave_take_held(), to 'out', in order */
};

struct weave_act;

/* Balancers other than ECMP. */
struct balancer_state {
    bool           is_on;                    /* true: neither ECMP nor ConWeave */
    /* Chooses the egress port of a packet. Returns false if routing decides. NULL: routing always decides. */
    bool         (*choose)(struct sim *, const struct port *in, uint32_t id, const struct packet *,
                           bool is_data, struct port **out);
    bool           is_path;                  /* the first switch chooses the whole path */
    void          *cfg;
    struct rng    *rng;                      /* by node */
    struct crand  *crand;                    /* replaces rng if paths must equal a fork's; or NULL */
    struct weave  *weave;                    /* ConWeave, otherwise NULL: see switch/weave.h, */
    enum weave_does (*weave_packet)(struct sim *, struct port *in, uint32_t id, struct packet *,
                                    struct weave_act *);
};

/* Monitors. 'on_packet' sees data packets of queue pairs that arrive at a port with SLOW_WATCHED and are not
 * marked as counted; 'on_request' sees posted messages; 'on_rtt' sees round trips, at intervals. */
struct watcher {
    void *arg;                   /* NULL: no monitors */
    void (*on_packet) (void *arg, uint64_t now_ps, const struct node *, struct packet *);
    void (*on_request)(void *arg, uint64_t now_ps, const struct flow *, uint64_t bytes);
    void (*on_rtt)    (void *arg, uint64_t now_ps, struct host *, const struct flow *, uint64_t rtt_ps);
};

/* Hooks of the fast mode that skips packets of lone flows: see skip/skip.h. */
struct flow_watcher {
    void *arg;                   /* NULL: disabled */
    void (*on_start)  (void *arg, const struct flow *);  /* a message is posted */
    void (*on_arrival)(void *arg, const struct flow *);
    bool (*on_turn)   (void *arg, struct flow *);        /* it may send; true: hold it. NULL: may go */
    /* byte 'seq' arrived instead of the expected one */
    void (*on_gap)    (void *arg, uint32_t flow, struct flow_rx *, uint64_t seq);
    void (*on_signal) (void *arg, struct flow *);        /* a CNP is about to reach its congestion control */
    void (*on_pause)  (void *arg, const struct port *);  /* PFC has paused the port */
    bool (*is_held)   (void *arg, const struct flow *);
};

struct sim {
    struct network        net;
    struct switch_state   sw;
    struct balancer_state lb;
    struct scheduler_cfg  scheduler;
    struct pfc_cfg        pfc;
    struct model          model;
    struct host_state     hosts;
    struct spray_state    spray;
    struct flows          flows;
    struct program        program;
    struct watcher        watch;
    struct flow_watcher   flow_watch;
    struct sim_cfg        cfg;

    /* Progress. */
    uint64_t              now_ps;            /* time up to which the world has run */
    bool                  is_done;           /* all flows are done, and no more will start */
    uint64_t              done_ps;           /* end of the last finished flow */
    uint64_t              first_start_ps;    /* start of the first flow */
    uint64_t             *entry_bytes_done;  /* bytes of finished flows, by entry of the traffic list */

    struct htsim         *htsim;             /* model htsim: the simulated world. NULL: another model */
    struct skip          *skip;              /* see skip/skip.h. NULL: every packet is simulated */
    struct partition     *parts;             /* see partition.h. NULL: not divided, or itself a part */
    bool                  is_part;
    struct arena         *lines;             /* objects that begin with an event; of the whole world */
    uint32_t              packets_most;      /* of a part: number of packet lines */
    struct arena          arena;             /* of this part: what lives as long as it does */
    struct arena          line_arena, pair_arena;
    struct engine         engine;            /* last because it is large */
};

/* Returns the order key of an event that a node schedules now. */
static inline uint64_t sim_order(struct sim *s, struct node *n, uint64_t at_ps)
{
    return engine_order(&s->engine, &n->next_number, at_ps);
}

/* the owner word of an event: the owner's line and, in the low bits, the event's
 * kind.
 *
 * Ports and hosts own events; their lines have small numbers. Numbered events have no owner.
 */

#define OWNER_KIND_BITS 4
#define OWNER_KINDS     ((1u << OWNER_KIND_BITS) - 1)
#define OWNER_LINES (1u << (32 - OWNER_KIND_BITS))   /* lines that can own events */

_Static_assert(EV_KINDS <= 1 << OWNER_KIND_BITS, "a kind fits its bits");

/* Returns the owner word of an event. NULL: a numbered event. */
static inline uint32_t owner_make(const struct evq *q, enum event_kind kind, const void *owner)
{
    uint32_t line = owner ? evq_id(q, owner) : 0;

    assert(line < OWNER_LINES);
    return line << OWNER_KIND_BITS | kind;
}

static inline enum event_kind owner_kind(const struct event *e)
{
    return (enum event_kind)(e->owner & OWNER_KINDS);
}

/* Returns true if the event is the arrival of a packet. */
static inline bool owner_is_packet(const struct event *e)
{
    return owner_kind(e) <= EV_AT_HOST;
}

static inline void *owner_of(const struct evq *q, const struct event *e)
{
    return q->line + (size_t)(e->owner & ~OWNER_KINDS) * (EVQ_LINE >> OWNER_KIND_BITS);
}

/* Returns true if all flows are done, and no more will start. A datagram is done when it has left, but may be
 * answered when it arrives. packets: how many are in flight. */
static inline bool is_all_done(const struct sim *s, uint32_t packets)
{
    const struct sim_counters *c = &s->engine.counters;

    return s->program.live == 0 && c->flows_done == c->flows_started && (!c->datagrams_sent || !packets);
}

/* checks an invariant. If it does not hold, prints where and aborts. */

void expect_of_node(bool holds, const struct sim *, uint32_t node, const char *what);
void expect_of_world(bool holds, const struct sim *, const char *what);

#endif
