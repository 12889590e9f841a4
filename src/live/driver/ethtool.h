/* src/live/driver/ethtool.h - the statistics that a network driver has for `ethtool -S`. */
#ifndef LIVE_DRIVER_ETHTOOL_H
#define LIVE_DRIVER_ETHTOOL_H

#include <stdint.h>

/* Called with each name and value. */
typedef void ethtool_visit(void *arg, const char *name, uint64_t value);

/* Asks the kernel; with another root than "/", the file <root>/ethtool/<netdev>, as `ethtool -S` prints
 * it. */
int ethtool_stats(const char *root, const char *netdev, ethtool_visit *, void *arg);

#endif
