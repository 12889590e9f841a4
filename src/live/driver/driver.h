/* src/live/driver/driver.h - how an agent reaches a device. A driver does input and output and nothing else: limits, leases, the
 * log and all else that keeps a device safe are the agent's. */
#ifndef LIVE_DRIVER_DRIVER_H
#define LIVE_DRIVER_DRIVER_H

#include "base/err.h"
#include "live/core/io.h"

#define DRIVER_DEVICES_MAX 64

struct driver {
    /* Finds devices below 'root'; returns how many, at most DRIVER_DEVICES_MAX. */
    int (*find)(const struct driver *, const char *root, char name[][MSG_NAME_SIZE], struct err *);
    /* Opens one, or says why it cannot be tuned: not there, a virtual function, no such files. On failure nothing is held. */
    int (*open)(const struct driver *, void **state, const char *root, const char *name, struct err *);
    void (*close)(void *state);
    /* May this process write to it? Otherwise -EACCES, and what it lacks. NULL: that shows when it is tried. */
    int (*permit)(void *state, struct err *);
    /* As in struct io_device. */
    int (*read)(void *state, struct knob_set *);
    int (*write)(void *state, const struct knob_set *);
    int (*sample)(void *state, struct msg_sample *);

    /* What does not change about it, and of which kind it is; NULL: nothing is known, and all are of the same kind. */
    enum knob_where (*facts)(void *state, struct msg_facts *);

    /* Of switches: their queues, one by one. NULL: it cannot. */
    const struct io_queues *queues;

    const char     *name, *about;
    void           *arg;                 /* of find() and open() */
    enum knob_where where;
    bool            is_simulated;        /* nothing real is at stake: every knob that it has may be set, in any step */
};

extern const struct driver *const driver_all[];          /* NULL-terminated */

/* NULL: there is none of that name. */
const struct driver *driver_find(const char *name);

#endif
