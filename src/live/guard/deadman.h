/* src/live/guard/deadman.h - the dead-man switch of one device: it writes a trial only if there is time to
 * take it back, and takes it back by itself.
 *
 * The agent of a device has a disk, a log, a network and a page, and any of them may block it. So the trial
 * is written by another process, the guard (guard_main.c), which has none of them. This is what the guard
 * decides:
 *
 *      IDLE --try--> HOLDING --drop (confirmed)--> IDLE
 *                       |
 *                       +--- back (the agent reverts), or by itself:
 *                            the lease ended, the agent was silent, the agent is gone  --> IDLE
 *
 * Rules:
 *   - Every line of an order has the text to try and the text to write back. Both were prepared by the
 *     agent: the guard knows nothing of knobs, units or limits.
 *   - A trial is written only if its lease has time for the write and the revert, as slow as the slowest
 *     write of the last ten minutes. The clock is read before each line; a trial that runs out of time is
 *     taken back.
 *   - A revert that fails is tried again every half second, for ever.
 *   - A file that holds neither the old text nor what the trial made of it was set by someone else: it
 *     stays. If the file cannot be read, the old text is written. If it is gone, there is nothing to revert.
 *   - Nothing is allocated, and nothing but the device is touched.
 *
 * A state machine over hooks: the guard runs it on files, fault histories (tests/chaos) on a model.
 */
#ifndef LIVE_GUARD_DEADMAN_H
#define LIVE_GUARD_DEADMAN_H

#include "live/guard/guard_frame.h"

#include <stdbool.h>

#define DEADMAN_RETRY_US  500000u        /* between attempts to revert */
#define DEADMAN_SLOW_US   50000u         /* a write is expected to take so long .. */
#define DEADMAN_MARGIN_US 50000u         /* .. and the guard to wake so late */
#define DEADMAN_MEMORY_US 600000000u     /* a slow write is remembered for so long */

struct deadman_io {
    uint64_t (*now_us)(void *);          /* CLOCK_BOOTTIME: monotonic, and goes on while the machine sleeps */
    /* What a line of kind FILE holds, without its newline. */
    int (*read)(void *, const struct guard_line *, char text[GUARD_TEXT_SIZE]);
    /* Writes a text to where the line says. -EEXIST: someone else's value is there, which stays. */
    int (*write)(void *, const struct guard_line *, const char *text);
    void *arg;
};

struct deadman_held {
    struct guard_line line;
    char              became[GUARD_TEXT_SIZE];   /* what the device made of the trial's text */
    bool              is_sure;                   /* 'became' is known */
};

struct deadman {
    struct deadman_io   io;
    struct deadman_held held[GUARD_LINES_MAX];
    uint32_t            count;           /* of 'held'; 0: IDLE */
    uint64_t            until_us;        /* the lease */
    uint64_t            beat_us;         /* when the agent last spoke */
    uint64_t            patience_us;     /* an agent that is silent for longer hangs */
    bool                is_over;         /* a revert has begun: nothing prolongs the trial any more */
    bool                has_reverted;    /* by itself, since the last try */
    enum guard_why      why;
    uint64_t            retry_us;
    uint64_t            slowest_us, slowest_at_us;
};

void deadman_init(struct deadman *, const struct deadman_io *, uint64_t patience_us);

/* Orders of the agent. They return 0 or a negative errno. */

/* -ETIME: there is no time to write and to revert; nothing was written, or it was taken back. -EBUSY: an
 * earlier trial is being reverted. -ENOSPC: too many lines are held. Other errors: the device's, and the
 * guard holds the lines. */
int deadman_try(struct deadman *, const struct guard_line *, uint32_t count, uint64_t until_us);
/* Writes 'back', and then lets go of the line. One that fails is tried again, also if it was not held. */
int deadman_back(struct deadman *, const struct guard_line *, uint32_t count);
/* What was tried stays. -ESTALE: it has been reverted already. */
int deadman_drop(struct deadman *);
/* A sign of life, and the lease. */
void deadman_keep(struct deadman *, uint64_t beat_us, uint64_t until_us);
/* Does a file hold this text ('attempt') because of what was tried here, or of how it was taken back? */
bool deadman_knows(struct deadman *, const struct guard_line *);
/* The agent has ended. */
void deadman_gone(struct deadman *);

/* When deadman_on_timer() is to be called next; GUARD_NEVER: it need not be. */
uint64_t deadman_timer_us(const struct deadman *);

/* Reverts what is due. Returns true if everything is back as of now: the agent is to be told why. */
bool deadman_on_timer(struct deadman *);

#endif
