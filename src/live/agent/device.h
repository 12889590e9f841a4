/* src/live/agent/device.h - the current and the correct setting of the agent's device, and who set it. */
#ifndef LIVE_AGENT_DEVICE_H
#define LIVE_AGENT_DEVICE_H

#include "live/agent/agent.h"

#define DEVICE_DOUBT_US 60000000u        /* a write that timed out may take effect for so long */
#define DEVICE_RETRY_US 500000u          /* between attempts to revert */

/* Writes the persistent state. A failed write is retried with every tick. */
int device_save(struct agent *);

/* Adds a record to the audit log, by default with the highest term that was obeyed. An error: it is not on
 * the disk. */
int device_log(struct agent *, struct audit_record, uint64_t now_us);

/* Reads the device. Returns whether it holds the correct setting: the confirmed values, overlaid with the
 * open change. On a difference, someone else changed it or one of our writes took effect late: the open
 * change is reverted, foreign values are adopted, and the device is frozen. Returns false, without further
 * action, if the device cannot be read. */
bool device_check(struct agent *, uint64_t now_us);

/* Writes and reads back. On failure 'why' has the reason. */
bool device_write(struct agent *, const struct knob_set *, uint64_t now_us, char why[MSG_WHY_SIZE]);

/* Restores the confirmed values wherever the device holds other values of ours. Returns whether it succeeded;
 * if not, is_broken is set and the caller must retry. */
bool device_restore(struct agent *, const char *why, uint64_t now_us);

/* Logs one line: old values, new values, and the reason. */
void device_tell(struct agent *, const char *what, const struct knob_set *old, const struct knob_set *new,
                 const char *why);

/* Once no write can take effect any more: values that we tried count as foreign again. */
void device_forget_doubts(struct agent *);

#endif
