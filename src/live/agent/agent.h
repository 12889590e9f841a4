/* src/live/agent/agent.h - the agent of one device: the only one who writes to it, and the one who takes a
 * write back.
 *
 * A state machine over (clock, network, disk, device). A change goes through these phases:
 *
 *   IDLE --prepare--> PREPARED --commit at T--> SCHEDULED --T--> APPLIED --confirm--> IDLE, and it stays
 *                                                                  |
 *              asked to, lease ended, guardrail, newer controller, |
 *              read back differently, frozen, foreign edit, stop   +--> written back, read back --> IDLE
 *
 * What it promises, whatever happens to controller, network and itself:
 *
 *   - It observes only, unless it was told that it may write. Nothing outside the limits is ever written.
 *   - What the device held first is on the disk before the first write, and each write is in the audit log
 *     before it happens.
 *   - What is not confirmed is written back when the lease ends. A lease counts from when the agent sent
 *     the report that the controller answered, by the agent's own clock: late or repeated renewals prolong
 *     nothing.
 *   - What somebody else sets is seen within an interval, never overwritten, becomes the baseline, and
 *     freezes the device.
 *   - It obeys the newest controller alone.
 *   - Whatever cannot be read, written or saved leads to no change, and a revert that fails is tried again.
 *   - A damaged or missing file does not keep a device from being brought back (saved.h). If nothing is
 *     left that tells what it should hold, it says so and observes.
 */
#ifndef LIVE_AGENT_AGENT_H
#define LIVE_AGENT_AGENT_H

#include "live/agent/state.h"

/* The defaults of a NIC or of a switch: observe only. */
void agent_config_init(struct agent_config *, enum knob_where);

/* The config must outlive it. 'incarnation' differs from all before. */
void agent_init(struct agent *, const struct agent_config *, const struct agent_io *, uint64_t incarnation);

/* Goes on from what is on the disk: writes back what is not confirmed. 'audit' is where the log is
 * (audit_resume()). */
void agent_start(struct agent *, const struct audit *, uint64_t now_us);

/* The controller can be reached (again): says hello. */
void agent_hello(struct agent *, uint64_t now_us);

void agent_on_msg(struct agent *, const struct msg *, uint64_t now_us);
void agent_on_tick(struct agent *, uint64_t now_us);         /* once per interval */
void agent_on_timer(struct agent *, uint64_t now_us);        /* at agent_timer_us() or a little later */
uint64_t agent_timer_us(const struct agent *);               /* NEVER: none */

/* Another configuration, written over the one it was made with: what is open is taken back first, because
 * it was allowed by the old one. Name, kind and interval stay. */
void agent_reconfigure(struct agent *, struct agent_config *cfg, const struct agent_config *new,
                       uint64_t now_us);

/* A file says that nothing may be written, and why; "": no longer. */
void agent_stop_by_file(struct agent *, const char *why, uint64_t now_us);

/* May a tuner of the agent's own set queues? NULL: yes; otherwise why not: the controller has not said so,
 * no lease, frozen, a guardrail, or anything else for which nothing would be written. */
const char *agent_may_tune(const struct agent *, uint64_t now_us);

/* Somebody else has set a queue: the device is frozen, as for any other foreign edit. */
void agent_freeze(struct agent *, const char *why, uint64_t now_us);

/* The process ends, after agent_leave(): the controller need not wait for it. */
void agent_bye(struct agent *, uint64_t now_us);

/* The process ends, or a person asks for it: what is open is reverted. Returns false if the device could
 * not be brought back. */
bool agent_leave(struct agent *, const char *why, uint64_t now_us);

/* Obeys any controller from now on, whatever terms it has seen; the baseline stays. -EIO: the disk cannot
 * be written. */
int agent_forget_term(struct agent *, uint64_t now_us);

/* Reads the device: does it hold what it should? Otherwise the reason names the device and what it holds. */
int agent_check_back(struct agent *, struct err *);

#endif
