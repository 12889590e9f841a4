/* src/live/agent/device.h - what the agent's device holds, should hold, and who has set it. */
#ifndef LIVE_AGENT_DEVICE_H
#define LIVE_AGENT_DEVICE_H

#include "live/agent/state.h"

#define DEVICE_DOUBT_US 60000000u        /* a write that timed out may take effect for so long */
#define DEVICE_RETRY_US 500000u          /* between attempts to revert */

/* Puts what must not be forgotten on the disk. What fails is tried again with every tick. */
int device_save(struct agent *);

/* Reads the device. Does it hold what it should: what is confirmed, and over it what is open? If not,
 * somebody has set it, or a write of ours came late: what is open is reverted, foreign values are adopted,
 * and the device is frozen. A device that cannot be read does not hold what it should, but nothing is done
 * about it. */
bool device_check(struct agent *, uint64_t now_us);

/* Writes and reads back. On failure 'why' says what is wrong. */
bool device_write(struct agent *, const struct knob_set *, uint64_t now_us, char why[MSG_WHY_SIZE]);

/* Writes back what is confirmed, wherever the device holds something else that is ours. Returns whether it
 * is back; if not is_broken is set and it is to be tried again. */
bool device_restore(struct agent *, const char *why, uint64_t now_us);

/* One line for people: what was written to the device, from what to what, and why. */
void device_tell(struct agent *, const char *what, const struct knob_set *old, const struct knob_set *new,
                 const char *why);

/* When no write can take effect any more, what we once tried is not ours any longer. */
void device_forget_doubts(struct agent *);

#endif
