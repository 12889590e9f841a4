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
 *   - kmin above kmax is never written: orchagent refuses the whole profile then, and CONFIG_DB and the ASIC
 *     would differ.
 *   - Switches have profiles that no queue names, that do not mark, or whose numbers are written as text that
 *     orchagent understands ("1048576 ", "+5") and that could not be restored as it was. Such profiles are
 *     not found as devices; one that is named is observed, and takes no change.
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
 * binds the queue to it in the same transaction. A change to the numbers of the previous one binds the queue
 * to that again and deletes the copy, so that CONFIG_DB is as it was. Its name is in STATE_DB meanwhile.
 *
 * Requests about all queues take one round trip to Redis per database.
 *
 * Counters: SAI_QUEUE_STAT_BYTES, ..._WRED_ECN_MARKED_BYTES (or _PACKETS, times the mean packet size), and
 * the queue length: ..._CURR_OCCUPANCY_BYTES, which the PFC watchdog polls, or else
 * ..._SHARED_WATERMARK_BYTES, the peak. Marks are those of this switch; a simulation counts the marks of all
 * switches on the path. Their age depends on the switch's polling interval: a slot ends when some of them
 * have changed.
 */

enum { SONIC_KEY_SIZE = 160, SONIC_QUEUES_MAX = 1024, SONIC_QUEUE_COUNTERS = 6 };

struct sonic_counted { uint64_t value[SONIC_QUEUE_COUNTERS]; bool has[SONIC_QUEUE_COUNTERS]; };

struct sonic_queue {
    char     port[48], name[64];                 /* "Ethernet0", "Ethernet0:3" */
    unsigned number;
    uint32_t place;                              /* of its port in the report */
    uint64_t rate_bps;                           /* 0: unknown */
    /* keys in COUNTERS_DB and ASIC_DB; "": unknown */
    char     counters[SONIC_KEY_SIZE], port_counters[SONIC_KEY_SIZE], asic[SONIC_KEY_SIZE];

    /* for a queue that is set alone: QUEUE|..., WRED_PROFILE|ANOLE_... */
    char     config[SONIC_KEY_SIZE], own[SONIC_KEY_SIZE];
    /* during a call: keys of its profile, what they hold, and how many of these six numbers there were */
    char     profile[SONIC_KEY_SIZE], wred[SONIC_KEY_SIZE];
    uint64_t set[3], programmed[3];
    uint32_t found;
    struct sonic_counted is, last;
};

/* unknown: as in struct msg_sample, and SONIC_UNKNOWN_PAUSED; missing: counters of all queues that are not
 * there */
enum { SONIC_BYTES, SONIC_DROPS, SONIC_MARKED, SONIC_PAUSED_US, SONIC_COUNTERS };
#define SONIC_UNKNOWN_PAUSED (1ull << 63)
struct sonic_sums { uint64_t value[SONIC_COUNTERS], queue_bytes, unknown; uint32_t missing;
                    bool is_stormed, has_queue; };

struct sonic_port { char name[MSG_PORT_NAME_SIZE]; uint64_t rate_bps; uint32_t queues;
                    struct sonic_sums last; };

struct sonic {                   /* an open device */
    struct redis redis;
    bool         is_all;         /* "all-3" */
    unsigned     number;         /* the 3 of it */
    char         profile[MSG_NAME_SIZE], key[SONIC_KEY_SIZE], asic_key[SONIC_KEY_SIZE];
    char         why[200];       /* it takes no change; "": it does. Looked up with each sample */
    struct sonic_queue queue[SONIC_QUEUES_MAX];
    uint32_t     queues;
    /* of these queues; what has no room is counted in the sum alone */
    struct sonic_port port[MSG_PORTS_MAX];
    uint32_t     ports;
    uint64_t     rate_bps;       /* of all their ports */
    struct sonic_sums last;
    struct msg_detail detail;    /* ports alone */
    uint64_t     sampled_us, looked_us;          /* looked_us: when counters of queues had last changed */
};

/* Fields of kmin, kmax and pmax in CONFIG_DB and ASIC_DB. */
extern const char *const sonic_config_names[3], *const sonic_asic_names[3];

/* Does the profile mark green packets? */
bool sonic_has_ecn(struct redis *, const char *profile);

/* Checks the queues of "all-3". Refuses one that cannot be set alone. */
int sonic_queues_check(struct sonic *, struct err *);

extern const struct io_queues sonic_queues_io;   /* no queues but for "all-3" */

#endif
