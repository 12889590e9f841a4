/* src/live/controller/controller.h - who decides: hears all devices of a fabric, tries changes, keeps what is
 * better.
 *
 * A state machine over (clock, network, disk). What it promises:
 *
 *   - It observes only, unless it was told otherwise; then it says what it would try.
 *   - It listens before it acts: a controller that starts hears what devices hold, and takes a term above all
 *     that it has heard of. One that hears of a higher term has been replaced, and never acts again.
 *   - One trial at a time (trial.h); a share of the devices is held back. What is kept has evidence
 *     (evidence/evalue.h).
 *   - Devices that are silent, frozen or broken are not touched; if too few report, nothing is tried.
 *   - Two trials that did harm within an hour make it pause for six, and a setting that was dropped is not
 *     tried again for an hour. Both survive a restart (caution.h).
 *   - A rollback always goes on until every device that can be reached holds its baseline.
 */
#ifndef LIVE_CONTROLLER_CONTROLLER_H
#define LIVE_CONTROLLER_CONTROLLER_H

#include "live/controller/controller_memory.h"
#include "live/controller/state.h"


void controller_config_init(struct controller_config *);

/* Room for so many devices. The config must outlive it. */
void controller_init(struct controller *, const struct controller_config *, const struct controller_io *,
                     uint32_t peers_max);
void controller_fini(struct controller *);

/* 'audit' is where the log is. -EBADMSG: what is on the disk cannot be understood; it must not run. */
int controller_start(struct controller *, const struct audit *, uint64_t now_us);

/* Its terms are higher than this counter. Before it is active. */
void controller_fence(struct controller *, uint64_t counter);

/* somebody can be reached there */
void controller_on_link(struct controller *, uint32_t link, uint64_t now_us);
void controller_on_cut(struct controller *, uint32_t link);                          /* no longer */
void controller_on_msg(struct controller *, uint32_t link, const struct msg *, uint64_t now_us);
void controller_on_tick(struct controller *, uint64_t now_us);                       /* once per interval */

/* What people order; the log has who and why. A negative errno says why not. */
int controller_freeze(struct controller *, const struct order *, uint64_t now_us);
int controller_thaw(struct controller *, const struct order *, uint64_t now_us);
int controller_freeze_device(struct controller *, const char *name, bool is_frozen, const struct order *,
                             uint64_t now_us);

/* -ENOENT: no trial of that number waits. -ESTALE: the code is not that of the trial that waits. */
int controller_approve(struct controller *, uint64_t number, const char *code, const struct order *,
                       uint64_t now_us);

/* Ends what is under way, freezes the fabric, and brings every device back to its baseline, now or as soon as
 * it can be reached.
 * -EPERM: the controller observes only. -ESTALE: another controller has taken over. */
int controller_rollback(struct controller *, const struct order *, uint64_t now_us);

/* Drops a device that no longer reports. -EBUSY: it reports, or something is tried. */
int controller_forget(struct controller *, const char *name, const struct order *, uint64_t now_us);

/* Proves the dead-man switch at one device, "": a canary. It is told to take what is confirmed for a change,
 * gets no lease, and must write it back by itself. -EBUSY: something is tried, or the fabric is frozen.
 * -ENODEV: it cannot be done there now. */
int controller_drill(struct controller *, const char *name, const struct order *, uint64_t now_us);

/* Another configuration, for when no trial is under way; it must outlive the controller. One is ended by the
 * other. */
void controller_reconfigure(struct controller *, const struct controller_config *, uint64_t now_us);
void controller_end_trial(struct controller *, const char *why, uint64_t now_us);

/* Tells agents, with their leases, whether the metric and flow sizes will do. While something is tried they
 * never do. */
void controller_collect(struct controller *, bool is_brief);

/* Why nothing is tried now, in 'buf'; NULL: something may be. */
const char *controller_obstacle(const struct controller *, uint64_t now_us, char buf[MSG_WHY_SIZE]);

#endif
