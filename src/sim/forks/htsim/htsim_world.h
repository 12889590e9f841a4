/* src/sim/forks/htsim/htsim_world.h - data structures of the world and the functions between its files.
 *
 * A packet passes a queue, a pipe (the link), a pipe (the switch), a queue and so on. An object that owns an
 * event begins with it, aligned to a line of the event queue: see sim/event/evq.h. An event's 'owner'
 * identifies the object.
 */
#ifndef SIM_FORKS_HTSIM_HTSIM_WORLD_H
#define SIM_FORKS_HTSIM_HTSIM_WORLD_H

#include "base/arena.h"
#include "sim/cc/nscc.h"
#include "sim/event/evq.h"
#include "sim/forks/htsim/htsim.h"

#include <stdint.h>

/* The ECMP hash of uet-htsim's switches, over the id of a flow's sender or receiver, the entropy value and a
 * salt: Bob Jenkins' mix of three words, as in FreeBSD's if_bridge. */
static inline uint32_t htsim_hash(uint32_t id, uint32_t ev, uint32_t salt)
{
    uint32_t a = 0x9e3779b9u + id, b = 0x9e3779b9u + salt, c = ev;

    a = (a - b - c) ^ c >> 13;
    b = (b - c - a) ^ a << 8;
    c = (c - a - b) ^ b >> 13;
    a = (a - b - c) ^ c >> 12;
    b = (b - c - a) ^ a << 16;
    c = (c - a - b) ^ b >> 5;
    a = (a - b - c) ^ c >> 3;
    b = (b - c - a) ^ a << 10;
    c = (c - a - b) ^ b >> 15;
    return c;
}

/* ---- the Mersenne Twister mt19937, of which uet-htsim uses the low 31 bits ---- */

#define MT_WORDS 624u
#define MT_MAX   0x7fffffffu

struct mt {
    uint32_t word[MT_WORDS];
    uint32_t at;
    uint64_t draws;
};

void     mt_init(struct mt *, uint32_t seed);
void     mt_refill(struct mt *);

/* Returns a number in 0 .. MT_MAX. */
static inline uint32_t mt_next(struct mt *m)
{
    if (m->at == MT_WORDS)
        mt_refill(m);
    uint32_t y = m->word[m->at++];
    y ^= y >> 11;
    y ^= y << 7 & 0x9d2c5680u;
    y ^= y << 15 & 0xefc60000u;
    m->draws++;
    return (y ^ y >> 18) & MT_MAX;
}

#define NONE         UINT32_MAX
#define CREDIT_BYTES 256         /* size of a unit of credit */
#define PULL_FIRST   100000000   /* initial pull number */

enum { EV_PIPE, EV_QUEUE, EV_SWITCH, EV_HOST, EV_NIC, EV_PACER, EV_OVER, EV_TIMER, EV_CLOCK };

/* ---- packets ---- */

enum packet_kind { PACKET_DATA, PACKET_RTS, PACKET_ACK, PACKET_NACK, PACKET_PULL };
enum data_kind   { DATA_PULLED, DATA_SPECULATIVE, DATA_RESENT, DATA_PROBE };
enum host_class  { CLASS_SPECULATIVE, CLASS_DATA, CLASS_CONTROL, CLASSES };

struct packet {
    uint64_t at_ps;              /* departure from its pipe */
    uint32_t next;               /* next packet in its queue, pipe or free list */
    uint32_t other;              /* in a switch: the egress queue; in a queue: the previous packet */
    uint32_t flow;
    uint32_t hash_id;            /* id of the flow's sender or receiver, for the switches' hash */
    uint32_t dst;                /* host */
    uint32_t number;             /* data, pull: its number; ACK, NACK: number of the data packet */
    uint16_t bytes, ev;
    uint8_t  kind, data_kind;
    bool     is_header : 1, is_marked : 1, asks_ack : 1, is_last_hop : 1, is_resent : 1, is_probe : 1;
    bool     is_rts : 1;         /* ACKs: never cleared, so later ACKs that reuse the packet still have it */
    uint8_t  host_class;
    union {
        int64_t target;          /* data and RTS: pull target, in units of credit */
        struct {
            uint64_t bitmap;     /* packets received, from 'ref' on */
            uint32_t expected;   /* all packets before this have arrived */
            uint32_t ref;
            uint32_t received_bytes;
            uint16_t out_of_order;       /* packets received beyond 'expected' */
        };
    };
};
_Static_assert(sizeof(struct packet) == 64, "one cache line");

