/* src/core/meter/monitor/monitor.c - the list of monitors, and the one that sees nothing. */
#include "core/meter/monitor/monitor.h"

#include <stddef.h>
#include <string.h>

/* Sees no flows: No_FSD in PARALEON's figure 10. */
static void none_read(void *state, uint64_t now_ps, struct fsd *fsd)
{
    (void)state, (void)now_ps;
    *fsd = (struct fsd){ 0 };
}

static void *none_create(const struct monitor_cfg *cfg)
{
    (void)cfg;
    return NULL;
}

static void none_destroy(void *state)
{
    (void)state;
}

extern const struct monitor_algo monitor_none;
const struct monitor_algo monitor_none = {
    .read    = none_read,
    .create  = none_create,
    .destroy = none_destroy,
    .name    = "none",
    .about   = "sees no flow sizes",
};

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
