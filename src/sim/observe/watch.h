/* src/sim/observe/watch.h - the measurement points of a simulated network.
 *
 * Each monitor has a state of its own at every point: at every ToR (a switch with hosts), or at every host. A
 * ToR shows them each data packet that comes in from a host and marks it as counted, as PARALEON's switches
 * do with an unused bit of the type of service; what is marked is not counted again. So a packet is counted
 * once, wherever it goes. ACKs, CNPs, PFC frames and TCP are not counted. What a monitor of hosts sees, it
 * sees when the packet comes to the ToR, one link later than the host itself would.
 *
 * Hosts also keep round trips, one every WATCH_RTT_GAP_PS at most, as a NIC would hand them out.
 *
 * Nothing that is watched changes what happens: a run with monitors has the same results.
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

/* What the first monitor has said at one point, a node, at the last watch_read(); NULL: it has none there.
 * Only if it was asked for before. */
void              watch_keep_points(struct watch *);
const struct fsd *watch_point(const struct watch *, uint32_t node);

#endif
