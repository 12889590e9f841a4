#include "sim/nic/send.h"
#include "sim/nic/gaps.h"
#include "sim/nic/hf2t.h"
#include "sim/nic/probe.h"
#include "sim/nic/turn.h"

/* Returns false if the flow sends nothing now. */
static inline bool send_of_flow(struct sim *s, struct host *h, uint32_t flow)
{
    return transport_of(s, &s->flows.flow[flow])->next(s, h, flow);
}

/* ---- before a queue pair sends ---- */

static bool ask(struct sim *s, struct host *h, struct flow *f)
{
    const struct transport *t = transport_of(s, f);
    uint32_t                id = (uint32_t)(f - s->flows.flow);

    if (s->flow_watch.on_turn && s->flow_watch.on_turn(s->flow_watch.arg, f))
        return true;
    if (t->seek && !t->seek(s, h, f))
        return true;
    if (hf2t_is_on(s) && hf2t_must_wait(s->hosts.hf2t, id, f->out.rate_bps, s->engine.now_ps)) {
        s->engine.counters.delayed++;
        f->next_ps = s->hosts.hf2t->qp[id].sent_ps + s->hosts.hf2t->host[f->host].hold_ps;
        pacer_sort_in(s, h, f);
        return true;
    }
    if (s->hosts.gap_record)
        gaps_on_sent(s->hosts.gap_record, f->host, id, false, s->engine.now_ps);
    if (s->flows.probe && probe_is_due(s, f))
        probe_send(s, h, f);
    return false;
}

/* Same if nothing but probes is on. */
static bool probe_ahead(struct sim *s, struct host *h, struct flow *f)
{
    if (probe_is_due(s, f))
        probe_send(s, h, f);
    return false;
}

void send_choose(struct sim *s)
{
    bool has_more = s->flow_watch.on_turn || hf2t_is_on(s) || s->hosts.gap_record || s->cfg.is_selective;

    s->hosts.on_turn = has_more ? ask : s->flows.probe ? probe_ahead : NULL;
}

APART void send_to_fifo(struct sim *s, struct host *h, struct flow *f, uint32_t id, struct packet *k)
{
    struct port *p = h->port;

    path_enqueue(&s->engine, p, k->prio, id, k);
    f->next_ps = s->engine.now_ps;
    if (f->out.rate_bps < p->rate_bps)
        f->next_ps += pacer_gap_ps(s, f, k->bytes);
}

/* Gives the port to the transport that shares it. Returns false if it is the turn of the round robin. */
static inline bool share(struct sim *s, struct host *h, bool has_others)
{
    return s->hosts.sharing->share(s, h, has_others);
}

/* Returns the classes whose FIFO is full, as a bit mask. */
static uint8_t full_classes(const struct sim *s, const struct port *p)
{
    uint8_t full = 0;

    for (uint32_t i = 0; i < PRIOS; i++)
        full |= (uint8_t)((p->queue[i].bytes >= s->cfg.tx_fifo_bytes) << i);
    return full;
}

/* Returns the position of the queue pair that continues its turn, or of the next one. */
static uint32_t next_in_turn(struct sim *s, struct host *h, uint8_t full)
{
    uint32_t last = h->last;

    if (h->turn_left && last < h->count && bit_is_set(h->ready, last)) {
        if (full >> s->flows.flow[h->list[last]].prio & 1)
            return UINT32_MAX;
        return last;
    }
    uint32_t position = turn_next(s, h, full);
    if (position != UINT32_MAX)
        h->turn_left = s->cfg.turn_bytes;
    return position;
}

/* Fetches packets from memory one after the other, at the rate of PCIe, while the port sends. */
static APART void fill_fifo(struct sim *s, struct host *h, struct port *p)
{
    uint64_t now_ps = s->engine.now_ps;
    uint32_t position;

    if (p->free_at_ps < now_ps && h->fetched_ps < now_ps)
        h->fetched_ps = now_ps;          /* the port was idle, so no fetch is in progress */
    while (h->fetched_ps <= now_ps && (position = next_in_turn(s, h, full_classes(s, p))) != UINT32_MAX) {
        struct flow *f = &s->flows.flow[h->list[position]];
        uint64_t     sent = f->sent;

        if (!send_of_flow(s, h, h->list[position]))
            continue;
        sent = f->sent - sent;
        h->turn_left -= sent < h->turn_left ? (uint32_t)sent : h->turn_left;
        if (s->cfg.pcie_bps)
            h->fetched_ps += model_frame_ps(&s->model, (uint32_t)sent, s->cfg.pcie_bps);
    }
}

/* The FIFO is empty: waits for the fetch in progress, or for the pacer. */
static APART void await_fetch(struct sim *s, struct host *h)
{
    if (h->ready_count && h->fetched_ps > s->engine.now_ps &&
        (!h->heap_count || h->fetched_ps < h->heap_ps[0]))
        pacer_await_at(s, h, h->fetched_ps, s->engine.now_ps);
    else
        pacer_await(s, h, s->engine.now_ps);
}

static __attribute__((always_inline)) inline void next(struct sim *s, struct host *h, struct port *p)
{
    uint32_t position;

    if (!pacer_is_later(h, s->engine.now_ps))
        pacer_release(s, h);
    if (__builtin_expect(s->hosts.has_fifo, 0))
        fill_fifo(s, h, p);
    uint32_t mask = s->cfg.ack_unpaused ? p->backlog : p->backlog & ~(uint32_t)p->paused;
    if (mask & (BACKLOG_SHARE - 1)) {
        uint32_t q = path_choose(&s->engine, &s->scheduler, p, mask & (BACKLOG_SHARE - 1));
        uint32_t id = path_dequeue(&s->engine, p, q);

        path_transmit(&s->engine, p, id, &s->engine.packets.packet[id]);
    } else if (!mask || !share(s, h, h->ready_count > 0)) {
        bool has_fifo = __builtin_expect(s->hosts.has_fifo, 0);

        do
            position = has_fifo ? UINT32_MAX : turn_next(s, h, p->paused);
        while (position != UINT32_MAX && !send_of_flow(s, h, h->list[position]));
        if (position == UINT32_MAX && (!mask || !share(s, h, false))) {
            if (has_fifo)
                await_fetch(s, h);
            else
                pacer_await(s, h, s->engine.now_ps);
            return;
        }
    }
    send_await(s, h, p);
}

/* Duplicated so that the common case is inlined into the event loop. */
void send_on_free(struct sim *s, struct host *h, struct port *p)
{
    if (__builtin_expect(p->slow_path & SLOW_LINK, 0) && p->is_down)
        return;
    if (!port_is_busy(p, s->engine.now_ps, s->engine.order))
        next(s, h, p);
    else
        send_await(s, h, p);
}

APART void send_next(struct sim *s, struct host *h, struct port *p)
{
    next(s, h, p);
}
