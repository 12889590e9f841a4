/* src/sim/forks/htsim/htsim.h - uet-htsim's Ultra Ethernet transport, identical to that program flow by flow.
 *
 * It exists to check fidelity, so it reproduces behaviour that a NIC would not have: simultaneous events run
 * in insertion order, one random sequence serves everything, recycled ACKs keep stale flags, and some flows
 * never end. Hence it runs on one thread. docs/uet.md describes the model and these quirks.
 */
#ifndef SIM_FORKS_HTSIM_HTSIM_H
#define SIM_FORKS_HTSIM_HTSIM_H

#include "base/err.h"
#include "sim/lb/entropy.h"
#include "work/net/fat_tree.h"
#include "work/net/flow_list.h"

#include <stdbool.h>
#include <stdint.h>

#define HTSIM_HEADER_BYTES 64u   /* packet header; also the size of ACKs, NACKs, pulls, RTS and probes */

/* How switches choose among equal-cost links. */
enum htsim_route   { HTSIM_HASH, HTSIM_ADAPTIVE, HTSIM_ROUND_ROBIN };
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
    struct {
#define COUNTER(name, counted, ...) uint64_t counted;
#include "core/figures.def"
    } sim;                       /* as in struct sim_counters; without events and drops */
    uint64_t events, draws, now_ps;              /* now_ps: of the last event */
    uint32_t flows, unfinished;
    uint64_t hops_host, hops_low, hops_high;     /* packets that left a host, or a switch port by class */
    uint64_t marks, trims, drops, rtt_ps_peak;
};

/* Packets that a port has sent: with payload, and headers. */
struct htsim_port {
    uint64_t bytes, data_packets, header_packets, marked_packets, queue_bytes_max;
};

struct htsim;

/* Builds the world. The matrix and the network are copied. */
int  htsim_new(struct htsim **, const struct htsim_cfg *, const struct fat_tree *, const struct flow_matrix *,
               struct err *);
void htsim_free(struct htsim *);

/* Calls 'finished' when a flow is done. */
void htsim_follow(struct htsim *, void *arg, void (*finished)(void *arg, const struct htsim_flow *));

/* Runs all events up to and including until_ps. Returns true if more are pending; false also on failure. */
bool htsim_run_until(struct htsim *, uint64_t until_ps);

/* Returns why the run stopped, or NULL. uet-htsim would have failed an assertion here. */
const struct err *htsim_failure(const struct htsim *);

/* Its errno, or 0. */
int htsim_failure_code(const struct htsim *);

void     htsim_flow(const struct htsim *, uint32_t flow, struct htsim_flow *);
void     htsim_count(const struct htsim *, struct htsim_counters *);

/* Returns both ends of a link of fat_tree_wire()'s graph: towards the cores, and towards the hosts. */
void     htsim_link(const struct htsim *, uint32_t link, struct htsim_port *up, struct htsim_port *down);

/* Returns the FCT of a lone flow in a network whose links are at least as fast as the hosts': all packets at
 * line rate plus one round trip. */
uint64_t htsim_ideal_ps(const struct htsim *, const struct htsim_flow *);

#endif
