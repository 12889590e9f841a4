/* src/live/controller/command.h - commands to one device: sent, sent again until answered, given up in time.
 *
 * A device has at most one command under way; peer.step says which.
 */
#ifndef LIVE_CONTROLLER_COMMAND_H
#define LIVE_CONTROLLER_COMMAND_H

#include "live/controller/state.h"

void command_prepare(struct controller *, struct peer *, uint64_t now_us);
void command_commit(struct controller *, struct peer *, uint64_t at_us, uint64_t now_us);
void command_confirm(struct controller *, struct peer *, uint64_t now_us);

/* at_us of 0: at once. */
/* Makes the device treat its confirmed setting as a change, to check that it is reverted when no lease
 * follows. */
void command_drill(struct controller *, struct peer *, const char *why, uint64_t now_us);
void command_revert(struct controller *, struct peer *, uint64_t at_us, const char *why, uint64_t now_us);

/* An answer came. Returns NULL, or why the trial cannot go on: valid until the message is gone. */
const char *command_on_answer(struct controller *, struct peer *, const struct msg *);

/* Repeats an unanswered message. Returns false if the device did not answer in time. */
bool command_on_tick(struct controller *, struct peer *, uint64_t now_us);

/* A message to a device, with term and incarnation. */
void command_send(struct controller *, const struct peer *, struct msg *);

#endif
