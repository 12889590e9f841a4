#include "core/fsd.h"

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
