/* src/sim/sim.h - the simulated world.
 *
 * A struct sim is one network and everything that goes on in it; there are no
 * globals, so a program may hold many. It is made from a graph, a configuration
 * and traffic, laid out in one arena, run, read and freed.
 */
#ifndef SIM_SIM_H
#define SIM_SIM_H

#include "base/arena.h"
#include "base/rng.h"
#include "cc/cc.h"
#include "core/knobs.h"
#include "core/result.h"
#include "core/units.h"
#include "lb/lb.h"
#include "meter/fct.h"
#include "sim/event/evq.h"
#include "sim/host/gaps.h"
#include "net/graph.h"
#include "sim/host/hf2t.h"
#include "sim/host/host.h"
#include "sim/event/mrg.h"
#include "sim/link/packet.h"
#include "sim/link/port.h"
#include "sim/host/selective_repeat.h"
#include "net/route.h"
#include "sim/host/tcp.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct traffic;
struct flow_spec;
struct signal;
struct watch;

enum sim_model {
    MODEL_NIC,                   /* real frames, exact picoseconds, CNPs are packets */
    MODEL_HPCC,                  /* as the HPCC ns-3 fork does it, whole nanoseconds */
    MODEL_CONWEAVE,              /* as the ConWeave ns-3 fork, which grew out of that one */
};

extern const char *const sim_model_names[];      /* by enum sim_model; NULL-terminated */

enum sim_order {
    ORDER_NODE,                  /* equal times: older first, then by node: any division of the work gives it */
    ORDER_NS3,                   /* equal times: first scheduled, first run, over the whole network; one thread */
};

struct ecn_rate { uint64_t rate_bps; double kmin_kb, kmax_kb, pmax; };

struct ecn_class { bool is_set; double kmin_kb, kmax_kb, pmax; };

struct link_change { uint64_t at_ps; uint32_t link; bool is_up; };

struct sim_cfg {
    enum sim_model model;
    enum sim_order order;
    uint64_t       seed;
    struct knobs   knobs;
    const struct cc_algo *cc;
    const struct lb_algo *lb;
    uint64_t       lb_seed;      /* another one: other paths. 0: ECMP's salts are the numbers of the switches */
    bool           lb_weighted;  /* links of more capacity get more: see route.h */
    uint32_t       threads;      /* that may share the work; 0 counts as 1. No result depends on it */
    uint32_t       parts;        /* at least so many, if there are racks for them; 0: as many as suit */

    /* Frames, in bytes. */
    uint32_t mtu_bytes;          /* payload of a full packet */
    uint32_t header_bytes, ack_bytes, cnp_bytes, pfc_bytes;
    uint32_t spacing_bytes;      /* preamble and gap between frames: time on the wire, no place in a buffer */

    /* Hosts. */
    uint32_t ack_every;          /* packets per ACK; the last of a message is always acknowledged */
    bool     ack_unpaused;       /* PFC does not stop a host's ACKs */
    bool     has_ack_prio;       /* ACKs and NACKs have a class of their own: */
    uint8_t  ack_prio;
    bool     nack_is_cnp;        /* a sender takes a NACK for a CNP as well */
    bool     ack_droppable;      /* switches may drop ACKs that overrun the headroom, a defect of the HPCC fork */
    uint64_t nack_gap_ps;        /* least time between NACKs for the same byte */
    bool     is_selective;       /* only what is missing is sent again: see repeat.h */
    uint64_t reorder_ps;         /* selective: a packet that is missing for longer is lost */
    uint64_t rto_ps;             /* 0: no retransmission timer */
    uint64_t window_bytes;       /* 0: none */
    bool     window_by_rate;     /* window shrinks with rate / line rate */
    bool     record_gaps;        /* between packets of a flow: see gaps.h */

    /* Switches. */
    uint64_t buffer_bytes;
    uint32_t reserve_bytes;      /* per port and class in use (model hpcc: set aside per port, used per class) */
    uint32_t resume_bytes;       /* XON this far below XOFF */
    uint64_t pause_ps;           /* after which a pause ends by itself; 0: never */
    uint64_t headroom_bytes;     /* likewise; 0: by the model's formula */
    uint32_t pfc_shift;          /* alpha = 2^-shift at host speed, one less per doubling of speed */
    double   lossy_alpha;        /* lossy: an egress queue may take this share of the free buffer */
    uint64_t lossy_queue_bytes;  /* and this much; 0: no such limit */
    uint8_t  lossy_prios;        /* classes without PFC beside lossless ones, bit by bit */
    bool     lossy_by_traffic;   /* instead: those that TCP alone uses */
    bool     is_lossless, ecn_on, ecn_at_enqueue;
    uint8_t  strict_prios;       /* bit mask; others share by weight */
    uint8_t  weight[PRIOS];
    struct ecn_rate ecn_rate[16];    /* port speeds with thresholds of their own */
    uint32_t        ecn_rates;
    struct ecn_class ecn_class[PRIOS];       /* classes with thresholds of their own */

