/* src/sim/state/state.h - struct sim: the world, or the part of it that one thread runs.
 *
 * Parts share the network and the arrays behind 'flows', 'program' and the host tables; each part uses the
 * entries of its own nodes. Each part has a separate engine.
 */
#ifndef SIM_STATE_STATE_H
#define SIM_STATE_STATE_H

#include "base/arena.h"
#include "sim/event/engine.h"
#include "sim/event/program.h"
#include "sim/state/cfg.h"
#include "sim/state/model.h"
#include "sim/state/network.h"
#include "sim/state/uet.h"

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
struct drain;
struct inside;
struct cnp_entry;
struct cc_at;
struct np_algo;
struct crand;
struct partition;
struct htsim;
struct skip;
struct weave;

/* Persistent queue pairs and their messages: see host/flow.h. NULL if unused. */
struct pairs {
    struct pair   *pair;                     /* by flow index */
    struct posted *posted;                   /* messages; 0 is not used */
    uint32_t      *arrived;                  /* receiver, by flow index: last message that arrived
                                              * completely */
    uint64_t      *reposted_ps;              /* receiver: see host/verbs.h */
    uint32_t      *sends;                    /* receiver, by flow index: SENDs that have arrived */
    uint32_t       first, used, limit, free; /* message numbers of this part */
    uint32_t      *slot, mask, count;        /* hash table of indices */
    struct arena  *table;                    /* memory of the hash table */
};

/* Queue pairs and TCP connections, by index; index 0 is not used. Arrays parallel to 'flow' are NULL if
 * unused. */
struct flows {
    struct flow         *flow;
    struct flow_rx      *rx;
    char                *cc_state;           /* state of congestion control: see flow_cc() */
    size_t               cc_stride;          /* bytes per flow */
    struct tcp_tx       *tcp_tx;
    struct tcp_rx       *tcp_rx;
    struct selective_tx *selective_tx;       /* NULL: go-back-N */
    struct selective_rx *selective_rx;
    char                *uet_rx;             /* model uet: see host/uet/uet.h */
    size_t               uet_rx_stride;
    uint32_t            *uet_at;             /* by flow: its position in the pool */
    struct uet_pool      uet_pool;
    struct probe        *probe;              /* NULL: probes disabled */
    uint32_t             first, used, limit; /* indices of this part */
    uint32_t             free;
    uint32_t             resting, resting_last;  /* finished, but packets may be in flight */
    struct pairs         pairs;
};

#define SEND_HF2T      1u        /* see host/hf2t.h */
#define SEND_GAPS      2u        /* see host/gaps.h */
#define SEND_SELECTIVE 4u        /* see host/selective_repeat.h */
#define SEND_PROBES    8u        /* see host/probe.h */
#define SEND_UET       16u       /* see host/uet/uet.h */
#define SEND_FIFO      32u       /* see sim_cfg.tx_fifo_bytes and host/send.h */
#define SEND_HELD      64u       /* see skip/skip.h */

/* Receivers of marked packets, set by the knobs. */
struct np_cfg {
    uint32_t cc_prios;           /* bit mask: classes with congestion control */
    uint8_t  cnp_prio;
    uint8_t  probe_prio, resp_prio;      /* classes of RTT probes: see host/probe.h; PRIOS: class of the
                                          * flow */
    uint8_t  moderation;         /* CNPs are spaced by 0 flow, 1 address, 2 port */
    uint64_t gap_ps;             /* minimum time between two CNPs */
};

