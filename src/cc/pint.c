/* src/cc/pint.c - see pint.h. Every expression is written so that it rounds where the fork's rounds. */
#include "cc/pint.h"

#include <math.h>

#define LOG_ONE   32768.0        /* steps of a logarithm to the base 2 */
#define BITS      16u            /* of a number whose logarithm is taken */
#define USE_STEPS 8192.0         /* of a use whose logarithm is taken */
#define QUEUE_LOG 8u             /* queues are counted in blocks of 2^8 bytes */

/* The logarithm of x > 0, the bits below the highest 16 rounded at random. */
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

/* A packet that leaves with the frame before has a dt of 0, whose logarithm the fork takes to be the least there is. */
static int64_t log_or_least(uint64_t x, struct crand *random)
{
    return x == 0 ? INT32_MIN : log_of(x, random);
}

static double of_queue(uint64_t dt_ns, uint64_t blocks, double log_b, double log_t, double log_1e9, struct crand *random)
{
    int64_t log_dt, log_q;

    if (blocks == 0)
        return 0;
    log_dt = log_or_least(dt_ns, random);
    log_q = log_of(blocks, random);
    return pow(2, ((double)(log_dt + log_q) + log_1e9 - log_b - 2 * log_t) / LOG_ONE) * (1u << QUEUE_LOG);
}

static double of_last(uint32_t bytes, double log_b, double log_t, double log_1e9, struct crand *random)
{
    return bytes == 0 ? 0 : pow(2, ((double)log_of(bytes, random) + log_1e9 - log_b - log_t) / LOG_ONE);
}

static double of_before(uint64_t left_ns, double use, double log_t, struct crand *random)
{
    int64_t log_left, log_use;

    if (left_ns == 0 || use <= 0)
        return 0;
    log_left = log_of(left_ns, random);
    log_use = log_or_least((uint64_t)round(use * USE_STEPS), random);
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
    uint64_t bytes_per_s = rate_bps / 8;             /* whole, as the fork has it */
    uint64_t since_ns = now_ns - p->last_ns, dt_ns = since_ns < rtt_ns ? since_ns : rtt_ns;
    double   log_t = log2((double)rtt_ns) * LOG_ONE, log_b = log2((double)bytes_per_s) * LOG_ONE;
    double   log_1e9 = log2(1e9) * LOG_ONE;
    double   queue = of_queue(dt_ns, queue_bytes >> QUEUE_LOG, log_b, log_t, log_1e9, random);
    double   last = of_last(p->last_bytes, log_b, log_t, log_1e9, random);
    double   before = of_before(rtt_ns - dt_ns, p->use, log_t, random);

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
