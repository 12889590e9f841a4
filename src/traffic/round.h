/* src/traffic/round.h - a collective that is under way, as one of its ranks sees it.
 *
 * A rank has a round for each collective that it has begun, and for each of which a message has come before that. What may go on
 * next is put on a stack, last in, first out; whoever owns the stack takes it from there and carries it out.
 */
#ifndef TRAFFIC_ROUND_H
#define TRAFFIC_ROUND_H

#include "traffic/plan.h"

struct round;

struct todo { struct round *round; uint32_t number; };      /* number: the round's own business */

struct todo_stack { struct todo *todo; uint32_t depth, max; };

void todo_push(struct todo_stack *, struct round *, uint32_t number);
void todo_fini(struct todo_stack *);

/* Where rounds are kept: of one rank. */
struct rounds { const struct trace *trace; struct plans *plans; uint32_t rank; struct round *first; };

void rounds_fini(struct rounds *);

/* A message, as its flow's tag says it: of which operation of its sender, which phase, which message of the plan. Tags of other flows are below. */
#define ROUND_TAG (1ull << 63)

struct round_message { uint32_t op, phase, message; };

struct round_message round_message_of(uint64_t tag);

/* The round of a collective; makes one if there is none. */
struct round *round_of(struct rounds *, const struct trace_op *);

/* The rank begins it, as its operation 'number'. */
void round_begin(struct rounds *, struct round *, uint32_t number, struct todo_stack *);

/* A message has come; or one has been acknowledged. */
void round_on_arrival(struct rounds *, struct round *, const struct round_message *, struct todo_stack *);
void round_on_sent(struct rounds *, struct round *, const struct round_message *, struct todo_stack *);

/* Carries out what was on the stack: a rank to which so many bytes are to be sent, or the round is over and gone, or nothing is to be done by others. */
enum round_step { ROUND_NOTHING, ROUND_POSTS, ROUND_IS_OVER };

struct round_post { uint32_t rank, op; uint64_t bytes, tag; };      /* op: the operation, if it is over */

enum round_step round_go_on(struct rounds *, struct round *, uint32_t number, struct todo_stack *, struct round_post *);

#endif
