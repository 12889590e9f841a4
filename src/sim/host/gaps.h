/* src/sim/host/gaps.h - how long queue pairs wait between two packets: a histogram of constant memory.
 *
 * Bins are the exponent and the first GAPS_BITS bits of the mantissa of the gap in picoseconds: 16 to the
 * octave, from 2^GAPS_LOW (4 ns) up to 2^GAPS_HIGH (1.1 s). The first bin has what is shorter as well, the
 * last what is longer. Counts are whole numbers, so a sum of histograms does not depend on their order.
 */
#ifndef SIM_HOST_GAPS_H
#define SIM_HOST_GAPS_H

#include "base/arena.h"

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
    uint32_t exponent;

    if (gap_ps < 1ull << GAPS_LOW)
        return 0;
    if (gap_ps >> GAPS_HIGH)
        return GAPS_BINS - 1;
    exponent = 63u - (uint32_t)__builtin_clzll(gap_ps);
    /* The mantissa's leading 1 counts as one octave: hence the 1. */
    return ((exponent - GAPS_LOW - 1) << GAPS_BITS) + (uint32_t)(gap_ps >> (exponent - GAPS_BITS));
}

static inline void gaps_add(struct gaps *g, uint64_t gap_ps)
{
    g->count++;
    g->bin[gaps_bin(gap_ps)]++;
}

void gaps_merge(struct gaps *to, const struct gaps *from);

/* The shortest gap of a bin that is not the first; 0 for the first, and 2^GAPS_HIGH for GAPS_BINS. */
uint64_t gaps_edge_ps(uint32_t bin);

/* The gap below which a share (0..1) of the gaps lies, as if those of a bin were spread evenly over it:
 * within the width of a bin, 1/16, of the true one for what is neither in the first bin nor in the last. 0
 * when empty. */
uint64_t gaps_percentile(const struct gaps *, double share);

/* ---- gaps of hosts, with record_gaps ---- */

struct gap_record {
    uint64_t *sent_ps;           /* of each flow, its last packet, and 1; 0: none yet */
    struct { struct gaps rdma, tcp; } *host;
    struct arena arena;
};

/* Sets s->hosts.gap_record, in a world that is not yet divided. */
void gaps_record(struct sim *);
void gaps_record_free(struct sim *);

/* All hosts together. */
void gaps_recorded(const struct sim *, struct gaps *rdma, struct gaps *tcp);

/* A flow sends, its first packet or another: now, not when it wanted to. */
static inline void gaps_on_sent(struct gap_record *r, uint32_t host, uint32_t flow, bool is_tcp,
                                uint64_t now_ps)
{
    if (r->sent_ps[flow])
        gaps_add(is_tcp ? &r->host[host].tcp : &r->host[host].rdma, now_ps + 1 - r->sent_ps[flow]);
    r->sent_ps[flow] = now_ps + 1;
}

#endif
