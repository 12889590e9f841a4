/* src/sim/state/uet.h - Ultra Ethernet state that hosts and switches share. docs/uet.md describes the model.
 *
 * UET packets have the flag PACKET_TCP ("not a queue pair") and the bit UET in 'seq', which no TCP packet
 * has:
 *
 *   data    seq: flags below and the packet number; sent_ps: the credit that the sender requests
 *           a trimmed packet, a credit request (RTS) and a probe are data without payload
 *   ACK     seq: see uet_ack_pack(); sent_ps: bitmap of 64 packets
 *   pull    an ACK with UET_ACK_PULL; sent_ps: the total credit granted
 *   NACK    seq as in an ACK, for a trimmed packet
 *
 * The source port carries the entropy value (EV): the flow's port XOR the EV.
 */
#ifndef SIM_STATE_UET_H
#define SIM_STATE_UET_H

#include "cc/cc.h"
#include "lb/entropy.h"

#include <stdbool.h>
#include <stdint.h>

#define UET           (1ull << 63)
#define UET_ASKS      (1ull << 62)       /* data: the sender requests an immediate ACK */
#define UET_AGAIN     (1ull << 61)       /* retransmission */
#define UET_RTS       (1ull << 60)
#define UET_PROBE     (1ull << 59)
#define UET_TRIMMED   (1ull << 58)
#define UET_AT_LAST   (1ull << 57)       /* trimmed at the last hop, before the receiver's link */
#define UET_NUMBER    0xffffffffull

#define UET_ACK_AGAIN  2u                /* acknowledges a retransmission */
#define UET_ACK_PULL   4u
#define UET_ACK_PROBE  8u                /* answers a probe or an RTS; 'number' is the probe's number, or 0 */
#define UET_ACK_MARKED 16u
#define UET_ACK_AT_LAST 32u

/* limit of packets between the first missing one and the last sent one */
#define UET_RING_MAX  4096u
#define UET_RING_MIN  128u
#define UET_CREDIT_UNIT 256u             /* bytes */

struct uet_host;

/* State of model uet. classes == 0: another model. */
struct uet_state {
    uint8_t  classes;            /* of data and headers; bit mask */
    uint8_t  prios;              /* of data */
    uint8_t  head_prio;          /* of headers, ACKs, NACKs and pulls: first in every queue */
    bool     has_trim, has_credit, has_sleek;
    /* control of UET connections; queue pairs in other classes use the control of their host */
    const struct cc_algo *cc;
    uint32_t trim_bytes;         /* size of a trimmed packet, RTS or probe */
    uint32_t queue_bytes_max[8];     /* queue limit of a port, by class; 0: not UET */
    uint32_t ring;               /* a power of two, up to UET_RING_MAX */
    uint64_t window_bytes_max;   /* 1.5 BDP of the fastest host */
    struct uet_host *host;       /* by host */
};

/* Sender state of this part, in cache lines; line 0 is not used. Messages of a few packets use a small
 * ring. */
struct uet_pool {
    char    *line;
    uint32_t used, limit;
    uint32_t free[2];            /* free lists for small and large rings */
};

#define UET_RING_SMALL 64u

/* Senders that spray. kind 0: another balancer. */
struct spray_state {
    uint8_t  kind;               /* enum entropy_kind + 1 */
    uint32_t paths, goods;
    char    *state;              /* by flow: struct entropy, its penalties and its good EVs */
    size_t   stride;
};

struct uet_ack {
    uint32_t expected;           /* all packets before it have arrived */
    uint32_t kept;               /* number of packets received beyond it */
    uint32_t number;             /* number of the acknowledged packet */
    uint32_t flags;              /* UET_ACK_AGAIN, .. */
};

/* Layout: 31 bits expected, 6 bits flags, 12 bits kept, 13 bits number - expected. For a probe: its
 * number. */
static inline uint64_t uet_ack_pack(const struct uet_ack *a)
{
    uint32_t number = a->flags & UET_ACK_PROBE ? a->number : a->number - a->expected + UET_RING_MAX;

    return UET | (uint64_t)(a->expected & 0x7fffffffu) << 32 | (uint64_t)a->flags << 25 |
           (uint64_t)(a->kept < 4095 ? a->kept : 4095) << 13 | (number & 8191u);
}

static inline struct uet_ack uet_ack_unpack(uint64_t seq)
{
    uint32_t       low = (uint32_t)seq;
    struct uet_ack a = { (uint32_t)(seq >> 32) & 0x7fffffffu, low >> 13 & 4095u, low & 8191u,
                         low >> 25 & 63u };

    if (!(a.flags & UET_ACK_PROBE))
        a.number += a.expected - UET_RING_MAX;
    return a;
}

/* Returns the first packet of the bitmap, which covers the 64 packets up to the acknowledged one. */
static inline uint32_t uet_map_begin(const struct uet_ack *a)
{
    return a->flags & UET_ACK_PROBE || a->number <= a->expected + 64 ? a->expected + 1 : a->number - 63;
}

#endif
