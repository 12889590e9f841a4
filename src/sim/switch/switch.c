/* A packet's path, in the order of time: arrive, route (forward.h), admit, queue, schedule, mark, transmit
 * (link/path.h). No stage calls an earlier one. switch_on_packet() below is the table of contents.
 *
 * Buffers: see "Lossless buffers" in docs/model.md. A packet of a class with PFC is charged to that class of
 * its ingress port (k->in_port). A packet of a class without PFC (BOOKED_LOSSY) is limited by its egress
 * queue. A few small frames are not charged at all (UNBOOKED). A model may use another account
 * (BOOKED_APART): see struct account.
 */
#include "sim/switch/switch.h"
#include "sim/link/path.h"
#include "sim/link/pfc.h"
#include "sim/switch/ecn_view.h"
#include "sim/switch/forward.h"
#include "sim/switch/weave.h"

int64_t buffer_used_bytes(const struct sim *s, const struct node *n)
{
    int64_t used = n->used_bytes;

    if (s->model.account)
        return used;
    for (uint32_t i = 0; i < n->ports; i++)
        for (uint32_t c = s->net.port[n->first_port + i].held; c; c &= c - 1) {
            const struct ingress *in = &s->net.port[n->first_port + i].in[__builtin_ctz(c)];

            used += in->bytes + in->headroom_bytes;
        }
    return used;
}

/* ---- invariants ---- */

struct sums {
    int64_t  used, shared;
    uint64_t came_in;            /* lossy packets are in no port account, but use shared bytes */
};

static void add_queues(const struct sim *s, const struct node *n, const struct port *p, struct sums *sums)
{
    for (uint32_t q = 0; q <= PRIOS; q++) {
        uint32_t bytes = 0;

        for (uint32_t id = p->queue[q].head; id; id = s->engine.packets.packet[id].next) {
            const struct packet *k = &s->engine.packets.packet[id];

            bytes += k->bytes;
            sums->used += k->in_port != UNBOOKED ? k->bytes : 0;
            sums->shared += k->in_port == BOOKED_LOSSY ? k->bytes : 0;
            sums->came_in += k->in_port == BOOKED_LOSSY ? k->bytes : 0;
        }
        expect_of_node(bytes == p->queue[q].bytes, s, n->id, "a queue is not the sum of its packets");
        expect_of_node((bytes > 0) == (p->backlog >> q & 1), s, n->id,
                       "backlog bits do not match the queues");
    }
}

static void add_ingress(const struct sim *s, const struct node *n, const struct port *p, struct sums *sums)
{
    for (uint32_t c = 0; c < PRIOS; c++) {
        uint32_t bytes = p->in[c].bytes + p->in[c].headroom_bytes;

        sums->shared += buffer_shared_used(s, &p->in[c]);
        sums->came_in += bytes;
        expect_of_node(!s->cfg.is_lossless || (p->held >> c & 1) == (bytes > 0), s, n->id,
                       "a port does not know which classes it holds");
        if (!s->cfg.ack_droppable && s->cfg.ack_unpaused)
            continue;            /* ACKs that cannot be paused may overrun the headroom */
        expect_of_node(p->in[c].headroom_bytes <= p->headroom_bytes_max, s, n->id,
                       "more in the headroom than it holds");
    }
}

void buffer_check(const struct sim *s, const struct node *n)
{
    struct sums sums = { 0 };

    for (uint32_t i = 0; i < n->ports; i++) {
        const struct port *p = &s->net.port[n->first_port + i];

        add_queues(s, n, p, &sums);
        if (!s->model.account)
            add_ingress(s, n, p, &sums);
    }
    expect_of_node(sums.used == buffer_used_bytes(s, n), s, n->id,
                   "the buffer account is not the sum of the queues");
    if (s->model.account) {
        const char *why = s->model.account->check(s, n);

        expect_of_node(!why, s, n->id, why);
    } else if (s->cfg.is_lossless) {
        expect_of_node(sums.shared == n->shared_bytes_max - n->shared_bytes_left, s, n->id,
                       "the shared buffer is not the sum over ingress ports");
        expect_of_node(sums.came_in == (uint64_t)sums.used, s, n->id, "ingress and egress accounts differ");
    }
}

