#include "sim/parts/crossing.h"
#include "sim/link/path.h"
#include "sim/state/owner.h"

#include <stdlib.h>

#define IS_SIGNAL UINT32_MAX

/* ---- building ---- */

static void build_out(struct border *b, struct sim *s, struct port *port)
{
    uint32_t id = engine_new_packet(&s->engine);

    s->engine.packets.packet[id].next = 0;
    port->wire_tail = id;
    b->stays[b->outs] = id;
    b->out[b->outs++] = port->id;
}

/* A wire of its own for what 'from' sends; in this part's events it takes the place of that port. */
static void build_in(struct border *b, struct sim *s, const struct port *from)
{
    struct port *wire = &b->in[b->ins];

    *wire = *from;
    wire->wire_tail = 0;
    b->in_of[from->id] = b->ins++;
    owner_set(&s->engine, port_event_arrive(from), wire->peer->is_switch ? EV_AT_SWITCH : EV_AT_HOST, wire);
}

static void allocate(struct border *b, const struct sim *s, struct arena *arena)
{
    uint32_t ins = 0, part = s->program.part;

    b->out = xcalloc(s->net.ports + 1ul, sizeof *b->out);
    b->stays = xcalloc(s->net.ports + 1ul, sizeof *b->stays);
    b->in_of = xcalloc(s->net.ports + 1ul, sizeof *b->in_of);
    for (uint32_t i = 0; i < s->net.ports; i++)
        ins += s->net.port[i].node->part != part && s->net.port[i].peer->node->part == part;
    b->in = arena_alloc(arena, ins + 1ul, sizeof *b->in);
}

void border_build(struct border *b, struct sim *s, struct arena *arena, uint64_t ahead_ps[PARTS_MAX])
{
    allocate(b, s, arena);
    for (uint32_t i = 0; i < PARTS_MAX; i++)
        ahead_ps[i] = NEVER;
    for (uint32_t i = 0; i < s->net.ports; i++) {
        struct port *p = &s->net.port[i];
        uint32_t     from = p->node->part, to = p->peer->node->part;

        if (from == to)
            continue;
        if (from == s->program.part)
            build_out(b, s, p);
        if (to != s->program.part)
            continue;
        build_in(b, s, p);
        ahead_ps[from] = divide_least_ps(s, p) < ahead_ps[from] ? divide_least_ps(s, p) : ahead_ps[from];
    }
}

void border_free(struct border *b)
{
    free(b->out);
    free(b->stays);
    free(b->in_of);
}

/* ---- sending ---- */

struct crossing *ring_place(const struct ring *r)
{
    uint32_t put = atomic_load_explicit(&r->put, memory_order_relaxed);

    if (put - atomic_load_explicit(&r->got, memory_order_acquire) == RING_SIZE)
        return NULL;
    return &r->crossing[put % RING_SIZE];
}

void ring_put(struct ring *r)
{
    atomic_store_explicit(&r->put, atomic_load_explicit(&r->put, memory_order_relaxed) + 1, memory_order_release);
}

void crossing_write_packet(struct crossing *c, const struct sim *s, const struct port *port, uint32_t id, uint64_t at_ps,
                           uint64_t order)
{
    c->packet = s->engine.packets.packet[id];
    if (s->engine.packets.tag)
        c->tag = s->engine.packets.tag[id];
    if (s->engine.packets.inband)
        c->inband = s->engine.packets.inband[id];
    c->at_ps = at_ps;
    c->order = order;
    c->port = port->id;
}

void crossing_write_signal(struct crossing *c, const struct signal *signal)
{
    c->signal = *signal;
    c->port = IS_SIGNAL;
}

/* ---- receiving ---- */

static void take_packet(struct border *b, struct engine *e, const struct crossing *c)
{
    uint32_t       id = engine_new_packet(e);
    struct packet *k = &e->packets.packet[id];
    struct port   *wire = &b->in[b->in_of[c->port]];

    *k = c->packet;
    if (e->packets.tag)
        e->packets.tag[id] = c->tag;
    if (e->packets.inband)
        e->packets.inband[id] = c->inband;
    k->next = 0;
    if (wire->wire_tail) {
        struct packet *tail = &e->packets.packet[wire->wire_tail];

        tail->next = id;
        tail->next_at_ps = c->at_ps;
        tail->next_order = c->order;
    } else {
        e->evq.event[port_event_arrive(wire)].hint = id;
        evq_add(&e->evq, port_event_arrive(wire), c->at_ps, c->order);
    }
    wire->wire_tail = id;
}

void border_take(struct border *b, struct sim *s, struct ring *r)
{
    uint32_t got = atomic_load_explicit(&r->got, memory_order_relaxed);
    uint32_t put = atomic_load_explicit(&r->put, memory_order_acquire);

    for (; got != put && !s->engine.has_failed; got++) {
        const struct crossing *c = &r->crossing[got % RING_SIZE];

        if (c->port == IS_SIGNAL)
            program_add_signal(&s->engine, &s->program, &c->signal);
        else
            take_packet(b, &s->engine, c);
    }
    atomic_store_explicit(&r->got, put, memory_order_release);
}

void border_count(const struct border *b, const struct sim *s, uint64_t *packets, uint64_t *payload)
{
    const struct packet *packet = s->engine.packets.packet;

    *packets += b->outs;         /* those that stay */
    for (uint32_t j = 0; j < b->ins; j++)
        for (uint32_t id = path_first(&s->engine, &b->in[j]); id; id = packet[id].next) {
            ++*packets;
            *payload += packet[id].payload;
        }
}
