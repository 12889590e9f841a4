/* src/sim/link/port.h - one end of a link: the queues that feed it, the wire behind them and, in a switch,
 * the account of packets that came in by it.
 *
 * A port is busy until its last byte has left (free_at_ps, free_order). A port begins with the event for
 * that, which is pending only while packets wait for it. Packets on the wire are events themselves.
 */
#ifndef SIM_LINK_PORT_H
#define SIM_LINK_PORT_H

#include "cc/pint.h"
#include "core/figures.h"
#include "sim/event/engine.h"
#include "sim/link/node.h"

#include <stdbool.h>
#include <stdint.h>

#define PRIOS         8
#define QUEUE_CONTROL PRIOS      /* PFC frames; before everything else, never paused */
#define BACKLOG_TCP   (1u << (PRIOS + 1))    /* in 'backlog' of a host's port: TCP has something to send */

/* Rare cases of a port, tested together. */
#define SLOW_LINK    1u           /* the link is lossy, or has ever been down */
#define SLOW_WATCHED 2u           /* monitors see packets that come in: see observe/watch.h */
#define SLOW_COUNTED 4u           /* frames that leave are counted by queue: see observe/queue_telemetry.h */
#define SLOW_INBAND  8u           /* frames that leave get telemetry: see path.h, */
#define SLOW_RECORD  256u         /* data that leaves gets a record, */
#define SLOW_PROBED  512u         /* RTT probes that leave get their time */
#define SLOW_BORDER  32u          /* the link leads to another part of the world: see parts/crossing.h */
#define SLOW_WOVEN   64u          /* ConWeave sees packets that come in: see switch/weave.h */
#define SLOW_TAPPED  128u         /* engine.tap sees frames that leave */
#define SLOW_DRAIN   2048u        /* data that comes in waits: see host/drain.h */
#define SLOW_LEAP    4096u        /* frames that leave may skip ports on their way: see skip/skip.h */
#define SLOW_CUT     1024u        /* it leads to a switch that cuts through: see path_age() */

#define CUT_BYTES 64u             /* what a switch that cuts through must have of a frame to send it on */

struct queue {
    uint32_t head, tail;         /* FIFO of packet ids; head == 0: empty */
    uint32_t bytes;              /* sum over the FIFO */
};

struct ingress {                 /* what a switch holds that came in by one port in one class */
    uint32_t bytes;              /* in the reserve and the shared buffer */
    uint32_t headroom_bytes;     /* in the headroom */
};

struct ecn_cfg {                 /* as set, by the knobs or for this port alone */
    uint32_t kmin_bytes, kmax_bytes;     /* kmin UINT32_MAX: never marks */
    double   pmax;
};

struct port_counters {           /* only grow; see figures.def. paused_ps: up to paused_since_ps */
    union {
        struct {
#define PORT(name, ...) uint64_t name;
#include "core/figures.def"
        };
        struct { uint64_t first; uint64_t tx_packets[5]; };      /* by enum packet_kind: data_packets and
                                                                  * those behind it */
        uint64_t count[PORT_COUNTS];
    };
};

_Static_assert(offsetof(struct port_counters, tx_packets) == offsetof(struct port_counters, data_packets),
               "one and the same");

/* 'paused_since_ps' of a port whose link has come up and that waits for the peer to say what it may send: not
 * paused time. */
#define PORT_HELD UINT64_MAX

struct port {
    /* A cache line: what every packet touches, coming in or going out. */
    union {
        struct event free;       /* the last byte leaves */
        struct { uint64_t free_at_ps, free_order; };
    };
    const uint32_t *tx_ps;       /* time on the wire, by bytes of the frame */
    uint32_t        delay_ps;    /* see GRAPH_DELAY_PS_MAX */
    uint32_t        id;          /* of this port in the array of all */
    struct node    *node;
    uint32_t        to;          /* owner of what goes out, as an event */
    uint16_t        backlog;     /* bit q: queue q is not empty */
    uint16_t        slow_path;   /* SLOW_LINK, SLOW_WATCHED, ..: the rare cases, asked about at once */
    uint8_t         paused;      /* bit c: the peer has stopped class c */
    uint8_t         pausing;     /* bit c: we have stopped class c of the peer */
    uint8_t         held;        /* bit c: packets of class c that came in by this port are booked */
    uint8_t         shift;       /* a class may take (free shared buffer) >> shift */
    bool            is_switch;   /* of the node */
    uint8_t         last_prio;   /* class served last */
    uint8_t         peer_part;   /* of the work, that the other end belongs to */

    struct port_counters counters;       /* another: what every packet that goes out touches */

    struct port    *peer;        /* the other end */
    uint64_t        paused_since_ps;     /* or PORT_HELD */
    struct ecn_cfg  ecn;
    uint64_t        down_at_ps;  /* when it last went down */
    uint32_t        headroom_bytes_max;
    uint32_t        index;       /* within its node, from 1 */

    uint32_t        mark_from_bytes;     /* what leaves a queue of so much or more may be marked; UINT32_MAX:
                                          * never */
    struct queue    queue[PRIOS + 1];    /* what waits touches a line of these, */
    struct ingress  in[PRIOS];           /* and of the port it came in by one of these */

    uint32_t        deficit[PRIOS];
    uint64_t        rate_bps;
    double          loss, ber;
    uint32_t        link;        /* in the graph */
    bool            is_down, was_down, is_lossy;
    uint8_t         counted_prios;   /* SLOW_COUNTED: classes whose frames are counted */
    uint64_t        queue_tx_bytes, queue_marked_bytes;  /* SLOW_COUNTED: only grow */
};

/* With a power of two of them, the first lines of all ports would compete for a few sets of the cache. */
_Static_assert(offsetof(struct port, counters) == 64, "what every packet touches is in two lines");
_Static_assert(offsetof(struct port, mark_from_bytes) == 192, "a queue and its threshold are in one line");
_Static_assert(sizeof(struct port) == 448, "a port is an odd number of cache lines");

/* Is the port still sending? True until the instant, and within the instant the place in
 * the order of events, at which its last byte has left. */
static inline bool port_is_busy(const struct port *p, uint64_t now_ps, uint64_t order)
{
    return p->free_at_ps > now_ps || (p->free_at_ps == now_ps && p->free_order > order);
}

/* Returns how long a port has been paused until now. A run may end before frames in flight have arrived, so
 * paused_since_ps may lie ahead. */
static inline uint64_t port_paused_ps(const struct port *p, uint64_t now_ps)
{
    return p->counters.paused_ps + (p->paused &&
                                    now_ps > p->paused_since_ps ? now_ps - p->paused_since_ps : 0);
}

struct scheduler_cfg {
    uint8_t  strict_prios;       /* bit mask; the others share */
    bool     by_packet;          /* classes alternate by packet; otherwise deficit round robin: */
    uint32_t quantum_bytes[PRIOS];   /* what a class may send in a round */
};

struct pfc_cfg {
    uint64_t pause_ps;           /* a pause expires after this time; 0: never */
    uint32_t frame_bytes;
    bool     is_refreshed;       /* a pause that lasts is sent again before it expires */
    uint8_t  queue;              /* of a port, for PFC frames */
};

/* What ports need to write telemetry. */
struct inband_ports {
    enum cc_telemetry kind;
    struct pint_cfg   digest;    /* CC_DIGEST: with the longest empty round trip, */
    uint16_t          digest_mask;       /* the bits that packets carry, */
    uint32_t          spacing_bytes;     /* that count with every frame, */
    struct pint_port *pint;      /* state by port, */
    struct crand     *random;    /* and random numbers: by node, or one stream for all in the order of ns-3 */
};

#endif
