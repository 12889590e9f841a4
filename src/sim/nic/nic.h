/* src/sim/nic/nic.h - a NIC and its queue pairs.
 *
 * A flow is a queue pair with a message. The sender's half (struct flow) belongs to the source host, the
 * receiver's half (struct flow_rx) to the destination. They share an index; a generation distinguishes
 * successive flows with the same index. A persistent flow continues with other messages: see flow.h.
 *
 * A message is posted (post.h). A flow with bytes left is either waiting (in a heap; its pacer lets it send
 * at next_ps > now) or ready (a bit in a bitmap): pacer.h. turn.h chooses among the ready flows, and send.h
 * sends. Transports form packets, receive and answer them, and handle answers: transport.h.
 */
#ifndef SIM_NIC_NIC_H
#define SIM_NIC_NIC_H

#include "sim/cc/cc.h"
#include "sim/state/state.h"

#include <stdbool.h>
#include <stdint.h>

/* Keeps rare code out of the event loop, which must stay small enough to be compiled as one function. */
#define APART __attribute__((noinline))

#define CNP_SOURCES 1024         /* entries of the table of CNP spacing; sources may share one */

enum flow_phase { FLOW_FREE, FLOW_ACTIVE, FLOW_DONE, FLOW_IDLE };   /* IDLE: persistent, no message */

struct flow {
    /* Touched for every packet sent or acknowledged. */
    uint64_t      bytes;         /* total to send; persistent: end of the message being sent */
    uint64_t      sent;          /* next byte to send */
    uint64_t      acked;         /* first byte not acknowledged */
    uint64_t      next_ps;       /* earliest time of the next packet, set by the pacer */
    uint64_t      look_ps;       /* while it waits: time of the next check, not after next_ps */
    struct cc_out out;
    uint64_t      gap_rate_bps;  /* gap_ps is valid for this rate and size */
    uint64_t      gap_ps;
    uint16_t      gap_bytes;
    uint16_t      generation;
    uint32_t      host;          /* index of the source host */
    uint32_t      position;      /* in the host's list */
    uint32_t      heap_at;       /* position in the host's heap, or UINT32_MAX */
    uint8_t       prio, phase;
    bool          controlled;    /* congestion control is enabled for its class */
    bool          is_answered;   /* its end is reported to traffic */
    uint32_t      src, dst;      /* nodes */
    uint32_t      ports;
    uint32_t      traffic;
    uint32_t      next_free;
    uint8_t       transport;     /* enum transport_id: see transport.h */
    uint8_t       tcp;           /* as in flow_spec */
    bool          is_lasting : 1;    /* persistent: see flow.h; otherwise it ends with its message */
    uint16_t      timeouts;      /* consecutive timeouts, while 'acked' is timeout_acked */
    uint64_t      end;           /* bytes acknowledged when the flow, or its oldest message, is done */

    uint64_t      start_ps, ideal_ps;
    uint64_t      pair_rtt_ps, pair_bdp_bytes;   /* window_by_pair: values of its pair of hosts */
    uint64_t      tag;           /* identifies it to its traffic */
    uint64_t      sent_max;      /* highest byte ever sent; lower bytes are retransmissions */
    uint64_t      resent_bytes;
    uint64_t      progress_ps;   /* last acknowledgement of new bytes; with model.on_timeout: when its timer
                                  * was set, or NEVER; idle: since when */
    uint64_t      asked;         /* end of the last packet that requested an ACK; 0: none since go-back */
    uint64_t      timeout_acked; /* 'acked' at the last timeout */
    uint64_t      timeout_sent;  /* bytes below this are retransmitted because of a timeout */
    uint64_t      held_ps;       /* does not send before this, after an RNR NACK */
};

/* Returns the congestion control state, in an array parallel to flows. */
static inline void *flow_cc_at(const struct sim *s, size_t flow)
{
    return s->flows.cc_state + flow * s->flows.cc_stride;
}

static inline void *flow_cc(const struct sim *s, const struct flow *f)
{
    return flow_cc_at(s, (size_t)(f - s->flows.flow));
}

struct flow_rx {
    uint64_t expected;           /* next byte in order; UINT64_MAX: see selective_repeat.h and 'again' */
    uint64_t nacked_ps;          /* time of the last NACK for nacked_seq */
    uint64_t nacked_seq;         /* UINT64_MAX: none */
    union {
        uint64_t          cnp_ps;        /* no CNP before this */
        struct cnp_entry *cnp_entry;     /* rotation: its entry, or a former one */
        uint64_t          again;         /* of a forgotten flow: next byte of its duplicates in order */
    };
    uint32_t unacked;            /* packets since the last ACK */
    uint16_t generation;
};

struct host {
    _Alignas(EVQ_LINE) struct event wake;        /* the pacer lets a queue pair send */
    struct port *port;
    uint64_t *ready;             /* bit: may send now */
    uint64_t *heap_ps;           /* heap of look_ps of flows that wait for their pacer; the flows are below */
    uint32_t  ready_count, heap_count;
    uint32_t *heap;
    uint32_t  dead;              /* finished entries of 'list' */
    uint32_t  last;              /* position served last */

    uint32_t  count;             /* entries in 'list', finished ones included */
    uint32_t  id;                /* index among hosts */
    uint32_t  node;
    uint32_t  capacity;
    uint32_t *list;              /* flows by position */
    uint64_t *finished;          /* bit: completely acknowledged */
    const struct cc_algo *cc;    /* its congestion control .. */
    const void *cc_cfg;          /* .. and its configuration */
    uint64_t  rtt_due_ps;        /* record a round trip from then on; NEVER: not needed */
    uint64_t  cnp_ps;            /* per-port CNP spacing */
    uint64_t *cnp_by_source;     /* next CNP allowed, by low bits of the source address; NULL: none so far */
    uint32_t  active;            /* unfinished flows */
    uint32_t  sport;             /* source ports used .. */
    uint16_t *pair_sport;        /* .. or the next one by destination */
    struct cnp_entry *cnp_last;  /* ring: the entry visited last; NULL: none */
    uint32_t  cnp_count;         /* entries in the ring */
    uint8_t   ready_prios;       /* only these classes are ready (bit mask); 0: unknown. See turn.c */
    uint8_t   last_prio;         /* class of the flow that joined the round robin last */
    uint32_t  cc_at;             /* index in host_state.cc_cfg */
    uint32_t  kept;              /* finished entries of 'list' that stay there: see model.keep_finished */
    uint32_t  turn_left;         /* tx_fifo: bytes that 'last' may still send in its turn */
    uint64_t  fetched_ps;        /* tx_fifo: when the last packet has been fetched from memory */
    uint32_t  pairs;             /* head of the list of its persistent queue pairs; 0: none */
};

/* Returns the flow that a packet answers, or NULL if it has nothing in flight. */
static inline struct flow *flow_answered(const struct sim *s, const struct packet *k)
{
    struct flow *f = &s->flows.flow[k->flow];

    return f->phase == FLOW_ACTIVE && f->generation == k->generation ? f : NULL;
}

/* Records a measured round trip. */
static inline void nic_count_rtt(struct sim *s, struct host *h, const struct flow *f, uint64_t rtt_ps)
{
    s->engine.counters.rtt_ps_sum += rtt_ps;
    s->engine.counters.rtt_samples++;
    if (rtt_ps > s->engine.rtt_ps_peak)
        s->engine.rtt_ps_peak = rtt_ps;
    if (s->engine.now_ps >= h->rtt_due_ps)
        s->watch.on_rtt(s->watch.arg, s->engine.now_ps, h, f, rtt_ps);
}

#endif
