/* src/live/controller/controller.h - the controller: collects the reports of a fabric, tries changes, and
 * keeps those that are better.
 *
 * A state machine over (clock, network, disk). Guarantees:
 *
 *   - It only observes unless its configuration allows changes; then it reports what it would try.
 *   - It listens before it acts: after a start it learns the devices' settings and takes a term above all
 *     terms it has seen. A controller that learns of a higher term has been replaced, and never acts again.
 *   - One trial at a time (trial.h), with a hold-back group. A change is kept only with evidence
 *     (evidence/evalue.h).
 *   - It does not touch devices that are silent, frozen or broken. If too few devices report, it tries
 *     nothing.
 *   - After two harmful trials within an hour it pauses for six hours. It does not retry a dropped setting
 *     for an hour. Both survive a restart (trial.h).
 *   - A rollback continues until every reachable device holds its baseline.
 */
#ifndef LIVE_CONTROLLER_CONTROLLER_H
#define LIVE_CONTROLLER_CONTROLLER_H

#include "live/controller/trial.h"

void controller_config_init(struct controller_config *);

/* The configuration must outlive the controller. */
void controller_init(struct controller *, const struct controller_config *, const struct controller_io *,
                     uint32_t peers_max);
void controller_fini(struct controller *);

/* 'audit' is the position in the log. -EBADMSG: the saved state is corrupt; the controller must not run. */
int controller_start(struct controller *, const struct audit *, uint64_t now_us);

/* Its terms are higher than this counter. Before it is active. */
void controller_fence(struct controller *, uint64_t counter);

/* A peer can be reached over this link. */
void controller_on_link(struct controller *, uint32_t link, uint64_t now_us);
void controller_on_cut(struct controller *, uint32_t link);                          /* no longer */
void controller_on_msg(struct controller *, uint32_t link, const struct msg *, uint64_t now_us);
void controller_on_tick(struct controller *, uint64_t now_us);                       /* once per interval */

/* Orders of operators; the log records operator and reason. A negative errno is the reason of a refusal. */
int controller_freeze(struct controller *, const struct order *, uint64_t now_us);
int controller_thaw(struct controller *, const struct order *, uint64_t now_us);
int controller_freeze_device(struct controller *, const char *name, bool is_frozen, const struct order *,
                             uint64_t now_us);

/* -ENOENT: no trial of that number waits. -ESTALE: the code is not that of the trial that waits. */
int controller_approve(struct controller *, uint64_t number, const char *code, const struct order *,
                       uint64_t now_us);

/* Aborts the trial, freezes the fabric, and restores the baseline of each device as soon as it is reachable.
 * -EPERM: the controller only observes. -ESTALE: another controller has taken over. */
int controller_rollback(struct controller *, const struct order *, uint64_t now_us);

/* Drops a device that no longer reports. -EBUSY: it reports, or something is tried. */
int controller_forget(struct controller *, const char *name, const struct order *, uint64_t now_us);

/* Tests the dead-man switch of a device ("": a canary). The device treats its confirmed setting as a change,
 * gets no lease, and must revert on its own. -EBUSY: a trial runs, or the fabric is frozen. -ENODEV: not
 * possible on this device now. */
int controller_drill(struct controller *, const char *name, const struct order *, uint64_t now_us);

/* Another configuration, for when no trial is under way; it must outlive the controller. */
void controller_reconfigure(struct controller *, const struct controller_config *, uint64_t now_us);

/* Why nothing is tried now, in 'buf'; NULL: something may be. */
const char *controller_obstacle(const struct controller *, uint64_t now_us, char buf[MSG_WHY_SIZE]);

#endif
