/* src/sim/nic/post.h - a message is posted: a flow starts, or a persistent queue pair has more to send. */
#ifndef SIM_NIC_POST_H
#define SIM_NIC_POST_H

#include "sim/transport/transport.h"

/* What the caller must do with the flow. */
enum post_step {
    POST_FAILED,                 /* nothing: there are too many flows, and the run has failed */
    POST_NEW,                    /* start it */
    POST_AWAKE,                  /* the same for an idle queue pair, whose rate may have changed */
    POST_MORE,                   /* its queue pair may have more to send */
};

struct post { enum post_step step; struct flow *flow; };

/* Posts a message of a flow now. */
struct post post_flow(struct sim *, struct host *, const struct flow_spec *, enum transport_id);

/* Counts a message that starts. */
void post_count(struct sim *, const struct flow_spec *);

#endif
