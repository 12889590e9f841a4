/* src/sim/forks/htsim/htsim_cfg.h - configuration and counters of a world of model htsim. */
#ifndef SIM_FORKS_HTSIM_HTSIM_CFG_H
#define SIM_FORKS_HTSIM_HTSIM_CFG_H

#include "base/err.h"
#include "lb/entropy.h"
#include "net/fat_tree.h"
#include "net/flow_list.h"

#include <stdbool.h>
#include <stdint.h>

#define HTSIM_HEADER_BYTES 64u   /* packet header; also the size of ACKs, NACKs, pulls, RTS and probes */

enum htsim_route   { HTSIM_HASH, HTSIM_ADAPTIVE,
                     HTSIM_ROUND_ROBIN };    /* how switches choose among equal-cost links */
enum htsim_control { HTSIM_NSCC, HTSIM_RCCC, HTSIM_BOTH };
enum htsim_window  { HTSIM_WINDOW_NSCC, HTSIM_WINDOW_DCTCP, HTSIM_WINDOW_CONSTANT };

/* Settings, with uet-htsim's names where it has them. "Packets" have mtu_bytes. */
struct htsim_cfg {
    uint64_t seed;
    uint64_t end_ps;             /* later events do not run; 0: no end */
    uint64_t linkspeed_bps;      /* of NICs; also used in all formulas */
    uint32_t mtu_bytes;          /* whole packet, header included */
    uint32_t paths;
    enum entropy_kind  balancer;
    enum htsim_route   route;
    enum htsim_control control;
    enum htsim_window  window;
    uint32_t cwnd_packets;       /* initial window; 0: the maximum, 1.5 BDP */
    uint64_t target_q_delay_ps;  /* 0: 0.75 network RTTs with trimming, 1 without */
    uint32_t qa_gate;
    uint32_t sack_threshold_bytes;       /* bytes received between two ACKs, at most */
    bool     sleek;
    bool     accurate_base_rtt;  /* per pair of hosts; otherwise of the longest path */
    bool     base_rtt_on_nack;   /* a NACK may also lower the base RTT */
    bool     trim;
    uint32_t trim_bytes;
    uint32_t queue_packets;      /* capacity of a switch port's queue; 0: from the BDP */
    uint32_t queue_bdp_factor;   /* queue capacity in BDPs; 0: 1 with trimming, 5 without */
    uint32_t ecn_low_packets, ecn_high_packets;  /* both 0: 20 % and 80 % of the BDP */
    uint32_t failed;             /* number of links at a quarter of their rate; with two tiers: spines */
    bool     oversubscribed_cc;  /* receivers control their credit rate */
    bool     oversubscribed_auto;        /* enable oversubscribed_cc if the network is oversubscribed */
    double   over_ai, over_md, over_alpha;       /* parameters of oversubscribed_cc */
};

/* A flow's results: the columns of the reference's flows.txt. */
struct htsim_flow {
    uint32_t src, dst, id;
    uint64_t bytes;
    int64_t  start_ps, finish_ps;        /* -1: not yet. Finish: the sender has all acknowledgements */
    uint64_t sent, resent, rts, acks, nacks, pulls, timeouts,
        sleek;     /* packets sent and received by the sender */
    uint64_t resent_bytes;               /* payload */
    uint64_t rx_trimmed, rx_duplicate, rx_out_of_order, rx_marked;       /* by the receiver */
    int64_t  cwnd_at_finish;             /* -1: not yet */
    int64_t  cwnd_bytes, maxwnd_bytes;
    uint64_t base_rtt_ps, avg_delay_ps;
    int64_t  in_flight_bytes;
};

struct htsim_counters {
    uint64_t events, draws, now_ps;              /* now_ps: of the last event */
    uint32_t flows, unfinished;
    uint64_t hops_host, hops_low, hops_high;     /* packets that left a host, or a switch port by class */
    uint64_t marks, trims, drops;
    uint64_t flows_started, bytes_started, flows_done, bytes_done;
    uint64_t data_sent, data_received, payload_sent, payload_received, payload_dropped, out_of_order;
    uint64_t acks, nacks, timeouts, rtt_samples, rtt_ps_sum, rtt_ps_peak;
};

/* Packets that a port has sent: with payload, and headers. */
struct htsim_port {
    uint64_t bytes, data_packets, header_packets, marked_packets, queue_bytes_max;
};

/* Called on flow events; NULL: not counted. */
struct htsim_hooks {
    void *arg;
    void (*finished)(void *arg, const struct htsim_flow *);
};

#endif
