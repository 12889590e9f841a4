#include "sim/link/path.h"
#include "core/units.h"

/* ---- scheduling ---- */

/* The classes in 'mask' alternate packet by packet. */
static uint32_t choose_by_packet(const struct port *p, uint32_t mask)
{
    uint32_t c = p->last_prio;

    do
        c = (c + 1) % PRIOS;
    while (!(mask >> c & 1));
    return c;
}

/* Deficit weighted round robin over two or more classes in 'mask'. */
static uint32_t choose_by_weight(const struct engine *e, const struct scheduler_cfg *cfg, struct port *p,
                                 uint32_t mask)
{
    uint32_t c = p->last_prio;

    for (;;) {
        if (mask >> c & 1) {
            uint32_t bytes = e->packets.packet[p->queue[c].head].bytes;

            if (p->deficit[c] >= bytes) {
                p->deficit[c] -= bytes;
                return c;
            }
        } else {
            p->deficit[c] = 0;   /* an empty class accumulates no deficit */
        }
        c = (c + 1) % PRIOS;
        if (mask >> c & 1)
            p->deficit[c] += cfg->quantum_bytes[c];
    }
}

uint32_t path_choose_of_many(const struct engine *e, const struct scheduler_cfg *cfg, struct port *p,
                             uint32_t mask)
{
    uint32_t strict = mask & cfg->strict_prios;

    if (mask >> QUEUE_CONTROL & 1)
        return QUEUE_CONTROL;
    if (strict)
        return 31 - (uint32_t)__builtin_clz(strict);
    uint32_t c = cfg->by_packet ? choose_by_packet(p, mask) : choose_by_weight(e, cfg, p, mask);
    p->last_prio = (uint8_t)c;
    return c;
}

/* ---- telemetry ---- */

static struct crand *random_of(const struct engine *e, uint32_t node)
{
    return &e->inband->random[e->order_kind == ORDER_NS3 ? 0 : node];
}

uint32_t inband_random(struct engine *e, uint32_t node)
{
    return crand_next(random_of(e, node));
}

/* Returns the queued bytes without PFC frames. */
static inline uint64_t queue_bytes(const struct port *p)
{
    uint64_t bytes = 0;

    for (uint32_t queues = p->backlog & ((1u << PRIOS) - 1); queues; queues &= queues - 1)
        bytes += p->queue[__builtin_ctz(queues)].bytes;
    return bytes;
}

/* Includes preamble and gap, so that a link full of small frames counts as full. */
static inline uint64_t sent_bytes(const struct engine *e, const struct port *p)
{
    const uint64_t *packets = p->counters.tx_packets;
    uint64_t        all = 0;

    for (uint32_t c = 0; c < PACKET_CLASSES; c++)
        all += packets[c];
    return p->counters.tx_bytes + all * e->inband->spacing_bytes;
}

/* CC_HOPS: adds a record to a data packet that is about to leave. */
static void record(const struct engine *e, const struct port *p, uint32_t id, bool is_roce)
{
    struct inband *t = packet_inband(&e->packets, id);

    if (!p->is_switch)
        t->records = 0;
    else if (!is_roce)
        return;
    else if (t->records >= CC_HOPS_MAX)
        t->records = CC_HOPS_MAX + 1;
    else
        t->hop[t->records++] = (struct cc_hop){ .rate_bps = p->rate_bps, .at_ps = e->now_ps,
                                                .sent_bytes = sent_bytes(e, p),
                                                .queue_bytes = queue_bytes(p) };
}

static void raise_digest(const struct engine *e, const struct port *p, struct inband *t)
{
    uint16_t digest = pint_digest(&e->inband->digest, &e->inband->pint[p->id], e->now_ps / PS_PER_NS,
                                  p->rate_bps, queue_bytes(p), random_of(e, p->node->id));

    t->digest = digest > t->digest ? digest & e->inband->digest_mask : t->digest;
}

/* CC_PATH. The last port on the path overwrites earlier values. */
static void note_arrival(const struct engine *e, const struct port *p, struct inband *t, uint32_t age)
{
    t->hops += p->is_switch;
    t->stay_ps = e->now_ps + age;
}

