/* standin/fabric/hardware.h - a simulated network behind stand-ins for real devices: its hosts are the
 * ports behind the files of NICs (standin/nic), its switches the ASICs behind databases (standin/orch).
 * Agents use the same files and databases as on real devices.
 *
 * Each step is a monitor interval of the scenario and takes 'interval_us' of real time. If that is longer,
 * the network runs slower: link speeds and pause times are scaled to real time; knobs keep their numbers.
 *
 * <folder>/<name of the node> is the root of each device.
 */
#ifndef STANDIN_FABRIC_HARDWARE_H
#define STANDIN_FABRIC_HARDWARE_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

struct hardware;

struct hardware_device { const char *name; bool is_switch; uint32_t ports, mbps;
                         uint64_t kmin_bytes, kmax_bytes; uint32_t pmax_percent; };

int  hardware_open(struct hardware **, const char *scenario, const char *folder, uint64_t interval_us,
                   struct err *);
void hardware_free(struct hardware *);

const char *hardware_folder(const struct hardware *);

/* False: there are no more. */
bool hardware_device(const struct hardware *, uint32_t i, struct hardware_device *);

/* All stand-ins are there: connects, and gives NICs the settings that the scenario begins with. */
int  hardware_connect(struct hardware *, struct err *);

/* Applies new settings, simulates an interval, and publishes the counters. */
int  hardware_step(struct hardware *, struct err *);

#endif
