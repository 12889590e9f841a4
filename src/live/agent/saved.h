/* src/live/agent/saved.h - what an agent must not forget: it is on the disk before anything is done that relies on it. */
#ifndef LIVE_AGENT_SAVED_H
#define LIVE_AGENT_SAVED_H

#include "live/core/io.h"

#define SAVED_NAME       "state"
#define SAVED_DOUBTS_MAX 8
#define SAVED_TEXT_MAX   65536

struct saved {
    uint64_t        term;        /* the highest that was obeyed */
    bool            has_baseline;
    struct knob_set baseline;    /* what the device held before our first write, or what people have set since */
    struct knob_set confirmed;   /* what it is to hold when nothing is open */

    /* Settings that we have tried to write and that are not confirmed: the device may hold them, or may come to. What it holds
     * that is neither confirmed nor one of these, somebody else has set. */
    struct knob_set doubt[SAVED_DOUBTS_MAX];
    uint32_t        doubts;

    char            frozen[MSG_WHY_SIZE];        /* why; "": not frozen */
    double          switches_left, lasting_left; /* of the budgets */
};

int saved_write(const struct saved *, const struct io_disk *);

/* -ENOENT: there is none yet; -EBADMSG: it cannot be understood. Nothing is written then. */
int saved_read(struct saved *, const struct io_disk *);
int saved_parse(struct saved *, const char *text, size_t length);

/* Adds a setting unless it is there; false: there is no room. What is about to be written leaves one place free, for what the
 * device may make of it. */
bool saved_doubt(struct saved *, const struct knob_set *);

#endif
