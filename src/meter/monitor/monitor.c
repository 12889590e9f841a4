/* src/meter/monitor/monitor.c - the list of monitors. */
#include "meter/monitor/monitor.h"

#include <string.h>

/* Every one of them. To add one, add a line. */
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

void monitor_read_all(const struct monitor_algo *algo, void *const *state, uint32_t points, uint64_t now_ps,
                      struct fsd *network)
{
    struct fsd local;

    memset(network, 0, sizeof(*network));
    for (uint32_t i = 0; i < points; i++) {
        algo->read(state[i], now_ps, &local);
        fsd_add(network, &local);
    }
}
