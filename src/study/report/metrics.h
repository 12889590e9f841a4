/* src/study/report/metrics.h - named figures for comparing runs.
 *
 * Reports, summary.json, `anole compare` and its database use this list.
 */
#ifndef STUDY_REPORT_METRICS_H
#define STUDY_REPORT_METRICS_H

#include "study/report/results.h"

#define METRICS_MAX 512

struct metric {
    char               name[128];    /* "slowdown_p99", "background.fct_us_p99", "during.goodput_bps" */
    char               label[128];   /* "p99 slowdown" */
    enum metric_unit   unit;
    enum metric_better better;
    double             value;        /* NAN: none, e.g. no flows of that size */
};

/* The range of a figure: shares 0 .. 1, slowdowns from 1, all others from 0. */
void metric_bounds(const struct metric *, double *least, double *most);

/* True for ratios of times, whose changes are factors at any load. */
bool metric_is_slowdown(const struct metric *);

/* The rank of a deciding figure, 0 first: what users notice comes before what switches count. METRIC_RANKS:
 * it does not decide. A page shows METRICS_DECIDING of them and folds the others. */
#define METRIC_RANKS     13
#define METRICS_DECIDING 6
uint32_t metric_rank(const char *name);

/* The value as people read it: "12.3 us", "94.1 Gb/s", "3.20 %" (text_figure()). Returns buf. */
char *metric_text(char *buf, size_t size, enum metric_unit, double value);

/* The flow sizes of a row of fct_buckets: "<10 KB", "10 KB-100 KB". Returns buf. */
char *metric_sizes_text(char *buf, size_t size, uint32_t bucket);

/* Writes all metrics of a run, most important first. Returns their number. Runs of one scenario have the same
 * list, whatever happened. */
uint32_t metrics_of(const struct results *, struct metric list[METRICS_MAX]);

/* The same list as new memory. */
struct metric *metrics_new(const struct results *, uint32_t *count);

/* Returns the number of headline metrics at the start of that list. */
uint32_t metrics_headlines(const struct results *);

/* The metrics of one phase, without its name as prefix: "goodput_bps". */
uint32_t metrics_of_phase(const struct results *, enum phase, struct metric list[METRICS_MAX]);

#endif
