/* A packet's path, in the order of time: arrive, route (forward.h), admit (buffer.h), queue, schedule
 * (link/scheduler.h), mark (ecn.h), transmit (link/path.h). No stage calls an earlier one. switch_on_packet() at the
 * end is the table of contents. */
#include "sim/switch/switch.h"
#include "sim/link/path.h"
#include "sim/state/expect.h"
#include "sim/switch/buffer.h"
#include "sim/switch/ecn.h"
#include "sim/switch/forward.h"
#include "sim/switch/weave.h"

/* ---- PFC: pause and resume the neighbors ---- */

/* A PFC frame never waits for the scheduler: an idle port has nothing else that may be sent. */
void switch_send_pfc(struct sim *s, struct port *p, uint32_t prio, bool is_pause)
{
    uint32_t q = s->pfc.queue, id;

    if (!pfc_enqueue(&s->engine, &s->pfc, p, prio, is_pause))
        return;
    if (!port_is_busy(p, s->engine.now_ps, s->engine.order)) {
        scheduler_choose(&s->engine, &s->scheduler, p, 1u << q);
        id = path_dequeue(&s->engine, p, q);
        path_transmit(&s->engine, p, id, &s->engine.packets.packet[id]);
    }
    if (p->backlog)
        path_await_free(&s->engine, p);
}

static __attribute__((noinline)) void pause(struct sim *s, struct port *in, uint32_t prio)
{
    if (in->pausing >> prio & 1)
        return;
    in->pausing |= (uint8_t)(1u << prio);
    switch_send_pfc(s, in, prio, true);
    if (s->pfc.is_refreshed)
        pfc_await_refresh(&s->engine, &s->pfc, in, prio);
}

void switch_refresh_pause(struct sim *s, struct port *in, uint32_t prio)
{
    switch_send_pfc(s, in, prio, true);
    pfc_await_refresh(&s->engine, &s->pfc, in, prio);
}

static __attribute__((noinline)) void resume(struct sim *s, struct port *in, uint32_t prio)
{
    switch_send_pfc(s, in, prio, false);
    if (s->pfc.is_refreshed)
        pfc_end_refresh(&s->engine, in, prio);
}

static void send_pfc_changes(struct sim *s, struct port *in, struct account_pfc changes)
{
    for (uint32_t c = changes.pause; c; c &= c - 1)
        switch_send_pfc(s, in, (uint32_t)__builtin_ctz(c), true);
    for (uint32_t c = changes.resume; c; c &= c - 1)
        switch_send_pfc(s, in, (uint32_t)__builtin_ctz(c), false);
}

/* ---- route: may the packet bypass the queue? ---- */

static void drop(struct sim *s, uint32_t id, uint64_t *cause)
{
    (*cause)++;
    engine_drop(&s->engine, id);
}

/* Returns true if the packet may go straight to the wire of an idle port. Others that arrived with it have then had
 * their turn in the scheduler. */
static inline bool may_bypass(struct sim *s, const struct port *in, struct port *out, const struct packet *k)
{
    if (buffer_is_passed(s, in, k))
        return true;
    if (!(buffer_is_lossless(s, k) ? buffer_is_passed_beside(s, in, k) : out->node->used_bytes <= s->sw.pass_used_max))
        return false;
    scheduler_choose(&s->engine, &s->scheduler, out, 1u << k->prio);
    return true;
}

/* ---- admit ---- */

/* Packets without an ingress account, or with another account. Out of line: admit() must stay small. */
static __attribute__((noinline)) enum admission admit_slow_path(struct sim *s, struct port *in, struct port *out, uint32_t id)
{
    struct packet *k = &s->engine.packets.packet[id];

    if (s->model.account) {
        struct account_pfc changes;

        if (!s->model.account->admit(s, in, out, k, &changes))
            return REFUSED;
        send_pfc_changes(s, in, changes);
        return ADMITTED;
    }
    if (!buffer_admit_lossy(s, out, k)) {
        s->engine.counters.dropped_lossy++;
        return REFUSED;
    }
    if (s->cfg.ecn_at_enqueue)
        ecn_mark(s, out->node, out, k, out->queue[k->prio].bytes);
    return ADMITTED;
}

