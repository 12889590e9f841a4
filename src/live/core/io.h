/* src/live/core/io.h - the disk and the devices of the state machines. Hooks return 0 or a negative errno.
 *
 * Time is an argument: microseconds of a monotonic clock. So the same machines run on real hardware and in a
 * test in which a seed decides what goes wrong (tests/chaos).
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
    uint64_t (*wall_us)(void *);         /* the time of day, for display */
    void *arg;

    /* Moves a damaged file out of the way. NULL: not possible. */
    void (*set_aside)(void *, const char *name);
    /* Calls with all lines of the audit log, oldest first, without newlines; returns their number. A line of
     * length 0 was too long to be one. NULL: not possible. */
    uint64_t (*replay)(void *, void (*line)(void *ctx, const char *text, size_t length), void *ctx);

    /* Gets a copy of each line that was added to the audit log; NULL: disabled. */
    void (*on_line)(void *, const char *text, size_t length);
    void *on_line_arg;
};

struct io_device {
    int (*read)(void *, struct knob_set *);              /* the current values of all its knobs */
    /* Writes the named knobs. After a failure some may have been written, or may be written later. */
    int (*write)(void *, const struct knob_set *);
    int (*sample)(void *, struct msg_sample *);          /* the counters since the last call */
    void *arg;
    /* Why the device takes no change, in one sentence, or NULL. The hook may be NULL: it always does. */
    const char *(*refuses)(void *);
};

/* A process of its own that takes a trial back when its lease ends, or when the agent hangs or ends
 * (live/guard). All hooks NULL: the agent alone does. */
struct io_guard {
    /* Writes 'set' if there is time before 'until_us' to write it and 'back'. -ETIME: there is not, and
     * nothing was written, or it was taken back. Other errors: as of io_device.write(). */
    int (*attempt)(void *, const struct knob_set *set, const struct knob_set *back, uint64_t until_us);
    void (*keep)(void *, uint64_t until_us);     /* a sign of life, and the present lease */
    /* What was tried stays. -ESTALE: it has been taken back already; -EPIPE: there is no guard any more. */
    int (*drop)(void *);
    const char *(*refuses)(void *);              /* why nothing may be tried; NULL: it may */
    /* Is this value what the device made of a trial, or of the attempt to take it back? */
    bool (*knows)(void *, const struct knob_set *);
    void *arg;
};

/* The egress queues of a switch, one by one, in a fixed order. */
#define IO_QUEUES_MAX 1024

struct io_queues {
    /* Returns how many there are. Names stay the same from start to start. */
    uint32_t (*list)(void *, struct queue_facts[IO_QUEUES_MAX], char name[IO_QUEUES_MAX][MSG_NAME_SIZE]);
    /* The counters of each, except thresholds, since the last call that returned 0, and the time since.
     * -EAGAIN: they have not changed. */
    int (*look)(void *, struct queue_slot *, uint64_t *us);
    /* The current setting of each. is_settled: no write to it is pending. */
    int (*read)(void *, struct ecn *, bool *is_settled);
    /* Begins to replace the setting 'was' of one; read() shows when it is done. -EBUSY: it holds something
     * else, and nothing was written. After other errors it may have been written, or may still be. */
    int (*write)(void *, uint32_t queue, const struct ecn *was, const struct ecn *is);
    /* Calls at the end of every slot of the device's own time. NULL: it has real time. */
    void (*on_slot)(void *, uint64_t slot_ps, void (*call)(void *), void *arg);
    uint64_t slot_us_min;        /* looking more often is of no use; 0: any */
};

#endif
