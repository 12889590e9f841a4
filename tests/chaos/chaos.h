/* tests/chaos/chaos.h - fault histories: controllers, relays, agents, devices and a network inside one
 * process, where a seed decides what goes wrong.
 *
 * Messages are lost, late, doubled and out of order; the network is cut; processes are killed in the middle
 * of any access to disk or device, start anew, and stand still for seconds; half a line is written; disks are
 * full; clocks run at different speeds and the time of day is set; devices refuse, are busy, cannot be read,
 * clamp values, take effect late, take changes only as a whole or not at all, and are set by people; some of
 * those changes deny paths; a second controller starts; guardrails break. The same seed gives the same
 * history.
 *
 * Files are damaged, clocks jump, drivers are loaded again, people freeze, thaw, approve and roll back, and
 * parties with valid certificates lie (liar.h). After every event the promises of result.h must hold for all
 * honest devices.
 *
 * And in the end, when all is quiet, each device holds what its agent takes for confirmed.
 */
#ifndef TESTS_CHAOS_CHAOS_H
#define TESTS_CHAOS_CHAOS_H

#include "result.h"

#include <stdbool.h>

/* Runs a history. Of a mutation, it should find what is broken. 'is_loud' prints what happens. */
void chaos_run(uint64_t seed, enum chaos_mutation, bool is_loud, struct chaos_result *);

/* Names of mutations; one that is not known, or NULL, is CHAOS_none. */
const char         *chaos_mutation_name(enum chaos_mutation);
enum chaos_mutation chaos_mutation_of(const char *name);

#endif
