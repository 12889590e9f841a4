/* src/sim/uet_build.h - model uet: derives settings from the network and allocates connections. */
#ifndef SIM_UET_BUILD_H
#define SIM_UET_BUILD_H

#include "sim/state/state.h"

/* Derives queue limits, thresholds and ring sizes. Call it when the network is known. Does nothing in other
 * models. */
void uet_build(struct sim *);

/* Bit mask of the classes that carry UET data and headers; 0 in other models. Queue pairs and TCP use the
 * other classes. */
uint8_t uet_classes(const struct sim *);

/* Applies new or changed knobs. */
void uet_configure(struct sim *);

/* Returns the limit of a data queue if the knob trim is 0. */
uint64_t uet_queue_bytes_automatic(const struct sim *);

/* Allocates connections for the world or for one part. */
void uet_build_flows(struct sim *, uint32_t flows);
void uet_build_part(struct sim *);
void uet_free(struct sim *);

#endif
