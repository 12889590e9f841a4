/* src/sim/uet_build.h - model uet: settings that follow from the network, and memory for connections. */
#ifndef SIM_UET_BUILD_H
#define SIM_UET_BUILD_H

#include "sim/state/state.h"

/* The network is known: limits of queues, thresholds, the size of rings. Does nothing in other models. */
void uet_build(struct sim *);

/* The classes of its data and headers, bit mask; 0 in other models. Queue pairs and TCP have the others. */
uint8_t uet_classes(const struct sim *);

/* The knobs have changed, or are new. */
void uet_configure(struct sim *);

/* The limit of a data queue if the knob trim is 0. */
uint64_t uet_queue_bytes_automatic(const struct sim *);

/* Memory for so many connections: of the world, of a part. */
void uet_build_flows(struct sim *, uint32_t flows);
void uet_build_part(struct sim *);
void uet_free(struct sim *);

#endif
