/* src/sim/state/cfg.h - the configuration of a world. Only the knobs change while it runs. */
#ifndef SIM_STATE_CFG_H
#define SIM_STATE_CFG_H

#include "cc/cc.h"
#include "cc/tcp.h"
#include "core/knobs.h"
#include "lb/lb.h"
#include "sim/event/engine.h"
#include "sim/link/port.h"

#include <stdbool.h>
#include <stdint.h>

#define CC_OTHERS_MAX    4       /* controls besides the default one */
#define TCP_CFGS_MAX     64      /* entries of a scenario's traffic */
#define TCP_HEADER_BYTES 70u     /* Ethernet 14 + IPv4 20 + TCP 20 + time stamps 12 + FCS 4 */
#define TCP_ACK_EVERY    2u      /* packets per ACK */
#define RTO_AUTO         UINT64_MAX      /* rto_ps: by the network, see sim/rto_default.h */

enum sim_model {
    MODEL_NIC,                   /* real frames, exact picoseconds, CNPs as packets */
    MODEL_HPCC,                  /* as the HPCC ns-3 fork: see forks/hpcc.c */
    MODEL_CONWEAVE,              /* as the ConWeave ns-3 fork: see forks/conweave.c */
    MODEL_HTSIM,                 /* Ultra Ethernet as uet-htsim: see forks/htsim_sim.h */
    MODEL_UET,                   /* as MODEL_NIC, with connections of Ultra Ethernet: see host/uet/uet.h */
};

struct htsim_input;

extern const char *const sim_model_names[];      /* by enum sim_model; NULL-terminated */

/* Devices as they are, not those of another simulator. */
static inline bool sim_model_is_real(enum sim_model model)
{
    return model == MODEL_NIC || model == MODEL_UET;
}

struct tcp_cfg {                 /* of one entry of the traffic */
    const struct tcp_algo *algo;
    uint32_t mss_bytes;          /* payload of a full packet */
    uint32_t burst_bytes;        /* of payload, at most, back to back */
    uint64_t rto_ps_min;
    uint64_t wake_ps_max;        /* from an ACK to the stack's answer, at most; random */
    bool     is_ecn;             /* switches may mark its packets */
};

/* some hosts, or in model uet some classes, have another congestion control */
struct cc_other {
    const struct cc_algo *cc;
    uint32_t hosts;              /* how many */
    uint8_t  prios;              /* model uet: its classes, whose flows are queue pairs of RoCE; bit mask */
};

#define ECN_CELL_OF_ASIC 1u      /* less than any cell */

struct ecn_rate { uint64_t rate_bps; double kmin_kb, kmax_kb, pmax; };

struct ecn_class { bool is_set; double kmin_kb, kmax_kb, pmax; };

struct link_change { uint64_t at_ps; uint32_t link; bool is_up; };

struct sim_cfg {
    enum sim_model model;
    enum sim_order order;
    uint64_t       seed;
    struct knobs   knobs;
    const struct cc_algo *cc;
    struct cc_other cc_other[CC_OTHERS_MAX];
    uint32_t       cc_others;    /* 0: all hosts have cc */
    uint8_t       *cc_by_node;   /* of hosts: 0: cc, i: cc_other[i - 1]; NULL if there are none. Needed
                                  * until the world is built */
    const struct rlcc_model *rlcc;           /* of cc rlcc; outlives the world */
    /* model htsim: network, flows and settings; outlives the world */
    const struct htsim_input *htsim;
    const char    *shown_cc, *shown_lb;      /* model htsim: what reports show in place of cc and lb */
    struct cc_fork fork;         /* model hpcc: settings of its controls */
    const struct lb_algo *lb;
    uint64_t       lb_seed;      /* another one: other paths. 0: ECMP's salts are the numbers of the
                                  * switches */
    bool           lb_weighted;  /* links of more capacity get more: see net/route.h */
    bool           lb_by_host;   /* all queue pairs between two hosts have one source port */
    uint32_t       threads;      /* that may share the work; 0 counts as 1. No result depends on it */
    uint32_t       parts;        /* at least so many, if there are racks for them; 0: as many as suit */

    bool           is_fast;      /* packets of lone flows are skipped: see skip/skip.h */

    /* Frames, in bytes. */
    uint32_t mtu_bytes;          /* payload of a full packet */
    uint32_t header_bytes, ack_bytes, cnp_bytes, pfc_bytes;
    uint32_t spacing_bytes;      /* preamble and gap between frames: time on the wire, no place in a buffer */

