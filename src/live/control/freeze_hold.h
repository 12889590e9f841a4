/* src/live/control/freeze_hold.h - the freeze of a fabric in a file of its own, whose room on the disk was
 * taken before: a person freezes because something is wrong, and a full disk often is.
 *
 * The file is overwritten in place, so this needs no free space. Not on file systems that copy on write
 * (btrfs, ZFS), and not if the disk takes no writes at all: `ctl freeze` reports that. An overwrite that power
 * cuts short leaves a damaged file, which counts as a freeze.
 */
#ifndef LIVE_CONTROL_FREEZE_HOLD_H
#define LIVE_CONTROL_FREEZE_HOLD_H

#include "base/json.h"

#include <stdbool.h>
#include <stddef.h>

#define HOLD_SIZE 4096           /* a block: all of it is written each time */

struct hold_io {
    /* Replaces all HOLD_SIZE bytes in place. 0 or a negative errno. NULL: there is no such file. */
    int (*write)(void *, const char *text);
    /* What was written last. -ENOENT: nothing was. */
    int (*read)(void *, char *text);
    void *arg;
};

/* Holds the freeze of a state of a controller. True: it is on the disk. */
bool hold_write(const struct hold_io *, const json_t *state);

/* The text of what is held: "" none was, "?" it is damaged. malloc'd. */
char *hold_read(const struct hold_io *);

#endif
