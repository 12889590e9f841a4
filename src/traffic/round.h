/* src/traffic/round.h - a running collective from the point of view of one rank.
 *
 * A rank has a round for each collective that it has started, and for each whose first message arrived before
 * that. Pending actions go on a stack (last in, first out). The owner of the stack pops and executes them.
 */
#ifndef TRAFFIC_ROUND_H
#define TRAFFIC_ROUND_H

#include "traffic/collective_plan.h"

struct collective_round;

struct todo { struct collective_round *round; uint32_t number; }; /* number: private to the round */

struct todo_stack { struct todo *todo; uint32_t depth, max; };

void todo_fini(struct todo_stack *);

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
void round_begin(struct rounds *, struct collective_round *, uint32_t number, struct todo_stack *);

/* A message has arrived; a message has been acknowledged. */
void round_on_arrival(struct rounds *, struct collective_round *, const struct round_message *,
                      struct todo_stack *);
void round_on_sent(struct rounds *, struct collective_round *, const struct round_message *,
                   struct todo_stack *);

/* Executes an action from the stack. ROUND_POSTS: the caller sends the bytes in round_post. ROUND_IS_OVER:
 * the round has ended and is freed. ROUND_NOTHING: nothing to do for the caller. */
enum round_step { ROUND_NOTHING, ROUND_POSTS, ROUND_IS_OVER };

struct round_post { uint32_t rank, op; uint64_t bytes, tag; };      /* op: the operation, if it is over */

enum round_step round_execute(struct rounds *, struct collective_round *, uint32_t number,
                              struct todo_stack *, struct round_post *);

#endif