/* A class may also carry TCP packets and CNPs, which cannot be trimmed. */
static bool has_last(const struct sim *s, const struct port *out, const struct packet *k)
{
    const struct queue *queue = &out->queue[k->prio];

    return queue->head && s->engine.packets.packet[queue->tail].kind == UET_DATA;
}

/* Swaps a packet with the last one of its queue. Both keep their positions in lists. */
static void exchange(struct sim *s, struct port *out, uint32_t id)
{
    struct packet *k = &s->engine.packets.packet[id];
    struct queue  *queue = &out->queue[k->prio];
    struct packet *last = &s->engine.packets.packet[queue->tail], was = *last;
    int64_t        more = (int64_t)k->bytes - last->bytes;

    *last = *k;
    last->next = was.next;
    last->in_port = was.in_port;
    *k = was;
    if (s->engine.packets.tag) {
        struct lb_tag *a = packet_tag(&s->engine.packets, id),
                      *b = packet_tag(&s->engine.packets, queue->tail), tag = *a;

        *a = *b;
        *b = tag;
    }
    queue->bytes = (uint32_t)(queue->bytes + more);
    out->node->used_bytes += more;
    out->node->shared_bytes_left -= s->cfg.is_lossless ? more : 0;
}

static void trim(struct sim *s, const struct port *out, struct packet *k)
{
    s->engine.counters.trimmed++;
    s->engine.counters.payload_dropped += k->payload;
    k->payload = 0;
    k->bytes = (uint16_t)(k->bytes < s->cfg.trim_bytes ? k->bytes : s->cfg.trim_bytes);
    k->prio = s->cfg.head_prio & 7u;
    k->kind = out->peer->is_switch ? UET_TRIMMED : UET_TRIMMED_AT_LAST;
}

/* Common case: charges a UET packet to the buffer. Returns false for others, or if it does not fit. */
static inline bool trim_book(const struct sim *s, const struct port *out, struct packet *k)
{
    struct node *n = out->node;
    int64_t room = s->cfg.is_lossless ? n->shared_bytes_left : (int64_t)s->cfg.buffer_bytes - n->used_bytes;

    if (k->bytes > room ||
        (uint64_t)out->queue[k->prio].bytes + k->bytes > s->sw.trim.queue_bytes_max[k->prio])
        return false;
    k->in_port = BOOKED_LOSSY;
    n->used_bytes += k->bytes;
    if (s->cfg.is_lossless)
        n->shared_bytes_left -= k->bytes;
    return true;
}

bool trim_admit(struct sim *s, struct port *out, uint32_t id)
{
    struct packet *k = &s->engine.packets.packet[id];

    if (trim_book(s, out, k))
        return true;
    if (k->prio != s->cfg.head_prio) {
        if (!s->sw.trim.is_on || k->kind != UET_DATA)
            return false;
        if (has_last(s, out, k) && rng_next(&out->node->rng) >> 63)
            exchange(s, out, id);
        trim(s, out, k);
        if (trim_book(s, out, k))
            return true;
    }
    s->engine.counters.dropped_headers++;
    return false;
}

#define APART __attribute__((noinline))  /* keeps rare code out of the event loop */

/* ---- PFC: pause and resume the neighbors ---- */

void switch_send_pfc(struct sim *s, struct port *p, uint32_t prio, bool is_pause)
{
    pfc_send(&s->engine, &s->scheduler, &s->pfc, p, prio, is_pause);
}

static APART void pause(struct sim *s, struct port *in, uint32_t prio)
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

static APART void resume(struct sim *s, struct port *in, uint32_t prio)
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

