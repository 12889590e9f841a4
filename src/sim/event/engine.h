/* src/sim/event/engine.h - the engine of one part of the world: its clock, events, packets and counters.
 * Parts share no engine state.
 *
 * It also decides the order of simultaneous events: see "Time and order of events" in docs/design.md.
 */
#ifndef SIM_EVENT_ENGINE_H
#define SIM_EVENT_ENGINE_H

#include "base/err.h"
#include "sim/cc/cc.h"
#include "sim/lb/lb.h"
#include "sim/event/evq.h"
#include "sim/event/mrg.h"
#include "sim/event/packet.h"

#include <stdint.h>

struct inband {               /* telemetry in a packet: see link/path.h */
    struct cc_hop hop[CC_HOPS_MAX];
    uint8_t       records;       /* more than CC_HOPS_MAX: some records did not fit */
    uint8_t       hops;          /* CC_PATH: number of switches passed */
    uint16_t      digest;
    uint64_t      stay_ps;       /* CC_PATH: arrival time; in an ACK: how long the receiver held the packet */
};

#define PACKETS_SPARE 65536u     /* most packets that one event and one poll of other parts may create */

struct packet_pool {
    struct packet *packet;       /* all lines; those from 'first' on are packets */
    struct lb_tag *tag;          /* parallel to packets: see packet_tag(); NULL: no tags */
    struct inband *inband;       /* likewise: see packet_inband(); NULL: no telemetry */
    struct conweave_tag *woven;  /* likewise: see packet_woven(); NULL: no ConWeave */
    uint32_t       first;
    uint32_t       free;         /* free list */
    uint32_t       used;         /* ids from here on were never used */
    uint32_t       live, live_max;
    uint32_t       limit;        /* the run fails when this id is reached; memory has PACKETS_SPARE more */
};

static inline struct lb_tag *packet_tag(const struct packet_pool *p, uint32_t id)
{
    return &p->tag[id - p->first];
}

static inline struct inband *packet_inband(const struct packet_pool *p, uint32_t id)
{
    return &p->inband[id - p->first];
}

static inline struct conweave_tag *packet_woven(const struct packet_pool *p, uint32_t id)
{
    return &p->woven[id - p->first];
}

static inline void packet_free(struct packet_pool *p, uint32_t id)
{
    p->packet[id].next = p->free;
    p->free = id;
    p->live--;
}

#define ORDER_AGE_MAX 0xffffffffull
#define ENGINE_NUMBER_FIRST (1u << 30)   /* ORDER_NS3: above the ranks of simultaneous flow starts */

/* Everything that can happen. The kind is stored in the event: see state/state.h. */
enum event_kind {
    /* The event is the first member of a packet, port or host. */
    EV_AT_SWITCH,   /* a packet arrives at a switch, through the port that owns the event */
    EV_AT_HOST,     /* a packet arrives at the host that owns the event */
    EV_SWITCH_FREE, /* the last byte has left a port with a backlog */
    EV_HOST_FREE,
    EV_WAKE, /* the pacer lets a queue pair send */

    /* The event has a number: first_event[kind] plus the index given here. */
    EV_TIMEOUT,       /* retransmission, by host */
    EV_CHANGE,        /* links of a node go down or up, by node */
    EV_TIMER,         /* of a transport, by timer and host: see kinds.def */
    EV_CNP_TURN,      /* by host: see nic/np/np.h */
    EV_PAUSE_END,     /* a received pause expires, by port and class: see link/pfc.h */
    EV_PAUSE_REFRESH, /* a sent pause is repeated, by port and class */
    EV_FLOW,          /* a stream starts its next flow, by stream */
    EV_SIGNAL,        /* one: see event/program.h */
    EV_DRAIN,         /* by host: see nic/drain.h */
    EV_KINDS,
    EV_FIRST_NUMBERED = EV_TIMEOUT,
};

struct inband_ports;
struct port;

/* Passes packets to other parts of the world: see parts/crossing.h. */
struct engine_border {
    void *arg;
    void (*take)(void *arg, const struct port *, uint32_t packet);
};

/* Moves frames from a port with SLOW_LEAP past the next ports: see skip/skip.h. Returns false if the frame
 * must go to the next port as usual. */
struct engine_leaper {
    void *arg;
    bool (*leap)(void *arg, struct port *, uint32_t packet);
};

