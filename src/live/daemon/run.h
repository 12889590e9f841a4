/* src/live/daemon/run.h - agents and controllers as processes. Each returns 0, also when a signal ended it,
 * or a negative errno with its reason. */
#ifndef LIVE_DAEMON_RUN_H
#define LIVE_DAEMON_RUN_H

#include "base/err.h"
#include "live/daemon/config/live_config.h"

#include <stdint.h>

/* Replaces the clock of simulated devices: time stands still until step() lets some pass. */
struct agent_pace {
    uint64_t now_us;             /* of the devices */
    /* A lease with an instant arrived: the controller lets this device run until then. */
    void (*let)(struct agent_pace *, uint32_t device, uint64_t until_us);
    /* All devices are connected and idle. TICK: now_us has changed, and all devices report. */
    enum agent_step { AGENT_WAIT, AGENT_TICK, AGENT_END } (*step)(struct agent_pace *);
};

/* Runs the agents of all devices until a signal arrives or the pace (NULL: real time) ends; then reverts. */
int agent_run(const struct agent_file *, struct agent_pace *, struct err *);

/* Restores the last confirmed setting of all devices from the disk, without a controller, after a crash.
 * is_forget: afterwards the agents obey any controller, whatever terms they have seen. */
int agent_rescue(const struct agent_file *, bool is_forget, struct err *);

/* The same, and then restores the baseline: values from before the first change, or set by people since. For
 * a host that Anole leaves. The state says from then on that the baseline is what was confirmed. */
int agent_baseline(const struct agent_file *, struct err *);

/* Opens every device to check that it is complete; writes nothing. */
int agent_check(const struct agent_file *, struct err *);

/* Relays between the agents of a rack and a controller until a signal arrives. */
int relay_run(const struct relay_file *, struct err *);

/* The same for a controller. step() is called after each message, and calls control_tick() itself. */
struct live_tuner;
struct control;
struct controller_pace {
    uint64_t now_us, epoch_us;   /* epoch: the clocks of all devices show simulated time from here on */
    void (*step)(struct controller_pace *, struct control *, const struct live_tuner *);
};

int controller_run(const struct controller_file *, struct controller_pace *, struct err *);

#endif
