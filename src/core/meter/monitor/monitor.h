/* src/core/meter/monitor/monitor.h - monitors: estimate flow sizes at a ToR or a host.
 *
 * A monitor is one file in this folder with a struct monitor_algo, listed in monitor.c. It sees the packets
 * of one measurement point and reports per interval how many of the active flows are elephants and mice. The
 * network's distribution is the sum over all points. Every packet must therefore be shown to one point only:
 * a ToR sees the packets that its hosts send. PARALEON's switches mark counted packets for the same purpose.
 */
#ifndef CORE_METER_MONITOR_MONITOR_H
#define CORE_METER_MONITOR_MONITOR_H

#include "core/meter/monitor/elastic.h"
#include "core/meter/monitor/flowstate.h"
#include "core/fsd.h"

#include <stdbool.h>
#include <stdint.h>

struct monitor_cfg {             /* 0: default value */
    struct elastic_cfg   sketch;
    struct flowstate_cfg states;
    uint32_t             parking_places;     /* flow states that are kept without an entry; 0: 16384 */
    bool                 heavy_only;         /* do not count flows of the light part, like PARALEON */
    uint32_t             netflow_one_in;     /* sample one packet in this many; 0: 100 */
    uint64_t             netflow_export_ps;  /* 0: 1 s */
    uint32_t             host_requests;      /* size of the table of work requests; 0: 1024 */
    uint64_t             seed;               /* for sampling; the sketch's hash uses sketch.seed */
};

enum monitor_place { MONITOR_TOR, MONITOR_HOST };

struct monitor_algo {
    /* A packet with this many bytes (> 0) passes. NULL: packets are ignored. */
    void (*on_packet)(void *state, const struct flow_key *, uint32_t bytes, uint64_t now_ps);

    /* A work request of this many bytes (> 0) is posted; its packets follow. NULL: ignored. */
    void (*on_request)(void *state, const struct flow_key *, uint64_t bytes, uint64_t now_ps);

    /* Ends the interval and writes the distribution of the active flows. Required, like the next two. */
    void (*read)(void *state, uint64_t now_ps, struct fsd *);

    void *(*create)(const struct monitor_cfg *);
    void (*destroy)(void *state);

    const char         *name, *about;
    enum monitor_place  place;
};

extern const struct monitor_algo *const monitor_all[];       /* NULL-terminated */

/* Returns the monitor called 'name', or NULL. */
const struct monitor_algo *monitor_find(const char *name);

#endif
