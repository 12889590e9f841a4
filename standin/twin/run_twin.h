/* standin/twin/run_twin.h - a simulated network with its agent and a controller, each a process. */
#ifndef STANDIN_TWIN_RUN_TWIN_H
#define STANDIN_TWIN_RUN_TWIN_H

#include "base/err.h"
#include "live/daemon/run.h"
#include "standin/fabric/fabric.h"
#include "standin/fabric/hardware.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct twin_request {
    const char *scenario, *tuner;        /* tuner of NULL: the scenario's, or expert */
    const char *page;                    /* where the controller shows its page; NULL: nowhere */
    const char *out;                     /* a new folder for all files, which stays; NULL: a temporary one */
    uint32_t    seconds, interval_ms;    /* 0: no end; 0: see run_twin.c */
    bool        is_direct;               /* without trials */
    bool        is_hardware;             /* behind stand-ins for real devices, with an agent for each */
    bool        is_locked;               /* simulated time waits for the controller; ends with the scenario */
};

/* Runs until a signal arrives or the time is up. Prints the state now and then, and a summary at the end. */
int twin_run(const struct twin_request *, struct err *);

/* The processes that twin_run() starts besides those of anole-live: they link the simulated network. */
int twin_agent(const char *config, bool is_locked, bool has_messages, struct err *);
/* in lock step with so many */
int twin_controller(const char *config, uint32_t devices, struct err *);

/* ---- stand-ins: anole-nic per host, anole-switch per switch ---- */

/* The path of one of our programs, which lies in the folder of this one. */
void twin_hardware_beside(char path[PATH_MAX], const char *name);

/* Checks for FUSE, redis-server and the two programs. -ENOTSUP: the error names what is missing. */
int twin_hardware_check(struct err *);

/* Starts a stand-in for each device, and connects to them; pid[i]: of device i. */
int twin_hardware_start(pid_t *pid, struct hardware *, struct err *);

#endif
