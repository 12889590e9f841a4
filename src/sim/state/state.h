/* src/sim/state/state.h - struct sim: the world, or a part of it that a thread runs, by owner.
 *
 * Parts share the network, whose handles each of them has, and what 'flows', 'program' and the tables of
 * hosts point to; there each has the entries of its own nodes. Its engine is its own.
 */
#ifndef SIM_STATE_STATE_H
#define SIM_STATE_STATE_H

#include "base/arena.h"
#include "sim/event/engine.h"
#include "sim/event/program.h"
#include "sim/state/cfg.h"
#include "sim/state/model.h"
#include "sim/state/network.h"

struct flow;
struct flow_rx;
struct pair;
struct posted;
struct tcp_tx;
struct tcp_rx;
struct tcp_host;
struct selective_tx;
struct probe;
struct selective_rx;
struct hf2t;
struct gap_record;
struct inside;
struct cnp_entry;
struct cc_at;
struct np_algo;
struct crand;
struct partition;
struct skip;
struct weave;

/* Queue pairs that live on, and their messages: see host/flow.h. All are NULL where there are none. */
struct pairs {
    struct pair   *pair;                     /* by index of the flow */
    struct posted *posted;                   /* messages; 0 is none */
    uint32_t      *arrived;                  /* by index: the receiver's: the message that came in full
                                              * last */
    uint32_t       first, used, limit, free; /* messages of this part */
    uint32_t      *slot, mask, count;        /* a table by which they are found: indices */
    struct arena  *table;                    /* where that is */
};

/* Queue pairs and TCP connections, by index; index 0 is no flow. Those beside 'flow' are NULL where they are
 * not needed. */
struct flows {
    struct flow         *flow;
    struct flow_rx      *rx;
    char                *cc_state;           /* what congestion control remembers of each, */
    size_t               cc_stride;          /* so many bytes: see flow_cc() */
    struct tcp_tx       *tcp_tx;
    struct tcp_rx       *tcp_rx;
    struct selective_tx *selective_tx;       /* NULL: senders go back to what is missing */
    struct selective_rx *selective_rx;
    struct probe        *probe;              /* NULL: nobody asks for probes */
    uint32_t             first, used, limit; /* indices of this part */
    uint32_t             free;
    uint32_t             resting, resting_last;  /* over, but packets of theirs may be under way */
    struct pairs         pairs;
};

#define SEND_HF2T      1u        /* see host/hf2t.h */
#define SEND_GAPS      2u        /* see host/gaps.h */
#define SEND_SELECTIVE 4u        /* see host/selective_repeat.h */
#define SEND_PROBES    8u        /* see host/probe.h */

/* What receivers of marked packets do, from the knobs. */
struct np_cfg {
    uint32_t cc_prios;           /* bit by bit: classes with congestion control */
    uint8_t  cnp_prio;
    uint8_t  probe_prio, resp_prio;      /* of RTT probes: see host/probe.h; PRIOS: that of the flow */
    uint8_t  moderation;         /* CNPs are spaced by 0 flow, 1 address, 2 port */
    uint64_t gap_ps;             /* between two of them */
};

/* What hosts have besides struct host. */
struct host_state {
    const struct np_algo *np;                /* how receivers answer marks */
    struct np_cfg         np_cfg;
    uint64_t              window_bytes_max;  /* a flow with such a window of its control's or less may be
                                              * held by one */
    uint64_t              bdp_bps;           /* cfg.window_bytes is the BDP of a host's link of this rate;
                                              * 0: it is every host's */
    bool                  has_held;          /* the window is asked about at each turn: see model.repace */
    bool                  paces_window;      /* windows follow rates, and are looked at when those change */
    uint8_t               at_send;           /* SEND_HF2T, ..: what else to do before a queue pair sends */
    uint8_t               after_send;        /* SENT_TIMER, ..: what else to do when a queue pair has sent */
    uint8_t               ack_prio[PRIOS];   /* class of the ACKs for data of each class */
    uint8_t               reply_queue[PRIOS];    /* of a host's port, where answers of each class wait */
    struct tcp_host      *tcp;               /* by host */
    struct hf2t          *hf2t;              /* NULL: never was on */
    struct gap_record    *gap_record;        /* NULL: nobody asks */
    struct qp_order      *qp_order;          /* by host; NULL: the order does not matter */
    struct inside        *inside;            /* NULL: there are no servers of several GPUs */
    char                 *cc_cfg;            /* one per speed of host links and control: see control.h */
    char                 *cc_forgot;         /* likewise, after a NIC forgot what was set; NULL: none does */
    char                 *cc_own;            /* by host: see sim_apply_host(); NULL: none has one of its
                                              * own */
    struct cc_at         *cc_at;             /* what each of them is of */
    uint64_t              fastest_bps;       /* of them */
    uint32_t              cc_cfgs;
    uint32_t             *list_free[32];     /* returned tables by log2 of their size */
    struct cnp_entry     *cnp_free;          /* returned entries: see host/np/cnp_arbiter.h */
    uint64_t             *busy_ps;           /* by host: its processor decides on a rate until then, see
                                              * struct cc_probe; NULL: no control asks for probes */
};

