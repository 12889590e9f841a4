/* src/standin/twin/twin_hardware.h - the processes of a simulated network behind stand-ins: anole-nic for
 * each host, anole-switch for each switch, and one that simulates. */
#ifndef STANDIN_TWIN_TWIN_HARDWARE_H
#define STANDIN_TWIN_TWIN_HARDWARE_H

#include "base/err.h"
#include "standin/fabric/hardware.h"

#include <limits.h>
#include <sys/types.h>

/* The path of one of our programs, which lies in the folder of this one. */
void twin_hardware_beside(char path[PATH_MAX], const char *name);

/* Checks for FUSE, redis-server and the two programs. -ENOTSUP: the error names what is missing. */
int twin_hardware_check(struct err *);

/* Starts a process that starts the others below 'folder', where devices are then; returns when agents may
 * come. It ends, with all of them, at SIGTERM. Takes 'h'. */
int twin_hardware_start(pid_t *, struct hardware *h, const char *folder, uint64_t interval_us, struct err *);

#endif
