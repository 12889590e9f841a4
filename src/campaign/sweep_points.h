/* src/campaign/sweep_points.h - which settings a sweep tries.
 *
 * A range is a key and two ends, "kmin=50KB..3200KB:log". Points are settings of all ranges together: a grid,
 * drawn by chance, or of a Sobol sequence. The same ranges, method and seed give the same points, and more
 * samples begin with the points of fewer (but for the grid): a sweep can grow.
 */
#ifndef CAMPAIGN_SWEEP_POINTS_H
#define CAMPAIGN_SWEEP_POINTS_H

#include "base/err.h"
#include "campaign/variants.h"

#include <stdbool.h>
#include <stdint.h>

#define RANGES_MAX 40            /* as many dimensions as base/rng.h has */

enum sweep_method { METHOD_GRID, METHOD_RANDOM, METHOD_SOBOL };

struct range {
    char  *key;
    double low, high;            /* in the unit in which values are written */
    bool   is_log;               /* equal factors, not equal differences, are equally likely */
    bool   is_whole;
    int    decimals_max;
    char   unit[16];             /* behind the number */
};

/* "KEY=LOW..HIGH", with ":log" or ":linear" behind it. Ends of a knob must be in its range; its values are
 * what the device's field holds: whole numbers, or for ratios four decimals. Other keys take plain numbers
 * (whole if both ends are), times, rates and sizes in the unit of the ends, with four digits. */
int range_parse(struct range *, const char *text, struct err *);
void range_fini(struct range *);

/* The value at 'share' (0: the low end, 1: the high end) of the range, as one writes it. Returns buf. */
char *range_value(char *buf, size_t size, const struct range *, double share);

/* The axes of these ranges, to be freed with axis_fini(): for a grid one a range, with as many values each
 * as make no more than 'samples' points; else a single one, with 'samples' points. Equal ones are there
 * once. Returns how many axes, or a negative errno. */
int points_make(struct axis **axes, const struct range *, uint32_t ranges, enum sweep_method,
                uint32_t samples, uint64_t seed, struct err *);

#endif
