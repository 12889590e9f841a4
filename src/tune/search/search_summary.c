/* src/tune/search/search_summary.c - see search_summary.h. */
#include "tune/search/search_summary.h"
#include "base/err.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Sorts them. */
static double median(double *x, uint32_t count)
{
    qsort(x, count, sizeof *x, by_value);
    return count % 2 ? x[count / 2] : (x[count / 2 - 1] + x[count / 2]) / 2;
}

uint32_t summary_filter(struct utility_terms *seen, uint32_t count, double filter, struct utility_weights w)
{
    double   *x, middle, distance;
    uint32_t  left = 0;

    if (filter <= 0 || count < 3)            /* of two nobody can say which is the bad one */
        return count;
    x = xcalloc(count, sizeof *x);
    for (uint32_t i = 0; i < count; i++)
        x[i] = utility(w, seen[i]);
    middle = median(x, count);
    for (uint32_t i = 0; i < count; i++)
        x[i] = fabs(utility(w, seen[i]) - middle);
    distance = median(x, count);
    free(x);
    for (uint32_t i = 0; i < count; i++)
        if (fabs(utility(w, seen[i]) - middle) <= fmax(filter, 1) * distance)
            seen[left++] = seen[i];
    return left;
}

/* ---- one term ---- */

static double mean_of(const double *x, uint32_t count)
{
    double sum = 0;

    for (uint32_t i = 0; i < count; i++)
        sum += x[i];
    return sum / count;
}

static double end_of_line(const double *x, uint32_t count)
{
    double middle = (count - 1) / 2.0, mean = mean_of(x, count), xy = 0, xx = 0;

    for (uint32_t i = 0; i < count; i++) {
        xy += (i - middle) * (x[i] - mean);
        xx += (i - middle) * (i - middle);
    }
    return xx > 0 ? fmax(mean + xy / xx * middle, 0) : mean;
}

static double summary_of_one(double *x, uint32_t count, enum summary_kind kind)
{
    switch (kind) {
    case SUMMARY_MEDIAN: return median(x, count);
    case SUMMARY_TREND:  return end_of_line(x, count);
    case SUMMARY_MEAN:   break;
    }
    return mean_of(x, count);
}

struct utility_terms summary_of(const struct utility_terms *seen, uint32_t count, enum summary_kind kind)
{
    static const size_t term[] = {
        offsetof(struct utility_terms, throughput), offsetof(struct utility_terms, rtt), offsetof(struct utility_terms, pfc),
    };
    struct utility_terms summary;
    double              *x = xcalloc(count, sizeof *x);

    for (int t = 0; t < 3; t++) {
        for (uint32_t i = 0; i < count; i++)
            x[i] = *(const double *)((const char *)&seen[i] + term[t]);
        *(double *)((char *)&summary + term[t]) = summary_of_one(x, count, kind);
    }
    free(x);
    return summary;
}
