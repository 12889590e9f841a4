/* src/sim/transport/tcp/tcp.h - TCP alongside RDMA. tcp_send.c sends, tcp_receive.c receives, tcp_ack.c
 * handles ACKs.
 *
 * A TCP flow shares struct flow and struct flow_rx with queue pairs. Its additional state is in parallel
 * arrays: tcp_tx belongs to the source host, tcp_rx to the destination. There is no handshake: a flow starts
 * as if a handshake had just measured the round trip.
 *
 * Packets are numbered: number n carries the bytes from n x mss on, also when it is retransmitted.
 *
 * Sending. The window (sim/cc/tcp.h) limits the packets in flight; there is no pacing. Like a real stack with
 * segmentation offload, a sender emits bursts. It waits until the window has room for a burst (an eighth of
 * the window, at most 'burst_bytes'), waits for its turn among the flows of its class, and sends the burst
 * back to back. The TCP classes, and all queue pairs together, share the host's link by the weights of their
 * classes, packet by packet.
 *
 * An ACK wakes the stack after a random time of up to 'wake_ps_max', as interrupts and schedulers do. The
 * stack then handles all flows that received ACKs. Without this delay, senders with equal round trips stay in
 * phase with the bottleneck, and always the same ones meet a full queue (Floyd and Jacobson's phase effects).
 *
 * Receiving. The receiver sends an ACK for every second packet and at the end of a burst. It sends one
 * immediately for a packet that is out of order, closes a gap or ends the flow, and before the ECN mark of
 * packets changes, so that an ACK covers packets with equal marks (RFC 8257). Out-of-order packets are kept,
 * and the ACK reports them (SACK).
 *
 * Loss recovery (RFC 6675). A packet is lost when three packets behind it have arrived, or when after a
 * repair the next one is still missing. A retransmitted packet is lost when three packets that were first
 * sent after it have arrived. Packets in flight are those sent, minus those that have arrived or are lost,
 * plus retransmissions. The last resort is a timer (RFC 6298).
 */
#ifndef SIM_TRANSPORT_TCP_TCP_H
#define SIM_TRANSPORT_TCP_TCP_H

#include "sim/cc/tcp.h"
#include "sim/transport/transport.h"

#include <stdbool.h>
#include <stdint.h>

#define TCP_PACKETS_MAX 4096u    /* receive window: 5.9 MB of 1448 B, as in Linux */
#define TCP_SACK_BYTES  12u      /* one block */

enum tcp_phase {
    TCP_OPEN,
    TCP_RECOVERY,                /* a loss was detected, and packets in flight then are unacknowledged */
    TCP_LOSS,                    /* likewise, after the timer expired */
};

struct tcp_tx {
    const struct tcp_cfg *cfg;
    struct tcp_window window;
    uint64_t first, next, end;   /* packets: first unacknowledged, next new, total */
    uint64_t lost_to;            /* packets before it that have not arrived are lost */
    uint64_t resend;             /* lost packets before it have been retransmitted */
    uint64_t top;                /* highest packet known to have arrived out of order */
    uint32_t sacked;             /* packets received out of order */
    uint32_t holes;              /* lost packets not yet retransmitted */
    uint64_t recover;            /* 'next' when the phase began */
    uint64_t repair_at;          /* 'next' at the last retransmission */
    uint64_t cut_at;             /* 'next' when the window was cut for a mark */
    uint64_t round_at;           /* 'next' when the round began */
    uint64_t srtt_ps, rttvar_ps, rto_ps;
    uint64_t deadline_ps;        /* expiry of the timer; NEVER: nothing in flight */
    uint32_t burst;              /* packets left in the current burst */
    uint32_t next_ready, next_woken, next_active, prev_active;   /* lists of the host's flows */
    uint8_t  phase;
    bool     is_queued;          /* waits for its turn */
    bool     is_woken;           /* in the list of flows that the stack will handle */
    bool     is_urgent;          /* one packet may exceed the window: the first retransmission */

    _Alignas(8) char state[TCP_STATE_MAX];
    uint64_t is_sacked[TCP_PACKETS_MAX / 64];            /* by packet number, modulo */
};

struct tcp_rx {
    uint64_t end;                /* bytes of the flow; UINT64_MAX: not known yet */
    uint32_t out_of_order;       /* packets kept */
    uint32_t unacked;            /* packets since the last ACK */
    bool     is_marked;          /* the last packet was marked */
    uint64_t has[TCP_PACKETS_MAX / 64];                  /* out-of-order packets, by number, modulo */
};

struct tcp_host {
    struct { uint32_t head, tail; } turn[PRIOS];         /* flows that wait for their turn, by class */
    uint32_t active;             /* list of flows */
    uint32_t woken;              /* list of flows that the stack will handle */
    uint8_t  ready;              /* bit c: a flow waits in class c */
    uint64_t served[PRIOS + 1];  /* by class, and RDMA: bytes divided by weight;
                                  * RDMA has that of the queue pair that started last */
    uint64_t served_last;        /* value of the class served last, which had the smallest */
};

struct tcp {
    struct tcp_tx   *tx;         /* by flow */
    struct tcp_rx   *rx;
    struct tcp_host *host;       /* by host */
};

static inline struct tcp *tcp_of(const struct sim *s)
{
    return (struct tcp *)s->hosts.own[TRANSPORT_TCP];
}

/* ---- bitmaps of packets, by number, modulo ---- */

static inline bool tcp_has_bit(const uint64_t *map, uint64_t n)
{
    return map[n % TCP_PACKETS_MAX / 64] >> (n % 64) & 1;
}

static inline void tcp_flip_bit(uint64_t *map, uint64_t n)
{
    map[n % TCP_PACKETS_MAX / 64] ^= 1ull << (n % 64);
}

/* ---- window ---- */

static inline struct tcp_tx *tcp_tx_of(const struct sim *s, const struct flow *f)
{
    return &tcp_of(s)->tx[f - s->flows.flow];
}

/* Returns the packets in flight. */
static inline uint64_t tcp_in_flight(const struct tcp_tx *t)
{
    return t->next - t->first - t->sacked - t->holes;
}

/* Returns the bytes sent and not acknowledged, for the congestion control. Packets received out of order
 * during loss recovery do not count: a window cut relative to them would have no effect. */
static inline uint64_t tcp_flight_bytes(const struct tcp_tx *t)
{
    uint64_t sent = (t->next - t->first) * t->window.mss_bytes;

    return sent < t->window.cwnd_bytes ? sent : t->window.cwnd_bytes;
}

/* ---- sender: turns, bursts, wake-ups of the stack, and the timer ---- */

/* Ends a flow that is completely acknowledged. */
void tcp_finish(struct sim *, struct host *, struct flow *);

/* Returns the size of the largest burst that a flow sends now, in packets. */
uint64_t tcp_full_burst(const struct tcp_tx *);

/* Schedules the stack to handle a flow soon, if it will have something to do. */
void tcp_wake(struct sim *, struct host *, struct flow *);

/* Restarts the retransmission timer of a flow. */
void tcp_restart_timer(struct sim *, const struct flow *);

#endif