struct fifo { uint32_t head, tail; };    /* tail is undefined while head is NONE */

/* ---- links and switches ---- */

enum pipe_end { TO_SWITCH, TO_HOST };

struct pipe {
    struct event event;
    struct fifo  inside;
    uint64_t     delay_ps;
    uint32_t     to;             /* switch or host */
    uint8_t      end;            /* enum pipe_end */
} __attribute__((aligned(EVQ_LINE)));

struct link { uint32_t up, down; };      /* queues at both ends of a link between switches */

enum { SERVES_NONE, SERVES_LOW, SERVES_HIGH };

/* A switch port. Packets with payload are in 'low', headers in 'high', which has priority. */
struct queue {
    struct event event;
    struct fifo  low, high;
    int64_t      low_bytes, high_bytes, max_bytes;
    int64_t      ecn_low_bytes, ecn_high_bytes;
    uint32_t     ps_per_byte;
    uint32_t     turn;           /* counts transmissions while both are backlogged */
    uint8_t      serves;
    bool         is_last_hop;
    struct htsim_port sent;
    struct pipe  pipe;
    uint64_t     sized_ps;       /* when 'size' was sampled; only adaptive routing samples it */
    uint8_t      size;           /* quantised queue length */
} __attribute__((aligned(EVQ_LINE)));

enum { SWITCH_TOR, SWITCH_AGG, SWITCH_CORE };

struct switch_ {
    struct event event;
    struct fifo  inside;
    uint64_t     delay_ps;
    uint32_t    *route;          /* by host: first of its next queues in w->hop; 0: not computed. NULL: ToR */
    uint32_t     up;             /* ToR: first of the queues upward in w->hop; 0: not computed yet */
    uint32_t     salt, index, turn;
    uint8_t      kind;
} __attribute__((aligned(EVQ_LINE)));

/* ---- hosts ---- */

/* Waiting packets of one flow in one class of a host queue. */
struct turn_entry { uint32_t hash_id, pos; struct fifo wait; };    /* pos NONE: never waited */

/* Round robin over all flows that ever waited, ordered by id. */
struct turns {
    struct turn_entry **entry;   /* sorted by hash_id */
    uint32_t  entries, room;
    uint32_t  waiting;           /* number of packets */
    uint32_t  at;                /* next entry to serve; NONE: the first */
};

struct ring { uint32_t *item, first, count, room; };     /* FIFO of flows; room is a power of two */

struct nic {
    struct event event;
    uint32_t     host;
    bool         is_busy;
    uint8_t      turn;
    struct fifo  control;
    struct ring  asking;         /* flows that wait for the NIC */
} __attribute__((aligned(EVQ_LINE)));

struct pacer {                   /* paces the credit that a receiving host grants */
    struct event event;
    uint64_t     unit_ps, unit_ps_first;
    bool         is_on;
    struct ring  active, idle;
} __attribute__((aligned(EVQ_LINE)));

struct over {                    /* oversubscription control of a receiving host */
    struct event event;
    struct pacer *pacer;
    double       rate, g;
    uint64_t     rounds;
    struct over_counts { uint64_t received, marked, trimmed_last, trimmed_inside; } now, was;
} __attribute__((aligned(EVQ_LINE)));

struct host {                    /* a host: its queue, its NIC and the pacer of its credit */
    struct event event;
    struct turns turns[CLASSES];
    uint32_t     sending;        /* packet on the wire, or NONE */
    uint32_t     ps_per_byte;
    struct htsim_port sent;
    struct pipe  pipe;
    struct nic   nic;
    struct pacer pacer;
    struct over  over;
} __attribute__((aligned(EVQ_LINE)));

struct timer { struct event event; uint32_t flow, next; } __attribute__((aligned(EVQ_LINE)));

/* ---- flows ---- */

