/* src/core/hpcc_time.h - time as in ns-3: whole nanoseconds, truncated. */
#ifndef CORE_HPCC_TIME_H
#define CORE_HPCC_TIME_H

#include <stdint.h>

/* Converts a time in units of 'unit_ns' (at most 1e9 s) as ns-3 does: 64.64 fixed point, truncated to
 * nanoseconds. 0.6 us is 599 ns. */
uint64_t hpcc_ns_from(double value, uint64_t unit_ns);

/* Same for seconds: 2.001 s is 2000999999 ns. */
uint64_t hpcc_ns_from_seconds(double seconds);

#endif
