/* src/live/core/io.h - what the state machines need of the world: a disk, a device, a way to send.
 *
 * Time comes as an argument: microseconds of a clock that only goes forward. So the same machines run as
 * processes on real hardware and inside one process where a seed decides what goes wrong (tests/chaos). Hooks
 * return 0 or a negative errno.
 */
#ifndef LIVE_CORE_IO_H
#define LIVE_CORE_IO_H

#include "core/queue.h"
#include "live/core/msg.h"

#include <stddef.h>

struct io_disk {
    /* Replaces a file atomically. After a return of 0 the file survives a power failure. */
    int (*save)(void *, const char *name, const char *text, size_t length);
    /* Returns the length, at most 'size'; -ENOENT: no such file. */
    long (*load)(void *, const char *name, char *text, size_t size);
    /* Adds to the audit log, likewise; when it fails nothing was added. */
    int (*append)(void *, const char *text, size_t length);
    /* The time of day, for people: nothing depends on it. */
    uint64_t (*wall_us)(void *);
    void *arg;

    /* Both may be NULL: not possible. Moves a damaged file out of the way. Hands on all lines of the audit
     * log, oldest first, without their newlines; returns how many there were. A length of 0 is a line that is
     * too long to be one. */
    void (*set_aside)(void *, const char *name);
    uint64_t (*replay)(void *, void (*line)(void *ctx, const char *text, size_t length), void *ctx);

    /* Gets a copy of each line that was added to the audit log; NULL: disabled. */
    void (*on_line)(void *, const char *text, size_t length);
    void *on_line_arg;
};

struct io_device {
    /* What it holds now, of all the knobs that it has. */
    int (*read)(void *, struct knob_set *);
    /* Writes the named knobs. After a failure some may have been written, or may still be written later:
     * -ETIMEDOUT. */
    int (*write)(void *, const struct knob_set *);
    /* What its counters say of the time since the last call. */
    int (*sample)(void *, struct msg_sample *);
    void *arg;
    /* Why the device takes no change, in one sentence; NULL: it does. The hook may be NULL: it always
     * does. */
    const char *(*refuses)(void *);
};

/* The egress queues of a switch, one by one; in an order that stays. */
#define IO_QUEUES_MAX 1024

struct io_queues {
    /* What they are; returns how many. Names stay the same from start to start. */
    uint32_t (*list)(void *, struct queue_facts[IO_QUEUES_MAX], char name[IO_QUEUES_MAX][MSG_NAME_SIZE]);
    /* What each did since the last call that returned 0, and how long that was; not which thresholds it had.
     * -EAGAIN: nothing was counted since. */
    int (*look)(void *, struct queue_slot *, uint64_t *us);
    /* What each holds. is_settled: the device is not about to hold something else. */
    int (*read)(void *, struct ecn *, bool *is_settled);
    /* Begins to set one, which held 'was'; done when read() says so. -EBUSY: it holds something else, and
     * nothing was written. Otherwise it may have been, or may still be. */
    int (*write)(void *, uint32_t queue, const struct ecn *was, const struct ecn *is);
    /* Calls at the end of every slot of the device's own time. NULL: its time is that of the clock. */
    void (*on_slot)(void *, uint64_t slot_ps, void (*call)(void *), void *arg);
    uint64_t slot_us_min;        /* it is not worth looking more often; 0: any */
};

#endif
