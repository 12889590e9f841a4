#include "core/hpcc_time.h"

#include <assert.h>

uint64_t hpcc_ns_from_seconds(double seconds)
{
    uint64_t whole, fraction;

    assert(seconds >= 0 && seconds <= 1e9);
    whole = (uint64_t)seconds;
    /* ns-3 multiplies by 2^64 - 1, which as a double is 2^64. The product is below 2^64: a double below 1
     * is 1 - 2^-53 at most. */
    fraction = (uint64_t)((seconds - (double)whole) * 18446744073709551615.0);
    return (uint64_t)(((unsigned __int128)whole << 64 | fraction) * 1000000000u >> 64);
}

uint64_t hpcc_tx_ns(uint64_t bytes, uint64_t bps)
{
    return hpcc_ns_from_seconds((double)(bytes * 8) / (double)bps);
}
