/* src/live/driver/mrc.h - NICs with MRC (OCP's Multipath Reliable Connection), through the vendor's library.
 *
 * The agent is MRC's controller on its host. Queue pairs name two profiles by number, which an operator has
 * set up: one of congestion control and one of paths. The driver
 *
 *   - reads and sets the 13 parameters of NSCC in the profile of congestion control (knobs nscc_*);
 *   - measures round trips with probes, over the profile's paths to the destinations that the agent's file
 *     lists. They are the metric. MRC reports no bytes, losses or windows: all counters are unknown;
 *   - lists paths, and denies and allows them for a person (anole agent --paths, --deny, --allow);
 *   - with 'deny', denies the paths of whole ports for the controller: knob denied_ports. Its value names the
 *     ports, so a revert allows exactly these again. It refuses ports in which a person denied a path, and
 *     ports whose denial would leave too few paths.
 *
 * Some devices change parameters of an ONLINE profile, others only those of a profile that no queue pair
 * uses; a capability bit says which. The driver never writes to the second kind: a queue pair that starts
 * after a change would prevent the revert. Nor does it take a profile OFFLINE, because programs that start
 * meanwhile would fail. A device may answer EBUSY at any time; then nothing has changed.
 *
 * Parameters are written as one structure: those that a write does not name keep the values that were read
 * just before. The driver refuses values that the device cannot hold exactly, in nanoseconds, bytes, or
 * floats of 32 bits.
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
    double         deny;         /* share of its paths that the controller may deny; 0: no such knob */
    uint32_t       destinations;
    struct mrc_gid to[MRC_TO_MAX];
};

#endif
