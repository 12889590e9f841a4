/* src/sim/host/nic.h - a NIC and its queue pairs.
 *
 * A flow is a queue pair with a message. The sender's half (struct flow) belongs to the source host, the
 * receiver's half (struct flow_rx) to the destination. They share an index; a generation distinguishes flows
 * that use it one after the other. A persistent flow continues with other messages: see flow.h.
 *
 * A flow is posted (post.h). With bytes left it is either waiting (its pacer lets it send at next_ps > now;
 * in a heap) or ready (a bit in a bitmap): pacer.h. turn.h chooses among the ready ones, and send.h sends.
 * Packets that arrive are received (receive.h) and answered (reply.h, np.h); answer.h handles the answers.
 */
#ifndef SIM_HOST_NIC_H
#define SIM_HOST_NIC_H

#include "cc/cc.h"
#include "sim/state/state.h"

#include <stdbool.h>
#include <stdint.h>

/* Keeps rare code out of the event loop, which must stay small to be compiled as one function. */
#define APART __attribute__((noinline))

#define CNP_SOURCES 1024         /* entries of the per-address CNP table; sources that share one share the
                                  * spacing */

enum flow_phase { FLOW_FREE, FLOW_ACTIVE, FLOW_DONE, FLOW_IDLE };   /* idle: lasting, with nothing to send */

struct flow {
    /* Touched for every packet sent or acknowledged. */
    uint64_t      bytes;         /* to send in all; lasting: first byte behind the message that is being
                                  * sent */
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
    bool          is_answered;   /* its end is reported to traffic */
    uint32_t      src, dst;      /* nodes */
    uint32_t      ports;
    uint32_t      traffic;
    uint32_t      next_free;
    uint8_t       tcp;           /* as in flow_spec; not 0: the rest is in struct tcp_tx, and it is not on
                                  * 'list' */
    bool          is_lasting : 1;    /* see flow.h; otherwise it is over with its message */
    bool          is_uet : 1;    /* see uet/uet.h */
    bool          is_ud : 1;     /* its messages are datagrams: see verbs.h */
    uint16_t      timeouts;      /* in a row, while 'acked' is timeout_acked */
    uint64_t      end;           /* it, or its oldest message, is over when so much is acknowledged */

    uint64_t      start_ps, ideal_ps;
    uint64_t      pair_rtt_ps, pair_bdp_bytes;   /* window_by_pair: of its two hosts */
    uint64_t      tag;           /* what its traffic knows it by */
    uint64_t      sent_max;      /* highest byte ever sent; bytes below are retransmitted */
    uint64_t      resent_bytes;
    uint64_t      progress_ps;   /* when new bytes were last acknowledged; with model.on_timeout: when its
                                  * timer was set, or NEVER; idle: since when */
    uint64_t      asked;         /* first byte after the last packet that asked for an ACK; 0: none since
                                  * it went back */
    uint64_t      timeout_acked; /* 'acked' at the last time-out */
    uint64_t      timeout_sent;  /* bytes below this are sent again because of a time-out */
    uint64_t      held_ps;       /* does not send before: after an RNR NACK */
};

/* The state of congestion control, in an array parallel to flows. */
static inline void *flow_cc(const struct sim *s, const struct flow *f)
{
    return s->flows.cc_state + (size_t)(f - s->flows.flow) * s->flows.cc_stride;
}

struct flow_rx {
    uint64_t expected;           /* next byte in order; UINT64_MAX: of no use, see selective_repeat.h and
                                  * 'again' */
    uint64_t nacked_ps;          /* last NACK for nacked_seq */
    uint64_t nacked_seq;         /* UINT64_MAX: none */
    union {
        uint64_t          cnp_ps;        /* next CNP allowed from then on */
        struct cnp_entry *cnp_entry;     /* turns: its entry, or what once was its */
        uint64_t          again;         /* of a flow that was forgotten: next byte of its copies in order */
    };
    uint32_t unacked;            /* packets since the last ACK */
    uint16_t generation;
};

struct host {
    _Alignas(EVQ_LINE) struct event wake;        /* its pacer lets a queue pair send */
    struct port *port;
    uint64_t *ready;             /* bit: may send now */
    uint64_t *heap_ps;           /* look_ps of flows that wait for their pacer: a heap, and whose they are
                                  * below */
    uint32_t  ready_count, heap_count;
    uint32_t *heap;
    uint32_t  dead;              /* finished entries of 'list' */
    uint32_t  last;              /* position served last */

    uint32_t  count;             /* entries in 'list', finished ones included */
    uint32_t  id;                /* among hosts */
    uint32_t  node;
    uint32_t  capacity;
    uint32_t *list;              /* flows by position */
    uint64_t *finished;          /* bit: acknowledged in full */
    const struct cc_algo *cc;    /* its congestion control, */
    const void *cc_cfg;          /* as it is configured */
    uint64_t  rtt_due_ps;        /* record a round trip from then on; NEVER: not needed */
    uint64_t  cnp_ps;            /* per-port CNP spacing */
    uint64_t *cnp_by_source;     /* per-address CNP spacing: next CNP allowed, by low bits of the source;
                                  * NULL: none so far */
    uint32_t  active;            /* flows not finished */
    uint32_t  sport;             /* source ports used, */
    uint16_t *pair_sport;        /* or the next one by destination */
    struct cnp_entry *cnp_last;  /* of a ring: the one visited last; NULL: none */
    uint32_t  cnp_count;         /* of its entries */
    uint8_t   ready_prios;       /* only these classes are ready (bit mask); 0: unknown. See turn.c */
    uint32_t  cc_at;             /* of host_state.cc_cfg: which is that of hosts like this one, */
    uint32_t  uet_at;            /* and that of their connections of model uet, */
    const void *uet_cfg;         /* as it is configured */
    uint32_t  kept;              /* finished entries of 'list' that the turn does not remove: see
                                  * model.keep_finished */
    uint32_t  turn_left;         /* SEND_FIFO: bytes that 'last' may still send in its turn, */
    uint64_t  fetched_ps;        /* and when the last packet has come from memory */
    uint32_t  pairs;             /* its lasting queue pairs: first of a list; 0: none */
};

/* A round trip has been measured. */
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
