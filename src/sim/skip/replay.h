/* src/sim/skip/replay.h - replays rounds of periodic jobs instead of simulating them, once their duration is
 * known.
 *
 * A round begins when a flow starts in an empty network and all periodic jobs (training) are between two
 * iterations; it ends when the next begins. The first rounds are simulated packet by packet and recorded
 * (tape.h). They vary: marks are random, and fresh queue pairs have other ports and paths. Their mean and
 * spread give the 95 % interval of the next (Student's t). When it is within the allowed error, and at least
 * two were recorded, the next rounds are replayed from the tapes in rotation. A flow then takes as long as
 * recorded, its job is informed at the recorded time, and the network stays empty. Jobs themselves are never
 * skipped, so barriers and computing take their time. After 16 rounds one is simulated again and added to the
 * others, then after 32, and so on.
 *
 * A round is simulated if anything else happens in it: another flow, a link change, a possible change of
 * knobs (skip_set_horizon), or the end of the run. A change of links or knobs clears the recordings.
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

/* A flow starts. Returns true if it is replayed. */
bool replay_take_flow(struct replay *, struct sim *, uint32_t src, const struct flow_spec *);

/* Handles the next step on the tape. */
void replay_on_event(struct replay *, struct sim *);

/* When to look, in the world's time; and the look. */
uint64_t replay_due_ps(const struct replay *);
void     replay_look(struct replay *, struct sim *);

/* The knobs have changed; they will not change before this time. */
void replay_on_change(struct replay *);
void replay_set_horizon(struct replay *, uint64_t world_ps);

/* Adds the bytes of replayed flows that have arrived, by entry of the traffic list. */
void replay_add_bytes(const struct replay *, const struct sim *, uint64_t *entry_bytes);

/* Returns the half-width of the 95 % interval of the next of n normal values, relative to their mean; n >=
 * 2. */
double replay_spread(const uint64_t *value, uint32_t n);

#endif
