/* src/cmd/cluster/nccl.c - see nccl.h. Times are in microseconds, bandwidths in GB/s, as in NCCL's tables. */
#include "cmd/cluster/nccl.h"

#include <math.h>
#include <stddef.h>

#define TREE_SIZES 24            /* powers of two from 64 bytes on that have a correction */

const char *const nccl_protocol_names[] = { "LL", "LL128", "Simple", NULL };

static const double base_us[NCCL_ALGORITHMS][NCCL_PROTOCOLS] = { { 6.8, 14.0, 0 }, { 6.6, 14.0, 8.4 } };
static const double nvlink_us[NCCL_ALGORITHMS][NCCL_PROTOCOLS] = { { 0.6, 1.25, 4.0 }, { 0.6, 1.9, 3.4 } };
static const double network_us[NCCL_ALGORITHMS][NCCL_PROTOCOLS] = { { 5.0, 8.5, 14.0 }, { 2.7, 4.0, 14.0 } };

/* Per channel, except LL: of all channels. For one, two, and more servers. */
static const double ll_max[] = { 39.0, 39.0, 20.4 };
static const double ring_ll128_max[] = { 36.7, 36.7, 36.7 };
static const double tree_ll128_max[] = { 36.7, 36.7, 29.0 };
static const double tree_max[] = { 38.7, 41.4, 36.0 };

/* Trees do not follow the model at medium sizes; NCCL corrects their bandwidth by this. */
static const double tree_correction[NCCL_PROTOCOLS][TREE_SIZES] = {
    { 1, 1, 1, 1, 0.9, 0.8, 0.7, 0.7, 0.7, 0.7, 0.6, 0.5, 0.4, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1, 1, 1, 1 },
    { 1, 1, 1, 1, 1, 0.9, 0.8, 0.8, 0.8, 0.7, 0.6, 0.6, 0.6, 0.6, 0.6, 0.6, 0.8, 0.9, 0.9, 0.9, 0.9, 1, 1, 1 },
    { 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.8, 0.7, 0.6, 0.6, 0.5, 0.5, 0.5, 0.5, 0.6, 0.7, 0.8, 0.7, 0.7, 0.8, 0.9, 0.9, 0.9 },
};

#define NET_OVERHEAD_US 1.0      /* of a step of a ring, on Intel hosts; three times as much with Simple */
#define RING_PLATEAU    1.4      /* latency of Simple rings grows by this once chunks are larger than 64 bytes */

static uint32_t log2_of(uint64_t n)
{
    return n ? 63 - (uint32_t)__builtin_clzll(n) : 0;
}

static uint32_t steps_of(const struct nccl_cluster *c, bool is_all_reduce)
{
    return (is_all_reduce ? 2 : 1) * (c->ranks - 1);
}

/* Algorithm bandwidth: size over time without latency. */
static double bandwidth(const struct nccl_cluster *c, bool is_all_reduce, struct nccl_choice x)
{
    uint32_t scale = c->servers <= 2 ? c->servers - 1 : 2;
    double   bus = c->channels * c->nic_gbytes_per_s;

    if (x.algorithm == NCCL_RING) {
        if (x.protocol == NCCL_LL)
            bus = fmin(ll_max[scale], bus * 0.5);
        else if (x.protocol == NCCL_LL128)
            bus = fmin(bus * 0.92, c->channels * ring_ll128_max[scale]);
        return bus * c->ranks / steps_of(c, is_all_reduce);
    }
    bus = fmin(bus * 0.92, c->channels * tree_max[scale]);
    if (x.protocol == NCCL_LL)
        bus = fmin(bus / 3.8, ll_max[scale]);
    else if (x.protocol == NCCL_LL128)
        bus = fmin(bus * 120 / 128, c->channels * tree_ll128_max[scale]);
    return bus * 0.5;
}

static double latency_us(const struct nccl_cluster *c, bool is_all_reduce, struct nccl_choice x)
{
    uint32_t each = c->ranks / c->servers;
    double   inside = nvlink_us[x.algorithm][x.protocol];
    double   between = network_us[each == 1 ? NCCL_TREE : x.algorithm][x.protocol], crossings;

    if (x.algorithm == NCCL_TREE)
        return base_us[NCCL_TREE][x.protocol] + 2 * ((each - 1) * inside + log2_of(c->servers) * between);
    inside = c->servers > 1 ? fmax(inside, NET_OVERHEAD_US * (x.protocol == NCCL_SIMPLE ? 3 : 1)) : inside;
    crossings = (is_all_reduce ? 2 : 1) * (c->servers - 1);
    return base_us[NCCL_RING][x.protocol] + (steps_of(c, is_all_reduce) - crossings) * inside +
           crossings * between;
}

double nccl_time_us(const struct nccl_cluster *c, bool is_all_reduce, uint64_t bytes, struct nccl_choice x)
{
    double   bw = bandwidth(c, is_all_reduce, x), us = latency_us(c, is_all_reduce, x);
    uint32_t size = log2_of(bytes >> 6);

    if (x.algorithm == NCCL_TREE && size < TREE_SIZES)
        bw *= tree_correction[x.protocol][size];
    if (x.algorithm == NCCL_RING && x.protocol == NCCL_SIMPLE && c->servers > 1 && is_all_reduce &&
        bytes / ((uint64_t)c->channels * c->ranks) >= 64)
        us *= RING_PLATEAU;
    return us + (double)bytes / (1e3 * bw);
}

struct nccl_choice nccl_choose(const struct nccl_cluster *c, bool is_all_reduce, bool trees, uint64_t bytes)
{
    struct nccl_choice best = { NCCL_RING, NCCL_SIMPLE };

    for (int a = trees && is_all_reduce ? NCCL_TREE : NCCL_RING; a < NCCL_ALGORITHMS; a++)
        for (int p = 0; p < NCCL_PROTOCOLS; p++) {
            struct nccl_choice x = { (enum nccl_algorithm)a, (enum nccl_protocol)p };

            if (nccl_time_us(c, is_all_reduce, bytes, x) < nccl_time_us(c, is_all_reduce, bytes, best))
                best = x;
        }
    return best;
}

double nccl_wire_factor(enum nccl_protocol p)
{
    return p == NCCL_LL ? 2 : p == NCCL_LL128 ? 128.0 / 120 : 1;
}

uint32_t nccl_chunk_bytes(enum nccl_protocol p)
{
    return p == NCCL_LL ? 64 << 10 : 512 << 10;
}
