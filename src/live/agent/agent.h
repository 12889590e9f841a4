/* src/live/agent/agent.h - the agent of one device. Only the agent writes to the device, and it reverts its
 * own writes.
 *
 * A state machine over (clock, network, disk, device). A change passes through these phases:
 *
 *   IDLE --prepare--> PREPARED --commit at T--> SCHEDULED --T--> APPLIED --confirm--> IDLE, and it stays
 *                                                                  |
 *              asked to, lease ended, guardrail, newer controller, |
 *              read back differently, frozen, foreign edit, stop   +--> written back, read back --> IDLE
 *
 * Guarantees, whatever happens to the controller, the network and the agent itself:
 *
 *   - It only observes unless its configuration allows writes. It never writes a value outside the limits.
 *   - The initial setting of the device is on the disk before the first write, and each write is in the audit
 *     log before it happens.
 *   - An unconfirmed setting is reverted when the lease ends. A lease counts from the time at which the agent
 *     sent the report that the controller answered, by the agent's own clock: late or repeated renewals
 *     prolong nothing.
 *   - A value set outside Anole is noticed within an interval, is never overwritten, becomes the baseline,
 *     and freezes the device.
 *   - It obeys only the newest controller.
 *   - If something cannot be read, written or saved, nothing is changed. A failed revert is retried.
 *   - A damaged or missing file does not prevent a revert (saved.h). If no record of the correct setting is
 *     left, the agent says so and observes.
 */
#ifndef LIVE_AGENT_AGENT_H
#define LIVE_AGENT_AGENT_H

#include "live/agent/state.h"

/* The defaults of a NIC or of a switch: observe only. */
void agent_config_init(struct agent_config *, enum knob_where);

/* The config must outlive it. 'incarnation' differs from all before. */
void agent_init(struct agent *, const struct agent_config *, const struct agent_io *, uint64_t incarnation);

/* Resumes from the state on the disk: reverts an unconfirmed setting. 'audit' is the position in the log
 * (audit_resume_tail()). */
void agent_start(struct agent *, const struct audit *, uint64_t now_us);

void agent_on_msg(struct agent *, const struct msg *, uint64_t now_us);
void agent_on_tick(struct agent *, uint64_t now_us);         /* once per interval */
void agent_on_timer(struct agent *, uint64_t now_us);        /* at agent_timer_us() or a little later */
uint64_t agent_timer_us(const struct agent *);               /* NEVER: none */

/* Replaces the configuration in place. An open change is reverted first, because the old configuration
 * allowed it. Name, kind and interval stay. */
void agent_reconfigure(struct agent *, struct agent_config *cfg, const struct agent_config *new,
                       uint64_t now_us);

/* A file says that nothing may be written, and why; "": no longer. */
void agent_stop_by_file(struct agent *, const char *why, uint64_t now_us);

/* May a tuner of the agent's own set queues? NULL: yes; otherwise why not: the controller has not said so,
 * no lease, frozen, a guardrail, or anything else for which nothing would be written. */
const char *agent_may_tune(const struct agent *, uint64_t now_us);

/* A queue was changed outside Anole: freezes the device, as for any other foreign edit. */
void agent_freeze(struct agent *, const char *why, uint64_t now_us);

/* The process ends, after agent_leave(): the controller need not wait for it. */
void agent_bye(struct agent *, uint64_t now_us);

/* The process ends, or a person asks for it: reverts an open change. Returns false if the device could not be
 * restored. */
bool agent_leave(struct agent *, const char *why, uint64_t now_us);

/* Obeys any controller from now on, whatever terms it has seen; the baseline stays. -EIO: the disk cannot
 * be written. */
int agent_forget_term(struct agent *, uint64_t now_us);

/* Reads the device and compares it with the correct setting. On a difference, the error names the device and
 * its values. */
int agent_check_back(struct agent *, struct err *);

#endif
