/* src/live/queues/queue_saved.h - the persistent state of a tuner of queues: their initial settings, and the
 * settings it may have written. */
#ifndef LIVE_QUEUES_QUEUE_SAVED_H
#define LIVE_QUEUES_QUEUE_SAVED_H

#include "live/core/io.h"

#define QUEUE_SAVED_NAME         "queues"
#define QUEUE_SAVED_SETTINGS_MAX 2048
#define QUEUE_SAVED_TEXT_MAX     (1ul << 20)

struct queue_found { char name[MSG_NAME_SIZE]; struct ecn ecn; };

struct queue_saved {
    struct queue_found *found;   /* each queue that was ever set, with the setting to restore */
    uint32_t            founds;
    struct ecn         *setting; /* what we may have written, to whichever */
    uint32_t            settings;
    uint64_t            number;  /* of the last that was written: core/keep.h */
};

void queue_saved_fini(struct queue_saved *);

int queue_saved_write(struct queue_saved *, const struct io_disk *);

/* Reads the better of two copies. -ENOENT: nothing was ever written; -EBADMSG: corrupt, or missing although
 * the audit log has settings. Nothing is allocated then. */
int queue_saved_read(struct queue_saved *, const struct io_disk *);
int queue_saved_parse(void *queue_saved, const char *text, size_t length);

/* NULL: not there. */
struct queue_found *queue_saved_find(const struct queue_saved *, const char *name);
bool                queue_saved_has(const struct queue_saved *, const struct ecn *);

/* Adds or replaces entries. Returns false if the list is full. */
bool queue_saved_put(struct queue_saved *, const char *name, const struct ecn *);
bool queue_saved_add(struct queue_saved *, const struct ecn *);

#endif
