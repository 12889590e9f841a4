/* src/sim/cc/pint.c - see pint.h. Every expression rounds where the fork's rounds. */
#include "sim/cc/pint.h"

#include <math.h>

#define LOG_ONE   32768.0        /* units of a binary logarithm */
#define BITS      16u            /* precision of a logarithm's argument */
#define USE_STEPS 8192.0         /* units of a use before its logarithm is taken */
#define QUEUE_LOG 8u             /* queues are counted in blocks of 2^8 bytes */

/* Returns the logarithm of x > 0. Bits below the highest 16 are rounded randomly. */
static int64_t log_of(uint64_t x, struct crand *random)
{
    uint32_t bits = (uint32_t)log2((double)x) + 1;

    if (bits > BITS) {
        uint32_t low = bits - BITS;
        uint64_t mask = (1ull << low) - 1, rest = x & mask;

        x &= ~mask;
        if (rest > (crand_next(random) & mask))
            x += mask + 1;
    }
    return (int64_t)(log2((double)x) * LOG_ONE);
}

/* A packet that leaves together with the previous frame has dt 0. The fork then uses the smallest
 * logarithm. */
static int64_t log_or_min(uint64_t x, struct crand *random)
{
    return x == 0 ? INT32_MIN : log_of(x, random);
}

static double queue_term(uint64_t dt_ns, uint64_t blocks, double log_b, double log_t, double log_1e9,
                         struct crand *random)
{
    if (blocks == 0)
        return 0;
    int64_t log_dt = log_or_min(dt_ns, random);
    int64_t log_q = log_of(blocks, random);
    return pow(2, ((double)(log_dt + log_q) + log_1e9 - log_b - 2 * log_t) / LOG_ONE) * (1u << QUEUE_LOG);
}

static double frame_term(uint32_t bytes, double log_b, double log_t, double log_1e9, struct crand *random)
{
    return bytes == 0 ? 0 : pow(2, ((double)log_of(bytes, random) + log_1e9 - log_b - log_t) / LOG_ONE);
}

static double history_term(uint64_t left_ns, double use, double log_t, struct crand *random)
{
    if (left_ns == 0 || use <= 0)
        return 0;
    int64_t log_left = log_of(left_ns, random);
    int64_t log_use = log_or_min((uint64_t)round(use * USE_STEPS), random);
    return pow(2, ((double)(log_left + log_use) - log_t) / LOG_ONE) / USE_STEPS;
}

static uint16_t encode(double base, double use, struct crand *random)
{
    double n = ceil(use * PINT_UNIT), power, low, high, below, above;

    n = n < 1 ? 1 : n;
    power = log(n) * (1 / log(base));
    low = floor(power);
    high = ceil(power);
    below = pow(base, low);
    above = pow(base, high) * (high > low ? 1 : base);
    return (uint16_t)(crand_next(random) % 65536 < (n - below) / (above - below) * 65536 ? high : low);
}

uint16_t pint_digest(const struct pint_cfg *cfg, struct pint_port *p, uint64_t now_ns, uint64_t rate_bps,
                     uint64_t queue_bytes, struct crand *random)
{
    uint64_t rtt_ns = cfg->rtt_ns;
    uint64_t bytes_per_s = rate_bps / 8;             /* an integer, as in the fork */
    uint64_t since_ns = now_ns - p->last_ns, dt_ns = since_ns < rtt_ns ? since_ns : rtt_ns;
    double   log_t = log2((double)rtt_ns) * LOG_ONE, log_b = log2((double)bytes_per_s) * LOG_ONE;
    double   log_1e9 = log2(1e9) * LOG_ONE;
    double   queue = queue_term(dt_ns, queue_bytes >> QUEUE_LOG, log_b, log_t, log_1e9, random);
    double   last = frame_term(p->last_bytes, log_b, log_t, log_1e9, random);
    double   before = history_term(rtt_ns - dt_ns, p->use, log_t, random);

    p->use = queue + last + before;
    return encode(cfg->base, p->use, random);
}

void pint_sent(struct pint_port *p, uint64_t now_ns, uint32_t bytes)
{
    p->last_ns = now_ns;
    p->last_bytes = bytes;
}

uint16_t pint_mask(double base)
{
    return log2(log(PINT_UNIT * PINT_UNIT) * (1 / log(base))) > 8 ? 0xffff : 0xff;
}

double pint_use(double base, uint16_t digest)
{
    return pow(base, digest) / PINT_UNIT;
}
