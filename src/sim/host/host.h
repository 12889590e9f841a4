/* src/sim/host/host.h - all events of a host. nic.h describes a NIC. */
#ifndef SIM_HOST_HOST_H
#define SIM_HOST_HOST_H

#include "sim/host/nic.h"

/* A flow starts now. */
void host_start_flow(struct sim *, struct host *, const struct flow_spec *);

void host_on_packet(struct sim *, struct host *, struct packet *);

/* The port is free, or the pacer is due: sends what may be sent. */
void host_on_free(struct sim *, struct host *);

/* The same for any other reason. */
void host_kick(struct sim *, struct host *);

/* The retransmission timer; the next entry of the CNP arbiter; a receiver of UET gives credit, or a slow
 * one has taken a packet in; TCP's timer, and the time at which its stack handles ACKs. */
void host_on_timeout(struct sim *, struct host *);
void host_on_turn(struct sim *, struct host *);
void host_on_tcp_timer(struct sim *, struct host *);
void host_on_tcp_wake(struct sim *, struct host *);

/* A receiver gives credit, or has taken a packet in, which is returned and comes to host_on_packet(). */
struct packet *host_on_receiver(struct sim *, struct host *);

/* Catches up with every flow's timers, before the knobs change. */
void host_catch_up(struct sim *, struct host *);

void host_check(const struct sim *, const struct host *);

#endif
