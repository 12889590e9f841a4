/* src/sim/forks/htsim/htsim_world_network.c - queues of switch ports, links and switches. */
#include "sim/forks/htsim/htsim_world.h"

#include "core/units.h"

#define SLOW          0.25       /* factor for a failed link, its queue and thresholds */
#define TURNS         100001u    /* while both classes wait, one of this many services is data */
/* least age of a queue's quantised size before it is updated */
#define SIZE_PS       (100 * PS_PER_NS)
#define ROBIN_BYTES   128u       /* round robin switches hash smaller packets .. */
#define ADAPTIVE_BYTES 100u      /* .. and so do switches with adaptive routing */

/* ---- pipes ---- */

/* A pipe has at most one event, that of its first packet. So a packet's order among simultaneous events is
 * decided when the packet before it leaves. */
void pipe_put(struct htsim *w, struct pipe *p, uint32_t packet)
{
    uint64_t at_ps = w->now_ps + p->delay_ps;

    w->packet[packet].at_ps = at_ps;
    if (p->inside.head == NONE)
        world_enter(w, &p->event, at_ps);
    fifo_put(w, &p->inside, packet);
}

static void switch_put(struct htsim *, struct switch_ *, uint32_t packet);

uint32_t pipe_on_event(struct htsim *w, struct pipe *p)
{
    uint32_t packet = p->inside.head;

    /* During the handover the packet no longer counts as inside the pipe. */
    p->inside.head = w->packet[packet].next;
    if (p->end == TO_HOST)
        return packet;
    switch_put(w, &w->sw[p->to], packet);
    pipe_go_on(w, p);
    return NONE;
}

void pipe_go_on(struct htsim *w, struct pipe *p)
{
    if (p->inside.head != NONE)
        world_enter(w, &p->event, w->packet[p->inside.head].at_ps);
}

/* ---- queues ---- */

static void begin_service(struct htsim *w, struct queue *q)
{
    q->serves = q->high.head != NONE ? SERVES_HIGH : SERVES_LOW;
    if (q->high.head != NONE && q->low.head != NONE) {
        if (++q->turn >= TURNS)
            q->turn = 0;
        q->serves = q->turn < TURNS - 1 ? SERVES_HIGH : SERVES_LOW;
    }
    uint32_t first = q->serves == SERVES_HIGH ? q->high.head : q->low.head;
    world_enter(w, &q->event, w->now_ps + (uint64_t)w->packet[first].bytes * q->ps_per_byte);
}

/* Marks by the remaining queue length: above the high threshold always, between the two at random. */
static void mark(struct htsim *w, struct queue *q, struct packet *p)
{
    if (q->low_bytes <= q->ecn_low_bytes)
        return;
    if (q->low_bytes <= q->ecn_high_bytes
        && world_draw(w) >= (uint64_t)MT_MAX * (uint64_t)(q->low_bytes - q->ecn_low_bytes)
                                / (uint64_t)(q->ecn_high_bytes - q->ecn_low_bytes))
        return;
    p->is_marked = true;
    q->sent.marked_packets++;
    w->counters.marks++;
}

void queue_on_event(struct htsim *w, struct queue *q)
{
    uint32_t       packet = fifo_take(w, q->serves == SERVES_LOW ? &q->low : &q->high);
    struct packet *p = &w->packet[packet];

    if (q->serves == SERVES_LOW) {
        q->low_bytes -= p->bytes;
        q->sent.data_packets++;
        w->counters.hops_low++;
        mark(w, q, p);
    } else {
        q->high_bytes -= p->bytes;
        q->sent.header_packets++;
        w->counters.hops_high++;
    }
    q->sent.bytes += p->bytes;
    pipe_put(w, &q->pipe, packet);
    q->serves = SERVES_NONE;
    if (q->high.head != NONE || q->low.head != NONE)
        begin_service(w, q);
}

static void low_put(struct htsim *w, struct queue *q, uint32_t packet)
{
    w->packet[packet].other = q->low.head == NONE ? NONE : q->low.tail;
    fifo_put(w, &q->low, packet);
    q->low_bytes += w->packet[packet].bytes;
    if ((uint64_t)q->low_bytes > q->sent.queue_bytes_max)
        q->sent.queue_bytes_max = (uint64_t)q->low_bytes;
}

/* The packet may even be in service: its event stays, and then the first remaining packet leaves. */
static uint32_t low_take_last(struct htsim *w, struct queue *q)
{
    uint32_t packet = q->low.tail, before = w->packet[packet].other;

    if (packet == q->low.head) {
        q->low.head = NONE;
    } else {
        q->low.tail = before;
        w->packet[before].next = NONE;
    }
    q->low_bytes -= w->packet[packet].bytes;
    return packet;
}