/* Called for every frame that leaves a port with SLOW_TAPPED. Only in a world of one part. */
struct engine_tap {
    void *arg;
    void (*on_frame)(void *arg, uint64_t now_ps, uint32_t port, const struct packet *);
};

struct engine {
    uint64_t            now_ps;              /* time of the current event; its order is below */
    struct packet_pool  packets;
    uint64_t            order;
    uint32_t            first_event[EV_KINDS + 1]; /* first event number of each numbered kind; the end */
    enum sim_order      order_kind;
    uint32_t            next_number;         /* ORDER_NS3: next event number of the whole network */
    struct sim_counters counters;
    struct sim_hooks    hooks;               /* observers of results */
    uint64_t            rtt_ps_peak;         /* largest RTT since this was last read and reset to 0 */
    bool                has_failed;
    int                 failure_code;        /* ENOBUFS: more was in flight than there is room for */
    struct err          failure;             /* reason of the failure, if any */
    struct inband_ports *inband;       /* see link/path.h; NULL: ports write no telemetry */
    struct engine_border border;
    struct engine_tap   tap;
    struct engine_leaper leaper;
    struct mrg          mrg;                 /* ORDER_NS3: the fork's stream of random numbers */
    uint64_t           *cut_packets; /* by end of a link: lost because it went down; NULL: no link does */
    struct mrg        **loss_stream; /* by link: see forks/ns3_hpcc.c; NULL: losses are drawn on sending */
    struct evq          evq;                 /* last: it is large and would separate its neighbors */
};

/* Each node numbers its events. The low bits identify the node; the 12 bits above are a counter that wraps
 * around. The order key swaps the two. */
static inline uint32_t engine_turn_number(uint32_t node_number)
{
    return node_number << 12 | node_number >> 20;
}

static inline uint32_t engine_first_number(uint32_t number)
{
    return number >> 12 | number << 20;
}

static inline uint32_t engine_node_number(uint32_t *node_number)
{
    uint32_t number = *node_number;

    *node_number = number + (2u << 20);
    return engine_turn_number(number);
}

/* ORDER_NS3: the next number of the whole network. */
static inline uint32_t engine_network_number(struct engine *e)
{
    uint32_t number = e->next_number;

    e->next_number = number + 2;
    return number;
}

/* Returns the node's next event number, so that no two of its events compare equal. It is even; the caller
 * may also use the odd number that follows. */
static inline uint32_t engine_number(struct engine *e, uint32_t *node_number)
{
    if (__builtin_expect(e->order_kind == ORDER_NS3, 0))
        return engine_network_number(e);
    return engine_node_number(node_number);
}

static inline uint64_t engine_order_of_age(uint32_t age_ps, uint32_t number)
{
    return (uint64_t)(uint32_t)~age_ps << 32 | number;
}

/* Returns the order key of an event that a node schedules now for at_ps. */
static inline uint64_t engine_order(struct engine *e, uint32_t *node_number, uint64_t at_ps)
{
    uint64_t age = at_ps - e->now_ps;

    return engine_order_of_age(age < ORDER_AGE_MAX ? (uint32_t)age : (uint32_t)ORDER_AGE_MAX,
                               engine_number(e, node_number));
}

/* Returns the current time in the form that congestion control uses. */
static inline struct cc_now engine_cc_now(const struct engine *e)
{
    return (struct cc_now){ e->now_ps, e->now_ps - (ORDER_AGE_MAX - (e->order >> 32)) };
}

/* Fails the run: stores the first reason, with an errno, and stops after the current event. */
__attribute__((noinline, cold, format(printf, 3, 4)))
void engine_fail(struct engine *, int code, const char *format, ...);

/* Returns a packet that was never used. Fails the run at the limit. */
__attribute__((noinline, cold)) uint32_t engine_fresh_packet(struct engine *);

static inline uint32_t engine_new_packet(struct engine *e)
{
    struct packet_pool *p = &e->packets;
    uint32_t            id = p->free;

    if (__builtin_expect(id != 0, 1))
        p->free = p->packet[id].next;
    else
        id = engine_fresh_packet(e);
    if (++p->live > p->live_max)
        p->live_max = p->live;
    return id;
}

/* Frees a lost packet. The caller has counted the cause. */
static inline void engine_drop(struct engine *e, uint32_t packet)
{
    e->counters.payload_dropped += e->packets.packet[packet].payload;
    packet_free(&e->packets, packet);
}

#endif
