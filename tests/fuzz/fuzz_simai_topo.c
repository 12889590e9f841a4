/* tests/fuzz/fuzz_simai_topo.c - any text is a valid topology, or rejected with a reason. */
#include "peers/simai.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char        *text = memcpy(calloc(1, size + 1), data, size);
    struct err   err = { "" };
    struct graph g;

    if (simai_read_topology("t", text, &g, &err) == 0) {
        if (graph_check(&g, &err) != 0)
            abort();
        for (uint32_t i = 0; i < g.nodes; i++)           /* GPUs of a server need links inside it */
            if (g.node[i].server && (g.node[i].is_switch || !g.inside_rate_bps))
                abort();
        graph_fini(&g);
    } else if (strncmp(err.text, "t:", 2) != 0) {
        abort();
    }
    free(text);
    return 0;
}
