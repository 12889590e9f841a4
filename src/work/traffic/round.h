/* src/work/traffic/round.h - a running collective from the point of view of one rank.
 *
 * A rank has a round for each collective that it has started, and for each whose first message arrived before
 * that. Functions add the messages that the rank sends now to a list; the caller posts them. They return the
 * rank's operation if its collective is over, or ROUND_GOES_ON.
 */
#ifndef WORK_TRAFFIC_ROUND_H
#define WORK_TRAFFIC_ROUND_H

#include "work/traffic/collective_plan.h"

#define ROUND_GOES_ON UINT32_MAX

struct collective_round;

struct round_post { uint32_t rank; uint64_t bytes, tag; };

struct round_posts { struct round_post *post; uint32_t count, max; };

/* All rounds of one rank. */
struct rounds { const struct trace *trace; struct plans *plans; uint32_t rank;
                struct collective_round *first; };

void rounds_fini(struct rounds *);

/* The tag of a collective's message encodes the sender's operation, the phase, and the message number in the
 * plan. Tags of other flows are below ROUND_TAG. */
#define ROUND_TAG (1ull << 63)

struct round_message { uint32_t op, phase, message; };

struct round_message round_message_of(uint64_t tag);

/* Returns the round of a collective; creates it if needed. */
struct collective_round *round_of(struct rounds *, const struct trace_op *);

/* The rank starts the collective as its operation 'number'. */
uint32_t round_begin(struct rounds *, struct collective_round *, uint32_t number, struct round_posts *);

/* A message has arrived; a message has been acknowledged. */
uint32_t round_on_arrival(struct rounds *, struct collective_round *, const struct round_message *,
                          struct round_posts *);
uint32_t round_on_sent(struct rounds *, struct collective_round *, const struct round_message *,
                       struct round_posts *);

#endif
