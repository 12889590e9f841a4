/* src/live/driver/redis.h - the Redis commands that a SONiC switch needs, over hiredis. */
#ifndef LIVE_DRIVER_REDIS_H
#define LIVE_DRIVER_REDIS_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct redisContext;
struct redis {
    struct redisContext *db[8];  /* connections by database; NULL: none yet */
    char                 socket[400];
    uint64_t             silent_us;      /* the last time-out; requests shortly after it fail at once */
};

enum { REDIS_ASIC = 1, REDIS_COUNTERS = 2, REDIS_CONFIG = 4, REDIS_STATE = 6 };

void redis_init(struct redis *, const char *socket);
void redis_fini(struct redis *);

/* Connects, or returns the reason. All functions below connect on demand, and again after a failure. */
int redis_check(struct redis *, struct err *);

/* One field of a hash. -ENOENT: it is not there. */
int redis_get(struct redis *, int db, const char *key, const char *field, char *text, size_t size);

/* A field that is a whole number. -EIO: it is not. */
int redis_number(struct redis *, int db, const char *key, const char *field, uint64_t *value);

/* The same fields, at most 8, of several hashes, in one round trip. Calls with each that exists. Skips keys
 * that are "". */
struct redis_many {
    const char *const *key;
    uint32_t           keys;
    const char *const *field;
    int                fields;
    void (*take)(void *arg, uint32_t key, int field, const char *text);
    void              *arg;
};
int redis_get_many(struct redis *, int db, const struct redis_many *);

/* Calls with each key that matches, once, in the order of their names. */
int redis_keys(struct redis *, int db, const char *pattern,
               void (*visit)(void *arg, const char *key), void *arg);

/* Atomically sets fields of a hash in CONFIG_DB, 1 to 8, to whole numbers if they still equal 'was'. -EBUSY:
 * they do not, or there was a concurrent write; nothing was written. */
struct redis_field { const char *name; uint64_t was, is; };
int redis_set(struct redis *, const char *key, const struct redis_field *, int count);

/* Gives a queue of SONiC ("QUEUE|Ethernet0|3") its own WRED profile ("WRED_PROFILE|..."): a copy of 'from'
 * with some fields changed, in one transaction. Nothing is written on -EBUSY (a concurrent write, or the
 * queue has another profile than 'from') and -EINVAL ('from' has unknown fields). */
int redis_rebind(struct redis *, const char *queue, const char *from, const char *own,
                 const struct redis_field *change, int count);

/* Takes that back: binds the queue to the profile it had before and deletes its own, in one transaction, if
 * that profile is still there and its fields equal 'is'. -ENOENT: not so, or the profile is not known;
 * nothing was written. -EBUSY: its own does not have 'was', or there was a concurrent write. */
int redis_unbind(struct redis *, const char *queue, const char *own, const struct redis_field *, int count);

#endif