    struct tcp_cfg tcp[TCP_CFGS_MAX];        /* what flow_spec.tcp counts */
    uint32_t       tcps;

    struct link_change *change;  /* sorted by time */
    uint32_t            changes;
};

struct sim_counters {            /* only grow */
    uint64_t events;
    uint64_t flows_started, flows_done;
    uint64_t bytes_started, bytes_done;      /* payload of those flows */
    uint64_t data_sent, data_received;       /* packets, by hosts; received: all that arrive */
    uint64_t payload_sent, payload_received;
    uint64_t payload_dropped;
    uint64_t payload_stale;      /* arrived after its flow was over, twice, or out of order and was not kept */
    uint64_t acks_sent, nacks_sent, cnps_sent, cnps_received;
    uint64_t timeouts;
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
    uint64_t reordered_by_size[FCT_BUCKETS], nacks_by_size[FCT_BUCKETS];     /* 'reordered', 'nacks_sent': by flow size */
};

struct node {
    uint32_t     id;
    uint32_t     next_number;    /* of what it schedules: see sim_number() */
    uint32_t     host;           /* index among the hosts */
    uint32_t     salt;           /* of the hash that ECMP chooses by */
    bool         is_switch;
    uint8_t      part;           /* of the work: see parts.h */
    uint32_t     epoch;          /* changes of links it has seen */

    /* Switches. The routes of the present: see struct route. */
    const struct route_host *route_host;
    const uint32_t          *route_entry, *route_hop;
    int64_t      shared_bytes_left;  /* of the buffer less headroom and reserves */
    int64_t      used_bytes;         /* of the whole buffer */

    struct rng   rng;
    uint32_t     first_port, ports;
    int64_t      shared_bytes_max;   /* shared_bytes_left of an empty switch */
    void        *lb_state;
    const uint16_t *route_paths;     /* only for balancers other than ECMP */
};

/* They may belong to different threads. */
_Static_assert(sizeof(struct node) % 64 == 0, "nodes share no cache line");

/* What a switch has besides in model conweave. */
struct conweave_node {
    _Alignas(64) int64_t egress_bytes_left;  /* see conweave_buffer.h */
    struct mrg           mrg;                /* its random numbers */
};

struct sim_hooks {
    void *arg;
    void (*flow_done)(void *arg, const struct flow_result *);    /* NULL: nobody asks */
    void (*pfc)(void *arg, const struct pfc_result *);
};

#define SEND_HF2T 1u             /* see hf2t.h */
#define SEND_GAPS 2u             /* see gaps.h */
#define SEND_SELECTIVE 4u           /* see repeat.h */

struct sim {
    uint64_t           now_ps, order;        /* of the event at hand */
    struct packet_pool packets;
    struct port       *port;
    struct node       *node;
    struct host       *host;
    struct flow       *flow;
    struct flow_rx    *flow_rx;
    uint32_t           flow_free, flow_first, flow_used, flow_limit;    /* flow 0 is no flow */
    uint32_t           flow_resting, flow_resting_last;     /* over, but packets of theirs may be under way */
    uint32_t           nodes, ports, hosts;
    uint32_t           slot_wake, slot_timeout, slot_change, slot_tcp, slot_turn, slot_pause, slot_flow;
                                             /* first of each kind; ports' come first */

