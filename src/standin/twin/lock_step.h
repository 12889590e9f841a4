/* src/standin/twin/lock_step.h - simulated time that waits for the controller.
 *
 * The agent reports the interval that has ended. The controller hears all devices, lets its tuner decide, and
 * waits until every device has answered. Then it sends each a lease with the end of the next interval, and
 * the agent lets the network run until then.
 */
#ifndef STANDIN_TWIN_LOCK_STEP_H
#define STANDIN_TWIN_LOCK_STEP_H

#include "live/daemon/run.h"
#include "standin/fabric/fabric.h"

struct lock_agent { struct agent_pace pace; struct fabric *fabric; uint64_t *until_us; bool has_begun; };
void lock_agent_init(struct lock_agent *, struct fabric *);
void lock_agent_fini(struct lock_agent *);

struct lock_controller { struct controller_pace pace; uint32_t devices; uint64_t interval_us;
                         bool has_ticked; };
void lock_controller_init(struct lock_controller *, uint32_t devices, uint64_t interval_us);

#endif
