#include "sim/link/inband.h"
#include "core/units.h"

static struct crand *random_of(const struct engine *e, uint32_t node)
{
    return &e->inband->random[e->order_kind == ORDER_NS3 ? 0 : node];
}

uint32_t inband_random(struct engine *e, uint32_t node)
{
    return crand_next(random_of(e, node));
}

/* PFC frames have a queue of their own, which does not count. */
static inline uint64_t queue_bytes(const struct port *p)
{
    uint64_t bytes = 0;

    for (uint32_t queues = p->backlog & ((1u << PRIOS) - 1); queues; queues &= queues - 1)
        bytes += p->queue[__builtin_ctz(queues)].bytes;
    return bytes;
}

/* What the wire was busy with: a link that sends nothing but small frames is full, too. */
static inline uint64_t sent_bytes(const struct engine *e, const struct port *p)
{
    const uint64_t *packets = p->counters.tx_packets;
    uint64_t        all = packets[PACKET_DATA] + packets[PACKET_ACK] + packets[PACKET_NACK] + packets[PACKET_CNP] +
                          packets[PACKET_PFC];

    return p->counters.tx_bytes + all * e->inband->spacing_bytes;
}

/* What is in the records of a packet that leaves its host does not matter any more. */
void inband_record(const struct engine *e, const struct port *p, uint32_t id, const struct packet *k)
{
    struct inband *t = packet_inband(&e->packets, id);

    if (!p->is_switch)
        t->records = 0;
    else if (k->flags & PACKET_TCP)
        return;
    else if (t->records >= CC_HOPS_MAX)
        t->records = CC_HOPS_MAX + 1;
    else
        t->hop[t->records++] = (struct cc_hop){ .rate_bps = p->rate_bps, .at_ps = e->now_ps,
                                                .sent_bytes = sent_bytes(e, p), .queue_bytes = queue_bytes(p) };
}

static void raise_digest(const struct engine *e, const struct port *p, struct inband *t)
{
    uint16_t digest = pint_digest(&e->inband->digest, &e->inband->pint[p->id], e->now_ps / PS_PER_NS, p->rate_bps,
                                  queue_bytes(p), random_of(e, p->node->id));

    t->digest = digest > t->digest ? digest & e->inband->digest_mask : t->digest;
}

/* The last one to write is the last on the way. */
static void note_arrival(const struct engine *e, const struct port *p, struct inband *t, const struct packet *k)
{
    t->hops += p->is_switch;
    t->stay_ps = e->now_ps + p->tx_ps[k->bytes] + p->delay_ps;
}

void inband_on_frame(struct engine *e, struct port *p, uint32_t id, const struct packet *k)
{
    struct inband *t = packet_inband(&e->packets, id);
    bool           is_data = k->kind == PACKET_DATA && !(k->flags & PACKET_TCP);

    if (is_data && !p->is_switch) {          /* what was written does not matter any more */
        t->hops = 0;
        t->digest = 0;
    }
    if (is_data && e->inband->kind == CC_PATH)
        note_arrival(e, p, t, k);
    else if (is_data && p->is_switch && e->inband->kind == CC_DIGEST)
        raise_digest(e, p, t);
    else if (e->inband->kind == CC_PATH && !p->is_switch && (k->kind == PACKET_ACK || k->kind == PACKET_NACK))
        t->stay_ps = e->now_ps - t->stay_ps;
    if (e->inband->kind == CC_DIGEST && p->is_switch)
        pint_sent(&e->inband->pint[p->id], e->now_ps / PS_PER_NS, k->bytes + e->inband->spacing_bytes);
}
