/* tests/fuzz/fuzz_simai_work.c - any text is a workload that can be converted to messages, or rejected with a
 * reason.
 */
#include "peers/simai.h"
#include "work/traffic/collective_plan.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char           *text = memcpy(calloc(1, size + 1), data, size);
    struct plan_cfg cfg = { .all_reduce = COLLECTIVE_RING_ALL_REDUCE, .chunk_bytes = 1ull << 40 };
    struct err      err = { "" };
    struct plans   *plans;
    struct trace    t;
    double          messages;
    int             rc = simai_read_workload("w", text, 2, 8, &t, &err);

    if (rc == 0) {
        if (t.ranks == 0 || t.ranks > 8)
            abort();
        plans = plans_new(&cfg, t.ranks);
        rc = plans_check(plans, &t, &messages, &err);
        plans_free(plans);
        trace_fini(&t);
    }
    if (rc && strncmp(err.text, "w:", 2) != 0)
        abort();
    free(text);
    return 0;
}
