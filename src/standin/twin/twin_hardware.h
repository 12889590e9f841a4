/* src/live/daemon/twin_hardware.h - the processes of a simulated network behind stand-ins: anole-nic for each host, anole-switch for each
 * switch, and one that simulates. */
#ifndef LIVE_DAEMON_TWIN_HARDWARE_H
#define LIVE_DAEMON_TWIN_HARDWARE_H

#include "base/err.h"
#include "live/fabric/hardware.h"

#include <sys/types.h>

/* Is all of it on this machine: FUSE, redis-server, the two programs? Otherwise -ENOTSUP, and what is missing. */
int twin_hardware_check(struct err *);

/* Starts a process that starts the others below 'folder', where devices are then; returns when agents may come. It ends, with all
 * of them, at SIGTERM. Takes 'h'. */
int twin_hardware_start(pid_t *, struct hardware *h, const char *folder, uint64_t interval_us, struct err *);

#endif
