#include "core/units.h"

#include <assert.h>

uint64_t hpcc_ns_from(double value, uint64_t unit_ns)
{
    assert(value >= 0 && value * (double)unit_ns <= 1e18);
    uint64_t whole = (uint64_t)value;
    /* ns-3 multiplies by 2^64 - 1, as a double 2^64. The product stays below 2^64. */
    uint64_t fraction = (uint64_t)((value - (double)whole) * 18446744073709551615.0);
    return (uint64_t)(((unsigned __int128)whole << 64 | fraction) * unit_ns >> 64);
}

uint64_t hpcc_ns_from_seconds(double seconds)
{
    return hpcc_ns_from(seconds, 1000000000u);
}
