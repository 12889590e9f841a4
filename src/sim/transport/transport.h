/* src/sim/transport/transport.h - all that a NIC knows of a transport.
 *
 * The NIC has flows, their pacer, their turns and the port. A transport has a struct of functions for its
 * flows. Each kind of packet has one function that handles its arrival: it runs the protocol, accepts data,
 * answers it, or takes an answer to data. event/kinds.def lists all of them.
 */
#ifndef SIM_TRANSPORT_TRANSPORT_H
#define SIM_TRANSPORT_TRANSPORT_H

#include "sim/nic/nic.h"

enum transport_id {
#define TRANSPORT(NAME, name) TRANSPORT_##NAME,
#include "sim/event/kinds.def"
    TRANSPORTS
};

enum transport_timer {
#define TIMER(NAME, on_time) TIMER_##NAME,
#include "sim/event/kinds.def"
    TRANSPORT_TIMERS
};

_Static_assert(TRANSPORTS <= TRANSPORTS_MAX, "all transports fit struct host_state");

/* The congestion control of a flow. */
struct flow_control { const struct cc_algo *cc; const void *cfg; };

struct transport {
    const char *name;

    /* What it is. Most have none of these. */
    bool     is_paced;           /* false: may_send() alone decides whether a flow is ready */
    bool     is_numbered;        /* packets have numbers: a message begins at a multiple of the MTU */
    bool     is_stack;           /* software on the host, not the NIC: RDMA monitors do not see it; it has its
                                  * own turns: see share(); start() and may_send() are required */
    bool     is_done_when_sent;  /* a message is done when its last byte has left; none is answered */
    bool     has_control_by_class;       /* knobs enable congestion control for some classes only */

    /* ---- building; or NULL ---- */

    /* Allocates memory for this many flows. What it keeps can be in s->hosts.own[its number]. */
    void     (*reserve)     (struct sim *, uint32_t flows);
    void     (*reserve_part)(struct sim *);    /* likewise, what each part has of its own */
    void     (*release)     (struct sim *);    /* frees what is not in an arena */
    bool     (*has_timers)  (const struct sim *);

    /* ---- posting ---- */

    bool     (*takes)   (const struct sim *, const struct host *, const struct flow_spec *);

    /* Carries a message without a flow. NULL: it has one, see nic/post.h; the rest is for flows. */
    void     (*post)    (struct sim *, struct host *, const struct flow_spec *);
    uint64_t (*ideal_ps)(const struct sim *, const struct host *, const struct flow_spec *);
    struct flow_control (*control)(const struct sim *, const struct host *);     /* NULL: none */
    void     (*open)    (struct sim *, struct flow *);       /* a flow or queue pair is new; or NULL */

    /* A new flow has its first message, or an idle one another. NULL: the flow joins the NIC's round robin,
     * which needs may_send(), next() and timer(). */
    void     (*start)   (struct sim *, struct host *, struct flow *);
    void     (*wake)    (struct sim *, struct flow *);       /* before: it was idle; or NULL */
    void     (*on_more) (struct sim *, struct host *, struct flow *);    /* an active one; or NULL */

    /* ---- sending ---- */

    /* Returns true if window or credit allow a packet. */
    bool     (*may_send)(const struct sim *, const struct host *, const struct flow *);

    /* Selective repeat: finds what a ready flow must send next. Returns false if that is nothing; or NULL. */
    bool     (*seek)    (struct sim *, struct host *, struct flow *);

    /* It is the turn of a ready flow, and the port is idle. Sends a packet; false: not now. */
    bool     (*next)    (struct sim *, struct host *, uint32_t flow);

    /* Retransmits what is overdue. Returns when to look again. */
    uint64_t (*timer)   (struct sim *, struct host *, struct flow *);

    /* Returns the bytes of the oldest message that have arrived, for reports. NULL: those acknowledged. */
    uint64_t (*arrived_bytes)(const struct sim *, const struct flow *);

    /* BACKLOG_SHARE is set, and the port is idle. Sends a packet; false: it is the turn of the round robin,
     * if that has something to send ('has_others'). At most one transport has this. */
    bool     (*share)   (struct sim *, struct host *, bool has_others);

    /* Aborts if a host's state is inconsistent; or NULL. */
    void     (*check)   (const struct sim *, const struct host *);
};

static inline const struct transport *transport_of(const struct sim *s, const struct flow *f)
{
    return s->hosts.transport[f->transport];
}

/* What the NIC does with a packet that has arrived. Then it looks for a packet to send. */
enum act {
    ACT_FREE,                    /* free the packet */
    ACT_KEEP,                    /* nothing: the packet is on its way again, as its own answer */
    ACT_IGNORE,                  /* free the packet, which answers a flow that is done */
};

#define KIND(class, number, name, on_arrival) \
    enum act on_arrival(struct sim *, struct host *, struct packet *);
#define TIMER(NAME, on_time) void on_time(struct sim *, struct host *);
#define TRANSPORT(NAME, name) extern const struct transport transport_##name;
#include "sim/event/kinds.def"

/* Returns the number of a timer's event. */
static inline uint32_t transport_event(const struct sim *s, enum transport_timer timer, uint32_t host)
{
    return s->engine.first_event[EV_TIMER] + timer * s->net.hosts + host;
}

#endif
