/* src/live/lease/etcd.h - the few words of etcd's API (version 3) that a lease needs, as JSON: its gateway
 * speaks HTTP.
 *
 * Numbers of 64 bits are texts there, keys and values base64.
 */
#ifndef LIVE_LEASE_ETCD_H
#define LIVE_LEASE_ETCD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ETCD_HOLDER_SIZE 64

/* Requests: JSON, malloc'd. The path of each stands next to it. */
char *etcd_ask_grant(uint64_t ttl_s);                                    /* /v3/lease/grant */
char *etcd_ask_id(uint64_t id);                          /* /v3/lease/keepalive, /v3/lease/revoke */

/* Creates the key, bound to the lease, if it does not exist; otherwise gets its holder.  /v3/kv/txn */
char *etcd_ask_take(const char *key, const char *who, uint64_t id);

/* Answers. -EBADMSG: malformed; outputs are unchanged. */
int etcd_read_grant(const char *text, size_t length, uint64_t *id, uint64_t *ttl_s);
int etcd_read_keep(const char *text, size_t length, uint64_t *ttl_s);    /* 0: the lease is gone */

struct etcd_taken {
    bool     is_ours;            /* or was before, by the same lease */
    uint64_t revision;           /* at which the key was made: higher for each holder */
    char     holder[ETCD_HOLDER_SIZE];   /* whose it is, if not ours */
};
int etcd_read_take(const char *text, size_t length, uint64_t id, struct etcd_taken *);

#endif