static bool high_put(struct htsim *w, struct queue *q, uint32_t packet)
{
    uint32_t bytes = w->packet[packet].bytes;

    if (q->high_bytes + bytes > 2 * q->max_bytes)
        return false;
    fifo_put(w, &q->high, packet);
    q->high_bytes += bytes;
    return true;
}

static void drop(struct htsim *w, uint32_t packet)
{
    w->counters.drops++;
    if (w->packet[packet].kind == PACKET_DATA && !w->packet[packet].is_header)
        w->counters.sim.payload_dropped += w->packet[packet].bytes - HTSIM_HEADER_BYTES;
    packet_free(w, packet);
}

static void trim(struct htsim *w, const struct queue *q, uint32_t packet)
{
    struct packet *p = &w->packet[packet];

    p->is_header = true;
    p->bytes = (uint16_t)w->cfg.trim_bytes;
    p->is_last_hop = q->is_last_hop;
    w->counters.trims++;
}

/* Removes the last packet of the class to make room for a new one, without checking that this suffices. */
static void throw_out_last(struct htsim *w, struct queue *q)
{
    if (q->low.head == NONE) {
        world_fail(w, EINVAL, "a queue of %lld bytes is full although it is empty; uet-htsim ends here",
                   (long long)q->max_bytes);
        return;
    }
    uint32_t last = low_take_last(w, q);
    if (!w->cfg.trim) {
        drop(w, last);
        return;
    }
    trim(w, q, last);
    if (!high_put(w, q, last))
        packet_free(w, last);    /* lost, but uet-htsim does not count it as a drop */
}

static void queue_put(struct htsim *w, struct queue *q, uint32_t packet)
{
    struct packet *p = &w->packet[packet];
    bool           is_in = true;

    if (!p->is_header) {
        bool fits = q->low_bytes + p->bytes <= q->max_bytes;

        if (fits || world_draw(w) / (double)MT_MAX < 0.5) {
            if (!fits)
                throw_out_last(w, q);
            low_put(w, q, packet);
        } else if (!w->cfg.trim) {
            drop(w, packet);
            return;
        } else {
            trim(w, q, packet);
        }
    }
    if (p->is_header) {
        is_in = high_put(w, q, packet);
        if (!is_in)
            drop(w, packet);
    }
    if (is_in && q->serves == SERVES_NONE)
        begin_service(w, q);
}

/* ---- switches ---- */

static void shuffle(struct htsim *w, uint32_t *list, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t x = world_draw(w) % (n - i), other = list[x];

        list[x] = list[n - 1 - i];
        list[n - 1 - i] = other;
    }
}

/* Creates a list of the queues from 'first' on. Returns its position in w->hop. */
static uint32_t new_list(struct htsim *w, uint32_t first, uint32_t n, bool is_shuffled)
{
    uint32_t at = w->hops;

    if (w->hops + n > w->hops_room) {
        w->hops_room = 2 * (w->hops + n);
        w->hop = xrealloc(w->hop, w->hops_room * sizeof *w->hop);
    }
    w->hops += n;
    for (uint32_t i = 0; i < n; i++)
        w->hop[at + i] = first + i;
    if (is_shuffled)
        shuffle(w, &w->hop[at], n);
    return at;
}

/* Returns the number of links from an aggregation or core switch to a host; builds their list once. */
static uint32_t find_route(struct htsim *w, struct switch_ *s, uint32_t dst, uint32_t *list)
{
    const struct fat_tree *t = &w->tree;
    uint32_t               first, n;
    bool                   is_up = false;

    if (s->kind == SWITCH_CORE) {
        n = t->bundle[2];
        first = w->first_core_down + (s->index * t->pods + w->pod_of[dst]) * n;
    } else if (t->tiers == 2 || w->pod_of[dst] == s->index / t->aggs_per_pod) {
        n = t->bundle[1];
        first = w->first_agg_down + (s->index * t->tors_per_pod + w->tor_of[dst] % t->tors_per_pod) * n;
    } else {
        is_up = true;
        n = w->agg_uplinks;
        first = w->first_agg_up + s->index * n;
    }
    if (n == 1 && !is_up) {
        w->hop[0] = first;
        *list = 0;
        return 1;
    }
    if (!s->route[dst])
        s->route[dst] = new_list(w, first, n, is_up);
    *list = s->route[dst];
    return n;
}