/* ---- mark ---- */

static inline const struct ecn_cfg *ecn_of(const struct sim *s, const struct port *p, const struct packet *k)
{
    return s->sw.ecn_prios >> k->prio & 1 ? &s->sw.ecn_class[k->prio] : &p->ecn;
}

/* Marks a packet that leaves or enters a queue of this length: at random between the thresholds. */
static inline void mark_by(struct sim *s, struct port *p, struct packet *k, const struct ecn_cfg *e,
                           uint32_t queue_bytes)
{
    if (queue_bytes <= e->kmin_bytes || k->flags & PACKET_NOT_ECT)
        return;
    if (queue_bytes <= e->kmax_bytes) {
        double probability = e->pmax * (double)(queue_bytes - e->kmin_bytes) /
                             (double)(e->kmax_bytes - e->kmin_bytes);

        if ((s->model.random ? s->model.random(s, p->node) : rng_real(&p->node->rng)) >= probability)
            return;
    }
    p->counters.marked_packets += s->model.marked_classes >> packet_class(k) & 1 &&
                                  !(k->flags & s->model.marked_flags);
    k->flags |= PACKET_ECN;
}

static APART void mark(struct sim *s, struct port *p, struct packet *k, uint32_t queue_bytes)
{
    queue_bytes -= queue_bytes < s->model.unmarked_bytes ? queue_bytes : s->model.unmarked_bytes;
    mark_by(s, p, k, ecn_of(s, p, k), queue_bytes);
}

static void mark_by_view(struct sim *s, struct port *p, struct packet *k)
{
    struct ecn_cfg e = *ecn_of(s, p, k);

    e.kmin_bytes = ecn_view_threshold(s, e.kmin_bytes);
    e.kmax_bytes = ecn_view_threshold(s, e.kmax_bytes);
    mark_by(s, p, k, &e, ecn_view_bytes(s, p, k->prio));
}

static void on_leave(struct sim *s, struct port *p, struct packet *k, uint32_t queue_bytes)
{
    (void)queue_bytes;
    ecn_view_remove(s, p, k);
    if (!s->cfg.ecn_at_enqueue)
        mark_by_view(s, p, k);
}

static void on_admit(struct sim *s, struct port *p, struct packet *k, uint32_t queue_bytes)
{
    (void)queue_bytes;
    if (s->cfg.ecn_at_enqueue)
        mark_by_view(s, p, k);
    ecn_view_add(s, p, k);
}

void switch_build_marking(struct sim *s)
{
    ecn_view_build(s);
    s->sw.on_leave = s->sw.view ? on_leave : mark;
    s->sw.on_admit = s->sw.view ? on_admit : s->cfg.ecn_at_enqueue ? mark : NULL;
}

void switch_set_ecn(const struct sim *s, struct port *p, const struct ecn_cfg *ecn)
{
    uint32_t unmarked = s->model.unmarked_bytes;

    p->ecn = *ecn;
    if (!s->cfg.ecn_on || (s->sw.has_credit && !p->peer->is_switch))
        p->ecn.kmin_bytes = UINT32_MAX;      /* receiver credit controls the receiver's link */
    uint32_t kmin = p->ecn.kmin_bytes;
    for (uint32_t c = 0; c < PRIOS; c++)     /* the lowest of all classes; mark() checks the packet's class */
        if (s->sw.ecn_prios >> c & 1 && s->sw.ecn_class[c].kmin_bytes < kmin)
            kmin = s->sw.ecn_class[c].kmin_bytes;
    p->mark_from_bytes = kmin < UINT32_MAX - unmarked ? kmin + unmarked + 1 : UINT32_MAX;
    if (s->cfg.ecn_at_enqueue)
        p->mark_from_bytes = UINT32_MAX;
    if (s->sw.view)
        p->mark_from_bytes = 0;  /* views see every packet */
}

