/* src/live/controller/trial.h - one change of the fabric: tried on few devices, then on more, kept or
 * taken back.
 *
 *   WAITING   for a person to approve
 *   LEAD_IN   a stage begins: those that will have the change in its first block are prepared
 *   RUN       blocks with and without it, in random order (evidence/pairing.h). Canary stages end when
 *             enough pairs show no harm; the halves, when the evidence for a gain is large enough, or
 *             there is none after long enough
 *   SPREAD    everybody but the hold-back group gets it
 *   SOAK      and keeps it for a while, unconfirmed
 *   CONFIRM   it stays
 *   ABORT     it is taken back: harm, a guardrail, silence, a refusal, a person
 *   ROLLBACK  a person wants the baseline back: each device goes there by itself, and is asked again if it
 *             refuses
 *   DRILL     nothing is tried: one device gets no lease, and must take back by itself what it was told to
 *             take for a change
 *   DIRECT    no evidence is asked for: everybody is prepared, has it at the same instant, and confirms
 *             it. For simulated networks and for who trusts the tuner; limits, leases and guardrails hold
 *             all the same
 */
#ifndef LIVE_CONTROLLER_TRIAL_H
#define LIVE_CONTROLLER_TRIAL_H

#include "live/controller/state.h"

/* Begins one. False: the disk cannot be written, and nothing has begun. */
bool trial_begin(struct controller *, const struct knob_set *, const char *why, bool needs_approval,
                 uint64_t now_us);
void trial_approve(struct controller *, const struct order *, uint64_t now_us);

/* Begins to bring devices back to their baseline, as c->rolled_back orders. False: all that can be reached
 * hold it. */
bool trial_begin_rollback(struct controller *, uint64_t now_us);

/* Begins a drill at a device. False: the disk cannot be written. */
bool trial_begin_drill(struct controller *, struct peer *, const struct order *, uint64_t now_us);

/* Takes it back. Nothing happens if there is none. */
void trial_abort(struct controller *, const char *why, uint64_t now_us);

/* A device did not do what it was told, or has ended the change by itself. */
void trial_on_refusal(struct controller *, struct peer *, const char *why, uint64_t now_us);

/* An interval has ended; metrics are those of the interval. */
void trial_on_tick(struct controller *, uint64_t now_us);

/* An answer of a device has been taken in. */
void trial_on_answer(struct controller *, uint64_t now_us);

/* Is the device's open change one of the trial's? */
bool trial_has(const struct controller *, const struct peer *);

/* The block length that devices allow, in intervals. */
uint32_t trial_block_length(const struct controller *);

#endif
