/* tests/fuzz/fuzz_topology.c - any text is a valid topology, or rejected with a reason. Delays as ns-3 reads
 * them are at most a nanosecond shorter than those that are written. */
#include "peers/hpcc.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = memcpy(calloc(1, size + 1), data, size);
    struct err err = { "" };
    struct graph g, exact;

    if (hpcc_read_topology("t", text, &g, &err) >= 0) {
        if (graph_check(&g, &err) != 0)
            abort();
        if (hpcc_read_topology_exact("t", text, &exact, &err) < 0)
            abort();
        for (uint32_t i = 0; i < g.links; i++)
            if (exact.link[i].delay_ps < g.link[i].delay_ps ||
                exact.link[i].delay_ps > g.link[i].delay_ps + 1000)
                abort();
        graph_fini(&exact);
        graph_fini(&g);
    } else if (strncmp(err.text, "t:", 2) != 0) {
        abort();
    }
    free(text);
    return 0;
}