/* What switches have besides struct node and struct port. */
struct switch_state {
    uint32_t       pass_bytes_max;           /* frames up to this may pass a switch unbooked, */
    uint32_t       pass_alone_max;           /* and up to this without a turn if nothing else is on their
                                              * account */
    int64_t        pass_used_max;            /* lossy: all may while no more than this is in its buffer;
                                              * -1: none */
    uint8_t        lossless_prios;           /* classes booked to ingress ports, with PFC, by
                                              * switch/buffer.h */
    uint8_t        ecn_prios;                /* classes with thresholds of their own: */
    uint8_t        queue_prios;              /* classes that are the queue of a port: see
                                              * observe/queue_telemetry.h */
    struct ecn_cfg ecn_class[PRIOS];
};

/* What ConWeave does with a packet. */
enum weave_does {
    WEAVE_IGNORED,               /* nothing: it is forwarded as any other */
    WEAVE_FORWARDED,             /* to 'out'; NULL: no path */
    WEAVE_CONSUMED,              /* it is held, or was for this switch and is gone */
    WEAVE_RELEASED,              /* it and those behind it (weave_take_held()) go to 'out', in turn */
};

struct weave_act;

/* Balancers other than ECMP. */
struct balancer_state {
    bool           is_on;                    /* neither ECMP nor ConWeave */
    /* Chooses the port for a packet. Returns false if routes decide. NULL: they always do. */
    bool         (*choose)(struct sim *, const struct port *in, uint32_t id, const struct packet *,
                           struct port **out);
    bool           is_path;                  /* the first switch chooses the whole path */
    void          *cfg;
    struct rng    *rng;                      /* by node */
    struct crand  *crand;                    /* replaces them if paths must equal a fork's; or NULL */
    struct weave  *weave;                    /* ConWeave, otherwise NULL: see switch/weave.h, */
    enum weave_does (*weave_packet)(struct sim *, struct port *in, uint32_t id, struct packet *,
                                    struct weave_act *);
};

/* Who looks on. 'on_packet' sees data packets of queue pairs that come in by a port with SLOW_WATCHED and are
 * not marked as counted; 'on_request' messages of queue pairs that are posted; 'on_rtt' a round trip, when a
 * host has not kept one for a while. */
struct watcher {
    void *arg;                   /* NULL: nobody does */
    void (*on_packet) (void *arg, uint64_t now_ps, const struct node *, struct packet *);
    void (*on_request)(void *arg, uint64_t now_ps, const struct flow *, uint64_t bytes);
    void (*on_rtt)    (void *arg, uint64_t now_ps, struct host *, const struct flow *, uint64_t rtt_ps);
};

/* Who records what becomes of flows: see skip/replay.h. */
struct flow_watcher {
    void *arg;                   /* NULL: nobody does */
    void (*on_start)  (void *arg, const struct flow *);
    void (*on_arrival)(void *arg, const struct flow *);
    void (*on_end)    (void *arg, const struct flow *);
};

struct sim {
    struct network        net;
    struct switch_state   sw;
    struct balancer_state lb;
    struct scheduler_cfg  scheduler;
    struct pfc_cfg        pfc;
    struct model          model;
    struct host_state     hosts;
    struct flows          flows;
    struct program        program;
    struct watcher        watch;
    struct flow_watcher   flow_watch;
    struct sim_cfg        cfg;

    /* How far it has come. */
    uint64_t              now_ps;            /* the world's time: see engine_world_ps() */
    bool                  is_done;           /* every flow there will ever be is over */
    uint64_t              done_ps;           /* when the last of those that are over ended */
    uint64_t              first_start_ps;    /* of the first flow */
    uint64_t             *entry_bytes_done;  /* of flows that are over, by entry of the traffic list */

    struct skip          *skip;              /* what repeats is skipped: see skip/skip.h. NULL: packet by
                                              * packet */
    struct partition     *parts;             /* many threads: see partition.h. NULL: one does it all, or
                                              * this is a part */
    bool                  is_part;
    struct arena         *lines;             /* what begins with an event lies in one row: the whole
                                              * world's line_arena */
    uint32_t              packets_most;      /* of a part, that there are lines for */
    struct arena          arena, lb_arena, line_arena, packet_arena, flow_arena, rx_arena, list_arena, pair_arena, tcp_arena, selective_arena;
    struct arena          probe_arena, lasting_arena;
    struct engine         engine;            /* last, being large: what lies behind is far away */
};

/* The order of an event that a node schedules now. */
static inline uint64_t sim_order(struct sim *s, struct node *n, uint64_t at_ps)
{
    return engine_order(&s->engine, &n->next_number, at_ps);
}

#endif
