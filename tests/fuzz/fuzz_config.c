/* tests/fuzz/fuzz_config.c - any text is a config within its bounds, or rejected with a reason. */
#include "peers/hpcc.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct hpcc_config *c)
{
    if (!hpcc_cc_of_mode(c->cc_mode) || c->l2_back_to_zero != 0)
        abort();
    if (c->payload_bytes == 0 || c->buffer_mib == 0 || c->min_rate_bps == 0)
        abort();
    if (!(c->alpha_resume_us >= 1 && c->rp_timer_us >= 1 && c->rate_decrease_us >= 1))
        abort();
    if (!(c->error_rate_per_link >= 0 && c->error_rate_per_link < 1) || c->ecn_count > HPCC_MAP_MAX)
        abort();
    for (uint32_t i = 0; i < c->ecn_count; i++)
        if (!(c->ecn[i].kmin_kb <= c->ecn[i].kmax_kb && c->ecn[i].pmax >= 0 && c->ecn[i].pmax <= 1))
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = memcpy(calloc(1, size + 1), data, size);
    struct err err = { "" };
    struct hpcc_config c;

    if (hpcc_read_config("c", text, &c, &err) == 0)
        check(&c);
    else if (strncmp(err.text, "c:", 2) != 0)
        abort();
    free(text);
    return 0;
}