    uint32_t           pass_bytes_max;       /* frames up to this may pass a switch unbooked */
    uint32_t           unmarked_bytes;       /* of a queue that do not count against thresholds of marks */
    bool               is_balanced;          /* by something else than ECMP */
    bool               lb_is_shown;          /* which wants to see all packets */
    uint8_t            lossless_prios;       /* classes booked to ingress ports, with PFC, by switch.c */
    uint8_t            pfc_queue;            /* of a port, that its PFC frames wait in */
    uint8_t            ack_prio[PRIOS];      /* class of the ACKs for data of each class */
    uint8_t            ecn_prios;            /* classes with thresholds of their own: */
    uint8_t            at_send;              /* SEND_HF2T, ..: what else to do before a queue pair sends */
    struct ecn_cfg     ecn_class[PRIOS];
    uint8_t            queue_prios;          /* classes that are the queue of a port: see queues.h */
    struct tcp_tx     *tcp;                  /* beside 'flow'; NULL: there is no TCP */
    struct tcp_rx     *tcp_rx;
    struct tcp_host   *tcp_host;             /* beside 'host' */
    struct hf2t       *hf2t;                 /* NULL: never was on */
    struct gap_record *gap_record;           /* NULL: nobody asks */
    struct selective_tx  *selective_tx;            /* beside 'flow'; NULL: senders go back to what is missing */
    struct selective_rx  *selective_rx;
    struct sim_cfg     cfg;
    struct sim_counters counters;
    struct sim_hooks   hooks;
    struct traffic    *traffic;
    struct watch      *watch;                /* who looks on: see watch.h; NULL: nobody */
    struct graph       graph;
    uint32_t           next_number;          /* ORDER_NS3: of the whole network */
    struct mrg         mrg;                  /* ORDER_NS3: the fork's stream of random numbers */
    struct conweave_node *conweave;          /* by node; NULL: another model */
    uint64_t          *pausing_until_ps;     /* model conweave: by port and class: see conweave_buffer.h */
    struct route      *route;                /* one per set of links that are up */
    char              *cc_cfg;               /* one per speed of host links */
    char              *cc_own;               /* by host: see sim_apply_host(); NULL: none has one of its own */
    uint64_t          *cc_rate;
    uint32_t           cc_cfgs;
    void              *lb_cfg;
    bool               lb_is_path;           /* the first switch chooses the whole path */
    struct rng        *lb_rng;               /* by node; NULL: the balancer is ECMP */
    struct crand      *lb_crand;             /* ORDER_NS3 of model conweave: for all nodes, instead */
    bool               is_done;              /* every flow there will ever be is over */
    uint64_t           done_ps;              /* when the last of those that are over ended */
    uint64_t           first_start_ps;       /* of the first flow */
    uint32_t           streams, streams_live;    /* live: with another flow to come */
    struct flow_spec  *next_flow;            /* of each stream */
    uint32_t          *stream_place;         /* ORDER_NODE: low bits of order for its flow starts */
    uint64_t           base_rtt_ps;          /* longest in the network */
    uint64_t           rtt_ps_peak;          /* since the observer last looked: see observe.h */
    uint64_t          *entry_bytes_done;     /* of flows that are over, by entry of the traffic list */
    struct sim        *self;                 /* so that who may only look at it finds the part of a node */
    bool               is_part;              /* of another; then 'parts' is NULL */
    uint32_t           part;                 /* which */
    struct signal     *signal;               /* of jobs, that will act; the first last */
    uint32_t           signals, signals_max, slot_signal;
    struct partition      *parts;                /* many threads: see parts.h. NULL: one does it all */
    struct partition      *siblings;             /* of a part: what it is a part of */
    struct arena       arena, lb_arena, packet_arena, flow_arena, rx_arena, list_arena, tcp_arena, selective_arena;
    uint32_t          *list_free[32];        /* returned host tables by log2 of their size */
    struct cnp_entry  *congested_free;       /* returned entries: see congested.h */
    struct evq         evq;                  /* last, being large: what lies behind is far away */
};

/* Builds the world. Takes the graph and the traffic over on success; on failure they remain the caller's. */
int  sim_new(struct sim **, struct graph *, const struct sim_cfg *, struct traffic *, struct err *);
void sim_free(struct sim *);

/* Runs all events up to and including until_ps. Returns whether there is more to do: when every flow is over
 * (is_done), what is still under way arrives. */
bool sim_run_until(struct sim *, uint64_t until_ps);

/* Puts a setting into force everywhere. K changes act at once; a NIC's running periods end when they were
 * going to. */
void sim_apply(struct sim *, const struct knobs *);

/* Tells the rate control of one host's queue pairs another setting, until sim_apply() tells all the same again. What
 * hosts do as receivers, and what switches do, stays. */
void sim_apply_host(struct sim *, uint32_t host, const struct knobs *);