/* A packet that was sent and not yet acknowledged; in w->flow[].record by number. */
struct record {
    uint64_t sent_ps;
    uint32_t bytes;
    uint32_t before, after;      /* numbers of the packets sent before and after it, or NONE */
    int32_t  resends;            /* -1: never sent */
    bool     is_out;             /* sent, and neither acknowledged nor declared lost */
    bool     is_timed;           /* in the list of sent packets */
    bool     waits;              /* waits for retransmission */
};

struct flow {
    /* sender */
    struct nscc     nscc;
    struct entropy  entropy;
    struct record  *record;      /* ring of 'records' entries, a power of two, from 'acked' on */
    uint32_t        records;
    uint32_t        acked;       /* all packets before this are acknowledged */
    uint32_t        next;        /* number of the next new packet */
    uint32_t        oldest, newest;      /* ends of the list of sent packets */
    uint32_t        waiting, waiting_first;      /* packets to retransmit; none is before 'waiting_first' */
    uint32_t        src, dst, id, sink_id;
    uint64_t        bytes;
    int64_t         backlog_bytes;       /* unsent bytes, headers included */
    int64_t         waiting_bytes;
    int64_t         in_flight_bytes;
    int64_t         credit_bytes;
    int64_t         pull_target;
    int64_t         pull;                /* latest pull number */
    int64_t         known_bytes;         /* bytes known to have arrived, from ACKs */
    bool            is_speculative, is_asking, is_started, is_done;
    uint32_t        timer;               /* line of the retransmission timer; NONE: not running */
    uint64_t        timer_ps, timer_sent_ps;     /* expiry; send time of the packet it covers */
    uint64_t        rts_ps;              /* time of the last RTS; 0: none */
    uint32_t        end_trigger;

    /* SLEEK */
    bool            in_recovery;
    uint32_t        recovery_end, resent_up_to;
    uint32_t        probe_timer;         /* NONE: not running */
    uint64_t        probe_ps;            /* time of the next probe; 0: never */
    uint64_t        probe_sent_ps;
    uint32_t        probe;               /* number of the last probe */

    /* receiver */
    uint64_t       *arrived;             /* ring of ARRIVED bits, by number; NULL: all in order so far */
    uint32_t        expected, out_of_order;
    uint32_t        received_bytes;      /* without duplicates, headers included */
    bool            has_payload, is_asked;
    uint16_t        accepted_bytes;      /* since the last ACK */
    int64_t         granted, highest_target;     /* units of credit */
    uint8_t         pull_ev;
    bool            is_pulled;           /* in the pacer's list */

    struct turn_entry entry[CLASSES], sink_entry;
    struct htsim_flow result;            /* counters and times; htsim_flow() fills in the rest */
};

/* targets: w->target */
struct trigger { enum matrix_trigger_kind kind; uint32_t left, first, count, started; };

/* ---- everything ---- */

struct htsim {
    struct evq      evq;
    uint64_t        order;               /* order of the next event */
    uint64_t        now_ps;
    uint64_t        active_ps;           /* time of the last event, without clock events */

    struct packet  *packet;
    uint32_t        packets, packets_max, free_packet, free_ack;
    struct mt       mt;

    struct queue   *queue;
    struct switch_ *sw;
    struct host    *host;
    struct flow    *flow;
    struct timer   *timer_line;          /* all timers; 'free_timer' is the head of the free list */
    uint32_t       *hop;                 /* lists of next queues; entry 0 is not used */
    uint32_t        hops, hops_room;
    uint32_t       *tor_of, *pod_of;     /* by host */
    struct link    *link;                /* between switches, in the order of the graph */
    uint32_t        links;
    uint32_t        queues, switches, hosts, free_timer;
    uint32_t        first_up, first_agg_down, first_agg_up, first_core_down;     /* first of each kind */
    uint32_t        uplinks, agg_uplinks;        /* queues of a ToR, and of an aggregation switch */
    uint32_t        cores_per_agg;

    struct trigger *trigger;
    uint32_t       *target, *pending;    /* flows that triggers start; stack of those that start now */
    uint32_t        pendings;

    struct htsim_cfg cfg;
    struct fat_tree  tree;
    struct nscc_cfg  nscc;
    struct entropy_cfg entropy;
    bool            has_nscc, has_rccc, has_over;
    uint32_t        mss_bytes;
    uint64_t        network_rtt_ps, rts_gap_ps, min_rto_ps;
    uint64_t        transmit_ps;         /* of a full packet and an ACK along the longest path */
    int64_t         queue_bytes, ecn_low_bytes, ecn_high_bytes;
    int64_t         conf_maxwnd;         /* largest window of the flow set up last; applies to all flows */
    double          over_min;            /* lowest rate of the oversubscription control */

