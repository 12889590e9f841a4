/* src/sim/host/host.h - all events of a host. nic.h describes a NIC. */
#ifndef SIM_HOST_HOST_H
#define SIM_HOST_HOST_H

#include "sim/host/nic.h"

/* A flow starts now. */
void host_start_flow(struct sim *, struct host *, const struct flow_spec *);

void host_on_packet(struct sim *, struct host *, struct packet *);

/* The port is free, or the pacer is due: sends a packet that is allowed to go. */
void host_on_free(struct sim *, struct host *);

/* Same at any other time. */
void host_kick(struct sim *, struct host *);

/* Handle the retransmission timer, the CNP arbiter's next entry, TCP's timer, and TCP's handling of ACKs. */
void host_on_timeout(struct sim *, struct host *);
void host_on_turn(struct sim *, struct host *);
void host_on_tcp_timer(struct sim *, struct host *);
void host_on_tcp_wake(struct sim *, struct host *);

/* A UET receiver grants credit, or a slow host has drained a packet: returns it, for host_on_packet(). */
struct packet *host_on_receiver(struct sim *, struct host *);

/* Runs every flow's congestion control timers up to now. Call it before the knobs change. */
void host_catch_up(struct sim *, struct host *);

void host_check(const struct sim *, const struct host *);

#endif
