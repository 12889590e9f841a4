/* src/meter/monitor/monitor.c - the list of monitors. */
#include "meter/monitor/monitor.h"

#include <string.h>

/* To add a monitor, add a line. */
#define EACH(X) \
    X(monitor_paraleon) \
    X(monitor_elastic) \
    X(monitor_netflow) \
    X(monitor_host) \
    X(monitor_none) \
    X(monitor_exact) \

#define DECLARE(algo) extern const struct monitor_algo algo;
#define ADDRESS(algo) &algo,

EACH(DECLARE)

const struct monitor_algo *const monitor_all[] = { EACH(ADDRESS) NULL };

const struct monitor_algo *monitor_find(const char *name)
{
    for (const struct monitor_algo *const *a = monitor_all; *a; a++)
        if (strcmp((*a)->name, name) == 0)
            return *a;
    return NULL;
}
