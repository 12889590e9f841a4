/* src/sim/transport/transport.h - all that a NIC knows of a transport.
 *
 * The NIC has flows, their pacer, their turns and the port. A transport has a struct of functions for its
 * flows; transports.c lists them. Each kind of packet has one function that handles its arrival;
 * event/kinds.def lists them. It runs the protocol: it accepts data, answers it, or takes an answer to data.
 */
#ifndef SIM_TRANSPORT_TRANSPORT_H
#define SIM_TRANSPORT_TRANSPORT_H

#include "sim/nic/nic.h"

enum transport_id { TRANSPORT_RC, TRANSPORT_UET, TRANSPORT_TCP, TRANSPORTS };

struct transport {
    const char *name;

    /* A new flow has its first message, or an idle one another. NULL: the flow joins the NIC's round robin,
     * which needs the functions below. */
    void     (*start)   (struct sim *, struct host *, struct flow *);

    bool     is_paced;           /* false: may_send() alone decides whether a flow is ready */
    bool     is_numbered;        /* packets have numbers: a message begins at a multiple of the MTU */

    void     (*open)    (struct sim *, struct flow *);       /* a flow or queue pair is new; or NULL */
    void     (*wake)    (struct sim *, struct flow *);       /* an idle one gets a message; or NULL */
    void     (*on_more) (struct sim *, struct host *, struct flow *);    /* an active one; or NULL */

    /* Returns true if window or credit allow a packet. */
    bool     (*may_send)(const struct sim *, const struct host *, const struct flow *);

    /* It is the turn of a ready flow, and the port is idle. Sends a packet; false: not now. */
    bool     (*next)    (struct sim *, struct host *, uint32_t flow);

    /* Retransmits what is overdue. Returns when to look again. */
    uint64_t (*timer)   (struct sim *, struct host *, struct flow *);

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
#include "sim/event/kinds.def"

#endif
