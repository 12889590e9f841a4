/* src/work/traffic/kinds/external.h - messages posted one by one by the program that embeds the simulator. */
#ifndef WORK_TRAFFIC_KINDS_EXTERNAL_H
#define WORK_TRAFFIC_KINDS_EXTERNAL_H

#include "work/traffic/reads.h"
#include "work/traffic/traffic.h"

/* Callbacks, called in the partition of the event: when the last byte has arrived, and when the source knows
 * it. */
struct external_hooks {
    void *arg;
    void (*on_arrival)(void *arg, uint64_t now_ps, const struct message *);
    void (*on_sent)(void *arg, uint64_t now_ps, const struct message *);
    void (*on_wake)(void *arg, uint64_t now_ps, uint64_t tag);
};

/* Returns the first entry of this kind, or UINT32_MAX. Sets its hooks. */
uint32_t external_find(struct traffic *, const struct external_hooks *);

/* Makes a host send a message at at_ps, or read from 'dst'. The caller must then reschedule the workers.
 * Returns false if one of the hosts is not part of the entry, or the verb needs persistent queue pairs and
 * there are none. */
bool external_post(struct traffic *, uint32_t entry, enum verb, uint32_t src, uint32_t dst, uint64_t bytes,
                   uint64_t at_ps, uint64_t tag);

/* Schedules a call of on_wake() at at_ps. The caller must then reschedule the workers. */
void external_wake(struct traffic *, uint32_t entry, uint64_t at_ps, uint64_t tag);

/* Adds an entry whose messages a program posts. */
void traffic_add_external(struct traffic *, const struct traffic_common *, const uint32_t *hosts,
                          uint32_t count, const struct reads_cfg *);

#endif
