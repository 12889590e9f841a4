/* src/sim/switch/ecn_view.h - the queue length that a switch chip uses for ECN marking.
 *
 * Chips store packets in cells of ecn_cell bytes: a packet of 1086 bytes takes five cells of 256. Thresholds
 * are whole numbers of cells. The length used for marking may be stale: it is the length ecn_lag ago.
 *
 * A view follows one queue. It is updated when a packet is admitted and when one leaves. Without 'ecn_cell'
 * and 'ecn_lag' there are no views, and switch.c marks by the queue's bytes.
 */
#ifndef SIM_SWITCH_ECN_VIEW_H
#define SIM_SWITCH_ECN_VIEW_H

#include "sim/state/state.h"

struct ecn_past { uint64_t at_ps; uint32_t bytes; };     /* queue length from at_ps on */

struct ecn_view {
    uint32_t         bytes;      /* current queue length in whole cells */
    uint32_t         old_bytes;  /* queue length ecn_lag ago */
    uint32_t         first, count, max;  /* ring of changes, oldest first; max is a power of two */
    struct ecn_past *past;       /* changes since old_bytes; NULL: no lag */
};

/* Creates a view for each queue, if the configuration needs them. */
void ecn_view_build(struct sim *);
void ecn_view_free(struct sim *);

/* A packet enters or leaves the queue of its class at 'out'. */
void ecn_view_add(struct sim *, const struct port *out, const struct packet *);
void ecn_view_remove(struct sim *, const struct port *out, const struct packet *);

/* Returns the queue length that marking uses for a class of 'out'. */
uint32_t ecn_view_bytes(struct sim *, const struct port *out, uint32_t prio);

/* Converts a threshold to whole cells. */
uint32_t ecn_view_threshold(const struct sim *, uint32_t bytes);

#endif
