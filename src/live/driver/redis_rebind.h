/* src/live/driver/redis_rebind.h - a queue gets a WRED profile of its own, which differs from the one that it
 * had in a few numbers. */
#ifndef LIVE_DRIVER_REDIS_REBIND_H
#define LIVE_DRIVER_REDIS_REBIND_H

#include "live/driver/redis.h"

#define REDIS_REBIND_MAX 8

struct redis_rebind {
    const char               *queue;     /* "QUEUE|Ethernet0|3" */
    const char               *from, *own;        /* "WRED_PROFILE|..." */
    const struct redis_field *change;
    int                       count;
};

/* In one transaction, writes the profile as a copy and binds the queue to it. -EBUSY: there was a concurrent
 * write, or the queue has another profile than 'from'; -EINVAL: 'from' has fields that a copy must not have.
 * Nothing was written then. */
int redis_rebind(struct redis *, const struct redis_rebind *);

#endif
