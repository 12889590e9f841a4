/* src/live/driver/mrc.h - NICs with MRC (OCP's Multipath Reliable Connection), through the vendor's library.
 *
 * The agent is MRC's controller on its host. Queue pairs name two profiles by number, which an operator has
 * set up: one of congestion control and one of paths. The driver
 *
 *   - reads and sets the 13 parameters of NSCC in the profile of congestion control (knobs nscc_*);
 *   - measures round trips with probes, over the profile's paths to the destinations that the agent's file
 *     lists. They are the metric. MRC reports no bytes, losses or windows: all counters are unknown;
 *   - lists paths, and denies and allows them for a person (anole agent --paths, --deny, --allow);
 *   - with 'deny', denies the paths of whole ports for the controller: knob denied_ports. The value names the ports, so what
 *     is denied is taken back exactly, by the lease or after a restart, whoever does it. A port is left alone in which a
 *     person denied a path, and so is one whose denial would leave too few.
 *
 * A device either changes parameters of an ONLINE profile or only of one that no queue pair uses; a capability
 * bit says which. The second kind is never written: a queue pair that starts after a change would keep the
 * change from being taken back. Nor does the driver take a profile OFFLINE, because programs that start
 * meanwhile would fail. A device may answer EBUSY at any time: nothing has changed then.
 *
 * Parameters are written as one structure: what a write does not name is written as it was read just before.
 * A value that the device cannot hold exactly is refused: nanoseconds, bytes, and floats of 32 bits.
 */
#ifndef LIVE_DRIVER_MRC_H
#define LIVE_DRIVER_MRC_H

#include "live/driver/driver.h"
#include "live/driver/mrc_api.h"

#define MRC_TO_MAX 16

/* The section 'mrc' of an agent's file. */
struct mrc_settings {
    char           library[256];
    uint32_t       cc_profile, ev_profile, dscp, timeout_us, probes;
    double         deny;         /* share of its paths that the controller may deny; 0: none, and there is no such knob */
    uint32_t       destinations;
    struct mrc_gid to[MRC_TO_MAX];
};

extern const struct driver driver_mrc;

#endif