/* Returns 0, 1, 2 or 3 for up to 5 %, 10 %, 20 % and more of the queue's limit. */
static uint8_t quantised(const struct htsim *w, struct queue *q)
{
    if (w->now_ps - q->sized_ps > SIZE_PS) {
        double bytes = (double)(q->low_bytes + q->high_bytes), max = (double)q->max_bytes;

        q->sized_ps = w->now_ps;
        q->size = bytes < max * 0.05 ? 0 : bytes < max * 0.1 ? 1 : bytes < max * 0.2 ? 2 : 3;
    }
    return q->size;
}

/* Returns a random one of the shortest queues. Each comparison may update both sizes. */
static uint32_t choose_shortest(struct htsim *w, const uint32_t *list, uint32_t n)
{
    uint32_t best = 0, ties = 1, seen = 0;

    for (uint32_t i = 1; i < n; i++) {
        uint8_t least = quantised(w, &w->queue[list[best]]), size = quantised(w, &w->queue[list[i]]);

        if (size < least) {
            best = i;
            ties = 1;
        } else {
            ties += size == least;
        }
    }
    uint32_t chosen = world_draw(w) % ties;
    for (uint32_t i = best; i < n; i++)
        if (w->queue[list[i]].size == w->queue[list[best]].size && seen++ == chosen)
            return list[i];
    return list[best];
}

static uint32_t choose_link(struct htsim *w, struct switch_ *s, const struct packet *p, uint32_t *list,
                            uint32_t n)
{
    if (n == 1)
        return list[0];
    if (w->cfg.route == HTSIM_ROUND_ROBIN && p->bytes >= ROBIN_BYTES) {
        if (s->turn >= n) {
            s->turn = 0;
            shuffle(w, list, n);
        }
        return list[s->turn++];
    }
    if (w->cfg.route == HTSIM_ADAPTIVE && p->bytes >= ADAPTIVE_BYTES)
        return choose_shortest(w, list, n);
    uint32_t h = htsim_hash(p->hash_id, p->ev, s->salt);
    return list[n & (n - 1) ? h % n : h & (n - 1)];
}

static uint32_t route(struct htsim *w, struct switch_ *s, const struct packet *p)
{
    uint32_t list;

    if (s->kind != SWITCH_TOR) {
        uint32_t n = find_route(w, s, p->dst, &list);
        return choose_link(w, s, p, &w->hop[list], n);
    }
    if (w->tor_of[p->dst] == s->index)
        return p->dst;
    if (!s->up)
        s->up = new_list(w, w->first_up + s->index * w->uplinks, w->uplinks, true);
    return choose_link(w, s, p, &w->hop[s->up], w->uplinks);
}

/* Chooses the egress queue. The packet then spends the switch's delay in one pipe for all ports. */
static void switch_put(struct htsim *w, struct switch_ *s, uint32_t packet)
{
    uint64_t at_ps = w->now_ps + s->delay_ps;

    w->packet[packet].other = route(w, s, &w->packet[packet]);
    w->packet[packet].at_ps = at_ps;
    if (s->inside.head == NONE)
        world_enter(w, &s->event, at_ps);
    fifo_put(w, &s->inside, packet);
}

void switch_on_event(struct htsim *w, struct switch_ *s)
{
    uint32_t packet = fifo_take(w, &s->inside);

    queue_put(w, &w->queue[w->packet[packet].other], packet);
    if (s->inside.head != NONE)
        world_enter(w, &s->event, w->packet[s->inside.head].at_ps);
}

/* ---- building ---- */

static void pipe_init(struct pipe *p, uint64_t delay_ps, enum pipe_end end, uint32_t to)
{
    *p = (struct pipe){ .event = { .next = EVQ_IDLE, .owner = EV_PIPE }, .inside = { NONE, NONE },
                        .delay_ps = delay_ps, .to = to, .end = (uint8_t)end };
}

static uint32_t byte_ps(uint64_t rate_bps)
{
    return (uint32_t)(1e12 * 8 / (double)rate_bps);
}

