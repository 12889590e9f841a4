/* src/meter/monitor/monitor.h - how flow sizes are seen.
 *
 * A monitor is one file in this folder: it fills a struct monitor_algo and stands in monitor_all[]
 * (monitor.c). It sees the packets of one measurement point, a ToR or a host, and once per interval says how
 * the flows that sent something divide into elephants and mice. What the network does follows by adding
 * (monitor_read_all()), and that is right only if no packet is shown to two points: a ToR is shown what comes
 * from its hosts. PARALEON's switches mark a packet that has been counted, to the same end.
 */
#ifndef METER_MONITOR_MONITOR_H
#define METER_MONITOR_MONITOR_H

#include "meter/monitor/elastic.h"
#include "meter/monitor/flowstate.h"
#include "core/fsd.h"

#include <stdbool.h>
#include <stdint.h>

struct monitor_cfg {             /* what is 0 has the initial value */
    struct elastic_cfg   sketch;
    struct flowstate_cfg states;
    uint32_t             parking_places;     /* flow states that are kept without an entry; 0: 16384 */
    bool                 heavy_only;         /* flows of the light part are not counted, as PARALEON has it */
    uint32_t             netflow_one_in;     /* packets, of which one is sampled; 0: 100 */
    uint64_t             netflow_export_ps;  /* 0: 1 s */
    uint32_t             host_requests;         /* work requests that are looked at; 0: 1024 */
    uint64_t             seed;               /* of samples; that of the sketch's hash is sketch.seed */
};

enum monitor_place { MONITOR_TOR, MONITOR_HOST };

struct monitor_algo {
    /* A packet with so many bytes, > 0, passes. NULL: does not look at packets. */
    void (*on_packet)(void *state, const struct flow_key *, uint32_t bytes, uint64_t now_ps);

    /* A work request of so many bytes, > 0, is posted; its packets follow. NULL: does not know of them. */
    void (*on_request)(void *state, const struct flow_key *, uint64_t bytes, uint64_t now_ps);

    /* A short cut for whoever shows many packets of a flow: what hint() says of a flow after one of them (0: there
     * is none) may be given with the next. on_again() counts it and returns true, or returns false if the hint
     * holds no longer; then on_packet() is to be called. Both NULL: no short cut. */
    uint64_t (*hint)(void *state, const struct flow_key *);
    bool (*on_again)(void *state, uint64_t hint, uint32_t bytes);

    /* The interval ends: writes the distribution of the flows that sent something in it. Required, like the
     * next two. */
    void (*read)(void *state, uint64_t now_ps, struct fsd *);

    void *(*create)(const struct monitor_cfg *);
    void (*destroy)(void *state);

    const char         *name, *about;
    enum monitor_place  place;
};

extern const struct monitor_algo *const monitor_all[];       /* NULL-terminated */

/* Returns the monitor called 'name', or NULL. */
const struct monitor_algo *monitor_find(const char *name);

/* Ends the interval at all points and writes the network's distribution. */
void monitor_read_all(const struct monitor_algo *, void *const *state, uint32_t points, uint64_t now_ps,
                      struct fsd *network);

#endif
