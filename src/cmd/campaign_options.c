#include "cmd/campaign_options.h"
#include "base/bootstrap.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void add_seed(struct campaign_request *r, uint64_t seed)
{
    for (uint32_t i = 0; i < r->seeds; i++)
        if (r->seed[i] == seed)
            cmd_usage("--seed-list: %" PRIu64 " is there twice", seed);
    if (r->seeds == BOOTSTRAP_VALUES_MAX)
        cmd_usage("--seed-list: more than %d seeds", BOOTSTRAP_VALUES_MAX);
    r->seed = xrealloc(r->seed, (r->seeds + 1) * sizeof(*r->seed));
    r->seed[r->seeds++] = seed;
}

void campaign_count_seeds(struct campaign_request *r, uint32_t count)
{
    free(r->seed);
    r->seed = xcalloc(count, sizeof(*r->seed));
    r->seeds = count;
    for (uint32_t i = 0; i < count; i++)
        r->seed[i] = i + 1;
}

void campaign_add_seeds(void *request, const char *text)
{
    campaign_count_seeds(request, (uint32_t)cmd_count("--seeds", text, 1, BOOTSTRAP_VALUES_MAX));
}

void campaign_list_seeds(void *request, const char *text)
{
    struct campaign_request *r = request;
    char *copy = xstrdup(text), *rest = copy, *word;
    struct err err;
    uint64_t seed;

    r->seeds = 0;
    while ((word = strsep(&rest, ","))) {
        if (text_to_uint(word, &seed, &err))
            cmd_usage("--seed-list: %s", err.text);
        add_seed(r, seed);
    }
    free(copy);
}

void campaign_add_vary(void *request, const char *text)
{
    struct campaign_request *r = request;
    struct err err;

    r->vary = xrealloc(r->vary, (r->varies + 1) * sizeof(*r->vary));
    if (axis_vary(&r->vary[r->varies++], text, &err))
        cmd_usage("%s", err.text);
}

void campaign_request_fini(struct campaign_request *r)
{
    for (uint32_t i = 0; i < r->varies; i++)
        axis_fini(&r->vary[i]);
    axis_fini(&r->named);
    free(r->vary);
    free(r->path);
    free(r->set);
    free(r->seed);
}
