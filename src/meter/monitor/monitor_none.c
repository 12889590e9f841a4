/* src/meter/monitor/monitor_none.c - a monitor that sees no flows: No_FSD in PARALEON's figure 10. */
#include "meter/monitor/monitor.h"

#include <stddef.h>

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
