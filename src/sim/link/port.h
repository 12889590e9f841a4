/* src/sim/link/port.h - one end of a link: its queues, its wire and, in a switch, the ingress accounts.
 *
 * A port is busy until its last byte has left (free_at_ps, free_order). The struct begins with the event for
 * that instant, which is pending only while packets wait. Packets on the wire are separate events.
 */
#ifndef SIM_LINK_PORT_H
#define SIM_LINK_PORT_H

#include "base/rng.h"
#include "sim/cc/pint.h"
#include "work/net/route.h"
#include "sim/event/engine.h"

#include <stdbool.h>
#include <stdint.h>

/* The common part of hosts and switches. */
struct node {
    uint32_t     id;
    uint32_t     next_number;    /* next event number: see engine_number() */
    uint32_t     host;           /* index among the hosts */
    uint32_t     salt;           /* of the ECMP hash */
    bool         is_switch;
    uint8_t      part;           /* see partition.h */
    uint32_t     epoch;          /* number of link changes it has seen */

    /* Switches: the current routes, see struct route. */
    const struct route_host *route_host;
    const uint32_t          *route_entry, *route_hop;
    int64_t      shared_bytes_left;  /* free bytes of the shared buffer (without headroom and reserves) */
    int64_t      used_bytes;         /* bytes that no ingress port accounts for: see buffer_used_bytes() */

    struct rng   rng;
    uint32_t     first_port, ports;
    int64_t      shared_bytes_max;   /* shared_bytes_left of an empty switch */
    void        *lb_state;
    const uint16_t *route_paths;     /* only for balancers other than ECMP */
};

/* Neighbouring nodes may belong to different threads. */
_Static_assert(sizeof(struct node) % 64 == 0, "nodes share no cache line");

#define QUEUE_CONTROL PRIOS      /* PFC frames: highest priority, never paused */
/* In 'backlog' of a host's port: a transport that shares the port has data to send. */
#define BACKLOG_SHARE (1u << (PRIOS + 1))

/* Flags for rare cases of a port, tested together. */
#define SLOW_LINK    1u           /* the link is lossy, or has ever been down */
#define SLOW_WATCHED 2u           /* monitors see arriving packets: see observe/watch.h */
#define SLOW_COUNTED 4u           /* departing frames are counted by queue: see observe/queue_telemetry.h */
#define SLOW_INBAND  8u           /* departing frames carry telemetry: see path.h */
#define SLOW_RECORD  256u         /* departing data packets get a record */
#define SLOW_PROBED  512u         /* departing RTT probes get a timestamp */
#define SLOW_BORDER  32u          /* the link leads to another part: see parts/crossing.h */
#define SLOW_WOVEN   64u          /* ConWeave sees arriving packets: see switch/weave.h */
#define SLOW_TAPPED  128u         /* engine.tap sees departing frames */
#define SLOW_DRAIN   2048u        /* arriving data waits in the NIC: see nic/drain.h */
#define SLOW_LEAP    4096u        /* departing frames may skip ports on their path: see skip/skip.h */
#define SLOW_CUT     1024u        /* the peer is a cut-through switch: see path_age() */

#define CUT_BYTES 64u             /* a cut-through switch starts to forward after this many bytes */

struct queue {
    uint32_t head, tail;         /* FIFO of packet ids; head == 0: empty */
    uint32_t bytes;              /* sum over the FIFO */
};

struct ingress {                 /* buffer account of one ingress port and class */
    uint32_t bytes;              /* in the reserve and the shared buffer */
    uint32_t headroom_bytes;     /* in the headroom */
};

struct ecn_cfg {                 /* set by the knobs or for one port */
    uint32_t kmin_bytes, kmax_bytes;     /* kmin UINT32_MAX: never marks */
    double   pmax;
};

/* Value of 'paused_since_ps' after a link has come up, while the port waits for its peer's PFC state. This
 * does not count as paused time. */
#define PORT_HELD UINT64_MAX

