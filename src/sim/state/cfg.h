/* src/sim/state/cfg.h - the configuration of a world. Only the knobs change during a run. */
#ifndef SIM_STATE_CFG_H
#define SIM_STATE_CFG_H

#include "sim/cc/cc.h"
#include "sim/cc/tcp.h"
#include "core/knobs.h"
#include "sim/lb/lb.h"
#include "sim/event/counters.h"

#include <stdbool.h>
#include <stdint.h>

#define PARTS_MAX        64      /* threads, and parts that they share */
#define CC_OTHERS_MAX    4       /* congestion controls besides the default one */
#define TCP_CFGS_MAX     64      /* traffic entries of a scenario */
#define TCP_HEADER_BYTES 70u     /* Ethernet 14 + IPv4 20 + TCP 20 + time stamps 12 + FCS 4 */
#define TCP_ACK_EVERY    2u      /* packets per ACK */
#define CONWEAVE_PACKET_BYTES 1048u      /* a full packet, as switches of model conweave assume */
#define WINDOW_AUTO      UINT64_MAX      /* window_bytes: the BDP of the network */
#define RTO_AUTO         UINT64_MAX      /* rto_ps: derived from the network, see sim/rto_default.h */

enum sim_model {
    MODEL_NIC,                   /* real frames, exact picoseconds, CNPs as packets */
    MODEL_HPCC,                  /* like the HPCC ns-3 fork: see forks/ns3_hpcc.c */
    MODEL_CONWEAVE,              /* like the ConWeave ns-3 fork: see forks/ns3_conweave.c */
    MODEL_HTSIM,                 /* Ultra Ethernet like uet-htsim: see forks/htsim_sim.h */
    MODEL_UET,                   /* like MODEL_NIC, with Ultra Ethernet: see transport/uet/uet.h */
};

struct htsim_input;

extern const char *const sim_model_names[];      /* by enum sim_model; NULL-terminated */

/* Returns true for models of real devices, false for models of other simulators. */
static inline bool sim_model_is_real(enum sim_model model)
{
    return model == MODEL_NIC || model == MODEL_UET;
}

struct tcp_cfg {                 /* settings of one traffic entry */
    const struct tcp_algo *algo;
    uint32_t mss_bytes;          /* payload of a full packet */
    uint32_t burst_bytes;        /* largest back-to-back burst, payload */
    uint64_t rto_ps_min;
    uint64_t wake_ps_max;        /* longest time from an ACK to the stack's reaction; random */
    bool     is_ecn;             /* switches may mark its packets */
};

/* Another congestion control for some hosts or, in model uet, for some classes. */
struct cc_other {
    const struct cc_algo *cc;
    uint32_t hosts;              /* number of hosts */
    uint8_t  prios;              /* model uet: classes whose flows are RoCE queue pairs; bit mask */
};

