/* src/sim/nic/gaps.h - histogram of the gaps between packets of queue pairs, in constant memory.
 *
 * A bin is the exponent and the first GAPS_BITS bits of the mantissa of the gap in picoseconds: 16 bins per
 * octave, from 2^GAPS_LOW (4 ns) up to 2^GAPS_HIGH (1.1 s). The first bin includes all shorter gaps, the last
 * all longer ones. Counts are integers, so a sum of histograms does not depend on their order.
 */
#ifndef SIM_NIC_GAPS_H
#define SIM_NIC_GAPS_H

#include <stdbool.h>
#include <stdint.h>

struct sim;

#define GAPS_BITS 4
#define GAPS_LOW  12
#define GAPS_HIGH 40
#define GAPS_BINS ((GAPS_HIGH - GAPS_LOW) << GAPS_BITS)

struct gaps {
    uint64_t count;
    uint64_t bin[GAPS_BINS];
};

static inline uint32_t gaps_bin(uint64_t gap_ps)
{
    if (gap_ps < 1ull << GAPS_LOW)
        return 0;
    if (gap_ps >> GAPS_HIGH)
        return GAPS_BINS - 1;
    uint32_t exponent = 63u - (uint32_t)__builtin_clzll(gap_ps);
    /* The mantissa's leading 1 adds one octave; hence the - 1. */
    return ((exponent - GAPS_LOW - 1) << GAPS_BITS) + (uint32_t)(gap_ps >> (exponent - GAPS_BITS));
}

static inline void gaps_add(struct gaps *g, uint64_t gap_ps)
{
    g->count++;
    g->bin[gaps_bin(gap_ps)]++;
}

void gaps_merge(struct gaps *to, const struct gaps *from);

/* Returns the lower edge of a bin; 0 for the first, and 2^GAPS_HIGH for GAPS_BINS. */
uint64_t gaps_edge_ps(uint32_t bin);

/* Returns the gap below which a share (0..1) of the gaps lies, interpolated evenly within a bin. The error is
 * at most the width of a bin, 1/16, except in the first and last bin. 0 when empty. */
uint64_t gaps_percentile(const struct gaps *, double share);

/* ---- gaps of hosts, with record_gaps ---- */

struct gap_record {
    uint64_t *sent_ps;           /* by flow: departure of its last packet + 1; 0: none yet */
    struct { struct gaps rdma, tcp; } *host;
};

/* Sets s->hosts.gap_record, in a world that is not yet divided. */
void gaps_record(struct sim *);

/* Sums the histograms of all hosts. */
void gaps_recorded(const struct sim *, struct gaps *rdma, struct gaps *tcp);

/* Records that a flow sends a packet at now_ps, its departure, which PFC or the pacer may have delayed. */
static inline void gaps_on_sent(struct gap_record *r, uint32_t host, uint32_t flow, bool is_tcp,
                                uint64_t now_ps)
{
    if (r->sent_ps[flow])
        gaps_add(is_tcp ? &r->host[host].tcp : &r->host[host].rdma, now_ps + 1 - r->sent_ps[flow]);
    r->sent_ps[flow] = now_ps + 1;
}

#endif
