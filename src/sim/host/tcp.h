/* src/sim/host/tcp.h - TCP beside RDMA.
 *
 * A TCP flow shares struct flow and struct flow_rx with queue pairs; what else it needs lies beside them,
 * under the same index: tcp_tx belongs to the source host, tcp_rx to the destination. There is no
 * handshake: a flow starts as if one had just measured the round trip.
 *
 * Packets are numbered: number n carries the bytes from n x mss on, also when it is sent again.
 *
 * Sending. The window (cc/tcp.h) limits the packets in flight, nothing paces them. As a real stack with
 * segmentation offload does, a sender hands over bursts: it waits until the window has room for a burst (an
 * eighth of the window, at most 'burst_bytes'), waits for its turn among the flows of its class, and then
 * sends the burst back to back. The classes of TCP, and the queue pairs together, share the host's link by
 * the weights of their classes, packet by packet.
 *
 * An ACK wakes the stack after a random time of up to 'wake_ps_max', as interrupts and schedulers do; it
 * then looks at all flows that had ACKs. Without that, senders of equal round trips keep step with the
 * bottleneck, and the same ones meet a full queue again and again (Floyd and Jacobson's phase effects).
 *
 * Receiving. An ACK for every second packet and at the end of a burst; at once for what is out of order,
 * closes a gap or ends the flow, and before the mark (ECN) of packets changes, so that every ACK tells the
 * marks of what it acknowledges (RFC 8257). What is out of order is kept, and the ACK names it (SACK).
 *
 * Repairing (RFC 6675). A packet is lost when three behind it have arrived, or when after a repair the next
 * one is still missing; one that was sent again, when three that were new after that have arrived. In
 * flight is what was sent, less what has arrived or is lost, plus what was sent again. The last resort is a
 * timer (RFC 6298).
 */
#ifndef SIM_HOST_TCP_H
#define SIM_HOST_TCP_H

#include "cc/tcp.h"
#include "sim/link/port.h"

#include <stdbool.h>
#include <stdint.h>

struct sim;
struct host;
struct flow;
struct packet;

#define TCP_CFGS_MAX     64      /* entries of a scenario's traffic */
#define TCP_PACKETS_MAX  4096u   /* receive window: 5.9 MB of 1448 B, as Linux has it */
#define TCP_HEADER_BYTES 70u     /* Ethernet 14 + IPv4 20 + TCP 20 + time stamps 12 + FCS 4 */
#define TCP_SACK_BYTES   12u     /* one block */
#define TCP_ACK_EVERY    2u      /* packets per ACK */

struct tcp_cfg {                 /* of one entry of the traffic */
    const struct tcp_algo *algo;
    uint32_t mss_bytes;          /* payload of a full packet */
    uint32_t burst_bytes;        /* of payload, at most, back to back */
    uint64_t rto_ps_min;
    uint64_t wake_ps_max;        /* from an ACK to the stack's answer, at most; random */
    bool     is_ecn;             /* switches may mark its packets */
};

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
    uint8_t  ready;              /* bit c: somebody waits in class c */
    uint8_t  rdma_prio;          /* class of the queue pair that started last: RDMA has its weight */
    uint64_t served[PRIOS + 1];  /* by class, and RDMA: bytes over weight */
    uint64_t served_last;        /* that of the one who went last: nobody has less */
};

void tcp_start(struct sim *, struct host *, struct flow *);

void tcp_on_data(struct sim *, struct host *, const struct packet *);
void tcp_on_ack(struct sim *, struct host *, struct flow *, const struct packet *);

/* The timer of a host's flows; the moment at which its stack looks at ACKs. */
void tcp_on_timer(struct sim *, uint32_t host);
void tcp_on_wake(struct sim *, uint32_t host);

/* Sends one packet of TCP, if it is TCP's turn. False: nothing was sent; it is the turn of the queue pairs, if
 * they have something to send (has_rdma). */
bool tcp_send(struct sim *, struct host *, bool has_rdma);

void tcp_check(const struct sim *, const struct host *);

#endif
