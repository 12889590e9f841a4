#include "sim/nic/flow.h"
#include "sim/transport/transport.h"

#define PAIR_SLOTS_MIN 1024u     /* slots of the hash table of a part */
#define REST_PS (PS_PER_S / 10)  /* longer than any packet stays in flight */

void flow_fail(struct engine *e, uint64_t most)
{
    engine_fail(e, ENOBUFS, "more than %llu flows at once: more is sent than the network carries",
                (unsigned long long)most);
}

uint32_t flow_take(struct sim *s)
{
    struct flows *all = &s->flows;
    uint32_t      id = all->free;

    if (id) {
        all->free = all->flow[id].next_free;
        return id;
    }
    id = all->resting;
    if (id && s->engine.now_ps - all->flow[id].progress_ps > REST_PS) {
        all->resting = all->flow[id].next_free;
        if (!all->resting)
            all->resting_last = 0;
        return id;
    }
    if (all->used < all->limit)
        return all->used++;
    flow_fail(&s->engine, all->limit - all->first);
    return 0;
}

struct pair *pair_of(const struct sim *s, const struct flow *f)
{
    return &s->flows.pairs.pair[f - s->flows.flow];
}

/* ---- persistent queue pairs: building ---- */

void pair_build(struct sim *s, uint32_t count)
{
    struct pairs *p = &s->flows.pairs;
    uint32_t      receives = s->cfg.receives;

    p->pair = arena_alloc(&s->arena, count, sizeof *p->pair);
    p->posted = arena_alloc(&s->arena, count, sizeof *p->posted);
    p->arrived = arena_alloc(&s->arena, count, sizeof *p->arrived);
    if (receives) {
        p->reposted_ps = arena_alloc(&s->arena, (size_t)count * receives, sizeof *p->reposted_ps);
        p->sends = arena_alloc(&s->arena, count, sizeof *p->sends);
    }
    p->first = p->used = 1;
    p->limit = count;
}

void pair_build_part(struct sim *s, uint32_t part, uint32_t parts)
{
    struct pairs *p = &s->flows.pairs;
    uint32_t      count = p->limit / parts;

    p->first = p->used = 1 + part * count;
    p->limit = (part + 1) * count;
}

/* ---- hash table: key is source, destination, entry of the traffic list, class and number ---- */

struct key { uint32_t src, dst, traffic, number; uint16_t dport; uint8_t prio; };

static uint32_t hash(const struct key *k)
{
    uint64_t h = ((uint64_t)k->src << 32 | k->dst) * 0x9e3779b97f4a7c15ull;

    h ^= h >> 29;
    h += (uint64_t)k->traffic << 40 ^ (uint64_t)k->number << 16 ^ k->dport ^ (uint64_t)k->prio << 60;
    h *= 0xbf58476d1ce4e5b9ull;
    h ^= h >> 32;
    h *= 0x94d049bb133111ebull;
    return (uint32_t)(h >> 32);
}

static struct key key_of(const struct sim *s, const struct flow *f)
{
    return (struct key){ f->src, f->dst, f->traffic, pair_of(s, f)->number, (uint16_t)(f->ports >> 16),
                         f->prio };
}

static bool is_same(const struct key *a, const struct key *b)
{
    return a->src == b->src && a->dst == b->dst && a->traffic == b->traffic && a->number == b->number &&
           a->dport == b->dport && a->prio == b->prio;
}

/* Returns the slot of a key, or a free one for it. */
static uint32_t *slot_of(const struct sim *s, const struct key *k)
{
    const struct pairs *p = &s->flows.pairs;
    uint32_t            at = hash(k) & p->mask;

    for (; p->slot[at]; at = (at + 1) & p->mask) {
        struct key is = key_of(s, &s->flows.flow[p->slot[at]]);

        if (is_same(&is, k))
            break;
    }
    return &p->slot[at];
}

/* Doubles the table when it is half full. The old one is not reused. */
static void make_room(struct sim *s)
{
    struct pairs *p = &s->flows.pairs;
    uint32_t     *was = p->slot, slots = p->slot ? p->mask + 1 : 0;

    if (2 * (p->count + 1) <= slots)
        return;
    p->slot = arena_alloc(&s->arena, slots ? 2ul * slots : PAIR_SLOTS_MIN, sizeof *p->slot);
    p->mask = (slots ? 2 * slots : PAIR_SLOTS_MIN) - 1;
    for (uint32_t i = 0; i < slots; i++)
        if (was[i]) {
            struct key k = key_of(s, &s->flows.flow[was[i]]);

            *slot_of(s, &k) = was[i];
        }
}

