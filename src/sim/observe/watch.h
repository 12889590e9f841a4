/* src/sim/observe/watch.h - the measurement points of a simulated network.
 *
 * Each monitor has its own state at every point: at every ToR (a switch with hosts), or at every host. A ToR
 * shows monitors each data packet that comes in from a host and marks it as counted, as PARALEON's switches
 * do with an unused bit of the type of service. So a packet is counted once, wherever it goes. ACKs, CNPs,
 * PFC frames and TCP are not counted. A monitor of hosts sees a packet when it arrives at the ToR, one link
 * later than the host would.
 *
 * Hosts also record round trips, at most one every WATCH_RTT_GAP_PS, as a NIC would report them.
 *
 * Monitors change no result.
 */
#ifndef SIM_OBSERVE_WATCH_H
#define SIM_OBSERVE_WATCH_H

#include "core/report.h"
#include "meter/monitor/monitor.h"

#include <stdint.h>

#define WATCH_MONITORS_MAX REPORT_MONITORS_MAX
#define WATCH_RTT_GAP_PS   50000000ull       /* 50 us: the artifact's */

struct sim;

struct watch_cfg {
    const struct monitor_algo *monitor[WATCH_MONITORS_MAX];  /* the first is the one that counts */
    uint32_t                   monitors;
    struct monitor_cfg         cfg;
};

struct watch;

/* Starts watching; the simulation must outlive it. interval_ps: between two reads. */
struct watch *watch_new(struct sim *, const struct watch_cfg *, uint64_t interval_ps);
void          watch_free(struct watch *);

/* Ends the interval and writes what was seen in it into the report, which has been cleared. */
void watch_read(struct watch *, uint64_t now_ps, struct report *);

/* Returns the result of the first monitor at a node, as of the last watch_read(), or NULL.
 * watch_keep_points() must have been called before. */
void              watch_keep_points(struct watch *);
const struct fsd *watch_point(const struct watch *, uint32_t node);

#endif
