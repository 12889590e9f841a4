/* src/live/driver/kept.h - a small file that is read again and again, and stays open in between: opening one costs several times as
 * much as reading it.
 *
 * Files of sysfs say what is true now whenever they are read from their beginning. One that was removed or replaced is opened anew.
 */
#ifndef LIVE_DRIVER_KEPT_H
#define LIVE_DRIVER_KEPT_H

#include <stddef.h>

struct kept { char *path; int fd; };             /* fd: below 0: not open */

void kept_init(struct kept *, const char *path);
void kept_fini(struct kept *);

/* Its text, as much as there is room for, ended with a zero; 0 or -errno. */
int kept_read(struct kept *, char *text, size_t size);

#endif