#define ECN_CELL_OF_ASIC 1u      /* placeholder: smaller than any real cell */

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
    uint32_t       cc_others;    /* 0: all hosts use cc */
    uint8_t       *cc_by_node;   /* by node: 0: cc, i: cc_other[i - 1]; NULL: none. Used in building only */
    const struct rlcc_model *rlcc;           /* for cc rlcc; must outlive the world */
    /* model htsim: network, flows and settings; must outlive the world */
    const struct htsim_input *htsim;
    const char    *shown_cc, *shown_lb;      /* model htsim: names that reports show in place of cc and lb */
    struct cc_fork fork;         /* model hpcc: settings of its congestion controls */
    const struct lb_algo *lb;
    uint64_t       lb_seed;      /* changes the paths. 0: the salts of ECMP are the switches' numbers */
    bool           lb_weighted;  /* links get traffic in proportion to capacity: see work/net/route.h */
    bool           lb_by_host;   /* all queue pairs between two hosts share one source port */
    uint32_t       threads;      /* threads that may share the work; 0 is 1. Results do not depend on it */
    uint32_t       parts;        /* least number of parts, if there are enough racks; 0: automatic */

    bool           is_fast;      /* skips packets of lone flows: see skip/skip.h */

    /* Frames, in bytes. */
    uint32_t mtu_bytes;          /* payload of a full packet */
    uint32_t header_bytes, ack_bytes, cnp_bytes, pfc_bytes;
    uint32_t spacing_bytes;      /* preamble and inter-frame gap: time on the wire, no buffer space */

    /* Hosts. */
    uint32_t ack_every;          /* packets per ACK; the last of a message is always acknowledged */
    uint32_t ack_from_bytes;     /* not 0: instead, acknowledge a packet if the flow has received this
                                  * much, */
    uint32_t ack_chunk_bytes;    /* or a multiple of this */
    bool     ack_unpaused;       /* PFC does not pause a host's ACKs */
    bool     has_ack_prio;       /* ACKs and NACKs use a separate class: */
    uint8_t  ack_prio;
    bool     nack_is_cnp;        /* a sender also treats a NACK as a CNP */
    bool     ack_droppable;      /* switches may drop ACKs beyond the headroom, a defect of the HPCC fork */
    uint64_t nack_gap_ps;        /* minimum time between NACKs for the same byte */
    bool     is_selective;       /* selective repeat: see transport/rc/selective_repeat.h */
    bool     is_sleek;           /* model uet: loss recovery without trimming */
    uint64_t reorder_ps;         /* selective repeat: a packet missing for longer is lost */
    uint64_t rto_ps;             /* 0: no retransmission timer; RTO_AUTO */
    uint64_t rto_ps_max;         /* limit of the exponential backoff; 0: no backoff. RTO_AUTO decides */
    uint64_t window_bytes;       /* of all queue pairs; 0: no window; WINDOW_AUTO */
    bool     window_by_rate;     /* window shrinks with rate / line rate */
    bool     window_by_pair;     /* the forks: window and round trip are those of the pair of hosts */
    bool     is_unpaced;         /* the forks: packets leave at line rate, independent of the flow's rate */
    uint64_t idle_reset_ps;      /* congestion control restarts after a queue pair was idle; 0: never */
    uint32_t turn_bytes;         /* with a FIFO: bytes per turn of a queue pair, at least one packet */
    uint64_t pcie_bps;           /* with a FIFO: rate at which it is filled; 0: infinite */
    uint32_t tx_fifo_bytes;      /* size per class of the FIFO between arbitration and wire; 0: none */
    uint64_t drain_bps;          /* rate at which hosts drain received data: see nic/drain.h; 0: infinite */
    /* by node: true if drain_bps applies; NULL: all hosts. Only needed while the world is built */
    uint8_t *drains;
    uint64_t rx_buffer_bytes;    /* with drain_bps: a class that holds more than this is paused */
    uint32_t receives;           /* receives posted on each queue pair for SENDs; 0: always enough */
    uint64_t repost_ps;          /* time from the arrival of a SEND until its receive is reposted */
    uint64_t rnr_ps;             /* wait of a sender after an RNR NACK */
    bool     record_gaps;        /* record gaps between packets of a flow: see nic/gaps.h */

    /* Switches. */
    bool     is_cut_through;     /* forward a frame after its header has arrived: see build.c */
    uint64_t chip_ps;            /* latency of a switch in addition to the time on wires */
    uint64_t buffer_bytes;
    bool     buffer_wraps;       /* HPCC fork: the free shared buffer is 32-bit and wraps below 0 */
    uint32_t reserve_bytes;      /* per port and class in use (model hpcc: set aside per port) */
    uint32_t resume_bytes;       /* XON this far below XOFF */
    uint64_t pause_ps;           /* a pause expires after this time; 0: never */
    uint64_t headroom_bytes;     /* per port and class in use; 0: by the model's formula */
    uint32_t pfc_shift;          /* alpha = 2^-shift at host speed, one less per doubling of speed */
    double   lossy_alpha;        /* lossy: an egress queue may use this multiple of the free buffer */
    uint64_t lossy_queue_bytes;  /* lossy: absolute limit of an egress queue; 0: none */
    /* model uet: packets that find no room lose their payload but keep their header */
    bool     has_trim;
    uint32_t trim_bytes;         /* size of a trimmed packet, RTS or probe */
    uint8_t  head_prio;          /* class of headers, ACKs, NACKs and pulls: first in every queue */
    /* model uet: derive kmin, kmax and pmax from the BDP when the world is built */
    bool     ecn_by_network;
    uint8_t  lossy_prios;        /* classes without PFC alongside lossless ones; bit mask */
    bool     lossy_by_traffic;   /* instead of lossy_prios: the classes that only TCP uses */
    bool     is_lossless, ecn_on, ecn_at_enqueue;
    uint32_t ecn_cell_bytes; /* cells in which marking counts; 0: bytes. ECN_CELL_OF_ASIC while reading */
    uint64_t ecn_lag_ps;         /* age of the queue length that marking uses */
    uint8_t  strict_prios;       /* bit mask; the other classes share by weight */
    uint8_t  weight[PRIOS];
    struct ecn_rate ecn_rate[16];    /* thresholds by port speed */
    uint32_t        ecn_rates;
    struct ecn_class ecn_class[PRIOS];       /* thresholds by class */

    struct tcp_cfg tcp[TCP_CFGS_MAX];        /* indexed by flow_spec.tcp */
    uint32_t       tcps;

    struct link_change *change;  /* sorted by time */
    uint32_t            changes;
};

/* Returns congestion control number i, counted from 0, or NULL. */
static inline const struct cc_algo *sim_cc(const struct sim_cfg *c, uint32_t i)
{
    return i == 0 ? c->cc : i <= c->cc_others ? c->cc_other[i - 1].cc : NULL;
}

/* Model uet: bit mask of the classes whose flows are RoCE queue pairs. */
static inline uint8_t sim_roce_prios(const struct sim_cfg *c)
{
    return c->model == MODEL_UET && c->cc_others ? c->cc_other[0].prios : 0;
}

/* Number of the first congestion control of queue pairs: in model uet, UET's control comes first. */
static inline uint32_t sim_cc_of_pairs(const struct sim_cfg *c)
{
    return sim_roce_prios(c) ? 1 : 0;
}

/* Writes "rlcc, dcqcn (32 hosts)", "nscc, dcqcn (class 4)", or the name of the only one. */
#define SIM_CC_TEXT_MAX 256
const char *sim_cc_text(const struct sim_cfg *, char buf[SIM_CC_TEXT_MAX]);
const char *sim_lb_text(const struct sim_cfg *);

/* Returns the telemetry that packets carry for congestion control. All controls of a world use the same. */
enum cc_telemetry sim_cc_telemetry(const struct sim_cfg *);

/* Returns true if any congestion control uses RTT probes. */
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
