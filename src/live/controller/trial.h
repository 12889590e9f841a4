/* src/live/controller/trial.h - one change of the fabric: tried on a few devices, then on more, then kept or
 * reverted.
 *
 *   WAITING   for approval by an operator
 *   LEAD_IN   a stage begins: the devices that have the change in its first block are prepared
 *   RUN       blocks with and without the change, in random order (evidence/evalue.h). Canary stages end
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

#include "live/controller/roster.h"

/* Begins one, which has a number: memory_number(). */
void trial_begin(struct controller *, const struct knob_set *, const char *why, bool needs_approval,
                 uint64_t now_us);
/* The trial waits. */
void trial_approve(struct controller *, const struct order *);
void trial_reject(struct controller *, const struct order *, uint64_t now_us);

/* A trial that waits ends at once. */
void trial_withdraw(struct controller *, const char *why, uint64_t now_us);

/* Starts to restore baselines (c->rolled_back). False: all reachable devices hold theirs. */
bool trial_begin_rollback(struct controller *, uint64_t now_us);

/* Begins a drill at a device, which has a number. */
void trial_begin_drill(struct controller *, struct peer *, const struct order_text *, uint64_t now_us);

/* Aborts the trial, if there is one. */
void trial_abort(struct controller *, const char *why, uint64_t now_us);

/* A device refused to begin (is_refused), did not obey, or ended the change on its own. */
void trial_on_refusal(struct controller *, struct peer *, bool is_refused, const char *why, uint64_t now_us);

/* An interval has ended; metrics are those of the interval. */
void trial_on_tick(struct controller *, uint64_t now_us);

/* An answer of a device has been taken in. */
void trial_on_answer(struct controller *, uint64_t now_us);

/* Is the device's open change one of the trial's? */
bool trial_has(const struct controller *, const struct peer *);

/* The block length that devices allow, in intervals. */
uint32_t trial_block_length(const struct controller *);

/* ---- parts of every trial, for the sources of trials, drills and rollbacks ---- */

bool trial_takes_part(const struct peer *);      /* it has something to change, and is not lost */
void trial_enter(struct controller *, enum trial_phase);

/* Records with the trial's number, settings and evidence: of the controller, or of a person. */
void trial_log(struct controller *, const char *what, const char *why);
void trial_log_by(struct controller *, const char *who, const char *what, const char *why);

/* A repeated trial is not logged when it begins, because it is expected to fail again. If it proceeds, its
 * beginning is logged now. */
void trial_speak(struct controller *);

void trial_clear(struct controller *);           /* no device takes part any more */
/* Numbers it and logs its beginning. False: no device takes part, and it has ended. */
bool trial_start(struct controller *, const char *why, uint64_t now_us);
void trial_end(struct controller *, bool is_kept, const char *why, uint64_t now_us);

void trial_end_drill(struct controller *, struct peer *, bool is_passed, const char *why, uint64_t now_us);
void trial_on_drill(struct controller *, uint64_t now_us);
void trial_on_rollback(struct controller *, uint64_t now_us);

/* ---- commands to one device: sent, sent again until answered, given up in time ----
 *
 * A device has at most one command under way; peer.step says which. */

/* Sends the command of a step: PREPARING, COMMITTING, REVERTING, CONFIRMING or DRILLING. at_us: when it takes
 * effect; 0: at once. A drill makes the device treat its confirmed setting as a change, to check that it is
 * reverted when no lease follows. */
void command_begin(struct controller *, struct peer *, enum peer_step, uint64_t at_us, const char *why,
                   uint64_t now_us);

/* Processes an answer. Returns NULL, or why the trial cannot go on: valid until the message is gone. */
const char *command_on_answer(struct peer *, const struct msg *);

/* Repeats an unanswered message. Returns false if the device did not answer in time. */
bool command_on_tick(struct controller *, struct peer *, uint64_t now_us);

/* A message to a device, with term and incarnation. */
void command_send(struct controller *, const struct peer *, struct msg *);

/* Adds a record to the audit log: of the controller itself, or of an operator. */
void trial_note(struct controller *, const char *what, const char *why);
void trial_note_by(struct controller *, const char *who, const char *what, const char *why);

/* ---- state that survives a restart ----
 *
 * In two checksummed copies (live/core/keep.h): its term, the number of the last trial, freezes and rollbacks
 * with the operator, harm and dropped settings, the current setting, the last drill. */

#define CONTROLLER_SAVED_NAME "controller"

/* Takes it at the start, and the freeze that was held apart; "": there is none. -EBADMSG: it is corrupt. */
int  memory_load(struct controller *, const char *text, const char *held);

/* Wants it on the disk now. Soon: at the next tick. */
void memory_save(struct controller *);
void memory_save_soon(struct controller *, uint64_t now_us);

/* The step is over: what is to be stored is known. */
void memory_print(struct controller *, uint64_t now_us);

/* Takes the next number of a trial. False: it must be on the disk first, which was asked for. */
bool memory_number(struct controller *);

/* A trial did harm. After too many of them in too short a time the controller pauses. */
void memory_count_harm(struct controller *, uint64_t now_us);

/* ---- trials that went badly: struct caution ---- */

/* A digest of a setting, and of what goes with it: a term and a number, or zeros. */
void caution_code(char code[CAUTION_CODE_SIZE], uint64_t term, uint64_t number, const struct knob_set *);

/* A setting was dropped because of its measured effect. */
void caution_drop(struct caution *, const struct knob_set *, uint64_t until_us);

/* How long this setting is not to be tried; 0: it may be. */
uint64_t caution_wait_us(const struct caution *, const struct knob_set *, uint64_t now_us);

/* Returns whether the remaining pauses must be saved again. */
bool caution_is_due(const struct caution *, uint64_t now_us);

/* "5 h 12 min", "40 s". Returns buf. */
char *caution_time(char *buf, size_t size, uint64_t us);

#endif