    struct htsim_counters counters;
    void          (*finished)(void *arg, const struct htsim_flow *);
    void           *finished_arg;
    bool            has_failed;
    int             failure_code;        /* an errno */
    struct err      failure;
    struct event   *clock;
    struct arena    arena;
};

static inline uint32_t world_draw(struct htsim *w)
{
    return mt_next(&w->mt);
}

/* Schedules an event; simultaneous ones run in the order of these calls. Returns false if after the end. */
static inline bool world_enter(struct htsim *w, struct event *e, uint64_t at_ps)
{
    if (w->cfg.end_ps && at_ps >= w->cfg.end_ps)
        return false;
    e->at_ps = at_ps;
    e->order = w->order++;
    evq_put(&w->evq, e, evq_id(&w->evq, e));
    return true;
}

/* Ends the run. */
void world_fail(struct htsim *, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* ---- packets and lists (htsim_world.c) ---- */

uint32_t packet_new(struct htsim *);
void     packet_free(struct htsim *, uint32_t packet);

static inline void fifo_put(struct htsim *w, struct fifo *f, uint32_t packet)
{
    w->packet[packet].next = NONE;
    if (f->head == NONE)
        f->head = packet;
    else
        w->packet[f->tail].next = packet;
    f->tail = packet;
}

static inline uint32_t fifo_take(struct htsim *w, struct fifo *f)
{
    uint32_t packet = f->head;

    f->head = w->packet[packet].next;
    return packet;
}

void     ring_put(struct ring *, uint32_t item);
uint32_t ring_take(struct ring *);

static inline uint32_t ring_front(const struct ring *r)
{
    return r->item[r->first & (r->room - 1)];
}

/* ---- functions by file ---- */

/* world_network.c: queues, pipes, switches */
void network_build(struct htsim *);
void pipe_put(struct htsim *, struct pipe *, uint32_t packet);
uint32_t pipe_on_event(struct htsim *, struct pipe *);   /* what goes to a host, or NONE */
void pipe_go_on(struct htsim *, struct pipe *);          /* after that */
void queue_on_event(struct htsim *, struct queue *);
void switch_on_event(struct htsim *, struct switch_ *);

/* world_nic.c: a host's queue and its NIC */
void host_put(struct htsim *, uint32_t host, uint32_t packet);
void host_on_event(struct htsim *, struct host *);
bool nic_ask(struct htsim *, uint32_t host, uint32_t flow);      /* true: the flow sends now */
void nic_send(struct htsim *, uint32_t host, uint32_t flow, uint64_t bytes);     /* has sent 'bytes' */
void nic_send_control(struct htsim *, uint32_t host, uint32_t packet);
bool nic_on_event(struct htsim *, struct nic *);         /* true: the flows that wait are next */
void nic_on_declined(struct htsim *, struct nic *);      /* none of them sends */

/* world_source.c: senders */
void source_init(struct htsim *, uint32_t flow, uint64_t base_rtt_ps);
void source_start(struct htsim *, uint32_t flow);
bool source_on_turn(struct htsim *, uint32_t flow);      /* the NIC offers to send; false: declined */
void source_on_packet(struct htsim *, uint32_t packet);  /* ACK, NACK or pull */
void source_on_timer(struct htsim *, struct timer *);

/* world_sink.c: receivers and their credit pacers */
void sink_init(struct htsim *, uint32_t flow);
void sink_on_packet(struct htsim *, uint32_t packet);
void pacer_on_event(struct htsim *, struct pacer *);
void over_start(struct htsim *, struct over *);
void over_on_event(struct htsim *, struct over *);

/* htsim_world.c */
uint32_t timer_enter(struct htsim *, uint32_t flow, uint64_t at_ps);     /* NONE: after the end */
void     timer_cancel(struct htsim *, uint32_t timer);
void     timer_free(struct htsim *, struct timer *);
void     trigger_fire(struct htsim *, uint32_t trigger);

#endif
