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

/* ---- congestion control of the hosts (build_control.c) ----
 *
 * Hosts with the same algorithm and link speed share one configuration, which is computed from the knobs. */

struct cc_at {                   /* a group of hosts that share a configuration */
    const struct cc_algo *cc;
    uint64_t              rate_bps;          /* link speed */
    bool                  is_uet;            /* true: UET connections; false: queue pairs */
};

/* control_build() allocates all groups. Hosts are then added one by one. */
void control_build(struct sim *);
void control_add_host(struct sim *, struct host *);

/* Returns the largest per-flow state of any congestion control in use, in bytes. */
size_t control_state_bytes(const struct sim *);

/* Returns whether receivers send CNPs to congested flows in rotation. */
bool control_takes_turns(const struct sim_cfg *);

/* Applies the knobs. */
void control_configure(struct sim *);

/* Makes hosts of equal speed share a setting again, including NICs that lost it or had a separate one. */
void control_share(struct sim *);

/* Applies knobs to one host, until control_share(). */
void control_apply_host(struct sim *, struct host *, const struct knobs *);

/* ---- model uet ---- */

/* Derives queue limits, thresholds and ring sizes, when the network is known. Other models: no effect. */
void uet_build(struct sim *);

/* Bit mask of the classes that carry UET data and headers; 0 in other models. */
uint8_t uet_classes(const struct sim *);

/* Applies new or changed knobs. */
void uet_configure(struct sim *);

/* Returns the limit of a data queue if the knob trim is 0. */
uint64_t uet_queue_bytes_automatic(const struct sim *);

#endif
