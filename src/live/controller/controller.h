/* src/live/controller/controller.h - the controller: collects the reports of a fabric, tries changes, and
 * keeps those that are better.
 *
 * A function: state, input and time in; state and actions out. It has no clock, socket, file or callback.
 * live/control carries out the actions, in daemons, tests and replays of records alike. Guarantees:
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
void controller_init(struct controller *, const struct controller_config *, uint32_t peers_max);
void controller_fini(struct controller *);

/* Takes an input, at a time that never decreases, and replaces the actions. See roster.h for both. */
void controller_step(struct controller *, const struct input *, uint64_t now_us, struct actions *);

/* Why nothing is tried now, in 'buf'; NULL: something may be. */
const char *controller_obstacle(const struct controller *, uint64_t now_us, char buf[MSG_WHY_SIZE]);

#endif
