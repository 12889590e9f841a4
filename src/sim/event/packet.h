/* src/sim/event/packet.h - packets.
 *
 * A packet is one cache line, known by its number; 0 is no packet. It is in exactly one place (a queue, a
 * wire, or the function that handles it), so one 'next' field serves every list. On a wire it is an event:
 * its own arrival.
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
    PACKET_CNP,                  /* seq: until the next one, if the receiver knows: see
                                  * sim/host/np/cnp_arbiter.h; and probes */
    PACKET_PFC,                  /* seq: 1 pause, 0 resume; prio: the class it is about */
};

#define PACKET_ECN  1u           /* a switch has marked it */
#define PACKET_ECHO 2u           /* ACK: the packet it answers was marked (model hpcc) */
#define PACKET_LAST 4u           /* data: ends the message */
#define PACKET_TCP  8u           /* of a TCP flow: see sim/host/tcp/tcp.h */
#define PACKET_NOT_ECT 16u       /* switches do not mark it */
#define PACKET_COUNTED PACKET_ECHO   /* data of queue pairs: a monitor has counted it */
#define PACKET_PUSH PACKET_ECHO  /* TCP data: ends a burst */
#define PACKET_HOLE PACKET_TCP   /* NACK of selective repeat: sent_ps holds the hole, from << 32 | to: see
                                  * sim/host/selective_repeat.h */
#define PACKET_RNR PACKET_LAST   /* NACK: the receiver has no receive posted: see sim/host/verbs.h */
#define PACKET_PROBE PACKET_LAST     /* of kind CNP: an RTT probe, seq is what its sender knows it by: see
                                      * sim/host/probe.h; */
#define PACKET_RETURNED PACKET_ECHO  /* and it is on its way back */
#define PACKET_INSIDE PACKET_TCP     /* of kind CNP, at hosts: a message inside a server, see
                                      * sim/host/server/inside.h */
#define PACKET_WOVEN PACKET_TCP      /* of kind CNP: from one switch to another, see sim/switch/weave.h */
#define PACKET_SACK PACKET_LAST  /* TCP ACK: sent_ps holds the packets that came out of order */

/* Flags in 'seq' of data of queue pairs: a time-out caused it to be sent again; its sender asks for an ACK
 * (the AckReq bit of RoCE); it begins a SEND, which takes a receive. No receiver expects such a number, so
 * the common case need not test for them: see sim/host/receive.c. */
#define SEQ_TIMEOUT (1ull << 63)
#define SEQ_ASKS    (1ull << 62)
#define SEQ_SEND    (1ull << 61)
#define SEQ_BITS    (SEQ_SEND - 1)       /* the number itself */

/* Values of in_port that are not a port. */
#define UNBOOKED     UINT32_MAX
#define BOOKED_LOSSY (UINT32_MAX - 1)    /* in the buffer, but on no account of PFC: see switch/switch.c */
#define BOOKED_APART 0x80000000u         /* with a port in the other bits: see struct account */

struct packet {
    union {
        struct event event;      /* on a wire: it arrives */
        struct {
            uint64_t at_ps, order;
            uint32_t next;
            uint32_t in_port;    /* in a switch: the port it came in by and is booked to, or one of the
                                  * above */
        };
    };
    uint32_t flow;               /* the sender's flow */
    uint32_t src, dst;           /* nodes */
    uint32_t ports;              /* source port | destination port << 16 */
    uint64_t seq;                /* data: its first byte, perhaps with SEQ_TIMEOUT or SEQ_ASKS */
    uint64_t sent_ps;            /* data: when it left the sender; an ACK returns it */
    uint16_t bytes;              /* the frame, headers included */
    uint16_t payload;
    uint16_t generation;         /* of the flow's index */
    uint8_t  kind;
    uint8_t  prio : 3, flags : 5;
};

_Static_assert(sizeof(struct packet) == EVQ_LINE, "a packet is one cache line");

struct inband {               /* telemetry in a packet: see link/path.h */
    struct cc_hop hop[CC_HOPS_MAX];
    uint8_t       records;       /* more than CC_HOPS_MAX: there was no room for all */
    uint8_t       hops;          /* CC_PATH: switches that it passed, */
    uint16_t      digest;
    uint64_t      stay_ps;       /* and when it arrives; of an answer how long the receiver had it */
};

#define PACKETS_SPARE 65536u     /* as many as one event and one look at other parts may make */

struct packet_pool {
    struct packet *packet;       /* all lines; those from 'first' on are packets */
    struct lb_tag *tag;          /* parallel to packets: see packet_tag(); NULL: the balancer writes
                                  * nothing on packets */
    struct inband *inband;       /* likewise: see packet_inband(); NULL: no telemetry */
    struct conweave_tag *woven;  /* likewise: see packet_woven(); NULL: not ConWeave */
    uint32_t       first;
    uint32_t       free;         /* list of returned ids */
    uint32_t       used;         /* from here on, ids were never handed out */
    uint32_t       live, live_max;
    uint32_t       limit;        /* with such an id the run has failed; there is room for PACKETS_SPARE
                                  * more */
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
