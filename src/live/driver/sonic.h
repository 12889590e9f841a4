/* src/live/driver/sonic.h - switches with SONiC, through their Redis.
 *
 * A device is a WRED profile: a hash in CONFIG_DB with thresholds, which queues name; all of them change
 * together. Orchagent reads the hash when it changes and programs the ASIC; what syncd has programmed is in
 * ASIC_DB. So:
 *
 *   - kmin, kmax and pmax are green_min_threshold and green_max_threshold (bytes) and green_drop_probability
 *     (whole percent). No other field is ever written, because orchagent refuses entries with fields that it
 *     does not know, and nothing but digits, because it aborts on anything else and takes the switch's
 *     control plane with it.
 *   - One decision is one HSET of what really changes, in a transaction that fails if somebody else has
 *     written meanwhile. Writing what is there already would make orchagent program all of it again.
 *   - It counts as written when ASIC_DB holds it, within two seconds. While CONFIG_DB and ASIC_DB differ the
 *     device cannot be read: nothing is decided on it.
 *   - A device may also be one queue, "Ethernet0-3", if CONFIG_DB has an entry for it alone
 *     (QUEUE|Ethernet0|3). With its first change it gets a profile of its own, ANOLE_Ethernet0_3, a copy of
 *     the one that it had, and is bound to it in the same transaction; nothing is ever bound back, since a
 *     copy with the old numbers does the same.
 *   - Nothing is saved: a restart of the switch brings back what it had.
 *
 * The socket is <root>/var/run/redis/redis.sock. Counters are those of the queues that name the profile, and
 * of their ports; they are seconds old, and where none has changed since the last look there is no metric.
 */
#ifndef LIVE_DRIVER_SONIC_H
#define LIVE_DRIVER_SONIC_H

#include "live/driver/driver.h"

extern const struct driver driver_sonic;

#endif
