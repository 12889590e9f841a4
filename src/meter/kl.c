#include "meter/kl.h"
#include "base/rng.h"

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