/* Gives one port of a switch thresholds of its own, at once. They stay until the knobs change kmin, kmax or pmax.
 * Classes with thresholds of their own keep those. */
void sim_set_ecn(struct sim *, uint32_t port, const struct ecn_cfg *);

/* FCT of a flow alone in the network, by the model's closed form; _tcp: of packets with the frames of TCP, sent
 * at line rate. */
uint64_t sim_ideal_ps(const struct sim *, uint32_t src, uint32_t dst, uint64_t bytes);
uint64_t sim_ideal_tcp_ps(const struct sim *, uint32_t src, uint32_t dst, uint64_t bytes, uint32_t mss_bytes);

/* The longest round trip of a full packet and its acknowledgement in an empty network. */
uint64_t sim_longest_rtt_ps(const struct sim *);

/* Checks what must always hold: bytes sent = received + in flight + dropped, buffer accounts = sums over
 * queues, and so on; aborts with a message. */
void sim_check(const struct sim *);

/* A packet is lost: keeps the account and frees it. The caller has counted the cause. */
void sim_drop(struct sim *, uint32_t packet);

/* Traffic has been told of the end of a flow: lets those workers start theirs that now have some, and takes
 * signals to all parts. */
void sim_schedule_workers(struct sim *);

/* A signal that will act in this part. */
void sim_add_signal(struct sim *, const struct signal *);

/* The first unfinished flow behind 'after' (0: the first of all); 0: there is none. */
uint32_t sim_next_active(const struct sim *, uint32_t after);

/* Runs the events up to and including until_ps of one part of the world. */
void sim_run_part(struct sim *, uint64_t until_ps);

/* The part of the world that a node belongs to: it has its events, packets and counters. */
struct sim *sim_of(const struct sim *, uint32_t node);

/* The address of a node, as the HPCC ns-3 fork numbers them. */
static inline uint32_t sim_ip(uint32_t node)
{
    return 0x0b000001u + (node / 256 << 16) + (node % 256 << 8);
}

/* The key of an event that is scheduled now for at_ps: see "Time and order of events" in docs/design.md. */
#define ORDER_AGE_MAX 0xffffffffull

/* A port has two slots, side by side: its wire's and its own. */
static inline uint32_t sim_slot_arrive(const struct port *p)
{
    return 2 * p->id;
}

static inline uint32_t sim_slot_free(const struct port *p)
{
    return 2 * p->id + 1;
}

/* With pause_ps each class of a port has two more: when a pause of it ends, and when one that it sent is due again. */
static inline uint32_t sim_slot_expiry(const struct sim *s, const struct port *p, uint32_t prio)
{
    return s->slot_pause + p->id * PRIOS + prio;
}

static inline uint32_t sim_slot_refresh(const struct sim *s, const struct port *p, uint32_t prio)
{
    return s->slot_pause + (s->ports + p->id) * PRIOS + prio;
}

/* The next number of a node, so that no two of its events are equal. It is even: the odd one after it goes
 * with it. */
static inline uint32_t sim_number(struct sim *s, struct node *n)
{
    uint32_t number;

    if (s->cfg.order == ORDER_NS3) {
        number = s->next_number;
        s->next_number += 2;
    } else {
        number = n->next_number;         /* the node above, 12 bits that go round below */
        n->next_number = (number & ~0xfffu) | ((number + 2) & 0xfff);
    }
    return number;
}

static inline uint64_t sim_order_of_age(uint32_t age_ps, uint32_t number)
{
    return (uint64_t)(uint32_t)~age_ps << 32 | number;
}

static inline uint64_t sim_order(struct sim *s, struct node *n, uint64_t at_ps)
{
    uint64_t age = at_ps - s->now_ps;

    return sim_order_of_age(age < ORDER_AGE_MAX ? (uint32_t)age : (uint32_t)ORDER_AGE_MAX, sim_number(s, n));
}

/* The instant at hand, as congestion control sees it. */
static inline struct cc_now sim_cc_now(const struct sim *s)
{
    return (struct cc_now){ s->now_ps, s->now_ps - (ORDER_AGE_MAX - (s->order >> 32)) };
}

/* A uniform number in [0, 1) for node n. */
static inline double sim_random(struct sim *s, struct node *n)
{
    if (s->conweave)
        return mrg_step(&s->conweave[n->id].mrg);
    return s->cfg.order == ORDER_NS3 ? mrg_next(&s->mrg) : rng_real(&n->rng);
}

#endif
