/* src/sim/transport/server/inside.c - messages between GPUs of one server.
 *
 * Every GPU has one link in and one link out (graph.inside_rate_bps); the switch between them never blocks. A
 * message is not split into packets. Messages use the outgoing link one after the other and, a delay later,
 * the incoming link. Sender and receiver are notified at the times at which packets would arrive. There is no
 * congestion control, loss or pause.
 *
 * A message in flight is a packet record that is an event at a host. All GPUs of a server are in one part of
 * the world.
 */
#include "sim/nic/post.h"
#include "sim/transport/transport.h"

#include <stdlib.h>

struct inside_link { uint64_t out_ps, in_ps; };      /* per GPU: time until which each direction is busy */

struct inside_message {
    struct message message;
    uint64_t       ideal_ps;
    uint32_t       next_free;
    uint16_t       dport;
    uint8_t        prio;
    bool           is_answered;
};

struct inside {
    struct inside_link    *link;             /* by host; shared by all parts */
    struct inside_message *message;          /* of this part; number 0 is not used */
    uint32_t               used, max, free;
};

static struct inside *inside_of(const struct sim *s)
{
    return (struct inside *)s->hosts.own[TRANSPORT_SERVER];
}

/* ---- building ---- */

static void reserve(struct sim *s, uint32_t flows)
{
    bool has_servers = false;

    (void)flows;
    for (uint32_t i = 0; i < s->net.nodes; i++)
        has_servers |= s->net.graph.node[i].server != 0;
    if (!has_servers)
        return;
    struct inside *x = arena_alloc(&s->arena, 1, sizeof *x);
    x->link = arena_alloc(&s->arena, s->net.hosts, sizeof *x->link);
    s->hosts.own[TRANSPORT_SERVER] = x;
}

/* Each part has messages of its own; parts share the links. */
static void reserve_part(struct sim *s)
{
    if (!inside_of(s))
        return;
    struct inside *part = arena_alloc(&s->arena, 1, sizeof *part);
    part->link = inside_of(s)->link;
    s->hosts.own[TRANSPORT_SERVER] = part;
}

static void release(struct sim *s)
{
    if (inside_of(s))
        free(inside_of(s)->message);
}

/* ---- messages ---- */

static uint32_t take_message(struct inside *x)
{
    uint32_t id = x->free;

    if (id) {
        x->free = x->message[id].next_free;
        return id;
    }
    x->message = xgrow(x->message, x->used + 1, &x->max, 256, sizeof *x->message);
    return ++x->used;
}

static void await(struct sim *s, struct packet *k, uint32_t node, uint64_t at_ps)
{
    k->event.next = EVQ_IDLE;
    k->event.owner = owner_make(&s->engine.evq, EV_AT_HOST, &s->net.host[s->net.node[node].host]);
    evq_add(&s->engine.evq, evq_id(&s->engine.evq, k), at_ps, sim_order(s, &s->net.node[node], at_ps));
}

/* Returns when the last byte arrives. The receiving link is busy from the first byte, or when it is free. */
static uint64_t send(struct sim *s, const struct host *h, uint32_t dst, uint64_t tx_ps)
{
    struct inside_link *out = &inside_of(s)->link[h->id];
    struct inside_link *in = &inside_of(s)->link[s->net.node[dst].host];
    uint64_t            begin = out->out_ps > s->engine.now_ps ? out->out_ps : s->engine.now_ps;
    uint64_t            comes = begin + s->net.graph.inside_delay_ps;

    out->out_ps = begin + tx_ps;
    in->in_ps = (comes > in->in_ps ? comes : in->in_ps) + tx_ps;
    return in->in_ps;
}

static uint64_t tx_ps_of(const struct sim *s, uint64_t bytes)
{
    uint64_t rate = s->net.graph.inside_rate_bps;
    uint64_t ps = (uint64_t)(((unsigned __int128)bytes * 8 * PS_PER_S + rate - 1) / rate);

    return (ps + s->model.tick_ps - 1) / s->model.tick_ps * s->model.tick_ps;
}

static bool takes(const struct sim *s, const struct host *h, const struct flow_spec *spec)
{
    return inside_of(s) && !spec->tcp && graph_is_inside(&s->net.graph, h->node, spec->dst);
}

static void post(struct sim *s, struct host *h, const struct flow_spec *spec)
{
    uint64_t tx_ps = tx_ps_of(s, spec->bytes);
    bool     is_read = spec->op.verb == VERB_READ;

    post_count(s, spec);
    uint32_t number = take_message(inside_of(s));
    struct inside_message *m = &inside_of(s)->message[number];
    *m = (struct inside_message){ .message = { h->node, spec->dst, spec->traffic, spec->bytes, spec->tag,
                                            is_read ? spec->op.since_ps : s->engine.now_ps, spec->op },
                                  .ideal_ps = tx_ps + 2 * s->net.graph.inside_delay_ps +
                                      (is_read ? tx_ps_of(s, READ_REQUEST_BYTES) + spec->op.wait_ps : 0),
                                  .dport = spec->dport,
                                  .prio = spec->prio,
                                  .is_answered = spec->is_answered };
    struct packet *k = &s->engine.packets.packet[engine_new_packet(&s->engine)];
    *k = (struct packet){ .flow = number, .src = h->node, .dst = spec->dst, .kind = INSIDE };
    await(s, k, spec->dst, send(s, h, spec->dst, tx_ps));
}

static void end(struct sim *s, const struct inside_message *m)
{
    const struct message *t = &m->message;

    if (t->op.verb == VERB_ASK)
        return;                  /* the READ ends when its data arrives */

    s->engine.counters.flows_done++;
    s->engine.counters.bytes_done += t->bytes;
    s->entry_bytes_done[t->traffic] += t->bytes;
    s->done_ps = s->engine.now_ps;
    uint64_t since_ps = t->start_ps + (t->op.verb == VERB_READ ? s->net.graph.inside_delay_ps : 0);
    if (s->engine.hooks.flow_done)
        s->engine.hooks.flow_done(s->engine.hooks.arg, &(struct flow_result){
            .src = t->src, .dst = t->dst, .dport = m->dport, .prio = m->prio, .traffic = t->traffic,
            .bytes = t->bytes, .start_ps = t->start_ps, .fct_ps = s->done_ps - since_ps,
            .ideal_ps = m->ideal_ps, .tag = t->tag });
    if (m->is_answered)
        program_on_sent(&s->engine, &s->program, t);
}

/* A message has arrived. Its packet then notifies the source. */
APART enum act inside_on_arrival(struct sim *s, struct host *h, struct packet *k)
{
    struct inside_message m = inside_of(s)->message[k->flow];     /* a copy: the table may move */

    (void)h;
    k->kind = INSIDE_DONE;
    await(s, k, m.message.src, s->engine.now_ps + s->net.graph.inside_delay_ps);
    if (m.is_answered)
        program_on_arrival(&s->engine, &s->program, &m.message);
    return ACT_KEEP;
}

/* The source of a message is notified. */
APART enum act inside_on_done(struct sim *s, struct host *h, struct packet *k)
{
    struct inside_message m = inside_of(s)->message[k->flow];     /* a copy: the table may move */

    (void)h;
    inside_of(s)->message[k->flow].next_free = inside_of(s)->free;
    inside_of(s)->free = k->flow;
    end(s, &m);
    return ACT_FREE;
}

const struct transport transport_server = {
    .name = "server", .reserve = reserve, .reserve_part = reserve_part, .release = release, .takes = takes,
    .post = post,
};
