/* src/study/campaign/sweep.h - anole sweep: runs many settings of a scenario and ranks them. */
#ifndef STUDY_CAMPAIGN_SWEEP_H
#define STUDY_CAMPAIGN_SWEEP_H

#include "study/campaign/compare.h"

/* ---- sweep_points.c: which settings a sweep tries ---- */

/* A range is a key and two ends, "kmin=50KB..3200KB:log". Points are settings of all ranges together: a grid,
 * random, or a Sobol sequence. The same ranges, method and seed give the same points. More samples begin with
 * the points of fewer, except in a grid: a sweep can grow. */
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

/* ---- sweep.c ---- */

struct sweep_results {
    const struct variants *variants;
    const uint64_t        *seed;
    uint32_t               seeds;
    struct figures         figures;
    uint32_t               best;             /* figure to rank by */
    uint32_t              *order;            /* variants that ran; after sweep_rank() best first */
    uint32_t               count;
};

/* Ranks by that figure. Variants without a value come last; equal ones stay in order. */
void sweep_rank(struct sweep_results *);

/* True if two variants have the same figures with every seed. */
bool sweep_is_same(const struct sweep_results *, uint32_t a, uint32_t b);
void sweep_fini(struct sweep_results *);

struct sweep_request {
    struct campaign_request common;      /* one path, no named variants */
    struct range            range[RANGES_MAX];
    uint32_t                ranges, samples;
    enum sweep_method       method;
    uint64_t                sample_seed;
    const char             *best;        /* figure; NULL: the default */
};

#define REPORTED_SETTINGS 8      /* on the page and in the comparison */

struct sweep {
    const struct sweep_request *request;
    struct axis                *points;          /* from the ranges */
    uint32_t                    point_axes;
    struct plan                 plan;
    struct sweep_results        results;
    uint32_t                    baseline;        /* the scenario's own setting, last variant */
    struct knobs                own;             /* of that setting */
    uint32_t                    shown[REPORTED_SETTINGS + 1];    /* variants of 'few' */
    uint32_t                    others;          /* settings whose figures differ from the scenario's own */
    struct variants             few;             /* the scenario's own setting and the best of the others */
    struct comparison           comparison;      /* of 'few' */
    char                       *title;
};

/* Runs and ranks all settings and writes the folder of --out. Workers, signals and closing as for
 * compare_run(). */
int  sweep_run(struct sweep *, const struct sweep_request *, struct err *);
void sweep_close(struct sweep *);

/* ---- sweep_print.c ---- */

void sweep_print_table(const struct sweep *, FILE *, uint32_t top, bool has_colour);

/* One line per setting, best first: rank, values, means of all figures. */
void sweep_print_csv(const struct sweep_results *, FILE *);

/* One line per run, in the order of the settings: values, seed, all figures. */
void sweep_print_runs(const struct sweep_results *, FILE *);
void sweep_print_json(const struct sweep *, FILE *);

/* Fills the answer card and returns it: the best setting that is clearly better than the scenario's own, or
 * none. */
struct card *sweep_answer(const struct sweep *, struct card *);

/* Interface Sweep of data.ts: all settings with their figures. */
json_t *sweep_page(const struct sweep *);

#endif
