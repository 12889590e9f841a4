/* src/live/driver/sonic_queues.h - queue N of all ports of a SONiC switch, each set separately: for tuners of
 * queues (live/queues).
 *
 * The queue must have its own entry in CONFIG_DB (QUEUE|Ethernet0|3), and its profile must have ECN enabled.
 * Its first change creates a WRED profile of its own, ANOLE_Ethernet0_3, a copy of its previous one, and
 * binds the queue to it in the same transaction. It is never bound back, since a copy with the old numbers
 * has the same effect.
 *
 * Requests about all queues take one round trip to Redis per database.
 *
 * Counters: SAI_QUEUE_STAT_BYTES, ..._WRED_ECN_MARKED_BYTES (or _PACKETS, times the mean packet size), and
 * the queue length: ..._CURR_OCCUPANCY_BYTES, which the PFC watchdog polls, or else
 * ..._SHARED_WATERMARK_BYTES, the peak. Marks are those of this switch; a simulation counts the marks of all
 * switches on the path. Their age depends on the switch's polling interval: a slot ends when some of them
 * have changed.
 */
#ifndef LIVE_DRIVER_SONIC_QUEUES_H
#define LIVE_DRIVER_SONIC_QUEUES_H

#include "live/core/io.h"
#include "live/driver/redis.h"

struct sonic_queues;

/* "all-3" -> 3. False: it is not such a name. */
bool sonic_queues_number(const char *name, unsigned *number);

/* The connection is shared and must outlive it. Refuses, and names it, a queue that cannot be set by
 * itself. */
int  sonic_queues_open(struct sonic_queues **, struct redis *, unsigned number, struct err *);
void sonic_queues_free(struct sonic_queues *);

/* Fields of kmin, kmax and pmax in CONFIG_DB and ASIC_DB. */
extern const char *const sonic_config_names[3], *const sonic_asic_names[3];

/* Its ports, in the order of their names. */
uint32_t    sonic_queues_count(const struct sonic_queues *);
const char *sonic_queues_port(const struct sonic_queues *, uint32_t i);

/* Of a device whose first field is a struct sonic_queues *; NULL there: it has no queues. */
extern const struct io_queues sonic_queues_io;

#endif
