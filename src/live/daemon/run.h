/* src/live/daemon/run.h - agents and controllers as processes. Each returns 0, also when a signal ended it, or a negative errno with
 * its reason. */
#ifndef LIVE_DAEMON_RUN_H
#define LIVE_DAEMON_RUN_H

#include "base/err.h"
#include "live/config/config.h"

/* Runs the agents of all devices of the file until a signal comes; what is open is reverted then. */
int agent_run(const struct agent_file *, struct err *);

/* Brings all devices of the file back to what was confirmed last, from what is on the disk, without a controller: for after a
 * crash. */
int agent_rescue(const struct agent_file *, struct err *);

/* Opens every device, writes nothing: is all of it there? */
int agent_check(const struct agent_file *, struct err *);

/* A simulated network with its agent and a controller, each a process, until a signal comes or the time is up; prints how it is
 * doing, and in the end what was done. */
struct twin_request {
    const char *scenario, *tuner;        /* tuner of NULL: the scenario's, or expert */
    const char *page;                    /* where the controller shows its page; NULL: nowhere */
    const char *out;                     /* a new folder for all files, which stays; NULL: a temporary one */
    uint32_t    seconds, interval_ms;    /* 0: no end; 0: see run_twin.c */
    bool        is_direct;               /* without trials */
    bool        is_hardware;             /* behind stand-ins for real devices, with an agent for each */
    bool        is_locked;               /* simulated time waits for the controller; ends with the scenario */
};
int twin_run(const struct twin_request *, struct err *);

/* Between the agents of a rack and a controller, until a signal comes. */
int relay_run(const struct relay_file *, struct err *);

int controller_run(const struct controller_file *, struct err *);

#endif
