/* src/meter/series.h - what a run looked like over time, in as much memory as a picture needs.
 *
 * Takes every report of a run and keeps at most SERIES_POINTS points: when there are more intervals, two
 * neighbours become one (sums are added, peaks and states kept), and again. So a point stands for 1, 2, 4, ...
 * intervals.
 * Likewise the busy share of every port, in SERIES_HEAT columns.
 * A report may stand for several intervals at once, as long as those of a point are complete when the next begins.
 */
#ifndef METER_SERIES_H
#define METER_SERIES_H

#include "core/report.h"
#include "meter/phase.h"

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

struct series_knob { uint64_t at_ps; uint32_t knob; double value; };     /* a knob has another value from then on */

struct series_phase {            /* sums over the intervals of one phase, divided where an interval lies in two */
    double   count[FIGURE_COUNTS];           /* sums alone */
    uint64_t ps;
};

struct series {
    struct series_point  point[SERIES_POINTS];
    uint32_t             points, merged;     /* merged: intervals to a point */
    uint64_t            *entry_bytes;        /* [point * entries + entry] */
    uint32_t             entries;
    uint64_t            *heat_bytes;         /* [column * ports + port]: frames sent */
    uint64_t             heat_start_ps[SERIES_HEAT], heat_end_ps[SERIES_HEAT];
    uint32_t             heats, heat_merged, ports;
    double              *util_max;           /* by port: share of the busiest report; see series_busiest() */
    struct series_knob  *knob;               /* changes, with the values at the start first */
    uint32_t             knobs, knobs_max;
    struct knobs         knobs_last;
    uint64_t             intervals;
    uint64_t             interval_ps;        /* of one; set by the caller */
    bool                 is_growing;         /* reports get longer: no interval is the busiest. Set by the caller */
    struct phases        phases;             /* set by the caller before the first report */
    struct series_phase  phase[PHASES];
    double              *phase_entry_bytes;  /* [entry * PHASES + phase]: acknowledged, divided likewise */
};

void series_init(struct series *, uint32_t ports, uint32_t entries);
void series_fini(struct series *);

/* Nothing happens in the first so many intervals. Points and columns are as long from the start as they would be after
 * those, so that the caller can look less often. To be called before the first report. */
void series_begin_idle(struct series *, uint64_t intervals);

/* A report of so many intervals. */
void series_add(struct series *, const struct report *, uint64_t intervals);

/* A setting is in force from at_ps on. To be told once for the start and then for every change: a report alone
 * does not say when within its interval a knob was turned. */
void series_set_knobs(struct series *, uint64_t at_ps, const struct knobs *);

/* Points first .. end - 1 as one; first < end. */
struct series_point series_sum(const struct series *, uint32_t first, uint32_t end);

/* What figures of a point are computed from. */
struct figure_span series_span(const struct series *, const struct series_point *);

/* The share of its rate that a port sent at, in a column of the heat map. */
double series_heat(const struct series *, uint32_t column, uint32_t port, uint64_t rate_bps);

/* The same of the busiest interval; where reports get longer, of the busiest column. */
double series_busiest(const struct series *, uint32_t port, uint64_t rate_bps);

#endif
