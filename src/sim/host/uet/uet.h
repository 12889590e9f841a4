/* src/sim/host/uet/uet.h - the connections of Ultra Ethernet. uet_send.h sends, uet_answer.h handles ACKs,
 * NACKs, pulls and time-outs, uet_receive.h receives, credit.h grants credit.
 *
 * A UET flow is a struct flow like a queue pair's, and takes its turn among them; what else it needs lies
 * beside it, under the same index: uet_tx belongs to the source host, uet_rx to the destination. docs/uet.md
 * describes the protocol; the algorithms are those of uet-htsim, without its accidents.
 *
 * Packets are numbered: number n carries the bytes from n x mtu on, also when it is sent again. Messages of a
 * persistent connection begin at a multiple of the MTU. A number from 'first' to 'next' is in one of three
 * states: out (a record says when it was sent), again (it waits to be sent again), or neither: it has
 * arrived. Records are a list in the order of sending, so the first one is the one that times out first.
 *
 * In flight is what is out, less what the receiver says to have without the maps of its ACKs having named it.
 * Since this is counted from records, it cannot drift; a flow with nothing in flight may always send one
 * packet. So a flow is never stuck: what is out times out, and what waits may be sent or, with receiver
 * credit, asked for.
 */
#ifndef SIM_HOST_UET_UET_H
#define SIM_HOST_UET_UET_H

#include "sim/host/nic.h"

#define UET_NONE UINT16_MAX

struct uet_record {
    uint64_t sent_ps;
    uint16_t older, newer;       /* places in the ring, or UET_NONE */
    uint16_t payload : 14;
    uint16_t times : 2;          /* it was sent; 3: or more */
    uint16_t ev;
};

struct uet_tx {
    uint32_t mask;               /* size of its ring - 1 */
    uint32_t first, next;        /* packets: not known to have arrived; not yet sent */
    uint32_t known;              /* beyond 'first', known to have arrived */
    uint32_t arrived;            /* in all, as the receiver says */
    uint32_t again;              /* wait to be sent again, */
    uint32_t again_from;         /* none of them before this */
    uint64_t again_bytes;
    uint64_t out_bytes;          /* of records */
    uint16_t oldest, newest;     /* records */
    bool     is_spec;            /* credit: no answer so far, sends on trust */
    bool     is_asked;           /* the packet sent last asks for an ACK */
    uint8_t  timeouts;           /* in a row, since a packet last arrived */
    bool     is_recovering;      /* SLEEK: until recovery_end has arrived, */
    uint32_t recovery_end, recovered;    /* all before 'recovered' were sent again if need be */
    uint32_t probe;              /* number of the last */
    uint64_t probe_ps;           /* when it was sent */
    uint64_t probe_due_ps;       /* of the next; NEVER: none */
    int64_t  credit_bytes;
    uint64_t pulled, requested;  /* credit in units: granted, and requested */
    uint64_t rts_ps;             /* when it last asked by an RTS */
};

struct uet_rx {
    uint32_t expected;           /* all before it have arrived, */
    uint32_t kept;               /* and so many beyond it */
    uint32_t unacked;            /* packets since the last ACK */
    bool     has_any;            /* a packet has arrived */
    bool     is_asked;           /* an ACK is due when nothing is missing */
    bool     is_over;            /* not persistent, and all has arrived */
    bool     is_listed;          /* credit: waits for its turn */
    uint32_t list_next, list_prev;
    uint32_t pulls;
    uint64_t end;                /* bytes of the message; UINT64_MAX: not known yet */
    uint64_t target, granted;    /* credit in units */
    uint64_t has[];              /* arrived beyond 'expected', by number, modulo the ring */
};

/* A list of flows that want credit, and the time before which no more is given. */
struct uet_host {
    uint32_t head, tail;         /* flows that wait for credit */
    uint64_t free_ps;            /* when the next one may get it */
    uint64_t look_ps;            /* when to look at the counters again */
    uint32_t arrived, cut_inside;        /* since then: packets, and those trimmed before the last link */
    uint32_t cut_ppm;            /* of the rate of credit: held back because of those */
    uint32_t rises;              /* in a row */
};

/* ---- memory: struct uet_tx, records, two maps; struct uet_rx with its map ---- */

