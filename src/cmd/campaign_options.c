/* src/cmd/campaign_options.c */
#include "cmd/campaign_options.h"
#include "base/bootstrap.h"
#include "base/text.h"
#include "campaign/pool.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

uint32_t campaign_count(const char *option, const char *text, uint32_t max)
{
    struct err err;
    uint64_t count;

    if (text_to_uint(text, &count, &err))
        cmd_usage("%s: %s", option, err.text);
    if (count < 1 || count > max)
        cmd_usage("%s must be 1 .. %" PRIu32 ", not %s", option, max, text);
    return (uint32_t)count;
}

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

static void list_seeds(struct campaign_request *r, const char *text)
{
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

static void add_vary(struct campaign_request *r, const char *text)
{
    struct err err;

    r->vary = xrealloc(r->vary, (r->varies + 1) * sizeof(*r->vary));
    if (axis_vary(&r->vary[r->varies++], text, &err))
        cmd_usage("%s", err.text);
}

error_t campaign_take_option(struct campaign_request *r, enum cmd_format *format, int key, char *arg)
{
    switch (key) {
    case KEY_VARY:      add_vary(r, arg);                                               break;
    case KEY_SET:       cmd_add_set(&r->set, &r->sets, arg);                            break;
    case KEY_SEED_LIST: list_seeds(r, arg);                                             break;
    case KEY_UNTIL:     r->until_ps = cmd_time("--until", arg, "a run of no time");      break;
    case KEY_METRICS:   r->metrics = arg;                                               break;
    case KEY_JOBS:      r->jobs = campaign_count("--jobs", arg, POOL_WORKERS_MAX);      break;
    case KEY_OUT:       r->out = arg;                                                   break;
    case KEY_STORE:     r->store = arg;                                                 break;
    case KEY_FORMAT:    *format = cmd_format(arg);                                      break;
    case KEY_QUIET:     r->is_quiet = true;                                             break;
    case ARGP_KEY_ARG:  cmd_add_text(&r->path, &r->paths, arg);                             break;
    case KEY_SEEDS:
        campaign_count_seeds(r, campaign_count("--seeds", arg, BOOTSTRAP_VALUES_MAX));
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
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