    /* Hosts. */
    uint32_t ack_every;          /* packets per ACK; the last of a message is always acknowledged */
    uint32_t ack_from_bytes;     /* not 0: instead, a packet is acknowledged if so much of its flow has
                                  * come with it, */
    uint32_t ack_chunk_bytes;    /* or a multiple of this */
    bool     ack_unpaused;       /* PFC does not stop a host's ACKs */
    bool     has_ack_prio;       /* ACKs and NACKs have a class of their own: */
    uint8_t  ack_prio;
    bool     nack_is_cnp;        /* a sender takes a NACK for a CNP as well */
    bool     ack_droppable;      /* switches may drop ACKs that overrun the headroom, a defect of the HPCC
                                  * fork */
    uint64_t nack_gap_ps;        /* least time between NACKs for the same byte */
    bool     is_selective;       /* selective repeat: see host/selective_repeat.h */
    bool     is_sleek;           /* model uet: loss recovery without trimming */
    uint64_t reorder_ps;         /* selective: a packet that is missing for longer is lost */
    uint64_t rto_ps;             /* 0: no retransmission timer; RTO_AUTO */
    uint64_t rto_ps_max;         /* doubles up to this with each time-out in a row; 0: it does not.
                                  * RTO_AUTO decides */
    uint64_t window_bytes;       /* 0: none */
    bool     window_by_rate;     /* window shrinks with rate / line rate */
    bool     window_by_pair;     /* the forks: the window, and the round trip that controls know, are those
                                  * of two hosts */
    bool     is_unpaced;         /* the forks: packets follow each other at line rate, whatever the flow's
                                  * rate */
    uint64_t idle_reset_ps;      /* a queue pair that was idle for this long restarts; 0: never */
    uint32_t turn_bytes;         /* with a FIFO: a queue pair sends so much in its turn, at least a packet */
    uint64_t pcie_bps;           /* with a FIFO: it is filled at this rate; 0: at once */
    uint32_t tx_fifo_bytes;      /* of each class, between the choice of a queue pair and the wire; 0: none */
    uint64_t drain_bps;          /* hosts take data in at this rate: see host/drain.h; 0: at once */
    /* by node: whether it does; NULL: all hosts do. Needed until the world is built */
    uint8_t *drains;
    uint64_t rx_buffer_bytes;    /* with drain_bps: a class of a host that holds more is paused */
    uint32_t receives;           /* posted on each queue pair for SENDs; 0: there are always enough */
    uint64_t repost_ps;          /* from the arrival of a SEND until its receive is posted again */
    uint64_t rnr_ps;             /* a sender waits so long after an RNR NACK */
    bool     record_gaps;        /* between packets of a flow: see host/gaps.h */

    /* Switches. */
    bool     is_cut_through;     /* they send a frame on when its header has come: see build.c */
    uint64_t chip_ps;            /* time that a frame takes through a switch besides that on wires */
    uint64_t buffer_bytes;
    bool     buffer_wraps;       /* the shared part of the buffer has 32 bits: below 0 it becomes large
                                  * (HPCC fork) */
    uint32_t reserve_bytes;      /* per port and class in use (model hpcc: set aside per port, used per
                                  * class) */
    uint32_t resume_bytes;       /* XON this far below XOFF */
    uint64_t pause_ps;           /* a pause expires after this time; 0: never */
    uint64_t headroom_bytes;     /* likewise; 0: by the model's formula */
    uint32_t pfc_shift;          /* alpha = 2^-shift at host speed, one less per doubling of speed */
    double   lossy_alpha;        /* lossy: an egress queue may take this share of the free buffer */
    uint64_t lossy_queue_bytes;  /* and this much; 0: no such limit */
    /* model uet: packets that find no room lose their payload, not their header */
    bool     has_trim;
    uint32_t trim_bytes;         /* what is left of them */
    uint8_t  head_prio;          /* model uet: class of headers and answers */
    /* model uet: kmin, kmax and pmax follow from the BDP when the world is built */
    bool     ecn_by_network;
    uint8_t  lossy_prios;        /* classes without PFC alongside lossless ones; bit mask */
    bool     lossy_by_traffic;   /* instead: those that TCP alone uses */
    bool     is_lossless, ecn_on, ecn_at_enqueue;
    uint32_t ecn_cell_bytes; /* marking counts a queue in cells of this size; 0: in bytes. ECN_CELL_OF_ASIC
                                  * while a scenario is read */
    uint64_t ecn_lag_ps;         /* the length that decides on a mark is so old */
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

/* Returns control number i, from 0; NULL: no more. */
static inline const struct cc_algo *sim_cc(const struct sim_cfg *c, uint32_t i)
{
    return i == 0 ? c->cc : i <= c->cc_others ? c->cc_other[i - 1].cc : NULL;
}

/* Model uet: the classes whose flows are queue pairs of RoCE, bit mask. */
static inline uint8_t sim_roce_prios(const struct sim_cfg *c)
{
    return c->model == MODEL_UET && c->cc_others ? c->cc_other[0].prios : 0;
}

/* The number of the first control of queue pairs: in model uet, that of UET comes first. */
static inline uint32_t sim_cc_of_pairs(const struct sim_cfg *c)
{
    return sim_roce_prios(c) ? 1 : 0;
}

/* "rlcc, dcqcn (32 hosts)", "nscc, dcqcn (class 4)", or the name of the only one. */
#define SIM_CC_TEXT_MAX 256
const char *sim_cc_text(const struct sim_cfg *, char buf[SIM_CC_TEXT_MAX]);
const char *sim_lb_text(const struct sim_cfg *);

/* Returns what packets carry for congestion control. It is the same for all controls of a world. */
enum cc_telemetry sim_cc_telemetry(const struct sim_cfg *);

/* Returns whether any control uses RTT probes. */
bool sim_cc_probes(const struct sim_cfg *);

/* The largest frame of queue pairs or TCP. */
static inline uint32_t sim_largest_frame(const struct sim_cfg *c)
{
    uint32_t most = c->mtu_bytes + c->header_bytes;

    for (uint32_t i = 0; i < c->tcps; i++) {
        uint32_t bytes = c->tcp[i].mss_bytes + TCP_HEADER_BYTES;

        most = bytes > most ? bytes : most;
    }
    return most;
}

#endif
