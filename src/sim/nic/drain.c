#include "sim/nic/drain.h"
#include "sim/link/pfc.h"

struct drain {                   /* per host */
    uint32_t head, tail;         /* waiting packets */
    uint32_t passing;            /* the packet that has just been drained; 0: none */
    uint64_t bytes[PRIOS];       /* waiting bytes by class */
};

void drain_build(struct sim *s)
{
    if (!s->cfg.drain_bps)
        return;
    s->hosts.drain = arena_alloc(&s->arena, s->net.hosts, sizeof *s->hosts.drain);
    for (uint32_t i = 0; i < s->net.hosts; i++)
        if (!s->cfg.drains || s->cfg.drains[s->net.host[i].node])
            s->net.host[i].port->slow_path |= SLOW_DRAIN;
}

static void await(struct sim *s, const struct host *h)
{
    const struct packet *k = &s->engine.packets.packet[s->hosts.drain[h->id].head];
    uint64_t             at = s->engine.now_ps + model_frame_ps(&s->model, k->bytes, s->cfg.drain_bps);

    evq_add(&s->engine.evq, s->engine.first_event[EV_DRAIN] + h->id, at,
            sim_order(s, &s->net.node[h->node], at));
}

static void send_pfc(struct sim *s, struct port *p, uint32_t prio, bool is_pause)
{
    p->pausing ^= (uint8_t)(1u << prio);
    pfc_send(&s->engine, &s->scheduler, &s->pfc, p, prio, is_pause);
    if (s->pfc.is_refreshed && is_pause)
        pfc_await_refresh(&s->engine, &s->pfc, p, prio);
    else if (s->pfc.is_refreshed)
        pfc_end_refresh(&s->engine, p, prio);
}

bool drain_lets_pass(struct sim *s, const struct host *h, uint32_t id)
{
    struct drain *d = &s->hosts.drain[h->id];
    bool          is_it = d->passing == id;

    d->passing = 0;
    return is_it;
}

bool drain_take(struct sim *s, struct host *h, uint32_t id, struct packet *k)
{
    struct drain *d = &s->hosts.drain[h->id];
    bool          is_lossless = s->sw.lossless_prios >> k->prio & 1;

    if (packet_class(k) != CLASS_DATA)
        return false;
    if (!is_lossless && d->bytes[k->prio] + k->bytes > s->cfg.rx_buffer_bytes) {
        s->engine.counters.dropped_host++;
        engine_drop(&s->engine, id);
        return true;
    }
    d->bytes[k->prio] += k->bytes;
    k->next = 0;
    if (d->head)
        s->engine.packets.packet[d->tail].next = id;
    else
        d->head = id;
    d->tail = id;
    if (d->head == id)
        await(s, h);
    if (is_lossless && d->bytes[k->prio] > s->cfg.rx_buffer_bytes && !(h->port->pausing >> k->prio & 1))
        send_pfc(s, h->port, k->prio, true);
    return true;
}

struct packet *drain_next(struct sim *s, struct host *h)
{
    struct drain  *d = &s->hosts.drain[h->id];
    struct packet *k = &s->engine.packets.packet[d->head];

    d->passing = d->head;
    d->head = k->next;
    d->bytes[k->prio] -= k->bytes;
    if (d->head)
        await(s, h);
    if (h->port->pausing >> k->prio & 1 && d->bytes[k->prio] + s->cfg.resume_bytes <= s->cfg.rx_buffer_bytes)
        send_pfc(s, h->port, k->prio, false);
    return k;
}

void drain_each_held(const struct sim *s, const struct host *h,
                     void (*do_it)(void *arg, const struct packet *), void *arg)
{
    const struct packet *packet = s->engine.packets.packet;

    for (uint32_t id = s->hosts.drain ? s->hosts.drain[h->id].head : 0; id; id = packet[id].next)
        do_it(arg, &packet[id]);
}