static struct flow *find_or_make(struct sim *s, struct host *h, const struct key *k)
{
    struct pairs *p = &s->flows.pairs;

    make_room(s);
    uint32_t *slot = slot_of(s, k);
    if (*slot)
        return &s->flows.flow[*slot];
    uint32_t id = flow_take(s);
    if (!id)
        return NULL;
    *slot = id;
    p->count++;
    p->pair[id] = (struct pair){ .number = k->number, .next_of_host = h->pairs };
    h->pairs = id;
    s->flows.flow[id].phase = FLOW_FREE;
    s->flows.flow[id].src = k->src;      /* part of its key */
    s->flows.flow[id].dst = k->dst;
    s->flows.flow[id].traffic = k->traffic;
    s->flows.flow[id].ports = (uint32_t)k->dport << 16;
    s->flows.flow[id].prio = k->prio;
    return &s->flows.flow[id];
}

struct flow *pair_take(struct sim *s, struct host *h, const struct flow_spec *spec)
{
    bool         is_ud = spec->op.verb == VERB_UD;
    struct key   k = { h->node, spec->dst, spec->traffic,
                       is_ud ? PAIR_DATAGRAMS : spec->pair ? spec->pair : 1, spec->dport, spec->prio };
    struct flow *f = find_or_make(s, h, &k);

    if (!f || spec->qps == 1 || spec->pair || is_ud)
        return f;
    struct pair *first = pair_of(s, f);
    k.number = first->turn = first->turn % spec->qps + 1;
    return k.number == 1 ? f : find_or_make(s, h, &k);
}

/* ---- messages of persistent queue pairs ---- */

static uint32_t new_posted(struct sim *s)
{
    struct pairs *p = &s->flows.pairs;
    uint32_t      id = p->free;

    if (id) {
        p->free = p->posted[id].next;
        return id;
    }
    if (p->used < p->limit)
        return p->used++;
    engine_fail(&s->engine, ENOBUFS, "more than %u messages at once", p->limit - p->first);
    return 0;
}

static void give_back(struct pairs *p, uint32_t id)
{
    if (!id)
        return;
    p->posted[id].next = p->free;
    p->free = id;
}

static void use_head(struct sim *s, struct flow *f, uint32_t id)
{
    const struct posted *m = &s->flows.pairs.posted[id];

    pair_of(s, f)->head = id;
    f->end = m->end;
    f->start_ps = m->start_ps;
    f->ideal_ps = m->ideal_ps;
    f->tag = m->tag;
    f->resent_bytes = 0;
}

static void use_sending(struct sim *s, struct flow *f, uint32_t id)
{
    const struct posted *m = &s->flows.pairs.posted[id];

    pair_of(s, f)->sending = id;
    f->bytes = m->end;
    if (f->sent < m->begin)
        f->sent = m->begin;
}

bool pair_add(struct sim *s, struct flow *f, const struct flow_spec *spec, uint64_t ideal_ps)
{
    struct pairs *all = &s->flows.pairs;
    struct pair  *p = pair_of(s, f);
    uint32_t      id = new_posted(s), mtu = s->cfg.mtu_bytes;
    uint64_t      begin = p->tail ? all->posted[p->tail].end : p->past ? all->posted[p->past].end : 0;

    if (!id)
        return false;
    if (s->cfg.is_selective || transport_of(s, f)->is_numbered)
        begin = (begin + mtu - 1) / mtu * mtu;
    all->posted[id] = (struct posted){ .begin = begin, .end = begin + spec->bytes,
                                       .start_ps = spec->op.verb == VERB_READ ? spec->op.since_ps :
                                                   s->engine.now_ps,
                                       .ideal_ps = ideal_ps, .tag = spec->tag, .op = spec->op };
    if (p->tail)
        all->posted[p->tail].next = id;
    else if (p->past)
        all->posted[p->past].next = id;
    else
        p->first = id;
    p->tail = id;
    if (!p->head) {
        f->sent = f->acked = begin;
        use_head(s, f, id);
        use_sending(s, f, id);
    } else {
        pair_go_on(s, f);
    }
    return true;
}

