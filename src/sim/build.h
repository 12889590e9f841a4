/* src/sim/build.h - lays a world out in memory: nodes, ports, hosts, routes, pools of packets and flows. */
#ifndef SIM_BUILD_H
#define SIM_BUILD_H

#include "sim/state/state.h"

/* Builds everything except events. Configuration, graph and traffic are set. After a failure, build_free()
 * frees what was built. */
int  build_world(struct sim *, struct err *);
void build_free(struct sim *);

/* Builds one part of a world. The part shares the network and has its own events, packets and counters. */
struct sim *build_part(const struct sim *whole, struct arena *, uint32_t part, uint32_t parts);
void        build_free_part(struct sim *);

/* Applies the knobs to congestion control and receivers. */
void build_configure_hosts(struct sim *);

#endif
