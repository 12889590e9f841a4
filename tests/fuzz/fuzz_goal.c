/* tests/fuzz/fuzz_goal.c - any bytes are a trace that can be executed, or rejected with a reason. */
#include "peers/goal.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct err   err = { "" };
    struct trace t;

    if (goal_parse("g", (const char *)data, size, &t, &err) == 0) {
        for (uint32_t i = 0; i < t.ranks; i++)
            for (uint32_t k = 0; k < t.rank[i].ops; k++)
                if (t.rank[i].op[k].type == TRACE_SEND &&
                    (t.rank[i].op[k].peer >= t.ranks || t.rank[i].op[k].size == 0))
                    abort();
        trace_fini(&t);
    } else if (strncmp(err.text, "g:", 2) != 0) {
        abort();
    }
    return 0;
}