/* Charges a packet to the shared buffer and pauses the sender if its share is full. Returns false if the packet was
 * dropped. */
static inline bool admit(struct sim *s, struct port *in, struct port *out, uint32_t id, struct packet *k)
{
    enum admission a = ADMITTED;

    if (buffer_is_lossless(s, k)) {
        a = buffer_admit(s, in, k);
        if (a != REFUSED && s->cfg.ecn_at_enqueue)
            ecn_mark(s, out->node, out, k, out->queue[k->prio].bytes);
        if (a == ADMITTED_FULL)
            pause(s, in, k->prio);
    } else if (buffer_is_booked(s, k)) {
        a = admit_slow_path(s, in, out, id);
    } else {
        k->in_port = UNBOOKED;
    }
    if (a != REFUSED)
        return true;
    drop(s, id, &s->engine.counters.dropped_buffer);
    return false;
}

/* ---- schedule, mark, transmit ---- */

static inline uint32_t sendable(const struct port *p)
{
    return p->backlog & ~(uint32_t)p->paused;
}

/* Sends the first packet of the queue whose turn it is. Resumes the sender it came from if there is room again. */
static inline void send_next(struct sim *s, struct port *p)
{
    uint32_t       mask = sendable(p), q, id;
    struct packet *k;

    if (!mask || (p->slow_path & SLOW_LINK && p->is_down))
        return;
    q = scheduler_choose(&s->engine, &s->scheduler, p, mask);
    id = path_dequeue(&s->engine, p, q);
    k = &s->engine.packets.packet[id];
    if (k->in_port != UNBOOKED) {
        struct port *in;

        if (p->queue[q].bytes > p->mark_above_bytes)
            ecn_mark(s, p->node, p, k, p->queue[q].bytes);
        in = buffer_release(s, p->node, p, k);
        if (__builtin_expect(in != NULL, 0))
            resume(s, in, q);
    }
    path_transmit(&s->engine, p, id, k);
    if (p->backlog)              /* a paused backlog wakes the port for nothing, which is rare and harmless */
        path_await_free(&s->engine, p);
}

/* Duplicated so that the common case is inlined into the event loop. */
void switch_on_free(struct sim *s, struct port *p)
{
    send_next(s, p);
}

__attribute__((noinline)) void switch_kick(struct sim *s, struct port *p)
{
    send_next(s, p);
}

/* ---- queue ---- */

static inline void note_queue(struct port *out, uint32_t prio)
{
    if (out->queue[prio].bytes > out->counters.queue_bytes_max)
        out->counters.queue_bytes_max = out->queue[prio].bytes;
}

static inline void enqueue(struct sim *s, struct port *out, uint32_t prio, uint32_t id, struct packet *k)
{
    path_enqueue(&s->engine, out, prio, id, k);
    if (!port_is_busy(out, s->engine.now_ps, s->engine.order)) {
        switch_kick(s, out);
        if (__builtin_expect(out->paused, 0))
            note_queue(out, prio);       /* its class may be paused */
        return;
    }
    note_queue(out, prio);
    if (!(out->paused >> prio & 1))
        path_await_free(&s->engine, out);
}

/* ---- arrive: the rare cases ---- */

static __attribute__((noinline)) void on_pfc(struct sim *s, struct port *in, uint32_t id, const struct packet *k)
{
    pfc_on_frame(&s->engine, &s->pfc, in, k->prio, k->seq);
    packet_free(&s->engine.packets, id);
    if (!port_is_busy(in, s->engine.now_ps, s->engine.order))
        switch_kick(s, in);
    else if (sendable(in))
        path_await_free(&s->engine, in);
}

