#include "sim/link/pfc.h"
#include "sim/link/path.h"

#define RARE __attribute__((noinline, cold))

static uint32_t event_of(const struct engine *e, enum event_kind kind, const struct port *p, uint32_t prio)
{
    return e->first_event[kind] + p->id * PRIOS + prio;
}

/* Adds a pause that has ended, without the time before the peer sent its state after a link came up. */
static void count_paused(const struct engine *e, struct port *p)
{
    if (p->paused_since_ps != PORT_HELD)
        p->counters.paused_ps += e->now_ps - p->paused_since_ps;
}

static void restart(struct engine *e, struct port *p, uint32_t prio)
{
    uint8_t was = p->paused;

    p->paused &= (uint8_t)~(1u << prio);
    if (was && !p->paused)
        count_paused(e, p);
}

/* Restarts the expiry of a pause: it counts from the last PAUSE frame. */
static RARE void move_expiry(struct engine *e, const struct pfc_cfg *c, struct port *p, uint32_t prio,
                             bool is_pause)
{
    uint32_t event = event_of(e, EV_PAUSE_END, p, prio);
    uint64_t at = e->now_ps + c->pause_ps;

    if (evq_is_pending(&e->evq, event))
        evq_cancel(&e->evq, event);
    if (is_pause)
        evq_add(&e->evq, event, at, engine_order(e, &p->node->next_number, at));
}

void pfc_on_expiry(struct engine *e, struct port *p, uint32_t prio)
{
    restart(e, p, prio);
}

void pfc_on_frame(struct engine *e, const struct pfc_cfg *c, struct port *p, uint32_t prio, bool is_pause)
{
    uint8_t was = p->paused, bit = (uint8_t)(1u << prio);

    if (is_pause) {
        p->counters.pauses++;
        e->counters.pauses++;
        p->paused |= bit;
        if (!was || p->paused_since_ps == PORT_HELD)
            p->paused_since_ps = e->now_ps;
    } else {
        e->counters.resumes++;
        restart(e, p, prio);
    }
    if (c->pause_ps)
        move_expiry(e, c, p, prio, is_pause);
    if (e->hooks.pfc) {
        struct pfc_result r = { .at_ps = e->now_ps, .node = p->node->id, .port = p->index,
                                .prio = (uint8_t)prio,
                                .is_switch = p->is_switch, .is_pause = is_pause };

        e->hooks.pfc(e->hooks.arg, &r);
    }
}

void pfc_forget(struct engine *e, const struct pfc_cfg *c, struct port *p)
{
    if (p->paused)
        count_paused(e, p);
    p->paused = 0;
    for (uint32_t prio = 0; c->pause_ps && prio < PRIOS; prio++)
        if (evq_is_pending(&e->evq, event_of(e, EV_PAUSE_END, p, prio)))
            evq_cancel(&e->evq, event_of(e, EV_PAUSE_END, p, prio));
}

/* Creates a PFC frame. Returns 0 if the link is down; the peer learns the state when the link comes up. */
static uint32_t new_frame(struct engine *e, const struct pfc_cfg *c, struct port *p, uint32_t prio,
                          bool is_pause)
{
    if (e->order_kind == ORDER_NS3)
        mrg_next(&e->mrg);       /* the fork draws a number for the frame's IP id */
    if (p->is_down)
        return 0;
    uint32_t id = engine_new_packet(e);
    struct packet *k = &e->packets.packet[id];
    e->counters.pfc_sent++;
    *k = (struct packet){ .kind = PFC, .prio = (uint8_t)(prio & 7), .seq = is_pause,
                          .in_port = UNBOOKED, .bytes = (uint16_t)c->frame_bytes, .src = p->node->id,
                          .dst = p->peer->node->id };
    return id;
}

/* If the port is idle, no other packet may be sent, so the frame bypasses the scheduler. */
void pfc_send(struct engine *e, const struct scheduler_cfg *scheduler, const struct pfc_cfg *c,
              struct port *p, uint32_t prio, bool is_pause)
{
    uint32_t       id = new_frame(e, c, p, prio, is_pause), q = c->queue;
    struct packet *k = &e->packets.packet[id];

    if (!id)
        return;
    if (!port_is_busy(p, e->now_ps, e->order)) {
        path_take_turn(scheduler, p, q);
        path_transmit(e, p, id, k);
    } else {
        path_enqueue(e, p, q, id, k);
    }
    if (p->backlog)
        path_await_free(e, p);
}

RARE void pfc_await_refresh(struct engine *e, const struct pfc_cfg *c, struct port *p, uint32_t prio)
{
    uint32_t event = event_of(e, EV_PAUSE_REFRESH, p, prio);
    uint64_t at = e->now_ps + c->pause_ps / 2;

    evq_add(&e->evq, event, at, engine_order(e, &p->node->next_number, at));
}

RARE void pfc_end_refresh(struct engine *e, struct port *p, uint32_t prio)
{
    evq_cancel(&e->evq, event_of(e, EV_PAUSE_REFRESH, p, prio));
}
