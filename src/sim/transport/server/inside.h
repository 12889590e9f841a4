/* src/sim/transport/server/inside.h - messages between GPUs of one server.
 *
 * Every GPU has one link in and one link out (graph.inside_rate_bps); the switch between them never blocks. A
 * message is not split into packets. Messages use the outgoing link one after the other and, a delay later,
 * the incoming link. Sender and receiver are notified at the times at which packets would arrive. There is no
 * congestion control, loss or pause.
 *
 * A message in flight is a packet record that is an event at a host. All GPUs of a server are in one part of
 * the world.
 */
#ifndef SIM_TRANSPORT_SERVER_INSIDE_H
#define SIM_TRANSPORT_SERVER_INSIDE_H

#include "sim/nic/nic.h"

/* Builds the state, if there are servers. Each part has separate messages; parts share the links. */
void inside_build(struct sim *);
void inside_build_part(struct sim *);
void inside_free(struct sim *);

/* Starts a flow within a server. Returns false if the destination is outside the server. */
bool inside_start(struct sim *, struct host *, const struct flow_spec *);

static inline bool inside_is(const struct packet *k)
{
    return k->kind == INSIDE || k->kind == INSIDE_DONE;
}

#endif
