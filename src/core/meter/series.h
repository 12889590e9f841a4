/* src/core/meter/series.h - time series of a run in bounded memory, for charts.
 *
 * Takes every report of a run and keeps at most SERIES_POINTS points. When they are full, pairs of neighbors
 * are merged (sums are added, peaks and states kept), so a point covers 1, 2, 4, ... intervals. The
 * utilization of every port is kept in the same way, in SERIES_HEAT columns.
 *
 * One report may cover several intervals if they all belong to the same point.
 */
#ifndef CORE_METER_SERIES_H
#define CORE_METER_SERIES_H

#include "core/report.h"
#include "core/meter/fct.h"

#include <stdbool.h>
#include <stdint.h>

#define SERIES_POINTS 512
#define SERIES_HEAT   64

struct series_point {            /* as in struct report */
    uint64_t start_ps, end_ps;
    union {
        struct {
#define COUNTER(name, ...) uint64_t name;
#define STATE(name, ...)   uint64_t name;
#include "core/figures.def"
        };
        uint64_t count[FIGURE_COUNTS];
    };
};

struct series_knob { uint64_t at_ps; uint32_t knob; double value; };     /* value of a knob from at_ps on */

struct series_phase {            /* sums over one phase; intervals in two are divided by time */
    double   count[FIGURE_COUNTS];           /* sums alone */
    uint64_t ps;
};

struct series {
    struct series_point  point[SERIES_POINTS];
    uint32_t             points;
    uint64_t             merged;             /* intervals to a point */
    uint64_t            *entry_bytes;        /* [point * entries + entry] */
    uint32_t             entries;
    uint64_t            *heat_bytes;         /* [column * ports + port]: frames sent */
    uint64_t             heat_start_ps[SERIES_HEAT], heat_end_ps[SERIES_HEAT];
    uint64_t             heat_merged;
    uint32_t             heats, ports;
    double              *util_max;           /* by port: share of the busiest report; see series_busiest() */
    struct series_knob  *knob;               /* changes, with the values at the start first */
    uint32_t             knobs, knobs_max;
    struct knobs         knobs_last;
    uint64_t             intervals;
    uint64_t             interval_ps;        /* length of one interval; set by the caller */
    bool                 is_growing;         /* reports get longer: util_max is useless. Set by the caller */
    struct phases        phases;             /* set by the caller before the first report */
    struct series_phase  phase[PHASES];
    double              *phase_entry_bytes;  /* [entry * PHASES + phase]: acknowledged */
};

void series_init(struct series *, uint32_t ports, uint32_t entries);
void series_fini(struct series *);

/* The first intervals are idle. Starts with points and columns as long as they would be after those
 * intervals, so that the caller may report less often. Call it before the first report. */
void series_begin_idle(struct series *, uint64_t intervals);

/* Adds a report that covers this many intervals. */
void series_add(struct series *, const struct report *, uint64_t intervals);

/* Records the setting that applies from at_ps on. Call it at the start and at every change: reports do not
 * show when within an interval a knob changed. */
void series_set_knobs(struct series *, uint64_t at_ps, const struct knobs *);

/* Merges the points first .. end - 1; first < end. */
struct series_point series_sum(const struct series *, uint32_t first, uint32_t end);

/* Returns the input for computing figures of a point. */
struct figure_span series_span(const struct series *, const struct series_point *);

/* Utilization of a port in one column of the heat map. */
double series_heat(const struct series *, uint32_t column, uint32_t port, uint64_t rate_bps);

/* Utilization of a port in its busiest interval, or if is_growing in its busiest column. */
double series_busiest(const struct series *, uint32_t port, uint64_t rate_bps);

#endif