bool pair_pop(struct sim *s, struct flow *f)
{
    struct pairs *all = &s->flows.pairs;
    struct pair  *p = pair_of(s, f);
    uint32_t      next = all->posted[p->head].next;

    give_back(all, p->past);
    p->past = p->head;
    if (!next) {
        p->head = p->sending = p->tail = 0;
        f->end = UINT64_MAX;
        return false;
    }
    if (p->sending == p->head)
        use_sending(s, f, next);
    use_head(s, f, next);
    pair_go_on(s, f);
    return true;
}

APART void pair_go_on(struct sim *s, struct flow *f)
{
    const struct pairs *all = &s->flows.pairs;
    const struct pair  *p = pair_of(s, f);

    while (f->sent >= f->bytes && all->posted[p->sending].next)
        use_sending(s, f, all->posted[p->sending].next);
    if (f->sent > f->bytes)
        f->sent = f->bytes;
}

APART void pair_go_back(struct sim *s, struct flow *f)
{
    use_sending(s, f, pair_of(s, f)->head);
    pair_go_on(s, f);
}

uint64_t pair_bytes(const struct sim *s, const struct flow *f)
{
    return f->is_lasting ? f->end - s->flows.pairs.posted[pair_of(s, f)->head].begin : f->bytes;
}

uint64_t pair_acked(const struct sim *s, const struct flow *f)
{
    return f->is_lasting ? f->acked - s->flows.pairs.posted[pair_of(s, f)->head].begin : f->acked;
}

uint32_t pair_waiting(const struct sim *s, const struct flow *f, uint64_t *bytes)
{
    uint32_t count = 0;

    if (!f->is_lasting) {
        *bytes += f->bytes;
        return 1;
    }
    for (uint32_t id = pair_of(s, f)->head; id; id = s->flows.pairs.posted[id].next) {
        const struct posted *m = &s->flows.pairs.posted[id];

        *bytes += posted_is_open(m) ? posted_bytes(m) : 0;
        count += posted_is_open(m);
    }
    return count;
}

/* ---- the receiver ---- */

static uint32_t receiving(const struct sim *s, const struct flow *f)
{
    uint32_t arrived = s->flows.pairs.arrived[f - s->flows.flow];

    return arrived ? s->flows.pairs.posted[arrived].next : pair_of(s, f)->first;
}

const struct posted *pair_receiving(const struct sim *s, const struct flow *f)
{
    return &s->flows.pairs.posted[receiving(s, f)];
}

void pair_on_arrival(struct sim *s, const struct flow *f)
{
    uint32_t id = receiving(s, f);

    s->flows.pairs.posted[id].arrived_ps = s->engine.now_ps;
    s->flows.pairs.arrived[f - s->flows.flow] = id;
}

/* Receives are used in rotation, so the next message uses the receive of the message 'receives' before it. */
static uint64_t *receive_of(const struct sim *s, uint32_t flow)
{
    const struct pairs *p = &s->flows.pairs;

    return &p->reposted_ps[(size_t)flow * s->cfg.receives + p->sends[flow] % s->cfg.receives];
}

bool pair_has_receive(const struct sim *s, uint32_t flow)
{
    return *receive_of(s, flow) <= s->engine.now_ps;
}

static void on_send(struct sim *s, const struct flow *f)
{
    uint32_t id = (uint32_t)(f - s->flows.flow);

    if (!s->cfg.receives)
        return;
    *receive_of(s, id) = s->engine.now_ps + s->cfg.repost_ps;
    s->flows.pairs.sends[id]++;
}

/* Returns the oldest message of a flow. */
static const struct posted *oldest(const struct sim *s, const struct flow *f)
{
    static const struct posted of_fresh = { .op = { .verb = VERB_WRITE } };

    return f->is_lasting ? &s->flows.pairs.posted[pair_of(s, f)->head] : &of_fresh;
}

/* ---- ends ---- */

/* Frees a flow's index. A flow that has retransmitted keeps its index for a while: duplicates in flight must
 * find the receiver's state. */
void flow_retire(struct sim *s, struct flow *f)
{
    struct flows *all = &s->flows;
    uint32_t      id = (uint32_t)(f - all->flow);

    f->next_free = 0;
    if (!f->resent_bytes) {
        f->next_free = all->free;
        all->free = id;
        return;
    }
    if (s->model.forget)
        s->model.forget(s, f);
    f->progress_ps = s->engine.now_ps;
    if (all->resting_last)
        all->flow[all->resting_last].next_free = id;
    else
        all->resting = id;
    all->resting_last = id;
}

/* The destination may read these fields: they do not change between the start of a flow and the time at which
 * the source knows of its end. */