static void queue_init(struct htsim *w, uint32_t index, uint32_t tier, bool is_slow, enum pipe_end end,
                       uint32_t to)
{
    struct queue *q = &w->queue[index];
    double        share = is_slow ? SLOW : 1;

    *q = (struct queue){ .event = { .next = EVQ_IDLE, .owner = EV_QUEUE },
                         .low = { NONE, NONE }, .high = { NONE, NONE }, .is_last_hop = end == TO_HOST };
    q->ps_per_byte = byte_ps((uint64_t)((double)w->tree.rate_bps[tier] * share));
    q->max_bytes = (int64_t)((double)w->queue_bytes * share);
    q->ecn_low_bytes = q->ecn_high_bytes = 2 * q->max_bytes;
    /* With receiver credit, the last hop does not mark. */
    if (end != TO_HOST || !w->has_rccc) {
        q->ecn_low_bytes = (int64_t)((double)w->ecn_low_bytes * share);
        q->ecn_high_bytes = (int64_t)((double)w->ecn_high_bytes * share);
    }
    pipe_init(&q->pipe, w->tree.link_ps[tier], end, to);
}

static void switch_init(struct htsim *w, uint32_t index, uint8_t kind, uint32_t number)
{
    w->sw[index] = (struct switch_){ .event = { .next = EVQ_IDLE, .owner = EV_SWITCH },
                                     .inside = { NONE, NONE },
                                     .delay_ps = w->tree.switch_ps[kind], .salt = world_draw(w),
                                     .index = number,
                                     .kind = kind };
    if (kind != SWITCH_TOR)
        w->sw[index].route = arena_alloc(&w->arena, w->hosts, sizeof(uint32_t));
}

/* Both ends of a link between switches, in the order of fat_tree_wire(). */
static void link_init(struct htsim *w, uint32_t tier, uint32_t up, bool is_up_slow, uint32_t above,
                      uint32_t down, bool is_down_slow, uint32_t below)
{
    queue_init(w, up, tier, is_up_slow, TO_SWITCH, above);
    queue_init(w, down, tier, is_down_slow, TO_SWITCH, below);
    w->link[w->links++] = (struct link){ up, down };
}

static void build_tor_links(struct htsim *w, uint32_t tor, uint32_t first_agg)
{
    const struct fat_tree *t = &w->tree;
    uint32_t               n = t->bundle[1], pod = tor / t->tors_per_pod;

    for (uint32_t j = 0; j < t->aggs_per_pod; j++) {
        uint32_t agg = pod * t->aggs_per_pod + j;
        uint32_t up = w->first_up + (tor * t->aggs_per_pod + j) * n;
        uint32_t down = w->first_agg_down + (agg * t->tors_per_pod + tor % t->tors_per_pod) * n;
        bool     is_slow = t->tiers == 2 && j < w->cfg.failed;

        for (uint32_t b = 0; b < n; b++)
            link_init(w, 1, up + b, is_slow, first_agg + agg, down + b, is_slow, tor);
    }
}

static void build_agg_links(struct htsim *w, uint32_t agg, uint32_t first_agg, uint32_t first_core)
{
    const struct fat_tree *t = &w->tree;
    uint32_t               n = t->bundle[2];

    for (uint32_t l = 0; l < w->cores_per_agg; l++) {
        uint32_t core = agg % t->aggs_per_pod + t->aggs_per_pod * l;
        uint32_t up = w->first_agg_up + (agg * w->cores_per_agg + l) * n;
        uint32_t down = w->first_core_down + (core * t->pods + agg / t->aggs_per_pod) * n;
        bool     is_slow = l + agg * t->aggs_per_pod < w->cfg.failed;

        for (uint32_t b = 0; b < n; b++)
            link_init(w, 2, up + b, false, first_core + core, down + b, is_slow, first_agg + agg);
    }
}

void network_build(struct htsim *w)
{
    const struct fat_tree *t = &w->tree;
    uint32_t               tors = t->pods * t->tors_per_pod, aggs = t->pods * t->aggs_per_pod;

    for (uint32_t i = 0; i < tors; i++)
        switch_init(w, i, SWITCH_TOR, i);
    for (uint32_t i = 0; i < aggs; i++)
        switch_init(w, tors + i, SWITCH_AGG, i);
    for (uint32_t i = 0; i < t->cores; i++)
        switch_init(w, tors + aggs + i, SWITCH_CORE, i);
    for (uint32_t i = 0; i < w->hosts; i++) {
        queue_init(w, i, 0, false, TO_HOST, i);
        w->host[i].ps_per_byte = byte_ps(t->rate_bps[0]);
        pipe_init(&w->host[i].pipe, t->link_ps[0], TO_SWITCH, w->tor_of[i]);
    }
    w->link = arena_alloc(&w->arena, w->queues, sizeof *w->link);
    for (uint32_t i = 0; i < tors; i++)
        build_tor_links(w, i, tors);
    for (uint32_t i = 0; i < aggs && t->tiers == 3; i++)
        build_agg_links(w, i, tors, tors + aggs);
}
