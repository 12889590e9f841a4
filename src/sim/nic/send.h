/* src/sim/nic/send.h - puts the packets of a host on its wire, one at a time.
 *
 * At each packet boundary ACKs go first, then the queue pairs. A transport with its own turns (TCP) shares
 * the port with them.
 *
 * With tx_fifo, queue pairs are scheduled ahead of the wire. A chosen packet waits in the port's queue of its
 * class, which accepts packets until it holds tx_fifo_bytes. Everything that the host sends later in that
 * class waits behind it, including ACKs. A queue pair at line rate is not paced: the FIFO limits it.
 */
#ifndef SIM_NIC_SEND_H
#define SIM_NIC_SEND_H

#include "sim/nic/nic.h"
#include "sim/nic/pacer.h"
#include "sim/link/path.h"

/* Sends one packet from an idle port, if one is allowed to go. */
void send_next(struct sim *, struct host *, struct port *);

/* The host's port is free, or its pacer due. */
void send_on_free(struct sim *, struct host *, struct port *);

/* Chooses what to ask before a queue pair sends (host_state.on_turn): whether the fast mode holds it
 * (skip/skip.h) or HF2T delays its packet, and whether gaps are recorded or a probe goes ahead. Call it when
 * one of these is switched on or off. */
void send_choose(struct sim *);

/* Asks it. Returns true if the flow, whose turn it is, does not send now. */
static inline bool send_must_wait(struct sim *s, struct host *h, struct flow *f)
{
    return __builtin_expect(s->hosts.on_turn != NULL, 0) && s->hosts.on_turn(s, h, f);
}

/* tx_fifo: puts a packet behind those that wait for the port, and sets the time of the flow's next. */
void send_to_fifo(struct sim *, struct host *, struct flow *, uint32_t id, struct packet *);

/* Sends a packet of a paced flow, of this size, from the idle port, and sets the time of the next. */
static inline void send_packet(struct sim *s, struct host *h, struct flow *f, uint32_t id, struct packet *k,
                               uint32_t bytes)
{
    if (__builtin_expect(s->hosts.has_fifo, 0)) {
        send_to_fifo(s, h, f, id, k);
        return;
    }
    path_transmit(&s->engine, h->port, id, k);
    f->next_ps = s->engine.now_ps + pacer_gap_ps(s, f, bytes);
}

static inline bool send_has_work(const struct host *h, const struct port *p)
{
    return (p->backlog | h->ready_count | h->heap_count | h->dead) != 0;
}

/* The port is busy. Awaits its end if a flow may send then; otherwise arms the wake-up. */
static inline void send_await(struct sim *s, struct host *h, struct port *p)
{
    if (p->backlog | h->ready_count | h->dead)
        path_await_free(&s->engine, p);
    else if (h->heap_count && (!s->model.repace || !pacer_is_later(h, p->free_at_ps)))
        path_await_free(&s->engine, p);
    else if (h->heap_count && !pacer_is_awaited(h))
        pacer_await(s, h, p->free_at_ps);
}

/* Sends a packet if the port is idle and one is allowed to go. If the port is busy, waits for it. */
static inline void send_kick(struct sim *s, struct host *h, struct port *p)
{
    if (!send_has_work(h, p) || (__builtin_expect(p->slow_path & SLOW_LINK, 0) && p->is_down))
        return;
    if (!port_is_busy(p, s->engine.now_ps, s->engine.order))
        send_next(s, h, p);
    else
        send_await(s, h, p);
}

#endif
