/* src/sim/host/server/inside.h - messages between GPUs of one server: they do not leave it.
 *
 * Every GPU has a link of its own in and out (graph.inside_rate_bps), and what is between them has room for
 * all. A message is no packets: it takes its time on the way out, one after the other, and, a delay later, on
 * the way in; both ends are told when packets would tell them. There is no congestion control, nothing is
 * lost or paused.
 *
 * A message under way is a packet record that is an event at a host. All GPUs of a server are in one part of
 * the world.
 */
#ifndef SIM_HOST_SERVER_INSIDE_H
#define SIM_HOST_SERVER_INSIDE_H

#include "sim/host/nic.h"

/* What servers need; nothing if there are none. In a part of the world: beside the links of the whole. */
void inside_build(struct sim *);
void inside_build_part(struct sim *, struct arena *);
void inside_free(struct sim *);

/* Starts a flow whose destination is in the same server; false: it is not. */
bool inside_start(struct sim *, struct host *, const struct flow_spec *);

static inline bool inside_is(const struct packet *k)
{
    return k->kind == PACKET_CNP && k->flags & PACKET_INSIDE;
}

/* A message has come to the host, or its source is told so. Returns whether the packet is used again. */
bool inside_on_packet(struct sim *, uint32_t id, struct packet *);

#endif
