/* src/sim/cc/nscc.h - NSCC, the window of Ultra Ethernet's senders.
 *
 * Overview. The sender measures the delay of each acknowledged packet beyond the lowest round trip seen, and
 * sees whether the packet was marked. With T the target delay, there are four cases:
 *
 *   not marked, delay below T   the window grows in proportion to T - delay; if the delay stays below 1 us
 *                               for a whole window, by a share of the acknowledged bytes ("fast increase")
 *   not marked, delay from T    the window grows by a constant ("fair increase")
 *   marked, delay below T       the window stays: the queue is about to shrink
 *   marked, delay from T        the window shrinks in proportion to the excess of the average delay over T,
 *                               once per round trip
 *
 * Growth is accumulated and applied every few packets. A trimmed packet costs its size. If far fewer bytes
 * arrive in a round trip than the window allows, the window is set to the bytes that arrived ("quick adapt").
 * Feedback of packets that were in flight at that time is ignored.
 *
 * The arithmetic is that of uet-htsim, to the bit: doubles in this order, windows in 64-bit integers and
 * accumulated growth in 32-bit integers that wrap. Names of settings are those of MRC's profile
 * "uet-1.0-nscc".
 */
#ifndef SIM_CC_NSCC_H
#define SIM_CC_NSCC_H

#include <stdbool.h>
#include <stdint.h>

struct nscc_cfg {
    uint64_t line_bps;
    int64_t  mtu_bytes;                  /* full packet, header included */
    int64_t  min_cwnd_bytes;
    uint64_t network_rtt_ps;             /* longest path, unloaded */
    uint64_t target_delay_ps;
    double   alpha;                      /* proportional increase: bytes per byte and ps below the target */
    double   fi, fi_scale, eta;          /* fair, fast and steady increase */
    double   gamma, max_md_jump;         /* decrease: factor, and the least that remains */
    double   delay_weight;               /* weight of a sample in the average delay */
    double   qa_threshold_ps;
    uint32_t qa_gate;                    /* quick adapt below maxwnd / 2^gate */
    bool     disable_qa;
    uint64_t adjust_period_ps;
    int64_t  adjust_bytes;
    int64_t  max_cwnd_bytes;             /* 0: 1.5 times line rate x lowest round trip seen */
    /* true: accumulated growth wraps at 32 bits, as in uet-htsim; false: it saturates */
    bool     wraps;
};

struct nscc {
    int64_t  cwnd_bytes, maxwnd_bytes;
    uint64_t base_rtt_ps;                /* lowest seen */
    uint64_t avg_delay_ps;
    uint64_t qa_end_ps;                  /* end of the round trip that quick adapt measures; 0: none yet */
    uint64_t adjusted_ps, decreased_ps;  /* time of the last adjustment and decrease */
    int64_t  achieved_bytes;             /* acknowledged in the round trip of quick adapt */
    int64_t  received_bytes;             /* acknowledged since growth was last applied */
    uint32_t increase;                   /* accumulated growth, times the window */
    uint32_t fast_bytes;                 /* acknowledged at low delay */
    uint32_t ignored_bytes, to_ignore_bytes;     /* after a quick adapt */
    bool     is_fast, wants_qa;
};

/* Computes the constants for a network. T is 0.75 round trips unless 'target_delay_ps' is given. */
void nscc_configure(struct nscc_cfg *, uint64_t line_bps, uint32_t mtu_bytes, uint32_t header_bytes,
                    uint64_t network_rtt_ps, uint64_t target_delay_ps);

/* 'cwnd_bytes' 0: the maximum, 1.5 BDP. */
void nscc_init(struct nscc *, const struct nscc_cfg *, uint64_t base_rtt_ps, int64_t cwnd_bytes);

/* Adds a sample of the round trip. Returns false if the BDP would be 0. */
bool nscc_on_rtt(struct nscc *, const struct nscc_cfg *, uint64_t rtt_ps);

/* Adds a sample to the average delay. */
void nscc_add_delay(struct nscc *, const struct nscc_cfg *, uint64_t rtt_ps, bool is_marked);

/* Counts newly acknowledged bytes. Call it before nscc_on_ack(). */
static inline void nscc_count(struct nscc *f, int64_t newly_bytes)
{
    f->achieved_bytes += newly_bytes;
    f->received_bytes += newly_bytes;
    f->ignored_bytes += (uint32_t)newly_bytes;
}

void nscc_on_ack(struct nscc *, const struct nscc_cfg *, uint64_t now_ps, bool is_marked, uint64_t delay_ps,
                 int64_t newly_bytes, int64_t in_flight_bytes);

/* Handles a trimmed packet. 'keeps_window': receiver credit limits the sender instead. */
void nscc_on_trim(struct nscc *, const struct nscc_cfg *, uint64_t now_ps, int64_t bytes, bool keeps_window,
                  int64_t in_flight_bytes);

/* The DCTCP variant of uet-htsim: grows by one MTU per window, and shrinks by a third of the marked bytes. */
void nscc_dctcp_on_ack(struct nscc *, const struct nscc_cfg *, bool is_marked, int64_t newly_bytes);

/* Handles a loss or a timeout. */
static inline void nscc_lose(struct nscc *f, const struct nscc_cfg *c, int64_t bytes)
{
    f->cwnd_bytes = f->cwnd_bytes - bytes > c->mtu_bytes ? f->cwnd_bytes - bytes : c->mtu_bytes;
}

#endif
