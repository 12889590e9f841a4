/* src/live/lease/lease.h - which of several controllers of a cell may act: who holds a lease in etcd.
 *
 * A thread asks etcd, so that nobody waits for it. What is held counts from when it was asked for, by our
 * clock that only goes forward: etcd counts from when it has answered, which is later. So a holder that was
 * cut off, or stood still, knows that it holds nothing any more before etcd gives the lease to somebody else.
 * Each holder has a higher revision than all before it; its term is made of that, and agents refuse lower
 * ones (docs/live.md): that holds even if a clock is wrong.
 */
#ifndef LIVE_LEASE_LEASE_H
#define LIVE_LEASE_LEASE_H

#include "base/err.h"
#include "live/lease/etcd.h"

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
    char     holder[ETCD_HOLDER_SIZE];           /* who else; "": not known */
    char     trouble[200];                       /* why etcd does not answer; "": it does */
};

struct lease;

int  lease_open(struct lease **out, const struct lease_config *, uint64_t (*now_us)(void), struct err *);
void lease_free(struct lease *);                 /* gives it back, if etcd can be reached; NULL is nobody */

struct lease_view lease_look(struct lease *);

#endif
