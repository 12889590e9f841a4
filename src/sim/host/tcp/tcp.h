/* src/sim/host/tcp/tcp.h - TCP beside RDMA: what there is. tcp_send.h sends, tcp_receive.h receives,
 * tcp_ack.h takes the acknowledgements.
 *
 * A TCP flow shares struct flow and struct flow_rx with queue pairs; what else it needs lies beside them,
 * under the same index: tcp_tx belongs to the source host, tcp_rx to the destination. There is no handshake:
 * a flow starts as if one had just measured the round trip.
 *
 * Packets are numbered: number n carries the bytes from n x mss on, also when it is sent again.
 *
 * Sending. The window (cc/tcp.h) limits the packets in flight, nothing paces them. As a real stack with
 * segmentation offload does, a sender hands over bursts: it waits until the window has room for a burst (an
 * eighth of the window, at most 'burst_bytes'), waits for its turn among the flows of its class, and then
 * sends the burst back to back. The classes of TCP, and the queue pairs together, share the host's link by
 * the weights of their classes, packet by packet.
 *
 * An ACK wakes the stack after a random time of up to 'wake_ps_max', as interrupts and schedulers do; it then
 * looks at all flows that had ACKs. Without that, senders of equal round trips keep step with the bottleneck,
 * and the same ones meet a full queue again and again (Floyd and Jacobson's phase effects).
 *
 * Receiving. An ACK for every second packet and at the end of a burst; at once for what is out of order,
 * closes a gap or ends the flow, and before the mark (ECN) of packets changes, so that every ACK tells the
 * marks of what it acknowledges (RFC 8257). What is out of order is kept, and the ACK names it (SACK).
 *
 * Repairing (RFC 6675). A packet is lost when three behind it have arrived, or when after a repair the next
 * one is still missing; one that was sent again, when three that were new after that have arrived. In flight
 * is what was sent, less what has arrived or is lost, plus what was sent again. The last resort is a timer
 * (RFC 6298).
 */
#ifndef SIM_HOST_TCP_TCP_H
#define SIM_HOST_TCP_TCP_H

#include "cc/tcp.h"
#include "sim/host/nic.h"

#include <stdbool.h>
#include <stdint.h>

#define TCP_PACKETS_MAX 4096u    /* receive window: 5.9 MB of 1448 B, as Linux has it */
#define TCP_SACK_BYTES  12u      /* one block */

enum tcp_phase {
    TCP_OPEN,
    TCP_RECOVERY,                /* a loss was noticed: until all that was in flight then is acknowledged */
    TCP_LOSS,                    /* likewise, by the timer */
};

struct tcp_tx {
    const struct tcp_cfg *cfg;
    struct tcp_window window;
    uint64_t first, next, end;   /* packets: not acknowledged; not yet sent; all */
    uint64_t lost_to;            /* those before it that have not arrived are lost */
    uint64_t resend;             /* the lost ones before it have been sent again */
    uint64_t top;                /* highest one known to have arrived out of order */
    uint32_t sacked;             /* arrived out of order */
    uint32_t holes;              /* lost and not sent again */
    uint64_t recover;            /* 'next' when the phase began */
    uint64_t repair_at;          /* 'next' when a packet was last sent again */
    uint64_t cut_at;             /* 'next' when the window was cut for a mark */
    uint64_t round_at;           /* 'next' when the round began */
    uint64_t srtt_ps, rttvar_ps, rto_ps;
    uint64_t deadline_ps;        /* of the timer; NEVER: nothing in flight */
    uint32_t burst;              /* packets left of it */
    uint32_t next_ready, next_woken, next_active, prev_active;   /* flows of the host */
    uint8_t  phase;
    bool     is_queued;          /* for its turn */
    bool     is_woken;           /* the stack will look at it */
    bool     is_urgent;          /* one packet may go whatever the window says: the first repair */

    _Alignas(8) char state[TCP_STATE_MAX];
    uint64_t is_sacked[TCP_PACKETS_MAX / 64];            /* by number, modulo */
};

struct tcp_rx {
    uint64_t end;                /* bytes of the flow; UINT64_MAX: not known yet */
    uint32_t out_of_order;       /* packets kept */
    uint32_t unacked;            /* packets since the last ACK */
    bool     is_marked;          /* the last packet was */
    uint64_t has[TCP_PACKETS_MAX / 64];                  /* out of order, by number, modulo */
};

struct tcp_host {
    struct { uint32_t head, tail; } turn[PRIOS];         /* flows that wait for their turn, by class */
    uint32_t active;             /* list of flows */
    uint32_t woken;              /* list of flows that the stack will look at */
    uint8_t  ready;              /* bit c: a flow waits in class c */
    uint8_t  rdma_prio;          /* class of the queue pair that started last: RDMA has its weight */
    uint64_t served[PRIOS + 1];  /* by class, and RDMA: bytes over weight */
    uint64_t served_last;        /* of the class served last, which had the least */
};

/* ---- maps of packets, by number, modulo ---- */

static inline bool tcp_has_bit(const uint64_t *map, uint64_t n)
{
    return map[n % TCP_PACKETS_MAX / 64] >> (n % 64) & 1;
}

static inline void tcp_flip_bit(uint64_t *map, uint64_t n)
{
    map[n % TCP_PACKETS_MAX / 64] ^= 1ull << (n % 64);
}

/* ---- what the window allows ---- */

static inline struct tcp_tx *tcp_tx_of(const struct sim *s, const struct flow *f)
{
    return &s->flows.tcp_tx[f - s->flows.flow];
}

/* Packets. */
static inline uint64_t tcp_in_flight(const struct tcp_tx *t)
{
    return t->next - t->first - t->sacked - t->holes;
}

/* Sent and not acknowledged, as algorithms ask for it. What arrived out of order while a loss was repaired
 * does not count: a cut by its measure would be none. */
static inline uint64_t tcp_flight_bytes(const struct tcp_tx *t)
{
    uint64_t sent = (t->next - t->first) * t->window.mss_bytes;

    return sent < t->window.cwnd_bytes ? sent : t->window.cwnd_bytes;
}

#endif
