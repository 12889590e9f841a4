/* src/live/daemon/disk.h - a folder as the disk of a state machine: state that is there whole or not at all, and the audit log. */
#ifndef LIVE_DAEMON_DISK_H
#define LIVE_DAEMON_DISK_H

#include "base/err.h"
#include "live/core/audit.h"
#include "live/core/io.h"

struct disk { char folder[512]; int lock_fd, log_fd; };

/* Opens a folder, makes it if it is not there, and holds a lock on it: nobody else can while this process lives. Half a line at
 * the end of the log, left by a kill, is cut off; a log whose chain is broken is refused. 'audit' is where it goes on. */
int  disk_open(struct disk *, const char *folder, struct audit *, struct err *);
void disk_close(struct disk *);

struct io_disk disk_io(struct disk *);

#endif
