/* src/sim/transport/uet/uet.h - Ultra Ethernet connections. uet_send.c sends, uet_answer.c handles ACKs,
 * NACKs, pulls and timeouts, uet_receive.c receives, uet_credit.c grants credit.
 *
 * A UET flow is a struct flow like that of a queue pair and takes part in the same round robin. Its
 * additional state is in parallel arrays: uet_tx belongs to the source host, uet_rx to the destination.
 * docs/uet.md describes the protocol. The algorithms are those of uet-htsim, without its defects.
 *
 * Packets are numbered: number n carries the bytes from n x mtu on, also when it is retransmitted. Messages
 * of a persistent connection begin at a multiple of the MTU. A number from 'first' to 'next' is in one of
 * three states: out (a record says when it was sent), again (marked for retransmission), or neither (it has
 * arrived). Records form a list in sending order, so the first one times out first.
 *
 * Bytes in flight are the bytes of records, minus those that the receiver reports as received but no ACK
 * bitmap has named yet. Since they are counted from records, the figure cannot drift. A flow with nothing in
 * flight may always send one packet. So a flow is never stuck: packets in flight time out, and pending
 * packets may be sent or, with receiver credit, requested.
 *
 * Fields of packets:
 *
 *   UET_DATA      seq: flags below and the packet number; sent_ps: the credit that the sender requests
 *   UET_TRIMMED   likewise, but without payload; so are UET_TRIMMED_AT_LAST, UET_RTS and UET_PROBE
 *   UET_ACK       seq: see uet_ack_pack(); sent_ps: bitmap of 64 packets
 *   UET_NACK      likewise
 *   UET_PULL      sent_ps: the total credit granted
 *
 * The source port carries the entropy value (EV): the flow's port XOR the EV.
 */
#ifndef SIM_TRANSPORT_UET_UET_H
#define SIM_TRANSPORT_UET_UET_H

#include "sim/transport/transport.h"

#define UET_NONE UINT16_MAX

#define UET_ASKS      (1ull << 63)       /* the sender requests an immediate ACK */
#define UET_AGAIN     (1ull << 62)       /* retransmission */
#define UET_NUMBER    0xffffffffull

#define UET_ACK_AGAIN   1u               /* acknowledges a retransmission */
#define UET_ACK_PROBE   2u               /* answers a probe or an RTS; 'number' is the probe's number, or 0 */
#define UET_ACK_AT_LAST 4u               /* NACK: trimmed before the receiver's link */

/* limit of packets between the first missing one and the last sent one */
#define UET_RING_MAX  4096u
#define UET_RING_MIN  128u
#define UET_CREDIT_UNIT 256u             /* bytes */
#define UET_RING_SMALL 64u         /* ring of short messages */

/* ---- answers ---- */

struct uet_ack {
    uint32_t expected;           /* all packets before it have arrived */
    uint32_t kept;               /* number of packets received beyond it */
    uint32_t number;             /* number of the acknowledged packet */
    uint32_t flags;              /* UET_ACK_AGAIN, .. */
};

/* Layout: 32 bits expected, 7 flags, 12 kept, 13 number - expected. For a probe: its number. */
static inline uint64_t uet_ack_pack(const struct uet_ack *a)
{
    uint32_t number = a->flags & UET_ACK_PROBE ? a->number : a->number - a->expected + UET_RING_MAX;

    return (uint64_t)a->expected << 32 | (uint64_t)a->flags << 25 |
           (uint64_t)(a->kept < 4095 ? a->kept : 4095) << 13 | (number & 8191u);
}

static inline struct uet_ack uet_ack_unpack(uint64_t seq)
{
    uint32_t       low = (uint32_t)seq;
    struct uet_ack a = { (uint32_t)(seq >> 32), low >> 13 & 4095u, low & 8191u, low >> 25 };

    if (!(a.flags & UET_ACK_PROBE))
        a.number += a.expected - UET_RING_MAX;
    return a;
}

/* Returns the first packet of the bitmap, which covers the 64 packets up to the acknowledged one. */
static inline uint32_t uet_map_begin(const struct uet_ack *a)
{
    return a->flags & UET_ACK_PROBE || a->number <= a->expected + 64 ? a->expected + 1 : a->number - 63;
}

/* ---- state ---- */

struct uet_record {
    uint64_t sent_ps;
    uint16_t older, newer;       /* positions in the ring, or UET_NONE */
    uint16_t payload : 14;
    uint16_t times : 2;          /* how often it was sent; 3: or more */
    uint16_t ev;
};

