#include "sim/nic/gaps.h"
#include "sim/state/state.h"

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
    double   rank = share * (double)g->count;
    uint64_t before = 0;
    uint32_t i = 0;

    if (!g->count)
        return 0;
    while (i < GAPS_BINS - 1 && (!g->bin[i] || (double)(before + g->bin[i]) < rank))
        before += g->bin[i++];
    double from = (double)gaps_edge_ps(i);
    double width = (double)gaps_edge_ps(i + 1) - from;
    return (uint64_t)(from + width * (rank - (double)before) / (double)(g->bin[i] ? g->bin[i] : 1));
}

void gaps_record(struct sim *s)
{
    struct gap_record *r = arena_alloc(&s->arena, 1, sizeof *r);

    r->sent_ps = arena_alloc(&s->arena, s->flows.limit, sizeof *r->sent_ps);
    r->host = arena_alloc(&s->arena, s->net.hosts, sizeof *r->host);
    s->hosts.gap_record = r;
}

void gaps_recorded(const struct sim *s, struct gaps *rdma, struct gaps *tcp)
{
    *rdma = *tcp = (struct gaps){ 0 };
    for (uint32_t i = 0; s->hosts.gap_record && i < s->net.hosts; i++) {
        gaps_merge(rdma, &s->hosts.gap_record->host[i].rdma);
        gaps_merge(tcp, &s->hosts.gap_record->host[i].tcp);
    }
}
