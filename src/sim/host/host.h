/* src/sim/host/host.h - a NIC with its queue pairs.
 *
 * A flow is the message stream of one queue pair. The sender's half (struct flow) belongs to the source
 * host, the receiver's half (struct flow_rx) to the destination; they share an index, and a generation
 * tells a new flow from the last one that had the index.
 *
 * Sending. A queue pair with bytes left is either waiting (its pacer lets it send at next_ps > now; kept
 * in a heap) or ready (a bit in a bitmap). In model nic the pacer works off the bits of the last packet at
 * the rate of the moment, so a rate that changes moves next_ps; in model hpcc next_ps stays where it was
 * set. At each packet boundary acknowledgements go first, then the ready queue pair that comes next in
 * round robin. Positions are those of the HPCC ns-3 fork's list, finished queue pairs included until a
 * scan passes them, because the order in which they are served depends on it.
 */
#ifndef SIM_HOST_HOST_H
#define SIM_HOST_HOST_H

#include "cc/cc.h"
#include "sim/link/packet.h"

#include <stdbool.h>
#include <stdint.h>

struct sim;
struct port;
struct flow_spec;
struct cnp_entry;

#define CNP_SOURCES 1024         /* entries of the per-address CNP table; sources that share one share the spacing */

enum flow_phase { FLOW_FREE, FLOW_ACTIVE, FLOW_DONE };

struct flow {
    /* Touched for every packet sent or acknowledged. */
    uint64_t      bytes;         /* to send in all */
    uint64_t      sent;          /* first byte not yet sent (again) */
    uint64_t      acked;         /* first byte not acknowledged */
    uint64_t      next_ps;       /* the pacer lets it send from then on */
    uint64_t      look_ps;       /* while it waits: when to look at it, not after next_ps */
    struct cc_out out;
    uint64_t      gap_rate_bps;  /* gap_ps is right for this rate and size */
    uint64_t      gap_ps;
    uint16_t      gap_bytes;
    uint16_t      generation;
    uint32_t      host;          /* index of the source */
    uint32_t      position;      /* in the host's list */
    uint32_t      heap_at;       /* in the host's heap, or UINT32_MAX */
    uint8_t       prio, phase;
    bool          controlled;    /* congestion control works on its class */
    bool          is_answered;   /* traffic is told of its end */
    uint32_t      src, dst;      /* nodes */
    uint32_t      ports;
    uint32_t      traffic;
    uint32_t      next_free;
    uint8_t       tcp;           /* as in flow_spec; not 0: the rest is in struct tcp_tx, and it is not on 'list' */

    _Alignas(16) char cc[CC_STATE_MAX];

    uint64_t      start_ps, ideal_ps;
    uint64_t      tag;           /* what its traffic knows it by */
    uint64_t      sent_max;      /* highest byte ever sent: below it, bytes are sent again */
    uint64_t      resent_bytes;
    uint64_t      progress_ps;   /* when the last acknowledgement of something new came; model conweave: when its timer
                                  * was set, NEVER: it is not */
};

struct flow_rx {
    uint64_t expected;           /* next byte in order; UINT64_MAX: of no use, see selective_repeat.h and 'again' */
    uint64_t nacked_ps;          /* last NACK for nacked_seq */
    uint64_t nacked_seq;         /* UINT64_MAX: none */
    union {
        uint64_t          cnp_ps;        /* next CNP allowed from then on */
        struct cnp_entry *congested;     /* cc dcqcn_plus: its entry, or what once was its */
        uint64_t          again;         /* model conweave, of a flow that is over: next byte of its copies in order */
    };
    uint32_t unacked;            /* packets since the last ACK */
    uint16_t generation;
};

struct host {
    uint32_t  node, port;
    uint32_t  count;             /* entries in 'list', finished ones included */
    uint32_t  capacity;
    uint32_t  last;              /* position served last */
    uint32_t  dead;              /* finished entries */
    uint32_t  ready_count, heap_count;
    uint32_t *list;              /* flows by position */
    uint64_t *ready;             /* bit: may send now */
    uint64_t *finished;          /* bit: acknowledged in full */
    uint32_t *heap;              /* flows that wait for their pacer, by look_ps */
    const void *cc_cfg;
    uint64_t  rtt_due_ps;        /* keep a round trip from then on; NEVER: nobody asks */
    uint64_t  cnp_ps;            /* per-port CNP spacing */
    uint64_t *cnp_by_source;     /* per-address CNP spacing: next CNP allowed, by low bits of the source */
    uint32_t  active;            /* flows not finished */
    uint32_t  sport;             /* source ports used (models nic and conweave) */
    uint16_t *pair_sport;        /* next source port by destination (model hpcc) */
    struct cnp_entry *congested; /* of a ring: the one visited last; NULL: none */
    uint32_t  congested_count;
};

/* What TCP has in common with queue pairs: a reply to packet 'k', at once if nothing else goes first; the
 * last byte has come to its destination; the source knows that, and the flow is over. */
void host_reply(struct sim *, struct host *, const struct packet *k, enum packet_kind, uint64_t seq,
                uint32_t bytes, uint8_t flags);
void host_on_arrival(struct sim *, const struct flow *);
void host_end_flow(struct sim *, struct flow *);

/* Sends a CNP to the flow of packet 'k'. */
void host_notify(struct sim *, struct host *, const struct packet *k, uint64_t told_ps);

/* Starts a flow now. */
void host_start_flow(struct sim *, struct host *, const struct flow_spec *);

void host_on_packet(struct sim *, struct port *in, uint32_t id);

/* Port free, pause lifted, pacer due: send what may be sent. */
void host_kick(struct sim *, struct host *);

/* The retransmission timer: sends again what has waited too long, arms itself anew. */
void host_on_timeout(struct sim *, struct host *);

/* Catches up with every flow's timers, before the knobs change. */
void host_catch_up(struct sim *, struct host *);

void host_check(const struct sim *, const struct host *);

#endif
