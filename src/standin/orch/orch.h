/* src/standin/orch/orch.h - a stand-in for a SONiC switch: orchagent's and syncd's handling of queues and
 * WRED profiles, on a real Redis. docs/live.md has the contract: what is known about real ones, and what is
 * assumed.
 *
 * It listens to CONFIG_DB (keyspace notifications) and programs an ASIC that consists of ASIC_DB. It does not
 * write counters: the source of the traffic (standin/fabric, or a test with redis-cli) writes COUNTERS_DB as
 * syncd's flex counters do.
 */
#ifndef STANDIN_ORCH_ORCH_H
#define STANDIN_ORCH_ORCH_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

#define ORCH_PROFILE "AZURE_LOSSLESS"    /* of all queues at first */
#define ORCH_QUEUE   3                   /* the lossless one */
/* a database of the stand-in's own: 'programmed' grows with each change of ASIC_DB */
#define ORCH_OWN     15

/* Object ids, as COUNTERS_DB and ASIC_DB name them. */
#define ORCH_PORT_OID  "oid:0x10000000%05x"
#define ORCH_QUEUE_OID "oid:0x150000000%05x"
#define ORCH_WRED_OID  "oid:0x13000000%05x"

struct orch;

struct orch_first { uint32_t ports, mbps; uint64_t kmin_bytes, kmax_bytes; uint32_t pmax_percent; };

/* Connects to the Redis at a socket, for which it waits a while, and gives it the configuration of a new
 * switch if it has none. */
int  orch_open(struct orch **, const char *socket, const struct orch_first *, struct err *);
void orch_free(struct orch *);

int  orch_fd(const struct orch *);               /* readable: orch_run() has something to do */

/* Programs changes. Below 0: Redis is gone, or CONFIG_DB has a value on which orchagent aborts; 'err' says
 * which. */
int  orch_run(struct orch *, struct err *);

#endif
