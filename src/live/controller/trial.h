/* src/live/controller/trial.h - one change of the fabric: tried on a few devices, then on more, then kept or
 * reverted.
 *
 *   WAITING   for approval by an operator
 *   LEAD_IN   a stage begins: the devices that have the change in its first block are prepared
 *   RUN       blocks with and without the change, in random order (evidence/pairing.h). Canary stages end
 *             when enough pairs show no harm. The stage with two halves ends when the evidence for a gain is
 *             strong enough, or is still missing after a limit
 *   SPREAD    all devices but the hold-back group get it
 *   SOAK      and keep it for a while, unconfirmed
 *   CONFIRM   it becomes permanent
 *   ABORT     it is reverted: harm, a guardrail, silence, a refusal, an operator
 *   ROLLBACK  an operator wants the baseline: each device returns to it independently, and is asked again if
 *             it refuses
 *   DRILL     no change: one device gets no lease, and must revert a change that changes nothing
 *   DIRECT    no evidence is required: all devices are prepared, apply it at the same time, and confirm it.
 *             For simulated networks and for operators who trust the tuner. Limits, leases and guardrails
 *             still apply
 */
#ifndef LIVE_CONTROLLER_TRIAL_H
#define LIVE_CONTROLLER_TRIAL_H

#include "live/controller/state.h"

/* Begins one. False: the disk cannot be written, and nothing has begun. */
bool trial_begin(struct controller *, const struct knob_set *, const char *why, bool needs_approval,
                 uint64_t now_us);
void trial_approve(struct controller *, const struct order *, uint64_t now_us);

/* Starts to restore baselines, as c->rolled_back orders. Returns false if all reachable devices hold
 * theirs. */
bool trial_begin_rollback(struct controller *, uint64_t now_us);

/* Begins a drill at a device. False: the disk cannot be written. */
bool trial_begin_drill(struct controller *, struct peer *, const struct order *, uint64_t now_us);

/* Aborts the trial, if there is one. */
void trial_abort(struct controller *, const char *why, uint64_t now_us);

/* A device did not obey, or ended the change on its own. */
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