/* Admits and queues a packet for which ConWeave chose 'out'. NULL: no path. */
static void forward_woven(struct sim *s, struct port *in, struct port *out, uint32_t id)
{
    struct packet *k = &s->engine.packets.packet[id];

    if (!out || (out->slow_path & SLOW_LINK && out->is_down))
        drop(s, id, &s->engine.counters.dropped_no_route);
    else if (admit(s, in, out, id, k))
        enqueue(s, out, k->prio, id, k);
}

static void release_woven(struct sim *s, struct port *in, struct port *out, uint32_t id)
{
    for (uint32_t next; id; id = next, in = NULL) {
        next = weave_take_held(s, id, &in);
        forward_woven(s, in, out, id);
    }
}

/* Returns true if ConWeave consumed or forwarded the packet. */
static bool handle_woven(struct sim *s, struct port *in, uint32_t id, struct packet *k)
{
    struct weave_act act;
    enum weave_does  does = weave_on_packet(s, in, id, k, &act);

    for (uint32_t i = 0; i < act.controls; i++)
        forward_woven(s, in, act.control_out[i], act.control[i]);
    if (does == WEAVE_FORWARDED)
        forward_woven(s, in, act.out, id);
    else if (does == WEAVE_RELEASED)
        release_woven(s, in, act.out, id);
    return does != WEAVE_IGNORED;
}

/* Handles lossy links, monitors and ConWeave. Returns true if the packet was consumed. A packet that ConWeave held
 * back arrives a second time, without a wire. */
static __attribute__((noinline)) bool handle_ingress(struct sim *s, struct port *in, uint32_t id, struct packet *k)
{
    bool is_held = in->slow_path & SLOW_WOVEN && packet_woven(&s->engine.packets, id)->is_held;

    if (in->slow_path & SLOW_LINK && !is_held && path_is_gone(&s->engine, in, id, k))
        return true;
    if (in->slow_path & SLOW_WATCHED && k->kind == PACKET_DATA && !(k->flags & (PACKET_TCP | PACKET_COUNTED)))
        s->watch.on_packet(s->watch.arg, s->engine.now_ps, in->node, k);
    return in->slow_path & SLOW_WOVEN && k->kind != PACKET_PFC && handle_woven(s, in, id, k);
}

/* ---- the whole path ---- */

void switch_on_packet(struct sim *s, struct port *in, struct packet *k)
{
    uint32_t     id = evq_id(&s->engine.evq, k);
    struct port *out;

    if (__builtin_expect(in->slow_path & (SLOW_LINK | SLOW_WATCHED | SLOW_WOVEN), 0) && handle_ingress(s, in, id, k))
        return;
    if (k->kind == PACKET_PFC) {
        on_pfc(s, in, id, k);
        return;
    }
    out = forward_find_port(s, in, id, k);
    if (__builtin_expect(!out, 0))
        drop(s, id, &s->engine.counters.dropped_no_route);
    else if (!(out->backlog | out->paused) && !port_is_busy(out, s->engine.now_ps, s->engine.order) &&
             may_bypass(s, in, out, k))
        path_transmit(&s->engine, out, id, k);
    else if (admit(s, in, out, id, k))
        enqueue(s, out, k->prio, id, k);
}

/* ---- links that go down ---- */

void switch_flush(struct sim *s, struct port *p)
{
    for (uint32_t q = 0; q <= PRIOS; q++)
        while (p->queue[q].head) {
            uint32_t       id = path_dequeue(&s->engine, p, q);
            struct packet *k = &s->engine.packets.packet[id];
            struct port   *in = k->in_port != UNBOOKED ? buffer_release(s, p->node, p, k) : NULL;

            if (in)
                resume(s, in, q);
            s->engine.counters.dropped_down += k->kind != PACKET_PFC;
            engine_drop(&s->engine, id);
        }
}

/* ---- invariants ---- */

void switch_check(const struct sim *s, const struct node *n)
{
    buffer_check(s, n);
    for (uint32_t i = 0; i < n->ports; i++) {
        const struct port *p = &s->net.port[n->first_port + i];

        expect_of_node(!(sendable(p) && !p->is_down) || p->free.next != EVQ_IDLE, s, n->id,
                       "packets wait at a port that will not send");
    }
}