struct uet_tx {
    uint32_t mask;               /* size of its ring - 1 */
    uint32_t first, next;        /* first packet not known to have arrived; next new packet */
    uint32_t known;              /* packets beyond 'first' known to have arrived */
    uint32_t arrived;            /* total that the receiver reports */
    uint32_t again;              /* packets to retransmit */
    uint32_t again_from;         /* none of them is before this */
    uint64_t again_bytes;
    uint64_t out_bytes;          /* sum over records */
    uint16_t oldest, newest;     /* records */
    bool     is_spec;            /* credit: no answer so far, sends speculatively */
    bool     is_asked;           /* the last packet sent requests an ACK */
    uint8_t  timeouts;           /* consecutive timeouts since a packet last arrived */
    bool     is_recovering;      /* SLEEK: until recovery_end has arrived */
    uint32_t recovery_end, recovered;    /* packets before 'recovered' were retransmitted if necessary */
    uint32_t probe;              /* number of the last probe */
    uint64_t probe_ps;           /* when the last probe was sent */
    uint64_t probe_due_ps;       /* time of the next probe; NEVER: none */
    int64_t  credit_bytes;
    uint64_t pulled, requested;  /* credit granted and requested, in units */
    uint64_t rts_ps;             /* time of the last RTS */
};

struct uet_rx {
    uint32_t expected;           /* all packets before it have arrived */
    uint32_t kept;               /* packets received beyond it */
    uint32_t unacked;            /* packets since the last ACK */
    bool     has_any;            /* a packet has arrived */
    bool     is_asked;           /* an ACK is due when nothing is missing */
    bool     is_over;            /* not persistent, and everything has arrived */
    bool     is_listed;          /* in the list of flows that wait for credit */
    uint32_t list_next, list_prev;
    uint32_t pulls;
    uint64_t end;                /* bytes of the message; UINT64_MAX: not known yet */
    uint64_t target, granted;    /* credit in units */
    uint64_t has[];              /* bitmap of packets received beyond 'expected', by number modulo the ring */
};

/* Credit of a receiving host: the flows that want credit, and when the next grant is allowed. */
struct uet_host {
    uint32_t head, tail;         /* flows that wait for credit */
    uint64_t free_ps;            /* time of the next grant */
    uint64_t look_ps;            /* time of the next evaluation of the counters */
    uint32_t arrived, cut_inside;        /* packets since the last evaluation, and those trimmed inside */
    uint32_t cut_ppm;            /* share of the credit rate withheld because of trimming, in ppm */
    uint32_t rises;              /* consecutive increases */
};

/* Sender state of a part, in cache lines; line 0 is unused. */
struct uet_pool {
    char    *line;
    uint32_t used, limit;
    uint32_t free[2];            /* free lists for small and large rings */
};

/* What all flows share. Each part has its own pool. */
struct uet {
    bool     has_credit;
    uint32_t ring;               /* a power of two, up to UET_RING_MAX */
    uint64_t window_bytes_max;   /* 1.5 BDP of the fastest host */
    struct uet_host *host;       /* by host */
    char    *rx;                 /* by flow: struct uet_rx */
    size_t   rx_stride;
    uint32_t *at;                /* by flow: its place in the pool */
    struct uet_pool pool;
};

static inline struct uet *uet_of(const struct sim *s)
{
    return (struct uet *)s->hosts.own[TRANSPORT_UET];
}

/* Returns the configuration of the congestion control of a host's connections. */
static inline const void *uet_cfg(const struct sim *s, const struct host *h)
{
    return s->hosts.own_control[h->id].cfg;
}

/* Returns the BDP of the longest path in an empty network, in full packets. */
uint64_t uet_bdp_packets(const struct sim *);

/* ---- memory: struct uet_tx, records, two bitmaps; struct uet_rx with its bitmap ---- */

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
    return (struct uet_tx *)(void *)(uet_of(s)->pool.line + (size_t)uet_of(s)->at[flow] * EVQ_LINE);
}

static inline struct uet_tx *uet_tx_of(const struct sim *s, const struct flow *f)
{
    return uet_tx_at(s, (size_t)(f - s->flows.flow));
}

static inline struct uet_rx *uet_rx_of(const struct sim *s, uint32_t flow)
{
    return (struct uet_rx *)(void *)(uet_of(s)->rx + flow * uet_of(s)->rx_stride);
}

static inline struct uet_record *uet_record(struct uet_tx *t, uint32_t n)
{
    return (struct uet_record *)(void *)(t + 1) + (n & t->mask);
}

/* Bitmaps by packet: packet n has a record; packet n is marked for retransmission. */
static inline uint64_t *uet_out_map(struct uet_tx *t)
{
    return (uint64_t *)(void *)((struct uet_record *)(void *)(t + 1) + t->mask + 1);
}

static inline uint64_t *uet_again_map(struct uet_tx *t)
{
    return uet_out_map(t) + (t->mask + 1) / 64;
}