static struct message message_of(const struct sim *s, const struct flow *f)
{
    return (struct message){ f->src, f->dst, f->traffic, pair_bytes(s, f), f->tag, f->start_ps,
                             oldest(s, f)->op };
}

/* Returns a message of a persistent queue pair as its destination sees it: the sender may be further. */
static APART struct message arrived_of(struct sim *s, const struct flow *f)
{
    const struct posted *p = pair_receiving(s, f);
    struct message       m = { f->src, f->dst, f->traffic, p->end - p->begin, p->tag, p->start_ps, p->op };

    pair_on_arrival(s, f);
    if (m.op.verb == VERB_SEND)
        on_send(s, f);
    return m;
}

void flow_on_arrival(struct sim *s, const struct flow *f)
{
    struct message m = f->is_lasting ? arrived_of(s, f) : message_of(s, f);

    if (s->flow_watch.arg)
        s->flow_watch.on_arrival(s->flow_watch.arg, f);
    if (f->is_answered)
        program_on_arrival(&s->engine, &s->program, &m);
}

/* Returns the end of a message: of a READ, when its data has arrived; of a datagram, when it has left. */
static uint64_t end_ps(const struct sim *s, const struct flow *f)
{
    uint64_t now_ps = s->engine.now_ps;

    if (transport_of(s, f)->is_done_when_sent)
        return now_ps + s->net.host[f->host].port->tx_ps[pair_bytes(s, f) + s->cfg.header_bytes];
    return oldest(s, f)->op.verb == VERB_READ ? oldest(s, f)->arrived_ps : now_ps;
}

static void report_done(const struct sim *s, const struct flow *f)
{
    struct flow_result r = {
        .src = f->src, .dst = f->dst, .sport = (uint16_t)f->ports, .dport = (uint16_t)(f->ports >> 16),
        .prio = f->prio, .traffic = f->traffic, .bytes = pair_bytes(s, f), .start_ps = f->start_ps,
        .fct_ps = end_ps(s, f) - f->start_ps,
        .ideal_ps = s->model.end_ps ? s->model.end_ps(s, f) : f->ideal_ps, .resent_bytes = f->resent_bytes,
        .tag = f->tag,
    };

    s->engine.hooks.flow_done(s->engine.hooks.arg, &r);
}

static void count_done(struct sim *s, const struct flow *f, uint64_t bytes)
{
    s->engine.counters.flows_done++;
    s->engine.counters.bytes_done += bytes;
    s->entry_bytes_done[f->traffic] += bytes;
}

void flow_end(struct sim *s, struct flow *f)
{
    struct message m = message_of(s, f);

    if (m.op.verb == VERB_ASK)
        return;                  /* the READ ends with its data */
    count_done(s, f, m.bytes);
    if (s->engine.hooks.flow_done)
        report_done(s, f);
    if (f->is_answered)
        program_on_sent(&s->engine, &s->program, &m);
    s->done_ps = s->engine.now_ps;
    if (f->is_lasting)
        return;
    f->phase = FLOW_DONE;
    if (transport_of(s, f)->is_stack || f->sent == f->bytes) {
        flow_retire(s, f);
        return;
    }
    if (s->model.forget)
        s->model.forget(s, f);
    if (s->model.list)
        s->model.list->remove(s, &s->net.host[f->host], f);
}

void flow_end_read(struct sim *s, struct flow *f, const struct posted *m)
{
    bool                is_head = m == oldest(s, f);
    struct flow_result r = {
        .src = f->src, .dst = f->dst, .sport = (uint16_t)f->ports, .dport = (uint16_t)(f->ports >> 16),
        .prio = f->prio, .traffic = f->traffic, .bytes = m->end - m->begin, .start_ps = m->start_ps,
        .fct_ps = m->arrived_ps - m->start_ps, .ideal_ps = m->ideal_ps,
        .resent_bytes = is_head ? f->resent_bytes : 0, .tag = m->tag,
    };

    f->resent_bytes = is_head ? 0 : f->resent_bytes;
    count_done(s, f, r.bytes);
    if (s->engine.hooks.flow_done)
        s->engine.hooks.flow_done(s->engine.hooks.arg, &r);
}

void verbs_on_post(struct sim *s, const struct flow_spec *spec)
{
    if (spec->op.verb == VERB_UD || (spec->op.verb == VERB_SEND && s->cfg.receives))
        s->flows.pairs.has_verbs = true;
    s->engine.counters.datagrams_sent += spec->op.verb == VERB_UD;
}
