/* tests/fuzz/fuzz_chakra.c - any bytes are the trace of a rank, or rejected with a reason. Operations of an
 * accepted trace only wait for existing ones.
 */
#include "peers/chakra.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct err   err = { "" };
    struct trace t;

    trace_init(&t, "c", 3);
    if (chakra_parse("c", data, size, 1, &t, &err) == 0) {
        const struct trace_rank *r = &t.rank[1];

        for (uint32_t i = 0; i < r->edges; i++)
            if (r->edge[i].before >= r->ops || r->edge[i].after >= r->ops)
                abort();
        if (trace_seal(&t, &err) < 0 && strncmp(err.text, "c:", 2) != 0)
            abort();
    } else if (strncmp(err.text, "c:", 2) != 0) {
        abort();
    }
    trace_fini(&t);
    return 0;
}
