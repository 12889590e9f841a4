/* src/core/units.h - quantities.
 *
 * Time is uint64_t picoseconds: one byte takes exactly 80 ps at 100 Gb/s, 20 ps
 * at 400 Gb/s, 10 ps at 800 Gb/s, so link arithmetic is exact, and 2^64 ps is
 * 213 days. Sizes are bytes, rates are bits per second. A name ends in its
 * unit, then its qualifier: delay_ps, queue_bytes_max, rtt_us_p99.
 */
#ifndef CORE_UNITS_H
#define CORE_UNITS_H

#include <stdint.h>

#define PS_PER_NS 1000ull
#define PS_PER_US 1000000ull
#define PS_PER_MS 1000000000ull
#define PS_PER_S  1000000000000ull

#define NEVER UINT64_MAX

/* (a x b + more) / c, rounded down; must be below 2^64. Avoids slow 128-bit divisions. */
static inline uint64_t units_divide(uint64_t a, uint64_t b, uint64_t more, uint64_t c)
{
    uint64_t sum;

    if (__builtin_expect(__builtin_mul_overflow(a, b, &sum) || __builtin_add_overflow(sum, more, &sum), 0))
        return (uint64_t)(((unsigned __int128)a * b + more) / c);
    return sum / c;
}

/* a x b / c, rounded down. */
static inline uint64_t units_share(uint64_t a, uint64_t b, uint64_t c)
{
    return units_divide(a, b, 0, c);
}

/* A time in units of 'unit_ns' (at most 1e9 s) as in ns-3: 64.64 fixed point, truncated. 0.6 us is 599 ns. */
uint64_t hpcc_ns_from(double value, uint64_t unit_ns);

/* Same for seconds: 2.001 s is 2000999999 ns. */
uint64_t hpcc_ns_from_seconds(double seconds);

#endif
