/* src/sim/build.h - lays a world out in memory: nodes, ports, hosts, routes, pools of packets and flows. */
#ifndef SIM_BUILD_H
#define SIM_BUILD_H

#include "sim/state/state.h"

/* Builds everything except events. Configuration, graph and traffic are set. After a failure, build_free()
 * frees what was built. */
int  build_world(struct sim *, struct err *);
void build_free(struct sim *);

/* Builds one part of a world. The part shares the network and has its own events, packets and counters. */
struct sim *build_part(const struct sim *whole, uint32_t part, uint32_t parts);
void        build_free_part(struct sim *);

/* Applies the knobs to congestion control and receivers. */
void build_configure_hosts(struct sim *);

/* Sets the world's model and the settings of links, switches and hosts that depend on it. Call it first, when
 * configuration and traffic are known. */
void model_build(struct sim *);

/* ---- model uet ---- */

/* Derives queue limits, thresholds and ring sizes, when the network is known. Other models: no effect. */
void uet_build(struct sim *);

/* Bit mask of the classes that carry UET data and headers; 0 in other models. */
uint8_t uet_classes(const struct sim *);

/* Applies new or changed knobs. */
void uet_configure(struct sim *);

/* Returns the limit of a data queue if the knob trim is 0. */
uint64_t uet_queue_bytes_automatic(const struct sim *);

/* Allocates connections for the world or for one part. */
void uet_build_flows(struct sim *, uint32_t flows);
void uet_build_part(struct sim *);

#endif
