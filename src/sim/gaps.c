/* src/sim/gaps.c - see gaps.h. */
#include "sim/gaps.h"

void gaps_merge(struct gaps *to, const struct gaps *from)
{
    to->count += from->count;
    for (uint32_t i = 0; i < GAPS_BINS; i++)
        to->bin[i] += from->bin[i];
}

uint64_t gaps_edge_ps(uint32_t bin)
{
    uint64_t mantissa = (1u << GAPS_BITS) + (bin & ((1u << GAPS_BITS) - 1));

    return bin == 0 ? 0 : mantissa << ((bin >> GAPS_BITS) + GAPS_LOW - GAPS_BITS);
}

uint64_t gaps_percentile(const struct gaps *g, double share)
{
    double   rank = share * (double)g->count, from, width;
    uint64_t before = 0;
    uint32_t i = 0;

    if (!g->count)
        return 0;
    while (i < GAPS_BINS - 1 && (!g->bin[i] || (double)(before + g->bin[i]) < rank))
        before += g->bin[i++];
    from = (double)gaps_edge_ps(i);
    width = (double)gaps_edge_ps(i + 1) - from;
    return (uint64_t)(from + width * (rank - (double)before) / (double)(g->bin[i] ? g->bin[i] : 1));
}
