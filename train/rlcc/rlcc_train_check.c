#include "train/rlcc/rlcc_train.h"

#include "base/print/table.h"
#include "core/units.h"
#include "base/nets/policy/policy_story.h"

#include <math.h>

#define SETTLE_PS   (6 * PS_PER_MS)
#define MEASURE_PS  (4 * PS_PER_MS)
#define BASE_US     8.192        /* defaults of the knobs */
#define BETA        1.5
#define TARGET      0.064
#define CHECK_SEED  1000001

static const char *const unseen[] = { "many_to_one:2_1", "many_to_one:16_4", "many_to_one:16_32",
                                      "all_to_all:8_8", "long_short:7" };

/* ---- worlds ---- */

static void run_until(struct env *e, uint64_t until_ps)
{
    while (env_now_ps(e) < until_ps &&
           env_collect(e, &(struct env_quota){ .steps_least = 1, .steps_most = 1 }))
        continue;
}

static double count_flows(const struct env_world *w)
{
    if (w->kind == ENV_LONG_SHORT)
        return 1;
    return (double)w->qps * (w->kind == ENV_ALL_TO_ALL ? w->hosts - 1 : w->hosts);
}

int rlcc_check_world(struct rlcc_check *c, const struct policy *p, const struct env_world *w, uint64_t seed,
                     struct err *err)
{
    struct env       *e;
    int rc = env_world_open(&e, w, (struct env_cfg){ .name = "a check", .seed = seed, .policy = p }, err);

    if (rc)
        return rc;
    run_until(e, SETTLE_PS);
    struct env_totals before = env_totals(e);
    run_until(e, before.now_ps + MEASURE_PS);
    struct env_totals d = env_totals_since(e, &before);
    *c = (struct rlcc_check){
        .share = (double)d.payload_bytes * 8e12 / (double)d.now_ps / env_world_bps(w),
        .rtt_us = d.rtt_us_sum / (double)d.steps,
        .rtt_us_wanted = BASE_US * (BETA + TARGET * sqrt(count_flows(w))),
        .lost = (double)d.dropped_packets / (double)env_agents(e),
    };
    env_close(e);
    return 0;
}

static int add_world(struct table *t, const struct policy *p, const char *name, bool is_lossy,
                     struct err *err)
{
    struct env_world  w;
    struct rlcc_check c;
    int               rc = env_world_parse(&w, name, err);

    w.is_lossy = is_lossy;
    if (!rc)
        rc = rlcc_check_world(&c, p, &w, CHECK_SEED, err);
    if (rc)
        return rc;
    table_cell(t, "%s%s", name, is_lossy ? ", lossy" : "");
    table_cell(t, "%.3f", c.share);
    table_cell(t, "%.1f us", c.rtt_us);
    table_cell(t, w.kind == ENV_LONG_SHORT ? "-" : "%.1f us", c.rtt_us_wanted);
    table_cell(t, "%.2f", c.lost);
    return 0;
}

int rlcc_check_print(FILE *out, const struct policy *p, bool is_quick, struct err *err)
{
    policy_table table;

    policy_table_fill(table, p);
    fprintf(out, "\nMultipliers: previous delta in rows, current delta in columns, previous actions 1\n");
    policy_table_print(out, table);
    policy_table_print_paper(out, p);
    struct table *t = table_new("lrrrr");
    size_t        worlds = is_quick ? 1 : sizeof unseen / sizeof *unseen;
    int           rc = 0;
    table_cell(t, "world");
    table_cell(t, "goodput");
    table_cell(t, "RTT");
    table_cell(t, "by the formula");
    table_cell(t, "lost per flow");
    for (size_t i = 0; i < worlds && !rc; i++)
        for (int lossy = 0; lossy < 2 && !rc; lossy++)
            rc = add_world(t, p, unseen[i], lossy, err);
    if (!rc) {
        fprintf(out, "\nWorlds not used in training, %g ms after their start\n",
                (double)SETTLE_PS / PS_PER_MS);
        table_print(t, out, 2);
    }
    table_free(t);
    return rc;
}
