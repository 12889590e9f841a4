/* src/meter/fct.h - completion times and slowdowns of flows.
 *
 * Flows are counted into histograms as they finish, so memory does not grow with their number. Slowdown is
 * the FCT divided by the FCT of the same flow in an empty network, and at least 1 as in HPCC's scripts: the
 * closed form for the empty network may be a few nanoseconds too long. Sums are integers, so they do not
 * depend on the order in which flows finish.
 */
#ifndef METER_FCT_H
#define METER_FCT_H

#include "base/hist.h"
#include "core/result.h"
#include "meter/phase.h"

#include <stdint.h>

#define FCT_BUCKETS 4            /* of tables */
#define FCT_SIZES   25           /* of curves over size: see fct_size_min() */

struct fct_bucket {
    const char *name;            /* "<10KB": as in CSV and JSON files */
    uint64_t    bytes_min;       /* smallest flow */
    uint64_t    bytes_end;       /* flows are smaller than this; UINT64_MAX: no limit */
};

extern const struct fct_bucket fct_buckets[FCT_BUCKETS];     /* by size; KB = 1000 bytes */

/* The bucket of flows of this size. */
uint32_t fct_bucket_of(uint64_t bytes);

struct fct_cell {                /* a set of flows */
    uint64_t          count;
    uint64_t          bytes, resent_bytes;
    uint64_t          first_ps, last_ps;     /* when the first of them started and the last was done */
    unsigned __int128 fct_ps_sum;
    unsigned __int128 slowdown_sum;          /* in 2^-32 */
    struct hist      *slowdown, *fct_ns;     /* NULL: no flows yet */
};

struct fct {
    struct fct_cell  all, bucket[FCT_BUCKETS];
    struct fct_cell  mice, middle, elephants;        /* classes of core/predict.h */
    struct fct_cell  size[FCT_SIZES];
    struct fct_cell  phase[PHASES];          /* of all flows; empty if the run has no phases */
    struct fct_cell *entry;                  /* by entry of the scenario's traffic list */
    struct fct_cell *entry_phase;            /* [entry * PHASES + phase] */
    uint32_t         entries;
    const struct phases *phases;
};

struct fct_stats { double mean, p50, p95, p99, p999, max; };

/* 'phases' must outlive the struct; NULL: the run has no phases. */
void fct_init(struct fct *, uint32_t entries, const struct phases *);
void fct_fini(struct fct *);

/* Counts a finished flow; its ideal is not 0. */
void fct_add(struct fct *, const struct flow_result *);

/* Copies a cell; adds a slowdown, at least 1, to a copy. A copy has statistics of slowdowns only. */
void fct_cell_copy(struct fct_cell *, const struct fct_cell *from);
void fct_cell_add(struct fct_cell *, double slowdown);
void fct_cell_fini(struct fct_cell *);

/* size[i] holds flows of fct_size_min(i) .. fct_size_min(i + 1) - 1 bytes: 0, 100, 200, 500, 1000, ... up to
 * 5 x 10^9. fct_size_min(FCT_SIZES) is UINT64_MAX. */
uint64_t fct_size_min(uint32_t i);

/* Mean, quantiles and maximum of a histogram; 'unit' divides its values. */
struct fct_stats fct_stats_of(const struct hist *, double mean, double unit);

/* FCT over ideal, at least 1. */
double fct_slowdown(const struct flow_result *);

/* Quantiles are those of hist_quantile(), mean and max are exact. All 0 if there are no flows. */
struct fct_stats fct_slowdown_stats(const struct fct_cell *);
struct fct_stats fct_us_stats(const struct fct_cell *);      /* of the FCT, in microseconds */

#endif
