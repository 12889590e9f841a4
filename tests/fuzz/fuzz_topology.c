/* tests/fuzz/fuzz_topology.c - any text is a valid topology, or rejected with a reason. */
#include "formats/hpcc.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = memcpy(calloc(1, size + 1), data, size);
    struct err err = { "" };
    struct graph g;

    if (hpcc_read_topology("t", text, &g, &err) >= 0) {
        if (graph_check(&g, &err) != 0)
            abort();
        graph_fini(&g);
    } else if (strncmp(err.text, "t:", 2) != 0) {
        abort();
    }
    free(text);
    return 0;
}