/* State of hosts besides struct host. */
struct host_state {
    const struct np_algo *np;                /* how receivers respond to marked packets */
    struct np_cfg         np_cfg;
    uint64_t              window_bytes_max;  /* flows whose congestion control sets at most this window may be
                                              * limited by it */
    uint64_t              bdp_bps;           /* cfg.window_bytes is the BDP at this link rate and scales with
                                              * a host's rate; 0: it does not scale */
    uint64_t              pair_rto_ps;       /* like cfg.rto_ps, for queue pairs: longer than that of UET, */
    uint64_t              pair_rto_ps_max;   /* up to this */
    bool                  has_held;          /* the window is checked at each turn: see model.repace */
    bool                  paces_window;      /* windows follow rates, and are checked when rates change */
    uint8_t               at_send;           /* SEND_HF2T, ..: extra steps before a queue pair sends */
    uint8_t               after_send;        /* SENT_TIMER, ..: extra steps after it has sent */
    uint8_t               ack_prio[PRIOS];   /* class of the ACKs for data of each class */
    uint8_t               reply_queue[PRIOS];    /* port queue for ACKs of each class */
    struct tcp_host      *tcp;               /* by host */
    struct hf2t          *hf2t;              /* NULL: never enabled */
    struct gap_record    *gap_record;        /* NULL: gaps are not recorded */
    struct qp_order      *qp_order;          /* by host; NULL: see model.list */
    struct drain         *drain;             /* by host; NULL: no host drains slowly */
    struct inside        *inside;            /* NULL: no servers with several GPUs */
    char                 *cc_cfg;            /* one per host link speed and congestion control: see
                                              * control.h */
    char                 *cc_forgot;         /* likewise, after a NIC lost its setting; NULL: none does */
    char                 *cc_own;            /* by host: see sim_apply_host(); NULL: no host has a separate
                                              * setting */
    struct cc_at         *cc_at;             /* speed and congestion control of each */
    uint64_t              fastest_bps;       /* fastest host link */
    uint32_t              cc_cfgs;
    uint32_t             *list_free[32];     /* free tables by log2 of their size */
    struct cnp_entry     *cnp_free;          /* free entries: see host/np/cnp_arbiter.h */
    uint64_t             *busy_ps;           /* by host: end of its current processing, see struct cc_probe;
                                              * NULL: probes disabled */
};

/* State of switches besides struct node and struct port. */
struct switch_state {
    uint32_t       pass_bytes_max;           /* frames up to this size may bypass a queue without buffer
                                              * accounting .. */
    uint32_t       pass_alone_max;           /* .. and up to this size without a scheduler update, if their
                                              * account is empty */
    int64_t        pass_used_max;            /* lossy: frames may bypass while the buffer holds at most this;
                                              * -1: never */
    uint8_t        lossless_prios;           /* classes with PFC, charged to ingress ports */
    uint8_t        ecn_prios;                /* classes with their own thresholds */
    uint8_t        queue_prios;              /* classes that count as the queue of a port: see
                                              * observe/queue_telemetry.h */
    struct ecn_cfg ecn_class[PRIOS];
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
    WEAVE_RELEASED,              /* forward it and the packets behind it (weave_take_held()) to 'out', in
                                  * order */
};

struct weave_act;

/* Balancers other than ECMP. */
struct balancer_state {
    bool           is_on;                    /* true: neither ECMP nor ConWeave */
    /* Chooses the egress port of a packet. Returns false if routing decides. NULL: routing always decides. */
    bool         (*choose)(struct sim *, const struct port *in, uint32_t id, const struct packet *,
                           struct port **out);
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
    bool (*on_turn)   (void *arg, struct flow *);        /* it may send; returns true to hold it instead */
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
    struct uet_state      uet;
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
    struct partition     *parts;             /* parts for threads: see partition.h. NULL: not divided, or
                                              * itself a part */
    bool                  is_part;
    struct arena         *lines;             /* objects that begin with an event: the whole world's
                                              * line_arena */
    uint32_t              packets_most;      /* of a part: number of packet lines */
    struct arena          arena, lb_arena, line_arena, packet_arena, flow_arena, rx_arena, list_arena;
    struct arena          pair_arena, tcp_arena, selective_arena, probe_arena, lasting_arena;
    struct arena          uet_arena, uet_pool_arena, spray_arena;
    struct engine         engine;            /* last because it is large */
};

/* Returns the order key of an event that a node schedules now. */
static inline uint64_t sim_order(struct sim *s, struct node *n, uint64_t at_ps)
{
    return engine_order(&s->engine, &n->next_number, at_ps);
}

#endif
