/* src/live/driver/sonic.h - switches with SONiC, through their Redis.
 *
 * A device is a WRED profile: a hash in CONFIG_DB with thresholds, which queues reference; these queues
 * change together. Orchagent reads the hash when it changes and programs the ASIC; ASIC_DB has what syncd has
 * programmed. So:
 *
 *   - kmin, kmax and pmax are green_min_threshold and green_max_threshold (bytes) and green_drop_probability
 *     (whole percent). The driver writes no other field, because orchagent refuses entries with unknown
 *     fields. It writes only digits, because orchagent aborts on anything else and takes the switch's control
 *     plane with it.
 *   - One decision is one HSET of the fields that change, in a transaction that fails after a concurrent
 *     write. Writing an unchanged value would make orchagent program the whole profile again.
 *   - A write is complete when ASIC_DB has it, within two seconds. While CONFIG_DB and ASIC_DB differ, the
 *     device counts as unreadable and nothing is decided about it.
 *   - The device "all-3" is queue 3 of all ports, for tuners that set each queue (sonic_queues.h).
 *   - Nothing is saved: a restart of the switch restores its configuration.
 *
 * The socket is <root>/var/run/redis/redis.sock. Counters are those of the queues that reference the profile,
 * and of their ports. They are seconds old; if none has changed since the last reading, there is no metric.
 */
#ifndef LIVE_DRIVER_SONIC_H
#define LIVE_DRIVER_SONIC_H

#include "live/driver/driver.h"

extern const struct driver driver_sonic;

#endif