void switch_set_ecn_by_knobs(const struct sim *s, struct port *p, bool use_table)
{
    struct knobs    own = knobs_at_speed(&s->cfg.knobs, (double)p->rate_bps / (double)s->hosts.fastest_bps);
    const double   *k = own.value;
    struct ecn_rate e = { 0, k[KNOB_kmin], k[KNOB_kmax], k[KNOB_pmax] };

    for (uint32_t i = 0; use_table && i < s->cfg.ecn_rates; i++)
        if (s->cfg.ecn_rate[i].rate_bps == p->rate_bps)
            e = s->cfg.ecn_rate[i];
    switch_set_ecn(s, p, &(struct ecn_cfg){ (uint32_t)knob_whole(e.kmin_kb, 1000),
                                            (uint32_t)knob_whole(e.kmax_kb, 1000), e.pmax });
}

/* ---- route: may the packet bypass the queue? ---- */

static void drop(struct sim *s, uint32_t id, uint64_t *cause)
{
    (*cause)++;
    engine_drop(&s->engine, id);
}

/* Returns true if the packet is in a class with PFC, which book_in() charges. */
static inline bool is_lossless(const struct sim *s, const struct packet *k)
{
    return packet_class(k) < CLASS_CNP && s->sw.lossless_prios >> k->prio & 1;
}

/* Other packets are in its ingress account. Returns true if charging and releasing the packet at once would
 * have no effect: it pauses no port and causes no mark. */
static inline bool fits_account(const struct sim *s, const struct port *port, const struct packet *k)
{
    const struct ingress *in = &port->in[k->prio];
    int64_t               left = port->node->shared_bytes_left;
    uint32_t              booked = in->bytes + k->bytes, over = booked - s->cfg.reserve_bytes;

    if (port->pausing || in->headroom_bytes || k->bytes > s->sw.pass_bytes_max)
        return false;
    if (booked <= s->cfg.reserve_bytes)
        return left >> port->shift > 0;
    return over <= left >> port->shift && over < (left - (over < k->bytes ? over : k->bytes)) >> port->shift;
}

/* Returns true if the packet may go straight to the wire of an idle port. Common case first: the packet fits
 * the reserve of its ingress account, that account is empty, and turns of classes do not matter. */
static inline bool may_bypass(struct sim *s, const struct port *in, struct port *out, const struct packet *k)
{
    if (!(in->held >> k->prio & 1) && !in->pausing && k->bytes <= s->sw.pass_alone_max &&
        in->node->shared_bytes_left >> in->shift > 0)
        return true;
    if (!(is_lossless(s, k) ? fits_account(s, in, k) : out->node->used_bytes <= s->sw.pass_used_max))
        return false;
    path_take_turn(&s->scheduler, out, k->prio);
    return true;
}

/* ---- admit ---- */

enum admission { REFUSED, ADMITTED, ADMITTED_FULL };     /* FULL: its sender must pause */

/* Returns true if a packet beyond the headroom may be dropped. If hosts do not pause their ACKs (model hpcc),
 * these may fill the headroom. The fork then drops the next packet; we do so only where results must equal
 * it. */
static inline bool is_droppable(const struct sim *s, const struct packet *k)
{
    return s->cfg.ack_droppable || (packet_class(k) == CLASS_DATA && !s->cfg.ack_unpaused);
}

