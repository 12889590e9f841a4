/* src/live/daemon/lease/lease.h - leader election among the controllers of a cell: the holder of a lease in
 * etcd may act.
 *
 * A thread talks to etcd, so that the controller never waits for it. The lease counts from the time of the
 * request, by our monotonic clock; etcd counts from its answer, which is later. So a disconnected or
 * suspended holder knows that its lease has ended before etcd gives it to another. A holder's term derives
 * from its revision, which is higher than all previous ones, and agents refuse lower terms even if a clock is
 * wrong.
 */
#ifndef LIVE_DAEMON_LEASE_LEASE_H
#define LIVE_DAEMON_LEASE_LEASE_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- etcd's API, version 3, as JSON over HTTP: 64-bit numbers are texts, keys and values base64 ---- */

#define ETCD_HOLDER_SIZE 64

/* Request to /v3/kv/txn, malloc'd: creates the key, bound to the lease, if it does not exist; otherwise gets
 * its holder. */
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

#define LEASE_ENDPOINTS_MAX 8

struct lease_config {
    char    *endpoint[LEASE_ENDPOINTS_MAX];      /* http://host:port or https:// */
    uint32_t endpoints;
    char    *key, *who;                          /* of the lease; our name */
    char    *ca, *cert, *cert_key;               /* files for https; NULL: none */
    uint64_t ttl_s;
};

struct lease_view {
    uint64_t until_us;                           /* held until then; 0: not held */
    uint64_t revision;                           /* of the holder that we are */
    char     holder[ETCD_HOLDER_SIZE];           /* another holder; "": unknown */
    char     trouble[200];                       /* why etcd does not answer; "": it does */
};

struct lease;

int  lease_open(struct lease **out, const struct lease_config *, uint64_t (*now_us)(void), struct err *);
void lease_free(struct lease *);                 /* releases the lease if etcd can be reached; NULL: no-op */

struct lease_view lease_look(struct lease *);

#endif
