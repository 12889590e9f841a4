/* src/sim/nic/host.h - all events of a host. nic.h describes a NIC. */
#ifndef SIM_NIC_HOST_H
#define SIM_NIC_HOST_H

#include "sim/transport/transport.h"

/* A flow starts now. */
void host_start_flow(struct sim *, struct host *, const struct flow_spec *);

void host_on_packet(struct sim *, struct host *, struct packet *);

/* The port is free, or the pacer is due: sends a packet that is allowed to go. */
void host_on_free(struct sim *, struct host *);

/* Same at any other time. */
void host_kick(struct sim *, struct host *);

/* Handles a numbered event. Returns a packet that a slow host has drained, for host_on_packet(), or NULL. */
struct packet *host_on_numbered(struct sim *, struct host *, enum event_kind);

/* A timer of a transport is due. */
void host_on_timer(struct sim *, struct host *, enum transport_timer);

/* Runs every flow's congestion control timers up to now. Call it before the knobs change. */
void host_catch_up(struct sim *, struct host *);

void host_check(const struct sim *, const struct host *);

#endif
