/* src/core/meter/monitor/monitor_interval.c - counts exactly what each flow sent in one interval.
 *
 * This is a sketch without errors. It separates the loss of looking at single intervals from the loss of
 * saving memory.
 */
#include "base/err.h"
#include "core/meter/monitor/monitor.h"
#include "core/meter/monitor/monitor_table.h"

#include <stdlib.h>

struct interval {
    struct flow_table    flows;
    struct flowstate_cfg cfg;
};

static void interval_on_packet(void *state, const struct flow_key *k, uint32_t bytes, uint64_t now_ps)
{
    struct interval *s = state;

    (void)now_ps;
    flow_table_at(&s->flows, k)->now_bytes += bytes;
}

static void interval_read(void *state, uint64_t now_ps, struct fsd *fsd)
{
    struct interval *s = state;

    (void)now_ps;
    *fsd = (struct fsd){ 0 };
    for (uint32_t i = 0; i < s->flows.places; i++)
        if (s->flows.flow[i].now_bytes > 0)
            flow_count(&s->cfg, s->flows.flow[i].now_bytes, fsd);
    flow_table_clear(&s->flows);
}

static void *interval_create(const struct monitor_cfg *cfg)
{
    struct interval *s = xcalloc(1, sizeof *s);

    flow_table_init(&s->flows);
    s->cfg = flowstate_configure(cfg->states);
    return s;
}

static void interval_destroy(void *state)
{
    struct interval *s = state;

    flow_table_fini(&s->flows);
    free(s);
}

extern const struct monitor_algo monitor_interval;
const struct monitor_algo monitor_interval = {
    .on_packet = interval_on_packet, .read = interval_read, .create = interval_create, .destroy = interval_destroy,
    .name = "interval", .about = "what each flow sent in the interval, exactly",
};
