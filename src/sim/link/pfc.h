/* src/sim/link/pfc.h - PFC: pauses between both ends of a link, by class.
 *
 * With pause_ps each class of a port has two events: a received pause expires, and a sent one is repeated.
 */
#ifndef SIM_LINK_PFC_H
#define SIM_LINK_PFC_H

#include "sim/link/port.h"

/* A PFC frame for class 'prio' has arrived. The caller sends what may be sent now. */
__attribute__((noinline))
void pfc_on_frame(struct engine *, const struct pfc_cfg *, struct port *, uint32_t prio, bool is_pause);

/* A received pause that was not repeated expires. */
void pfc_on_expiry(struct engine *, struct port *, uint32_t prio);

/* The link goes down or comes up: no class is paused any more. */
void pfc_forget(struct engine *, const struct pfc_cfg *, struct port *);

/* Makes a PFC frame. Returns 0 if the link is down; the peer learns the state when it comes up. */
uint32_t pfc_new_frame(struct engine *, const struct pfc_cfg *, struct port *, uint32_t prio, bool is_pause);

/* Sends a PFC frame. */
void pfc_send(struct engine *, const struct scheduler_cfg *, const struct pfc_cfg *, struct port *,
              uint32_t prio, bool is_pause);

/* A sent pause is repeated after half of its time, so that it does not expire while it is needed. */
void pfc_await_refresh(struct engine *, const struct pfc_cfg *, struct port *, uint32_t prio);
void pfc_end_refresh(struct engine *, struct port *, uint32_t prio);

#endif