/* Writes the other kinds of telemetry. */
static void write_frame(struct engine *e, struct port *p, uint32_t id, const struct packet *k, bool is_data,
                        bool is_answer, uint32_t age)
{
    struct inband *t = packet_inband(&e->packets, id);

    if (is_data && !p->is_switch) {
        t->hops = 0;
        t->digest = 0;
    }
    if (is_data && e->inband->kind == CC_PATH)
        note_arrival(e, p, t, age);
    else if (is_data && p->is_switch && e->inband->kind == CC_DIGEST)
        raise_digest(e, p, t);
    else if (e->inband->kind == CC_PATH && !p->is_switch && is_answer)
        t->stay_ps = e->now_ps - t->stay_ps;
    if (e->inband->kind == CC_DIGEST && p->is_switch)
        pint_sent(&e->inband->pint[p->id], e->now_ps / PS_PER_NS, k->bytes + e->inband->spacing_bytes);
}

/* ---- transmit ---- */

/* Returns the probability that neither a bit error nor a random loss hits a frame of this size. */
static double survival(const struct port *p, uint32_t bytes)
{
    return (1 - p->loss) * rng_pow(1 - p->ber, 8ull * bytes);
}

bool path_is_hit(const struct port *p, uint32_t bytes)
{
    return rng_real(&p->node->rng) >= survival(p, bytes);
}

/* Counts a frame, writes its telemetry, and decides whether the wire loses it. */
static enum path_fate leave(struct engine *e, struct port *p, uint32_t id, struct packet *k, uint32_t age)
{
    enum packet_class class = packet_class(k);
    bool              is_roce = packet_is_roce_data(k);
    bool              is_hit = p->is_lossy && k->kind != PFC && !e->loss_stream && path_is_hit(p, k->bytes);

    if (p->slow_path & SLOW_RECORD && class == CLASS_DATA)
        record(e, p, id, is_roce);
    if (p->slow_path & SLOW_PROBED && k->kind == PROBE)
        k->sent_ps = e->now_ps;  /* its round trip begins when it leaves its sender */
    if (p->slow_path & SLOW_COUNTED && k->kind != PFC && p->counted_prios >> k->prio & 1) {
        p->queue_tx_bytes += k->bytes;
        p->queue_marked_bytes += class == CLASS_DATA && k->flags & PACKET_ECN ? k->bytes : 0;
    }
    if (p->slow_path & SLOW_TAPPED)
        e->tap.on_frame(e->tap.arg, e->now_ps, p->id, k);
    if (p->slow_path & SLOW_INBAND)
        write_frame(e, p, id, k, is_roce, class == CLASS_ACK || class == CLASS_NACK, age);
    e->counters.dropped_wire += is_hit;
    return is_hit ? PATH_LOST : p->slow_path & SLOW_BORDER ? PATH_CROSSES : PATH_ARRIVES;
}

void path_transmit_slowly(struct engine *e, struct port *p, uint32_t id, struct packet *k)
{
    uint32_t age = path_age(p, k->bytes);

    if (p->slow_path & SLOW_LEAP && e->leaper.leap(e->leaper.arg, p, id))
        return;
    enum path_fate fate = leave(e, p, id, k, age);
    path_put(e, p, id, k, fate, age);
}

/* ---- arrive ---- */

static bool is_cut(const struct engine *e, const struct port *to, const struct packet *k)
{
    uint64_t left_at = e->now_ps - path_age(to->peer, k->bytes);

    return to->was_down && (to->is_down || left_at < to->down_at_ps);
}

void path_count_cut(struct engine *e, const struct port *at)
{
    e->counters.dropped_down++;
    if (e->cut_packets)          /* of each link and direction, in worlds whose links change */
        e->cut_packets[2ul * at->link + (at->node->id > at->peer->node->id)]++;
}

bool path_is_gone(struct engine *e, const struct port *to, uint32_t id, const struct packet *k)
{
    if (is_cut(e, to, k))
        path_count_cut(e, to);
    else if (e->loss_stream &&
             mrg_step(e->loss_stream[to->link]) < (to->ber > 0 ? 1 - survival(to, k->bytes) : to->loss))
        e->counters.dropped_wire++;
    else
        return false;
    engine_drop(e, id);
    return true;
}
