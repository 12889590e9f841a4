/* src/base/minmax.h - compares numbers, and fills in defaults. */
#ifndef BASE_MINMAX_H
#define BASE_MINMAX_H

#include <stdint.h>

static inline uint32_t min_u32(uint32_t a, uint32_t b) { return a < b ? a : b; }
static inline uint32_t max_u32(uint32_t a, uint32_t b) { return a > b ? a : b; }
static inline uint64_t min_u64(uint64_t a, uint64_t b) { return a < b ? a : b; }
static inline uint64_t max_u64(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* If the bounds are the wrong way round, 'min' counts. */
static inline double clamp_real(double x, double min, double max)
{
    x = x > max ? max : x;
    return x < min ? min : x;
}

/* The value of a setting whose 0 stands for its default. */
static inline double or_default(double value, double otherwise) { return value != 0 ? value : otherwise; }

/* Sorts doubles with qsort(), the smallest first. */
static inline int compare_reals(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

#endif
