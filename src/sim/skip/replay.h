/* src/sim/skip/replay.h - rounds of a job that repeats itself are not simulated again once it is known how
 * long they take.
 *
 * A round begins when a flow starts in an empty network and all jobs that repeat themselves (training) are
 * between two iterations; it ends when the next begins. The first are simulated packet by packet and recorded
 * (tape.h). They differ by chance: marks are random, and fresh queue pairs have other ports, so other paths.
 * From their mean and spread follows where the next will lie with 95 % (Student's t); when that is within the
 * error that is allowed, and no less than two were recorded, the next rounds are those on the tapes, in turn.
 * A flow that would start then takes as long as it did, and its job is told when it did; the network stays
 * empty. So what jobs do is never skipped, and what follows from it, barriers and computing, takes the time
 * it takes. After 16 rounds one is simulated again and counted with the others, then after 32, and so on.
 *
 * A round is simulated if anything else is to happen in it: another flow that starts, a link that changes,
 * knobs that may be turned (skip_set_horizon), the end of the run. What was recorded before a link or a knob
 * changed is forgotten.
 */
#ifndef SIM_SKIP_REPLAY_H
#define SIM_SKIP_REPLAY_H

#include "sim/skip/tape.h"
#include "sim/skip/told.h"

struct replay;

struct replay *replay_new(struct sim *, struct skip_told *);
void           replay_free(struct replay *);

/* A stream's flow is about to start: where a round ends or begins. */
void replay_before_flow(struct replay *, struct sim *, uint32_t stream);

/* A flow starts. True: it is one of a round that is replayed. */
bool replay_take_flow(struct replay *, struct sim *, uint32_t src, const struct flow_spec *);

/* The event of what is next on the tape. */
void replay_on_event(struct replay *, struct sim *);

/* When to look, in the world's time; and the look. */
uint64_t replay_due_ps(const struct replay *);
void     replay_look(struct replay *, struct sim *);

/* Another setting is in force; nobody will turn knobs before this time. */
void replay_on_change(struct replay *);
void replay_set_horizon(struct replay *, uint64_t world_ps);

/* Adds what has come of flows that are replayed, by entry of the traffic list. */
void replay_add_bytes(const struct replay *, const struct sim *, uint64_t *entry_bytes);

/* The half-width of the interval in which the next of n values lies with 95 %, if they are normal, over their
 * mean; at least two. */
double replay_spread(const uint64_t *value, uint32_t n);

#endif
