/* src/live/daemon/hold_file.h - the file 'freeze' of a controller: see live/control/freeze_hold.h. */
#ifndef LIVE_DAEMON_HOLD_FILE_H
#define LIVE_DAEMON_HOLD_FILE_H

#include "live/control/freeze_hold.h"

struct hold_file { int fd; };    /* -1: there is none */

/* Takes its room on the disk. A negative errno: there is none. */
int            hold_file_open(struct hold_file *, const char *folder);
void           hold_file_close(struct hold_file *);
struct hold_io hold_file_io(struct hold_file *);

#endif
