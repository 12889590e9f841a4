#include "sim/parts/crossing.h"
#include "sim/link/path.h"

/* ---- building ---- */

void crossing_build(struct sim *s, uint64_t ahead_ps[PARTS_MAX])
{
    for (uint32_t i = 0; i < PARTS_MAX; i++)
        ahead_ps[i] = NEVER;
    for (uint32_t i = 0; i < s->net.ports; i++) {
        struct port *p = &s->net.port[i];
        uint32_t     from = p->node->part, to = p->peer->node->part;

        if (from == to)
            continue;
        p->peer_part = (uint8_t)to;
        p->slow_path |= SLOW_BORDER;
        if (to == s->program.part)
            ahead_ps[from] = divide_least_ps(s, p) < ahead_ps[from] ? divide_least_ps(s, p) : ahead_ps[from];
    }
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

void crossing_write_packet(struct crossing *c, const struct packet_pool *packets, uint32_t id)
{
    c->packet = packets->packet[id];
    if (packets->tag)
        c->tag = *packet_tag(packets, id);
    if (packets->woven)
        c->woven = *packet_woven(packets, id);
    if (packets->inband)
        c->inband = *packet_inband(packets, id);
    c->is_signal = false;
}

void crossing_write_signal(struct crossing *c, const struct signal *signal)
{
    c->signal = *signal;
    c->is_signal = true;
}

/* ---- receiving ---- */

static void take_packet(struct engine *e, const struct crossing *c)
{
    uint32_t       id = engine_new_packet(e);
    struct packet *k = &e->packets.packet[id];

    *k = c->packet;
    if (e->packets.tag)
        *packet_tag(&e->packets, id) = c->tag;
    if (e->packets.woven)
        *packet_woven(&e->packets, id) = c->woven;
    if (e->packets.inband)
        *packet_inband(&e->packets, id) = c->inband;
    evq_put(&e->evq, &k->event, id);
}

void crossing_take(struct sim *s, struct ring *r)
{
    uint32_t got = atomic_load_explicit(&r->got, memory_order_relaxed);
    uint32_t put = atomic_load_explicit(&r->put, memory_order_acquire);

    for (; got != put && !s->engine.has_failed; got++) {
        const struct crossing *c = &r->crossing[got % RING_SIZE];

        if (c->is_signal)
            program_add_signal(&s->engine, &s->program, &c->signal);
        else
            take_packet(&s->engine, c);
    }
    atomic_store_explicit(&r->got, put, memory_order_release);
}
