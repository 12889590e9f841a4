/* src/standin/chaos/chaos.h - fault histories: controllers, relays, agents, devices and a network inside one process, where a seed decides
 * what goes wrong.
 *
 * Messages are lost, late, doubled and out of order; the network is cut; processes are killed in the middle of any access to
 * disk or device, start anew, and stand still for seconds; half a line is written; disks are full; clocks run at different
 * speeds and the time of day is set; devices refuse, cannot be read, clamp values, take effect late, and are set by people;
 * a second controller starts; guardrails break. The same seed gives the same history.
 *
 * After every event four things must hold:
 *
 *   1. Never two writers: a change is written only for the newest controller that the agent has heard of.
 *   2. No device holds a value that is not confirmed after its lease, once its agent has had a moment to act.
 *   3. The audit log explains every value that a device holds, is there before our writes, and its chain is whole.
 *   4. A value that is not confirmed is gone within a moment after a guardrail was broken.
 *
 * And in the end, when all is quiet, each device holds what its agent takes for confirmed.
 */
#ifndef STANDIN_CHAOS_CHAOS_H
#define STANDIN_CHAOS_CHAOS_H

#include "standin/chaos/result.h"

#include <stdbool.h>

/* Runs a history. 'skip': CHAOS_NO_..., it should then find what is broken. 'is_loud' prints what happens. */
void chaos_run(uint64_t seed, unsigned skip, bool is_loud, struct chaos_result *);

#endif
