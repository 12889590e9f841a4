/* src/core/meter/monitor/monitor_exact.c - the ground truth for other monitors.
 *
 * A flow that sent something in the interval is an elephant if its size is at least tau. Its size is that of
 * its work request or, if unknown, the bytes sent so far. So the first packet of an elephant already counts
 * as one.
 */
#include "base/err.h"
#include "core/meter/monitor/monitor.h"
#include "core/meter/monitor/monitor_table.h"

#include <stdlib.h>

struct exact {
    struct flow_table    flows;
    struct flowstate_cfg cfg;
};

static void exact_on_request(void *state, const struct flow_key *k, uint64_t bytes, uint64_t now_ps)
{
    struct exact *e = state;
    struct table_flow *f = flow_table_at(&e->flows, k);

    (void)now_ps;
    if (f->sent_bytes >= f->size_bytes)
        f->size_bytes = f->sent_bytes = 0;   /* the previous request is complete */
    f->size_bytes += bytes;
    f->is_done = false;
}

static void exact_on_packet(void *state, const struct flow_key *k, uint32_t bytes, uint64_t now_ps)
{
    struct exact *e = state;
    struct table_flow *f = flow_table_at(&e->flows, k);

    (void)now_ps;
    f->sent_bytes += bytes;
    f->now_bytes += bytes;
    f->is_done = false;
}

static void exact_read(void *state, uint64_t now_ps, struct fsd *fsd)
{
    struct exact *e = state;

    (void)now_ps;
    *fsd = (struct fsd){ 0 };
    for (uint32_t i = 0; i < e->flows.places; i++) {
        struct table_flow *f = &e->flows.flow[i];

        if (f->now_bytes == 0)
            continue;
        flow_count(&e->cfg, f->size_bytes ? f->size_bytes : f->sent_bytes, fsd);
        f->now_bytes = 0;
        f->is_done = f->size_bytes && f->sent_bytes >= f->size_bytes;
    }
}

static void *exact_create(const struct monitor_cfg *cfg)
{
    struct exact *e = xcalloc(1, sizeof(*e));

    flow_table_init(&e->flows);
    e->cfg = flowstate_configure(cfg->states);
    return e;
}

static void exact_destroy(void *state)
{
    struct exact *e = state;

    flow_table_fini(&e->flows);
    free(e);
}

extern const struct monitor_algo monitor_exact;
const struct monitor_algo monitor_exact = {
    .on_packet  = exact_on_packet,
    .on_request = exact_on_request,
    .read       = exact_read,
    .create     = exact_create,
    .destroy    = exact_destroy,
    .name       = "exact",
    .about      = "the truth: whole sizes of all flows that sent something",
};
