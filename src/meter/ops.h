/* src/meter/ops.h - durations of application operations: iterations, reads, writes, calls.
 *
 * Operations are counted into histograms as they end, by kind and by entry of the traffic list. Sums are
 * integers, so they do not depend on the order.
 */
#ifndef METER_OPS_H
#define METER_OPS_H

#include "base/hist.h"
#include "core/result.h"
#include "meter/fct.h"

#include <stdint.h>

struct ops_cell {
    uint64_t          count, bytes;
    uint64_t          first_ps, last_ps;     /* when the first began and the last ended */
    unsigned __int128 took_ps_sum;
    uint64_t          first_took_ps;         /* of the one that began first; of several, the longest */
    struct hist      *took_ns;               /* NULL: no operations yet */
};

struct ops {
    struct ops_cell *cell;       /* [entry * OP_KINDS + kind] */
    uint32_t         entries;
};

void ops_init(struct ops *, uint32_t entries);
void ops_fini(struct ops *);
void ops_add(struct ops *, const struct op_result *);

const struct ops_cell *ops_cell(const struct ops *, uint32_t entry, enum op_kind);

/* Statistics of the durations, in microseconds. All 0 without operations. */
struct fct_stats ops_us_stats(const struct ops_cell *);

/* Mean duration of all operations but the first, in microseconds; NAN: there is none. */
double ops_later_us_mean(const struct ops_cell *);

#endif
