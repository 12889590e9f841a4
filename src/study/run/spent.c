#include "study/run/spent.h"
#include "core/units.h"

#include <math.h>

struct spent_job spent_job(const struct sim *s, const struct ops *ops, uint32_t entry, uint64_t now_ps)
{
    struct spent_job j = { .traffic = sim_traffic(s), .entry = entry, .now_ps = now_ps,
                           .passes = fmax(1, (double)ops_cell(ops, entry, OP_ITERATION)->count) };

    j.ranks = trace_ranks(j.traffic, entry);
    for (uint32_t i = 0; i < j.ranks; i++) {
        struct rank_spent is = trace_spent(j.traffic, entry, i, now_ps);

        j.end_ps = is.end_ps > j.end_ps ? is.end_ps : j.end_ps;
    }
    return j;
}

void spent_of_rank(const struct spent_job *j, uint32_t rank, double us[SPENT_COUNT])
{
    struct rank_spent is = trace_spent(j->traffic, j->entry, rank, j->now_ps);

    is.ps[SPENT_WAITING] += j->end_ps - is.end_ps;
    for (int i = 0; i < SPENT_COUNT; i++)
        us[i] = (double)is.ps[i] / j->passes / (double)PS_PER_US;
}

void spent_mean(const struct spent_job *j, double us[SPENT_COUNT])
{
    for (int i = 0; i < SPENT_COUNT; i++)
        us[i] = 0;
    for (uint32_t k = 0; k < j->ranks; k++) {
        double of_rank[SPENT_COUNT];

        spent_of_rank(j, k, of_rank);
        for (int i = 0; i < SPENT_COUNT; i++)
            us[i] += of_rank[i] / j->ranks;
    }
}
