#include "core/fsd.h"
#include "base/rng.h"

#define FIRST_LOG2 6             /* bin 0 ends at 2^(this + 1): a small packet */

uint32_t fsd_bin(uint64_t bytes)
{
    uint32_t log2 = bytes ? 63 - (uint32_t)__builtin_clzll(bytes) : 0;

    if (log2 < FIRST_LOG2)
        return 0;
    return log2 - FIRST_LOG2 < FSD_BINS ? log2 - FIRST_LOG2 : FSD_BINS - 1;
}

void fsd_add(struct fsd *to, const struct fsd *from)
{
    to->elephants += from->elephants;
    to->mice += from->mice;
    for (uint32_t i = 0; i < FSD_BINS; i++)
        to->bin[i] += from->bin[i];
}

double fsd_elephant_share(const struct fsd *f)
{
    uint64_t all = f->elephants + f->mice;

    return all ? (double)f->elephants / (double)all : 0;
}

double fsd_accuracy(const struct fsd *measured, const struct fsd *truth)
{
    double gap = fsd_elephant_share(measured) - fsd_elephant_share(truth);
    int empty = (measured->elephants + measured->mice == 0) + (truth->elephants + truth->mice == 0);

    if (empty)
        return empty == 2 ? 1 : 0;
    gap = gap < 0 ? -gap : gap;
    return gap < 0.5 ? 1 - 2 * gap : 0;      /* mice differ by as much as elephants */
}

/* ---- change of traffic ---- */

static uint64_t sum_of(const uint64_t *count, uint32_t bins)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < bins; i++)
        sum += count[i];
    return sum;
}

static double share_of(uint64_t count, uint64_t sum, uint32_t bins, double epsilon)
{
    double share = sum ? (double)count / (double)sum : 1.0 / bins;

    return (share + epsilon) / (1 + bins * epsilon);
}

double kl_divergence(const uint64_t *now, const uint64_t *before, uint32_t bins, double epsilon)
{
    uint64_t now_sum = sum_of(now, bins), before_sum = sum_of(before, bins);
    double kl = 0;

    for (uint32_t i = 0; i < bins; i++) {
        double p = share_of(now[i], now_sum, bins, epsilon);
        double q = share_of(before[i], before_sum, bins, epsilon);

        if (p > 0 && q <= 0)
            return KL_MAX;
        if (p > 0)
            kl += p * rng_log(p / q);
    }
    return kl > 0 ? kl : 0;      /* equal up to rounding */
}

double kl_fsd(const struct fsd *now, const struct fsd *before, double epsilon)
{
    const uint64_t two_now[] = { now->elephants, now->mice };
    const uint64_t two_before[] = { before->elephants, before->mice };

    return kl_divergence(two_now, two_before, 2, epsilon);
}

void kl_trigger_init(struct kl_trigger *t, double theta, double epsilon)
{
    *t = (struct kl_trigger){ .theta = theta, .epsilon = epsilon };
}

bool kl_trigger_step(struct kl_trigger *t, const struct fsd *now)
{
    if (now->elephants + now->mice == 0)
        return false;
    t->last = kl_fsd(now, &t->before, t->epsilon);
    t->before = *now;
    return t->last > t->theta;
}