struct port {
    /* First cache line: touched by every packet, arriving or departing. */
    union {
        struct event free;       /* the last byte leaves */
        struct { uint64_t free_at_ps, free_order; };
    };
    const uint32_t *tx_ps;       /* transmission time, by frame size */
    uint32_t        delay_ps;    /* see GRAPH_DELAY_PS_MAX */
    uint32_t        id;          /* index in the array of all ports */
    struct node    *node;
    uint32_t        to;          /* owner of departing packets, as events */
    uint16_t        backlog;     /* bit q: queue q is not empty */
    uint16_t        slow_path;   /* SLOW_LINK, SLOW_WATCHED, ..: rare cases, tested together */
    uint8_t         paused;      /* bit c: the peer has paused class c */
    uint8_t         pausing;     /* bit c: we have paused class c of the peer */
    uint8_t         held;        /* bit c: buffer holds packets of class c that arrived at this port */
    uint8_t         shift;       /* a class may use (free shared buffer) >> shift */
    bool            is_switch;   /* true if the node is a switch */
    uint8_t         last_prio;   /* class served last */
    uint8_t         peer_part;   /* part that the other end belongs to */

    struct port_counters counters;       /* second cache line: touched by every departing packet */

    struct port    *peer;        /* the other end */
    uint64_t        paused_since_ps;     /* or PORT_HELD */
    struct ecn_cfg  ecn;
    uint64_t        down_at_ps;  /* when it last went down */
    uint32_t        headroom_bytes_max;
    uint32_t        index;       /* within its node, from 1 */

    uint32_t        mark_from_bytes;     /* queue length from which departing packets may be marked */
    struct queue    queue[PRIOS + 1];    /* a waiting packet touches one line of these .. */
    struct ingress  in[PRIOS];           /* .. and one of these at its ingress port */

    uint32_t        deficit[PRIOS];
    uint64_t        rate_bps;
    double          loss, ber;
    uint32_t        link;        /* index in the graph */
    bool            is_down, was_down, is_lossy;
    uint8_t         counted_prios;   /* SLOW_COUNTED: classes whose frames are counted */
    uint64_t        queue_tx_bytes, queue_marked_bytes;  /* SLOW_COUNTED: only grow */
};

/* An odd number of cache lines: otherwise the first lines of ports would compete for a few cache sets. */
_Static_assert(offsetof(struct port, counters) == 64, "what every packet touches is in two lines");
_Static_assert(offsetof(struct port, mark_from_bytes) == 192, "a queue and its threshold are in one line");
_Static_assert(sizeof(struct port) == 448, "a port is an odd number of cache lines");

/* Returns true while the port is sending: until the instant at which its last byte has left and, within that
 * instant, its position in the order of events. */
static inline bool port_is_busy(const struct port *p, uint64_t now_ps, uint64_t order)
{
    return p->free_at_ps > now_ps || (p->free_at_ps == now_ps && p->free_order > order);
}

/* Returns how long a port has been paused in total. A run may end before frames in flight have arrived, so
 * paused_since_ps may be in the future. */
static inline uint64_t port_paused_ps(const struct port *p, uint64_t now_ps)
{
    return p->counters.paused_ps + (p->paused &&
                                    now_ps > p->paused_since_ps ? now_ps - p->paused_since_ps : 0);
}

struct scheduler_cfg {
    uint8_t  strict_prios;       /* bit mask; the other classes share */
    bool     by_packet;          /* classes alternate by packet; otherwise deficit round robin */
    uint32_t quantum_bytes[PRIOS];   /* deficit round robin: bytes per round */
};

struct pfc_cfg {
    uint64_t pause_ps;           /* a pause expires after this time; 0: never */
    uint32_t frame_bytes;
    bool     is_refreshed;       /* a pause is repeated before it expires */
    uint8_t  queue;              /* index of the port queue for PFC frames */
};

/* Configuration and state that ports need to write telemetry. */
struct inband_ports {
    enum cc_telemetry kind;
    struct pint_cfg   digest;    /* CC_DIGEST: includes the longest empty round trip */
    uint16_t          digest_mask;       /* CC_DIGEST: bits that packets carry */
    uint32_t          spacing_bytes;     /* overhead that counts with every frame */
    struct pint_port *pint;      /* state by port */
    struct crand     *random;    /* by node, or one stream for all in the order of ns-3 */
};

#endif
