/* src/live/agent/saved.h - the persistent state of an agent: on the disk before anything relies on it.
 *
 * The disk has it in two copies of 'state' (core/keep.h), in the audit log, and the baseline alone in a file.
 * So the device is restored whichever of these is damaged or missing; saved_read() takes the best.
 */
#ifndef LIVE_AGENT_SAVED_H
#define LIVE_AGENT_SAVED_H

#include "live/core/io.h"

#define SAVED_NAME       "state"
#define SAVED_BASELINE   "baseline"
#define SAVED_DOUBTS_MAX 8
#define SAVED_TEXT_MAX   65536

struct saved {
    uint64_t        term;        /* the highest that was obeyed */
    bool            has_baseline;
    struct knob_set baseline;    /* values before our first write, or foreign ones set since */
    struct knob_set confirmed;   /* correct values if no change is open */

    /* Settings that we tried to write and that are not confirmed: the device may hold them now or later.
     * Other unconfirmed values were set outside Anole. */
    struct knob_set doubt[SAVED_DOUBTS_MAX];
    uint32_t        doubts;

    char            frozen[MSG_WHY_SIZE];        /* why; "": not frozen */
    double          switches_left, lasting_left; /* of the budgets */

    uint64_t        number;      /* of the last write: core/keep.h */
    struct knob_set kept;        /* what the file of the baseline has */
};

int saved_write(struct saved *, const struct io_disk *);

enum saved_source {
    SAVED_WHOLE,
    SAVED_COPY,                  /* one copy of two */
    SAVED_LOG,                   /* neither copy: values from the audit log, else the baseline */
    SAVED_FOUND,                 /* the baseline alone */
    SAVED_NEW,                   /* nothing was ever written */
    SAVED_FIRST,                 /* the log of an interrupted first start: initial values, no writes yet */
    SAVED_LOST,                  /* something was written, and none of it can be read */
};

/* Source of the loaded state. After SAVED_LOG or the baseline only confirmed values are known, so our values
 * cannot be distinguished from foreign ones. */
enum saved_source saved_read(struct saved *, const struct io_disk *);

/* Parses a struct saved. -EBADMSG: it cannot be understood, and nothing is written. */
int saved_parse(void *saved, const char *text, size_t length);

/* Adds a setting unless it is in the list. Returns false if the list is full. One entry stays free for the
 * value that the device makes of a write. */
bool saved_doubt(struct saved *, const struct knob_set *);

#endif
