/* src/traffic/kinds/external.h - messages that the program around the simulator posts, one by one. */
#ifndef TRAFFIC_KINDS_EXTERNAL_H
#define TRAFFIC_KINDS_EXTERNAL_H

#include "traffic/traffic.h"

/* Whom to tell, in the part of the world where it happens: when the last byte has come, and when the source knows. */
struct external_hooks {
    void *arg;
    void (*on_arrival)(void *arg, uint64_t now_ps, const struct message *);
    void (*on_sent)(void *arg, uint64_t now_ps, const struct message *);
    void (*on_wake)(void *arg, uint64_t now_ps, uint64_t tag);
};

/* The first entry of this kind, or UINT32_MAX; sets its hooks. */
uint32_t external_find(struct traffic *, const struct external_hooks *);

/* Has a host send a message at at_ps. The caller then has workers scheduled. False: one of them is not of the entry. */
bool external_post(struct traffic *, uint32_t entry, uint32_t src, uint32_t dst, uint64_t bytes, uint64_t at_ps, uint64_t tag);

/* Has on_wake() called at at_ps. The caller then has workers scheduled. */
void external_wake(struct traffic *, uint32_t entry, uint64_t at_ps, uint64_t tag);

#endif
