/* tests/fuzz/fuzz_flows.c - any text is a sorted list of valid flows, or rejected with a reason. Starts as
 * ns-3 reads them are at most a nanosecond, and the error of a double, before those that are written. */
#include "peers/hpcc.h"

#include <stdlib.h>
#include <string.h>

#define DOUBLE_PS 117                /* half the distance of doubles at 10^6 s is 58 ps */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct graph *g, const struct flow_list *flows)
{
    for (uint32_t i = 0; i < flows->count; i++) {
        const struct flow_row *f = &flows->flow[i];

        if (f->src == f->dst || f->bytes == 0 || f->prio > 7)
            abort();
        if (f->src >= g->hosts || f->dst >= g->hosts)        /* in a star, hosts have the first numbers */
            abort();
        if (i > 0 && f->start_ps < flows->flow[i - 1].start_ps)
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = memcpy(calloc(1, size + 1), data, size);
    struct flow_list flows = { 0 }, exact = { 0 };
    struct err err = { "" };
    struct graph g;

    graph_star(&g, &(struct graph_star){ .hosts = 16, .rate_bps = 100000000000 });
    if (hpcc_read_flows("f", text, &g, &flows, &err) >= 0) {
        check(&g, &flows);
    } else if (strncmp(err.text, "f:", 2) != 0) {
        abort();
    }
    if (hpcc_read_flows_exact("f", text, &g, &exact, &err) >= 0)
        check(&g, &exact);
    else if (strncmp(err.text, "f:", 2) != 0)
        abort();
    for (uint32_t i = 0; i < flows.count && i < exact.count; i++)
        if (exact.flow[i].start_ps + DOUBLE_PS < flows.flow[i].start_ps ||
            exact.flow[i].start_ps > flows.flow[i].start_ps + 1000 + DOUBLE_PS)
            abort();
    flow_list_fini(&flows);
    flow_list_fini(&exact);
    graph_fini(&g);
    free(text);
    return 0;
}
