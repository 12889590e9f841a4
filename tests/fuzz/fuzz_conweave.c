/* tests/fuzz/fuzz_conweave.c - a config and a list of flows of the ConWeave fork: any text is one that we
 * model, or rejected with a reason.
 *
 * The list of flows follows a line "---".
 */
#include "peers/hpcc.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fuzz_config(const char *text)
{
    struct hpcc_config c;
    struct err         err = { "" };

    if (hpcc_read_config("c", text, &c, &err) == 0) {
        if ((c.lb_mode != 0 && c.lb_mode != 3 && c.lb_mode != 6 && c.lb_mode != 9) || c.enable_irn ||
            !c.enable_pfc || (c.is_conweave && !c.ack_high_prio))
            abort();
    } else if (strncmp(err.text, "c:", 2) != 0) {
        abort();
    }
}

/* With and without a graph, the flows are equal except for the ports. */
static void fuzz_flows(const char *text)
{
    struct flow_list flows, again;
    struct err        err = { "" };
    static struct graph g;
    static bool         has_graph;

    if (!has_graph)
        graph_star(&g, &(struct graph_star){ .hosts = 16, .rate_bps = 100000000000 });
    has_graph = true;
    if (hpcc_read_flows("f", text, &g, &flows, &err) >= 0) {
        if (hpcc_read_flows("f", text, NULL, &again, &err) < 0 || again.count != flows.count)
            abort();
        for (uint32_t i = 0; i < flows.count; i++)
            if (flows.flow[i].bytes != again.flow[i].bytes ||
                flows.flow[i].start_ps != again.flow[i].start_ps)
                abort();
        flow_list_fini(&flows);
        flow_list_fini(&again);
    } else if (strncmp(err.text, "f:", 2) != 0) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = memcpy(calloc(1, size + 1), data, size), *flows = strstr(text, "---\n");

    if (flows) {
        *flows = '\0';
        fuzz_flows(flows + 4);
    }
    fuzz_config(text);
    free(text);
    return 0;
}
