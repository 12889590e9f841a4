/* src/traffic/traffic_post.h - posted flows of workers, in start order. For the sources of traffic/ only. */
#ifndef TRAFFIC_TRAFFIC_POST_H
#define TRAFFIC_TRAFFIC_POST_H

#include "traffic/internal.h"
#include "traffic/kind.h"

/* Reserves space for 'posts' more in a partition. */
void post_reserve(struct traffic_part *, uint32_t posts);

/* Adds a post to a stream, in its partition, and marks the stream as touched. Posts with equal times are
 * ordered by tag, then destination. */
void post_add(struct traffic *, uint32_t stream, const struct traffic_post *);

/* Moves all posts of a stream from a previous partition; 'first' is their root in 'old'. */
void post_move(struct traffic *, uint32_t stream, uint32_t first, struct traffic_post *old);

/* Implements traffic_next() for workers: takes the earliest post. */
bool post_next(struct traffic *, struct traffic_stream *, struct flow_spec *);

#endif