/* Charges a packet of a class with PFC to its ingress account, if there is room. */
static inline enum admission book_in(const struct sim *s, struct node *n, struct port *port, struct packet *k)
{
    struct ingress *in = &port->in[k->prio];
    uint32_t        booked = in->bytes + k->bytes, over = booked - s->cfg.reserve_bytes;
    int64_t         limit = n->shared_bytes_left >> port->shift;     /* negative: no shared bytes left */

    if (!in->bytes)
        port->held |= (uint8_t)(1u << k->prio);
    if (booked <= s->cfg.reserve_bytes) {
        in->bytes = booked;
        k->in_port = port->id;
        return in->headroom_bytes > 0 || limit <= 0 ? ADMITTED_FULL : ADMITTED;
    }
    if (over <= limit) {
        in->bytes = booked;
        k->in_port = port->id;
        n->shared_bytes_left -= over < k->bytes ? over : k->bytes;
        return in->headroom_bytes > 0 ||
               over >= n->shared_bytes_left >> port->shift ? ADMITTED_FULL : ADMITTED;
    }
    if (k->bytes + in->headroom_bytes > port->headroom_bytes_max &&
        (over > k->bytes ? over : k->bytes) > (limit > 0 ? limit : 0) && is_droppable(s, k))
        return REFUSED;
    in->headroom_bytes += k->bytes;
    k->in_port = port->id;
    return ADMITTED_FULL;
}

/* Charges a packet of a class without PFC. It has no ingress account, but alongside lossless classes it uses
 * their shared bytes. Returns false if there is no room. */
static bool book_lossy(const struct sim *s, const struct port *out, struct packet *k)
{
    struct node *n = out->node;
    int64_t      left = s->cfg.is_lossless ? n->shared_bytes_left :
                                             (int64_t)s->cfg.buffer_bytes - n->used_bytes;
    uint64_t     queue = (uint64_t)out->queue[k->prio].bytes + k->bytes;

    if (k->bytes > left || (double)queue > s->cfg.lossy_alpha * (double)left ||
        (s->cfg.lossy_queue_bytes && queue > s->cfg.lossy_queue_bytes))
        return false;
    k->in_port = BOOKED_LOSSY;
    n->used_bytes += k->bytes;
    if (s->cfg.is_lossless)
        n->shared_bytes_left -= k->bytes;
    return true;
}

/* Admits packets without an ingress account, except UET packets that fit. */
static APART enum admission admit_other(struct sim *s, struct port *in, struct port *out, uint32_t id,
                                        struct packet *k)
{
    if (s->sw.trim.classes >> k->prio & 1) {
        if (trim_admit(s, out, id))
            return ADMITTED;
        s->engine.counters.dropped_lossy++;
        return REFUSED;
    }
    if (s->model.account) {
        struct account_pfc changes;

        if (!s->model.account->admit(s, in, out, k, &changes))
            return REFUSED;
        send_pfc_changes(s, in, changes);
        return ADMITTED;
    }
    if (!book_lossy(s, out, k)) {
        s->engine.counters.dropped_lossy++;
        return REFUSED;
    }
    if (s->sw.on_admit)
        s->sw.on_admit(s, out, k, out->queue[k->prio].bytes);
    return ADMITTED;
}

/* Admits packets without an ingress account. */
static APART enum admission admit_slowly(struct sim *s, struct port *in, struct port *out, uint32_t id,
                                         struct packet *k)
{
    return trim_book(s, out, k) ? ADMITTED : admit_other(s, in, out, id, k);
}

/* Charges a packet to the shared buffer and pauses the sender if its share is full. Returns false if the
 * packet was dropped. CNPs and unaccounted classes need no room. */
static inline bool admit(struct sim *s, struct port *in, struct port *out, uint32_t id, struct packet *k)
{
    enum admission a = ADMITTED;

    if (is_lossless(s, k)) {
        a = book_in(s, in->node, in, k);
        if (a != REFUSED && s->sw.on_admit)
            s->sw.on_admit(s, out, k, out->queue[k->prio].bytes);
        if (a == ADMITTED_FULL)
            pause(s, in, k->prio);
    } else if (packet_class(k) < CLASS_CNP && !(s->model.unbooked_prios >> k->prio & 1)) {
        a = admit_slowly(s, in, out, id, k);
    } else {
        k->in_port = UNBOOKED;
    }
    if (a != REFUSED)
        return true;
    drop(s, id, &s->engine.counters.dropped_buffer);
    return false;
}

/* ---- schedule, release, transmit ---- */

