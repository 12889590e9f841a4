/* tests/fuzz/fuzz_flows.c - any text is a sorted list of valid flows, or rejected with a reason. */
#include "formats/hpcc.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct graph *g, const struct flow_list *flows)
{
    for (uint32_t i = 0; i < flows->count; i++) {
        const struct flow_row *f = &flows->flow[i];

        if (f->src == f->dst || f->bytes == 0 || f->prio > 7)
            abort();
        if (f->src >= g->hosts || f->dst >= g->hosts)        /* in a star, hosts have the first numbers */
            abort();
        if (i > 0 && f->start_ns < flows->flow[i - 1].start_ns)
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = memcpy(calloc(1, size + 1), data, size);
    struct flow_list flows;
    struct err err = { "" };
    struct graph g;

    graph_star(&g, &(struct graph_star){ .hosts = 16, .rate_bps = 100000000000 });
    if (hpcc_read_flows("f", text, &g, &flows, &err) >= 0) {
        check(&g, &flows);
        flow_list_fini(&flows);
    } else if (strncmp(err.text, "f:", 2) != 0) {
        abort();
    }
    graph_fini(&g);
    free(text);
    return 0;
}
