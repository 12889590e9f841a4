/* bench/bench.h - shared by benchmarks: a clock and the format of a result. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Returns the CPU time of this process. Other processes do not count, except through the caches they
 * evict. */
static inline double bench_cpu_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Prints one number per line, "name value unit", with four significant digits. */
static inline void bench_print(const char *name, double value, const char *unit)
{
    int decimals = value < 10 ? 3 : value < 100 ? 2 : value < 1000 ? 1 : 0;

    printf("%s %.*f %s\n", name, decimals, value, unit);
    fflush(stdout);
}

/* A benchmark that did not do its work has no result. */
static inline _Noreturn void bench_fail(const char *name, const char *why)
{
    fprintf(stderr, "bench: %s: %s\n", name, why);
    exit(1);
}

#endif
