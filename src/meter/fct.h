/* src/meter/fct.h - what became of the flows: completion times and slowdowns.
 *
 * Results are counted into histograms as flows finish, so memory does not grow with their number. Slowdown
 * is FCT over the FCT of the same flow alone in the network, and at least 1 as in HPCC's scripts: a closed
 * form that is a few nanoseconds too long must not make a flow faster than light. Sums are whole numbers,
 * so that nothing depends on the order in which flows finish.
 */
#ifndef METER_FCT_H
#define METER_FCT_H

#include "base/hist.h"
#include "core/result.h"

#include <stdint.h>

#define FCT_BUCKETS 4

struct fct_bucket {
    const char *name;            /* "<10KB": as in tables */
    uint64_t    bytes_min;       /* flows of at least so much ... */
    uint64_t    bytes_end;       /* ... and less than this; UINT64_MAX: no end */
};

extern const struct fct_bucket fct_buckets[FCT_BUCKETS];     /* by size; KB = 1000 bytes */

struct fct_cell {                /* a set of flows */
    uint64_t          count;
    uint64_t          bytes, resent_bytes;
    unsigned __int128 fct_ps_sum;
    unsigned __int128 slowdown_sum;          /* in 2^-32 */
    struct hist      *slowdown, *fct_ns;     /* NULL: no flows yet */
};

struct fct {
    struct fct_cell  all, bucket[FCT_BUCKETS];
    struct fct_cell *entry;      /* by entry of the scenario's traffic list */
    uint32_t         entries;
};

struct fct_stats { double mean, p50, p95, p99, p999, max; };

void fct_init(struct fct *, uint32_t entries);
void fct_fini(struct fct *);

/* Counts a finished flow; its ideal is not 0. */
void fct_add(struct fct *, const struct flow_result *);

/* FCT over ideal, at least 1. */
double fct_slowdown(const struct flow_result *);

/* Quantiles are those of hist_quantile(), mean and max are exact. All 0 if there are no flows. */
struct fct_stats fct_slowdown_stats(const struct fct_cell *);
struct fct_stats fct_us_stats(const struct fct_cell *);      /* of the FCT, in microseconds */

#endif
