/* src/live/driver/sonic.h - switches with SONiC, through their Redis.
 *
 * A device is a WRED profile: a hash in CONFIG_DB with thresholds for all queues that reference it. Orchagent
 * reads the hash when it changes and programs the ASIC; ASIC_DB has the programmed values. So:
 *
 *   - kmin, kmax and pmax are green_min_threshold and green_max_threshold (bytes) and green_drop_probability
 *     (whole percent). The driver writes no other field, because orchagent refuses entries with unknown
 *     fields. It writes only digits, because orchagent aborts on anything else and takes the switch's control
 *     plane with it.
 *   - One decision is one HSET of the fields that change, in a transaction that fails after a concurrent
 *     write. Writing an unchanged value would make orchagent program the whole profile again.
 *   - A write is complete when ASIC_DB has it, within two seconds. While CONFIG_DB and ASIC_DB differ, the
 *     device counts as unreadable and nothing is decided about it.
 *   - The device "all-3" is queue 3 of all ports, for tuners that set each queue (below).
 *   - Nothing is saved: a restart of the switch restores its configuration.
 *
 * The socket is <root>/var/run/redis/redis.sock. Counters are those of the queues that reference the profile,
 * and of their ports. They are seconds old; if none has changed since the last reading, there is no metric.
 */
#ifndef LIVE_DRIVER_SONIC_H
#define LIVE_DRIVER_SONIC_H

#include "live/driver/driver.h"
#include "live/driver/redis.h"

/* ---- queue N of all ports, each set separately: for tuners of queues (live/queues) ----
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

struct sonic_queues;

/* "all-3" -> 3. False: it is not such a name. */
bool sonic_queues_number(const char *name, unsigned *number);

/* The connection is shared and must outlive it. Refuses a queue that cannot be set alone. */
int  sonic_queues_open(struct sonic_queues **, struct redis *, unsigned number, struct err *);
void sonic_queues_free(struct sonic_queues *);

/* Fields of kmin, kmax and pmax in CONFIG_DB and ASIC_DB. */
extern const char *const sonic_config_names[3], *const sonic_asic_names[3];

/* Its ports, in the order of their names. */
uint32_t    sonic_queues_count(const struct sonic_queues *);
const char *sonic_queues_port(const struct sonic_queues *, uint32_t i);

/* Of a device whose first field is a struct sonic_queues *, or NULL. */
extern const struct io_queues sonic_queues_io;

#endif
