/* src/sim/event/packet.h - packets.
 *
 * A packet is one cache line, identified by its number; 0 means no packet. It is in exactly one place (a
 * queue, a wire, or the function that handles it), so one 'next' field serves every list. A packet on a wire
 * is also the event of its own arrival. */
#ifndef SIM_EVENT_PACKET_H
#define SIM_EVENT_PACKET_H

#include "sim/event/counters.h"
#include "sim/event/evq.h"

#include <stdbool.h>
#include <stdint.h>

#define PACKET_CLASS_SHIFT 4

/* What a packet is: see kinds.def. The class is in the high bits. */
enum packet_kind {
#define KIND(class, number, name, on_arrival) name = CLASS_##class << PACKET_CLASS_SHIFT | number,
#include "sim/event/kinds.def"
};

/* Flags. */
#define PACKET_ECN     1u        /* a switch has marked it */
#define PACKET_ECHO    2u        /* the packet that this one answers was marked */
#define PACKET_LAST    4u        /* last packet of its message */
#define PACKET_COUNTED 8u        /* a monitor has counted it */
#define PACKET_NOT_ECT 16u       /* switches do not mark it */
#define PACKET_FLAGS   31u

/* Flags in 'seq' of RC_DATA:
 *   SEQ_TIMEOUT  retransmitted after a timeout
 *   SEQ_ASKS     the sender requests an ACK (the AckReq bit of RoCE)
 *   SEQ_SEND     begins a SEND, which consumes a receive
 * Receivers never expect a sequence number with such a bit, so the common case need not test for them: see
 * sim/transport/rc/rc_receive.c. */
#define SEQ_TIMEOUT (1ull << 63)
#define SEQ_ASKS    (1ull << 62)
#define SEQ_SEND    (1ull << 61)
#define SEQ_BITS    (SEQ_SEND - 1)       /* the sequence number without flags */

/* Values of in_port that are not ports. */
#define UNBOOKED     UINT32_MAX
#define BOOKED_LOSSY (UINT32_MAX - 1)    /* in the buffer, but not in PFC accounting: see switch/switch.c */
#define BOOKED_APART 0x80000000u         /* with a port number in the other bits: see struct account */

struct packet {
    union {
        struct event event;      /* on a wire: the packet's arrival */
        struct {
            uint64_t at_ps, order;
            uint32_t next;
            uint32_t in_port;    /* in a switch: the ingress port that is charged, or one of the above */
        };
    };
    uint32_t flow;               /* the sender's flow */
    uint32_t src, dst;           /* nodes */
    uint32_t ports;              /* source port | destination port << 16 */
    uint64_t seq;                /* data: number of its first byte, possibly with SEQ_ flags */
    uint64_t sent_ps;            /* data: departure time at the sender; the ACK echoes it */
    uint16_t bytes;              /* frame size with headers; 0: it crosses no link */
    uint16_t payload;
    uint16_t generation;         /* generation of the flow index */
    uint8_t  kind;               /* enum packet_kind */
    uint8_t  prio : 3, flags : 5;
};

_Static_assert(sizeof(struct packet) == EVQ_LINE, "a packet is one cache line");

static inline enum packet_class packet_class(const struct packet *k)
{
    return (enum packet_class)(k->kind >> PACKET_CLASS_SHIFT);
}

/* Returns true for data of a RoCE queue pair. */
static inline bool packet_is_roce_data(const struct packet *k)
{
    return k->kind == RC_DATA || k->kind == UD_DATA;
}

#endif