static inline size_t uet_tx_bytes(uint32_t ring)
{
    return sizeof(struct uet_tx) + ring / 4 + ring * sizeof(struct uet_record);
}

static inline size_t uet_rx_bytes(uint32_t ring)
{
    return sizeof(struct uet_rx) + ring / 8;
}

static inline struct uet_tx *uet_tx_at(const struct sim *s, size_t flow)
{
    return (struct uet_tx *)(void *)(s->flows.uet_pool.line + (size_t)s->flows.uet_at[flow] * EVQ_LINE);
}

static inline struct uet_tx *uet_tx_of(const struct sim *s, const struct flow *f)
{
    return uet_tx_at(s, (size_t)(f - s->flows.flow));
}

static inline struct uet_rx *uet_rx_of(const struct sim *s, uint32_t flow)
{
    return (struct uet_rx *)(void *)(s->flows.uet_rx + flow * s->flows.uet_rx_stride);
}

static inline struct uet_record *uet_record(struct uet_tx *t, uint32_t n)
{
    return (struct uet_record *)(void *)(t + 1) + (n & t->mask);
}

/* Bit n: packet n has a record; it waits to be sent again. */
static inline uint64_t *uet_out_map(struct uet_tx *t)
{
    return (uint64_t *)(void *)((struct uet_record *)(void *)(t + 1) + t->mask + 1);
}

static inline uint64_t *uet_again_map(struct uet_tx *t)
{
    return uet_out_map(t) + (t->mask + 1) / 64;
}

/* Maps of mask + 1 packets. */
static inline bool uet_has(const uint64_t *map, uint32_t mask, uint32_t n)
{
    return map[(n & mask) / 64] >> (n & 63) & 1;
}

static inline void uet_flip(uint64_t *map, uint32_t mask, uint32_t n)
{
    map[(n & mask) / 64] ^= 1ull << (n & 63);
}

/* The next 64 packets of a map, from packet n on. */
static inline uint64_t uet_bits(const uint64_t *map, uint32_t mask, uint32_t n)
{
    uint32_t at = (n & mask) / 64, next = (at + 1) & mask / 64, shift = n & 63;

    return map[at] >> shift | map[next] << 1 << (63 - shift);
}

/* Packet n is known to have arrived, or to be lost: its record goes. */
static inline void uet_forget(struct uet_tx *t, uint32_t n)
{
    struct uet_record       *all = uet_record(t, 0);
    const struct uet_record *r = uet_record(t, n);

    assert(uet_has(uet_out_map(t), t->mask, n));
    if (r->older != UET_NONE)
        all[r->older].newer = r->newer;
    else
        t->oldest = r->newer;
    if (r->newer != UET_NONE)
        all[r->newer].older = r->older;
    else
        t->newest = r->older;
    t->out_bytes -= r->payload;
    uet_flip(uet_out_map(t), t->mask, n);
}

/* ---- what may be sent ---- */

static inline uint64_t uet_in_flight(const struct sim *s, const struct uet_tx *t)
{
    uint32_t named = t->first + t->known;
    uint64_t unnamed = t->arrived > named ? (uint64_t)(t->arrived - named) * s->cfg.mtu_bytes : 0;

    return unnamed < t->out_bytes ? t->out_bytes - unnamed : 0;
}

/* Is there a packet to send? */
static inline bool uet_has_more(const struct flow *f, const struct uet_tx *t)
{
    return t->again || (f->sent < f->bytes && t->next - t->first <= t->mask);
}

/* Do credit and window allow it? If a window shrinks below what is in flight, the receiver could wait for
 * packets and the sender for an ACK: so one more may go that asks for it. */
static inline bool uet_may_send(const struct sim *s, const struct flow *f, const struct uet_tx *t)
{
    uint64_t left = f->bytes - f->sent, flight;
    uint32_t size = t->again || left > s->cfg.mtu_bytes ? s->cfg.mtu_bytes : (uint32_t)left;

    if (!uet_has_more(f, t) || (s->uet.has_credit && t->credit_bytes <= 0))
        return false;
    flight = uet_in_flight(s, t);
    return flight + size <= f->out.window_bytes || flight == 0 || !t->is_asked ||
           (t->is_recovering && t->again);
}

#endif
