/* src/live/queues/queue_saved.h - what a tuner of queues must not forget: how they were found, and what it
 * may have set. */
#ifndef LIVE_QUEUES_QUEUE_SAVED_H
#define LIVE_QUEUES_QUEUE_SAVED_H

#include "live/core/io.h"

#define QUEUE_SAVED_NAME         "queues"
#define QUEUE_SAVED_SETTINGS_MAX 2048
#define QUEUE_SAVED_TEXT_MAX     (1ul << 20)

struct queue_found { char name[MSG_NAME_SIZE]; struct ecn ecn; };

struct queue_saved {
    struct queue_found *found;   /* each queue that was ever set, and what it goes back to */
    uint32_t            founds;
    struct ecn         *setting; /* what we may have written, to whichever */
    uint32_t            settings;
    uint64_t            number;  /* of the last that was written: core/keep.h */
};

void queue_saved_fini(struct queue_saved *);

int queue_saved_write(struct queue_saved *, const struct io_disk *);

/* The better of two copies. -ENOENT: nothing was ever written; -EBADMSG: it cannot be understood, or is gone
 * although the audit log tells of settings. Nothing is held then. */
int queue_saved_read(struct queue_saved *, const struct io_disk *);
int queue_saved_parse(struct queue_saved *, const char *text, size_t length);

/* NULL: not there. */
struct queue_found *queue_saved_find(const struct queue_saved *, const char *name);
bool                queue_saved_has(const struct queue_saved *, const struct ecn *);

/* They are put over what is there. False: there is no room. */
bool queue_saved_put(struct queue_saved *, const char *name, const struct ecn *);
bool queue_saved_add(struct queue_saved *, const struct ecn *);

#endif
