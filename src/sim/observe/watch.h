/* src/sim/observe/watch.h - the measurement points of a simulated network.
 *
 * Each monitor has separate state at every point: at every ToR (a switch with hosts), or at every host. A ToR
 * passes each data packet that arrives from a host to the monitors and marks it as counted, as PARALEON's
 * switches do with an unused bit of the type-of-service field. So a packet is counted once on its path. ACKs,
 * CNPs, PFC frames and TCP are not counted. A host's monitor sees a packet when it arrives at the ToR, one
 * link later than the host would.
 *
 * Hosts also record round-trip times, at most one every WATCH_RTT_GAP_PS, as a NIC would report them.
 *
 * Monitors change no result.
 */
#ifndef SIM_OBSERVE_WATCH_H
#define SIM_OBSERVE_WATCH_H

#include "core/report.h"
#include "core/meter/monitor/monitor.h"

#include <stdint.h>

#define WATCH_MONITORS_MAX REPORT_MONITORS_MAX
#define WATCH_RTT_GAP_PS   50000000ull       /* 50 us, as in PARALEON's artifact */

struct sim;

struct watch_cfg {
    const struct monitor_algo *monitor[WATCH_MONITORS_MAX];  /* the first one feeds the report */
    uint32_t                   monitors;
    struct monitor_cfg         cfg;
};

struct watch;

/* Starts monitoring. The simulation must outlive the returned object. */
struct watch *watch_new(struct sim *, const struct watch_cfg *);
void          watch_free(struct watch *);

/* Ends the interval and writes its measurements into the report, which the caller has cleared. */
void watch_read(struct watch *, uint64_t now_ps, struct report *);

/* Returns the result of the first monitor at a node, as of the last watch_read(), or NULL. Requires an
 * earlier call of watch_keep_points(). */
void              watch_keep_points(struct watch *);
const struct fsd *watch_point(const struct watch *, uint32_t node);

#endif
