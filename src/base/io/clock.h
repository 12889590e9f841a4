/* src/base/io/clock.h - a clock that only goes forward, also while the machine sleeps. */
#ifndef BASE_IO_CLOCK_H
#define BASE_IO_CLOCK_H

#include <stdint.h>

uint64_t clock_us(void);         /* microseconds since the machine started */

#endif
