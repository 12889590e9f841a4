/* src/traffic/post.h - flows that workers are to start, each worker's in their order: for the sources of traffic/. */
#ifndef TRAFFIC_POST_H
#define TRAFFIC_POST_H

#include "traffic/internal.h"
#include "traffic/kind.h"

/* Makes room for so many more in a part. */
void post_reserve(struct traffic_part *, uint32_t posts);

/* Adds one to those of a stream, in the part that it is in, and notes that its next flow may be another. Flows of one
 * moment start by tag, then destination. */
void post_add(struct traffic *, uint32_t stream, const struct post *);

/* Adds all of those that the stream had in a part that is no more, 'first' being the first of them. */
void post_move(struct traffic *, uint32_t stream, uint32_t first, struct post *old);

/* The worker's part of traffic_next(): takes the one that is due first. */
bool post_next(struct traffic *, struct traffic_stream *, struct flow_spec *);

#endif