/* Returns the queues that may send. */
static inline uint32_t sendable(const struct port *p)
{
    return p->backlog & ~(uint32_t)p->paused;
}

/* Releases a packet from its account: from the headroom first, then the shared buffer, last the reserve. */
static inline void book_out(const struct sim *s, struct node *n, struct port *port, const struct packet *k)
{
    struct ingress *in = &port->in[k->prio];
    uint32_t        rest = k->bytes;

    if (in->headroom_bytes) {
        uint32_t part = in->headroom_bytes < rest ? in->headroom_bytes : rest;

        in->headroom_bytes -= part;
        rest -= part;
    }
    uint32_t shared = buffer_shared_used(s, in);
    in->bytes -= rest;
    if (!(in->bytes | in->headroom_bytes))
        port->held &= (uint8_t)~(1u << k->prio);
    n->shared_bytes_left += rest < shared ? rest : shared;
}

/* Returns true if a paused class has room again, and marks it as no longer paused. */
static APART bool may_resume(const struct sim *s, const struct node *n, struct port *port, uint32_t prio)
{
    const struct ingress *in = &port->in[prio];
    uint32_t              used = buffer_shared_used(s, in);
    int64_t               limit = n->shared_bytes_left > 0 ? n->shared_bytes_left >> port->shift : 0;

    if (in->headroom_bytes > 0 || (used > 0 && used + s->cfg.resume_bytes > limit))
        return false;
    port->pausing &= (uint8_t)~(1u << prio);
    return true;
}

/* Packet 'k' has left its queue at port 'out': releases its buffer space. Returns the ingress port whose peer
 * may resume the class, or NULL. */
static inline struct port *release(struct sim *s, struct node *n, const struct port *out,
                                   const struct packet *k)
{
    if (k->in_port < BOOKED_APART) {
        struct port *in = &s->net.port[k->in_port];

        book_out(s, n, in, k);
        return in->pausing >> k->prio & 1 && may_resume(s, n, in, k->prio) ? in : NULL;
    }
    if (k->in_port != BOOKED_LOSSY)
        return s->model.account->release(s, out, k);
    n->used_bytes -= k->bytes;
    n->shared_bytes_left += s->cfg.is_lossless ? k->bytes : 0;
    return NULL;
}

/* Sends the first packet of the next queue. Resumes the sender it came from if there is room again. */
static inline void send_next(struct sim *s, struct port *p)
{
    uint32_t mask = sendable(p);

    if (!mask || (p->slow_path & SLOW_LINK && p->is_down))
        return;
    uint32_t q = path_choose(&s->engine, &s->scheduler, p, mask);
    uint32_t id = path_dequeue(&s->engine, p, q);
    struct packet *k = &s->engine.packets.packet[id];
    if (k->in_port != UNBOOKED) {
        if (p->queue[q].bytes >= p->mark_from_bytes)
            s->sw.on_leave(s, p, k, p->queue[q].bytes);
        struct port *in = release(s, p->node, p, k);
        if (__builtin_expect(in != NULL, 0))
            resume(s, in, q);
    }
    path_transmit(&s->engine, p, id, k);
    if (p->backlog)              /* if all of it is paused, the wake-up is useless but harmless, and rare */
        path_await_free(&s->engine, p);
}

/* Duplicated so that the common case is inlined into the event loop. */
void switch_on_free(struct sim *s, struct port *p)
{
    send_next(s, p);
}

APART void switch_kick(struct sim *s, struct port *p)
{
    send_next(s, p);
}

/* ---- queue ---- */

static inline void enqueue(struct sim *s, struct port *out, uint32_t prio, uint32_t id, struct packet *k)
{
    path_enqueue(&s->engine, out, prio, id, k);
    if (!port_is_busy(out, s->engine.now_ps, s->engine.order)) {
        switch_kick(s, out);
        if (__builtin_expect(!out->paused, 1))
            return;              /* otherwise the packet may still wait */
    } else if (!(out->paused >> prio & 1)) {
        path_await_free(&s->engine, out);
    }
    if (out->queue[prio].bytes > out->counters.queue_bytes_max)
        out->counters.queue_bytes_max = out->queue[prio].bytes;
}

