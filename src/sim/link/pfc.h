/* src/sim/link/pfc.h - pauses between the two ends of a link, class by class.
 *
 * With pause_ps a pause ends by itself after that time. Then each class of a port has two events: a pause of it ends
 * (expiry), and one that it sent is due again (refresh).
 */
#ifndef SIM_LINK_PFC_H
#define SIM_LINK_PFC_H

#include "sim/link/port.h"

struct pfc_cfg {
    uint64_t pause_ps;           /* after which a pause ends by itself; 0: never */
    uint32_t frame_bytes;
    bool     is_refreshed;       /* a pause that lasts is sent again before it ends */
    uint8_t  queue;              /* of a port, that its PFC frames wait in */
};

static inline uint32_t pfc_event_expiry(const struct engine *e, const struct port *p, uint32_t prio)
{
    return e->first_event[EV_PAUSE_END] + p->id * PRIOS + prio;
}

static inline uint32_t pfc_event_refresh(const struct engine *e, const struct port *p, uint32_t prio)
{
    return e->first_event[EV_PAUSE_REFRESH] + p->id * PRIOS + prio;
}

/* A PFC frame for class 'prio' has arrived: stops or restarts it and keeps the account. What may go now is for the
 * caller to send. */
void pfc_on_frame(struct engine *, const struct pfc_cfg *, struct port *, uint32_t prio, bool is_pause);

/* A pause that was not repeated has ended. */
void pfc_on_expiry(struct engine *, struct port *, uint32_t prio);

/* The link goes down or comes up: nothing is paused any more. */
void pfc_forget(struct engine *, const struct pfc_cfg *, struct port *);

/* Puts a PFC frame into the queue of a port. False: its link is down; the peer will be told when it is up again. */
bool pfc_enqueue(struct engine *, const struct pfc_cfg *, struct port *, uint32_t prio, bool is_pause);

/* In the middle of a pause it is sent again, so that it does not end while it is needed. */
void pfc_await_refresh(struct engine *, const struct pfc_cfg *, struct port *, uint32_t prio);
void pfc_end_refresh(struct engine *, struct port *, uint32_t prio);

#endif
