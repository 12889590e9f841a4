/* tests/chaos/chaos.h - fault histories: controllers, relays, agents, devices and a network in one process,
 * with faults drawn from a seed. The same seed gives the same history.
 *
 * Faults:
 *   network      messages are lost, late, duplicated and reordered; the network is partitioned
 *   processes    are killed during any access to disk or device, restart, and hang for seconds
 *   disks        lines are written half, disks are full, files are damaged
 *   clocks       run at different speeds and jump; the time of day is set
 *   devices      refuse, are busy, cannot be read, clamp values, take effect late, apply changes atomically
 *                or not at all, and are set by operators; some of those changes deny paths; drivers reload
 *   controllers  a second one starts; guardrails break
 *   operators    freeze, thaw, approve and roll back
 *   liars        parties with valid certificates lie (liar.h)
 *
 * After every event the promises of result.h must hold for all honest devices. At the end, when there are no
 * more faults, each device holds the setting that its agent considers confirmed.
 */
#ifndef TESTS_CHAOS_CHAOS_H
#define TESTS_CHAOS_CHAOS_H

#include "result.h"

#include <stdbool.h>

/* Runs a history. With a mutation it should find the defect. 'is_loud' prints the events. */
void chaos_run(uint64_t seed, enum chaos_mutation, bool is_loud, struct chaos_result *);

/* Names of mutations. An unknown name, or NULL, is CHAOS_none. */
const char         *chaos_mutation_name(enum chaos_mutation);
enum chaos_mutation chaos_mutation_of(const char *name);

#endif