/* ---- arrive: the rare cases ---- */

/* Handles changed PFC state of a port. */
static APART void on_pfc(struct sim *s, struct port *p)
{
    if (s->flow_watch.arg && p->paused)
        s->flow_watch.on_pause(s->flow_watch.arg, p);
    if (!port_is_busy(p, s->engine.now_ps, s->engine.order))
        switch_kick(s, p);
    else if (sendable(p))
        path_await_free(&s->engine, p);
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

/* Handles lossy links, monitors and ConWeave. Returns true if the packet was consumed. A packet that ConWeave
 * held arrives a second time, without crossing a wire. */
static APART bool handle_ingress(struct sim *s, struct port *in, uint32_t id, struct packet *k)
{
    bool             is_held = in->slow_path & SLOW_WOVEN && packet_woven(&s->engine.packets, id)->is_held;
    struct weave_act act;

    if (in->slow_path & SLOW_LINK && !is_held && path_is_gone(&s->engine, in, id, k))
        return true;
    if (in->slow_path & SLOW_WATCHED && packet_is_roce_data(k) && !(k->flags & PACKET_COUNTED))
        s->watch.on_packet(s->watch.arg, s->engine.now_ps, in->node, k);
    if (!(in->slow_path & SLOW_WOVEN) || k->kind == PFC)
        return false;
    enum weave_does does = s->lb.weave_packet(s, in, id, k, &act);
    for (uint32_t i = 0; i < act.controls; i++)
        forward_woven(s, in, act.control_out[i], act.control[i]);
    if (does == WEAVE_FORWARDED)
        forward_woven(s, in, act.out, id);
    else if (does == WEAVE_RELEASED)
        release_woven(s, in, act.out, id);
    return does != WEAVE_IGNORED;
}

/* ---- the whole path ---- */

void switch_on_packet(struct sim *s, struct port *in, uint32_t id, struct packet *k)
{
    struct port *out = NULL;

    if (__builtin_expect(in->slow_path & (SLOW_LINK | SLOW_WATCHED | SLOW_WOVEN), 0) &&
        handle_ingress(s, in, id, k))
        return;
    if (k->kind == PFC) {
        pfc_on_frame(&s->engine, &s->pfc, in, k->prio, k->seq);
        packet_free(&s->engine.packets, id);
        on_pfc(s, in);
        return;
    }
    if (__builtin_expect(!s->lb.choose, 1) ||
        !s->lb.choose(s, in, id, k, packet_class(k) == CLASS_DATA, &out))
        out = forward_routed(s, in, k);
    if (__builtin_expect(!out, 0))
        drop(s, id, &s->engine.counters.dropped_no_route);
    else if (!(out->backlog | out->paused) && !port_is_busy(out, s->engine.now_ps, s->engine.order) &&
             may_bypass(s, in, out, k))
        path_transmit(&s->engine, out, id, k);
    else if (admit(s, in, out, id, k))
        enqueue(s, out, k->prio, id, k);
}

/* ---- link failure ---- */

void switch_flush(struct sim *s, struct port *p)
{
    for (uint32_t q = 0; q <= PRIOS; q++)
        while (p->queue[q].head) {
            uint32_t       id = path_dequeue(&s->engine, p, q);
            struct packet *k = &s->engine.packets.packet[id];

            if (s->sw.view && k->in_port != UNBOOKED)
                ecn_view_remove(s, p, k);
            struct port *in = k->in_port != UNBOOKED ? release(s, p->node, p, k) : NULL;
            if (in)
                resume(s, in, q);
            if (k->kind != PFC)
                path_count_cut(&s->engine, p);
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
