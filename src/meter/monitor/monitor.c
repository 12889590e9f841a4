/* src/meter/monitor/monitor.c - the list of monitors. To add one, add a line. */
#include "meter/monitor/monitor.h"

#include <string.h>

extern const struct monitor_algo monitor_paraleon, monitor_elastic, monitor_netflow, monitor_host,
                                 monitor_none, monitor_exact;

const struct monitor_algo *const monitor_all[] = {
    &monitor_paraleon,
    &monitor_elastic,
    &monitor_netflow,
    &monitor_host,
    &monitor_none,
    &monitor_exact,
    NULL
};

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
