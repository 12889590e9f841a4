/* src/sim/event/packet.h - packets.
 *
 * A packet is one cache line, identified by its number; 0 means no packet. It is in exactly one place (a
 * queue, a wire, or the function that handles it), so one 'next' field serves every list. A packet on a wire
 * is also the event of its own arrival.
 */
#ifndef SIM_EVENT_PACKET_H
#define SIM_EVENT_PACKET_H

#include "cc/cc.h"
#include "lb/conweave.h"
#include "lb/lb.h"
#include "sim/event/evq.h"

#include <stdint.h>

enum packet_kind {
    PACKET_DATA,
    PACKET_ACK,                  /* seq: all bytes before it have arrived */
    PACKET_NACK,                 /* seq: the byte that was expected */
    PACKET_CNP,                  /* also probes. seq: time until the next CNP, if known (np/cnp_arbiter.h) */
    PACKET_PFC,                  /* seq: 1 pause, 0 resume; prio: the paused or resumed class */
};

#define PACKET_ECN  1u           /* a switch has marked it */
#define PACKET_ECHO 2u           /* ACK: the acknowledged packet was marked (model hpcc) */
#define PACKET_LAST 4u           /* data: last packet of the message */
#define PACKET_TCP  8u           /* belongs to a TCP flow: see sim/host/tcp/tcp.h */
#define PACKET_NOT_ECT 16u       /* switches do not mark it */
#define PACKET_COUNTED PACKET_ECHO   /* data of queue pairs: a monitor has counted it */
#define PACKET_PUSH PACKET_ECHO  /* TCP data: last packet of a burst */
#define PACKET_HOLE PACKET_TCP /* NACK: sent_ps is the missing range, from << 32 | to (selective_repeat.h) */
#define PACKET_RNR PACKET_LAST   /* NACK: the receiver has no receive posted: see sim/host/flow.h */
#define PACKET_PROBE PACKET_LAST     /* CNP: an RTT probe; seq is its id: see sim/host/probe.h */
#define PACKET_RETURNED PACKET_ECHO  /* CNP: a probe on its way back */
#define PACKET_INSIDE PACKET_TCP     /* CNP, at hosts: a message inside a server (server/inside.h) */
#define PACKET_WOVEN PACKET_TCP      /* CNP: a control frame between switches, see sim/switch/weave.h */
#define PACKET_SACK PACKET_LAST  /* TCP ACK: sent_ps holds a bitmap of packets received out of order */

/* Flags in 'seq' of queue pair data:
 *   SEQ_TIMEOUT  retransmitted after a timeout
 *   SEQ_ASKS     the sender requests an ACK (the AckReq bit of RoCE)
 *   SEQ_SEND     begins a SEND, which consumes a receive
 * Receivers never expect a sequence number with such a bit, so the common case need not test for them: see
 * sim/host/receive.c. */
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
    uint16_t bytes;              /* frame size with headers */
    uint16_t payload;
    uint16_t generation;         /* generation of the flow index */
    uint8_t  kind;
    uint8_t  prio : 3, flags : 5;
};

_Static_assert(sizeof(struct packet) == EVQ_LINE, "a packet is one cache line");

struct inband {               /* telemetry in a packet: see link/path.h */
    struct cc_hop hop[CC_HOPS_MAX];
    uint8_t       records;       /* more than CC_HOPS_MAX: some records did not fit */
    uint8_t       hops;          /* CC_PATH: number of switches passed */
    uint16_t      digest;
    uint64_t      stay_ps;       /* CC_PATH: arrival time; in an ACK: how long the receiver held the packet */
};

#define PACKETS_SPARE 65536u     /* most packets that one event and one poll of other parts may create */

struct packet_pool {
    struct packet *packet;       /* all lines; those from 'first' on are packets */
    struct lb_tag *tag;          /* parallel to packets: see packet_tag(); NULL: no tags */
    struct inband *inband;       /* likewise: see packet_inband(); NULL: no telemetry */
    struct conweave_tag *woven;  /* likewise: see packet_woven(); NULL: no ConWeave */
    uint32_t       first;
    uint32_t       free;         /* free list */
    uint32_t       used;         /* ids from here on were never used */
    uint32_t       live, live_max;
    uint32_t       limit;        /* the run fails when this id is reached; memory has PACKETS_SPARE more */
};

static inline struct lb_tag *packet_tag(const struct packet_pool *p, uint32_t id)
{
    return &p->tag[id - p->first];
}

static inline struct inband *packet_inband(const struct packet_pool *p, uint32_t id)
{
    return &p->inband[id - p->first];
}

static inline struct conweave_tag *packet_woven(const struct packet_pool *p, uint32_t id)
{
    return &p->woven[id - p->first];
}

static inline void packet_free(struct packet_pool *p, uint32_t id)
{
    p->packet[id].next = p->free;
    p->free = id;
    p->live--;
}

#endif
