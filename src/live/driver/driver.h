/* src/live/driver/driver.h - input and output of a device. Limits, leases and the log are the agent's. */
#ifndef LIVE_DRIVER_DRIVER_H
#define LIVE_DRIVER_DRIVER_H

#include "base/err.h"
#include "live/core/io.h"
#include "live/guard/guard_frame.h"

#include <stddef.h>

#define DRIVER_DEVICES_MAX 64

struct driver {
    /* Finds devices below 'root'; returns how many, at most DRIVER_DEVICES_MAX. */
    int (*find)(const struct driver *, const char *root, char name[][MSG_NAME_SIZE], struct err *);
    /* Opens one, or explains why it cannot be tuned: missing, a virtual function, no such files. */
    int (*open)(const struct driver *, void **state, const char *root, const char *name, struct err *);
    void (*close)(void *state);
    /* -EACCES: this process lacks a permission to write. NULL: the first write shows it. */
    int (*permit)(void *state, struct err *);
    /* As in struct io_device. */
    int (*read)(void *state, struct knob_set *);
    int (*write)(void *state, const struct knob_set *);
    int (*sample)(void *state, struct msg_sample *);
    /* Prepares lines with which a guard (live/guard) writes 'set', and 'back' over it, without this driver:
     * at most GUARD_LINES_MAX. NULL: it cannot. */
    int (*prepare)(void *state, const struct knob_set *set, const struct knob_set *back, struct guard_line *,
                   uint32_t *count);
    /* Waits until the device has taken what a guard has written; as write() does. NULL: it has at once. */
    int (*settle)(void *state);
    const char *(*refuses)(void *state);         /* NULL: it accepts changes of all its knobs */

    /* Constant properties, and the kind. NULL: unknown, and all devices are of the same kind. */
    enum knob_where (*facts)(void *state, struct msg_facts *);

    const struct io_queues *queues;      /* of a switch, set one by one; NULL: not supported */

    const char     *name, *about;
    void           *arg;                 /* of find() and open() */
    enum knob_where where;
    bool            is_simulated;        /* not a real device: every knob may be set, in any step */
};

extern const struct driver driver_mlx5, driver_sonic;
extern const struct driver *const driver_all[];          /* NULL-terminated */

const struct driver *driver_find(const char *name);      /* NULL: no driver of this name */

/* Reads a small file, such as the kernel has for a value, without the newline at its end. */
int driver_read_text(const char *path, char *text, size_t size);

#endif