/* Bitmaps of mask + 1 packets. */
static inline bool uet_has(const uint64_t *map, uint32_t mask, uint32_t n)
{
    return map[(n & mask) / 64] >> (n & 63) & 1;
}

static inline void uet_flip(uint64_t *map, uint32_t mask, uint32_t n)
{
    map[(n & mask) / 64] ^= 1ull << (n & 63);
}

/* Returns 64 bits of a bitmap, from packet n on. */
static inline uint64_t uet_bits(const uint64_t *map, uint32_t mask, uint32_t n)
{
    uint32_t at = (n & mask) / 64, next = (at + 1) & mask / 64, shift = n & 63;

    return map[at] >> shift | map[next] << 1 << (63 - shift);
}

/* Removes the record of packet n, which has arrived or is lost. */
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

/* ---- permission to send ---- */

static inline uint64_t uet_in_flight(const struct sim *s, const struct uet_tx *t)
{
    uint32_t named = t->first + t->known;
    uint64_t unnamed = t->arrived > named ? (uint64_t)(t->arrived - named) * s->cfg.mtu_bytes : 0;

    return unnamed < t->out_bytes ? t->out_bytes - unnamed : 0;
}

/* Returns true if there is a packet to send. */
static inline bool uet_has_more(const struct flow *f, const struct uet_tx *t)
{
    return t->again || (f->sent < f->bytes && t->next - t->first <= t->mask);
}

/* Returns true if credit and window allow a packet. If the window shrinks below the bytes in flight, the
 * receiver could wait for packets and the sender for an ACK. So one more packet may go that requests an
 * ACK. */
static inline bool uet_may_send(const struct sim *s, const struct flow *f, const struct uet_tx *t)
{
    uint64_t left = f->bytes - f->sent;
    uint32_t size = t->again || left > s->cfg.mtu_bytes ? s->cfg.mtu_bytes : (uint32_t)left;

    if (!uet_has_more(f, t) || (uet_of(s)->has_credit && t->credit_bytes <= 0))
        return false;
    uint64_t flight = uet_in_flight(s, t);
    return flight + size <= f->out.window_bytes || flight == 0 || !t->is_asked ||
           (t->is_recovering && t->again);
}

/* ---- receiver credit (RCCC) ----
 *
 * Grants 99 % of the rate of the host's link, 16 KB at a time, round robin over all flows that request it.
 * Every data packet and RTS says how much credit its sender needs. Requests and grants are totals over the
 * life of the flow, so a lost pull or request does no harm.
 * If links inside the network are slower than host links, credit at that rate would fill them with headers of
 * trimmed packets, and data would never pass. A receiver therefore withholds the share of its credit that was
 * trimmed inside the network. */

/* Handles the request in a packet of a flow. 'must': send a pull even if the flow needs no credit. */
void credit_ask(struct sim *, struct host *, const struct packet *, bool must);

/* Removes a finished flow. */
void credit_leave(struct sim *, struct host *, uint32_t flow);

/* ---- sender: ACKs, NACKs, pulls and timeouts ---- */

/* Retransmits packets that have timed out, and sends a request if nothing is in flight. The timeout doubles
 * while nothing arrives: a constant timeout shorter than the round trip could fill all queues with duplicates
 * forever. Returns the time of the next check. */
uint64_t uet_on_timeout(struct sim *, struct host *, struct flow *);

/* ---- receiver ----
 *
 * An ACK carries the next expected packet, the number of packets received beyond it, and a bitmap of 64 of
 * them. The receiver sends an ACK for every 'ack_every' packets. It sends one immediately
 *   - for a marked packet, a duplicate, or a packet whose sender requests it,
 *   - for the first packet of a flow,
 *   - when a gap closes and a packet in it had requested an ACK.
 * A trimmed packet is answered by a NACK. */

/* ---- sender: retransmissions before new packets, as credit and window allow ---- */

/* uet_open() starts a flow; the run fails if there are too many. uet_close() ends it. uet_wake() is called
 * when an idle flow has a message again. */
void uet_open(struct sim *, struct flow *);
void uet_close(struct sim *, const struct flow *);
void uet_wake(struct sim *, struct flow *);

/* Sends one packet: true. The host's port must be idle, and uet_may_send() true. */
bool uet_next(struct sim *, struct host *, uint32_t flow);

/* Marks packet n, which has no record, for retransmission. */
void uet_put_again(struct sim *, struct flow *, uint32_t n);

/* Credit is used up. Sends an RTS if the receiver does not know of all pending bytes, or may wait for more
 * packets before its next ACK. 'must': always send it. */
void uet_ask(struct sim *, struct host *, struct flow *, bool must);

/* SLEEK: sends a probe, to which the receiver replies with an ACK. */
void uet_probe(struct sim *, struct host *, struct flow *);

#endif
