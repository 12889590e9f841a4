/* src/sim/link/pfc.h - PFC: pauses between the two ends of a link, by class.
 *
 * With pause_ps, each class of a port has two events: a received pause expires, and a sent pause is repeated.
 */
#ifndef SIM_LINK_PFC_H
#define SIM_LINK_PFC_H

#include "sim/link/port.h"

/* Handles an arriving PFC frame for class 'prio'. The caller then sends packets that are allowed to go. */
__attribute__((noinline))
void pfc_on_frame(struct engine *, const struct pfc_cfg *, struct port *, uint32_t prio, bool is_pause);

/* A received pause expires because it was not repeated. */
void pfc_on_expiry(struct engine *, struct port *, uint32_t prio);

/* The link goes down or comes up: clears all pauses. */
void pfc_forget(struct engine *, const struct pfc_cfg *, struct port *);

/* Sends a PFC frame. */
void pfc_send(struct engine *, const struct scheduler_cfg *, const struct pfc_cfg *, struct port *,
              uint32_t prio, bool is_pause);

/* Schedules the repetition of a sent pause after half of its duration, so that it does not expire. */
void pfc_await_refresh(struct engine *, const struct pfc_cfg *, struct port *, uint32_t prio);
void pfc_end_refresh(struct engine *, struct port *, uint32_t prio);

#endif
