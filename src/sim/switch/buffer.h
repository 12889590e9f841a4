/* src/sim/switch/buffer.h - the account of a switch's buffer: see "Lossless buffers" in docs/model.md.
 *
 * Packets of classes with PFC are booked to the class of the port they came in by (k->in_port). A class without PFC
 * (BOOKED_LOSSY) is limited by the queue it waits in. A few small frames are not booked at all (UNBOOKED). A model
 * may have another account (BOOKED_APART): see struct account.
 *
 * Nothing is sent from here: a function says who must be told to pause or may go on.
 */
#ifndef SIM_SWITCH_BUFFER_H
#define SIM_SWITCH_BUFFER_H

#include "sim/state/state.h"

enum admission { REFUSED, ADMITTED, ADMITTED_FULL };     /* full: the class is at its limit, its sender must pause */

static inline uint32_t buffer_shared_used(const struct sim *s, const struct ingress *in)
{
    return in->bytes > s->cfg.reserve_bytes ? in->bytes - s->cfg.reserve_bytes : 0;
}

/* What one class of one ingress port may take of the shared buffer now. */
static inline int64_t buffer_threshold(const struct node *n, const struct port *in)
{
    return n->shared_bytes_left > 0 ? n->shared_bytes_left >> in->shift : 0;
}

/* A packet that meets an idle port passes through: booking it in and out again would change nothing, nor would it be
 * marked, as long as nobody is to be paused for it. True when that is plain to see: it fits the reserve of its ingress
 * account, nothing else is in there, and the turn of its class does not matter. */
static inline bool buffer_is_passed(const struct sim *s, const struct port *in, const struct packet *k)
{
    return !(in->held >> k->prio & 1) && !in->pausing && k->bytes <= s->sw.pass_alone_max &&
           in->node->shared_bytes_left >> in->shift > 0;
}

/* The same where others are on the account already. */
static inline bool buffer_is_passed_beside(const struct sim *s, const struct port *port, const struct packet *k)
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

/* Is this packet in a class with PFC, which buffer_admit() books? */
static inline bool buffer_is_lossless(const struct sim *s, const struct packet *k)
{
    return k->kind < PACKET_CNP && s->sw.lossless_prios >> k->prio & 1;
}

/* Is this packet booked at all? Not CNPs, a few small frames of a class of their own, nor PFC frames, nor a control
 * class. */
static inline bool buffer_is_booked(const struct sim *s, const struct packet *k)
{
    return k->kind < PACKET_CNP && !(s->model.unbooked_prios >> k->prio & 1);
}

/* May a packet be refused that overruns the headroom? Where hosts do not stop their ACKs, those may fill
 * it (model hpcc); the fork then drops what comes next, we do so only where results must equal its. */
static inline bool buffer_is_droppable(const struct sim *s, const struct packet *k)
{
    return s->cfg.ack_droppable || (k->kind == PACKET_DATA && !s->cfg.ack_unpaused);
}

/* Takes a packet into the ingress account if there is room for it. */
static inline enum admission buffer_book_in(const struct sim *s, struct node *n, struct port *port,
                                            const struct packet *k)
{
    struct ingress *in = &port->in[k->prio];
    uint32_t        booked = in->bytes + k->bytes, over = booked - s->cfg.reserve_bytes;
    int64_t         limit = n->shared_bytes_left >> port->shift;     /* negative: there is nothing to share */

    if (!in->bytes)
        port->held |= (uint8_t)(1u << k->prio);
    if (booked <= s->cfg.reserve_bytes) {
        in->bytes = booked;
        return in->headroom_bytes > 0 || limit <= 0 ? ADMITTED_FULL : ADMITTED;
    }
    if (over <= limit) {
        in->bytes = booked;
        n->shared_bytes_left -= over < k->bytes ? over : k->bytes;
        return in->headroom_bytes > 0 || over >= n->shared_bytes_left >> port->shift ? ADMITTED_FULL : ADMITTED;
    }
    if (k->bytes + in->headroom_bytes > port->headroom_bytes_max && k->bytes + buffer_shared_used(s, in) > (limit > 0 ? limit : 0) &&
        buffer_is_droppable(s, k))
        return REFUSED;
    in->headroom_bytes += k->bytes;
    return ADMITTED_FULL;
}

/* Books a packet of a class with PFC. */
static inline enum admission buffer_admit(const struct sim *s, struct port *in, struct packet *k)
{
    enum admission a = buffer_book_in(s, in->node, in, k);

    if (a == REFUSED)
        return a;
    k->in_port = in->id;
    return a;
}

/* From the headroom first, then from the shared buffer, last from the reserve. */
static inline void buffer_book_out(const struct sim *s, struct node *n, struct port *port, const struct packet *k)
{
    struct ingress *in = &port->in[k->prio];
    uint32_t        rest = k->bytes, shared;

    if (in->headroom_bytes) {
        uint32_t part = in->headroom_bytes < rest ? in->headroom_bytes : rest;

        in->headroom_bytes -= part;
        rest -= part;
    }
    shared = buffer_shared_used(s, in);
    in->bytes -= rest;
    if (!(in->bytes | in->headroom_bytes))
        port->held &= (uint8_t)~(1u << k->prio);
    n->shared_bytes_left += rest < shared ? rest : shared;
}

/* Has a class that was paused room again? If so, it is paused no longer. */
__attribute__((noinline)) bool buffer_may_resume(const struct sim *, const struct node *, struct port *, uint32_t prio);

/* Packet 'k' has left its queue of port 'out' and the buffer. Returns the port whose peer may send packets of its class
 * again, or NULL. */
static inline struct port *buffer_release(struct sim *s, struct node *n, const struct port *out, const struct packet *k)
{
    if (k->in_port < BOOKED_APART) {
        struct port *in = &s->net.port[k->in_port];

        buffer_book_out(s, n, in, k);
        return in->pausing >> k->prio & 1 && buffer_may_resume(s, n, in, k->prio) ? in : NULL;
    }
    if (k->in_port != BOOKED_LOSSY)
        return s->model.account->release(s, out, k);
    n->used_bytes -= k->bytes;
    n->shared_bytes_left += s->cfg.is_lossless ? k->bytes : 0;
    return NULL;
}

/* Books a packet of a class without PFC: it is on no account of a port's, but beside lossless classes it takes from what
 * they share. False: there is no room. */
bool buffer_admit_lossy(const struct sim *, const struct port *out, struct packet *);

/* What is in the buffer of a switch. Adds up: nobody needs it for a packet. */
int64_t buffer_used_bytes(const struct sim *, const struct node *);

void buffer_check(const struct sim *, const struct node *);

#endif
