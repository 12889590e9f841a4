/* src/core/figures.h - the rows of figures.def as tables, and functions on them. */
#ifndef CORE_FIGURES_H
#define CORE_FIGURES_H

#include <stdbool.h>
#include <stdint.h>

enum metric_unit { UNIT_NONE, UNIT_US, UNIT_BYTES, UNIT_BPS, UNIT_SHARE, UNIT_COUNT, UNIT_PER_S,
                   UNIT_BUS,         /* bits per second, printed like nccl-tests: "2.94 GB/s (23.5 Gb/s)" */
                   UNIT_PS };        /* counters only */
enum metric_better { BETTER_LOWER, BETTER_HIGHER, BETTER_NEITHER };

/* The unit as JSON and web/src/data.ts call it: "", "us", "bytes", "bps", "share", "count", "per_s". */
const char *metric_unit_name(enum metric_unit);
const char *metric_better_name(enum metric_better);          /* "lower", "higher", "neither" */

enum figure_id {
#define COUNTER(name, ...) FIGURE_##name,
#define STATE(name, ...)   FIGURE_##name,
#define DERIVED(name, ...) FIGURE_##name,
#define RESULT(name, ...)  FIGURE_##name,
#define DETAIL(name, ...)  FIGURE_##name,
#include "core/figures.def"
    FIGURE_COUNT, FIGURE_none = FIGURE_COUNT,
    FIGURE_COUNTERS = 0          /* rows COUNTER come first .. */
#define COUNTER(...) + 1
#include "core/figures.def"
    , FIGURE_COUNTS = FIGURE_COUNTERS        /* .. with rows STATE, these are the counts of a report */
#define STATE(...) + 1
#include "core/figures.def"
};

enum port_count {
#define PORT(name, ...) PORT_##name,
#include "core/figures.def"
    PORT_COUNTS
};

/* The figures over time in charts.json. */
#define FIGURES_OVER_TIME { FIGURE_goodput_bps, FIGURE_rtt_us_mean, FIGURE_queue_bytes_max }

enum figure_how {
    FIGURE_SUM, FIGURE_MAX, FIGURE_LAST,     /* over consecutive intervals */
    FIGURE_RATE,                 /* 8 x of / time */
    FIGURE_MEAN,                 /* of / over */
    FIGURE_SHARE,                /* of / over, at most 1 */
    FIGURE_OF_TIME,              /* of / (ports x time) */
    FIGURE_SAME,                 /* of */
    FIGURE_PEAK,                 /* of, if there are any of 'over' */
    FIGURE_ONCE,                 /* one value for a run, or an entry of its traffic list */
    FIGURE_STATS,                /* several: the name with suffixes _mean, _p50, ... */
};

enum figure_output { FIGURE_INTERVALS, FIGURE_CHART, FIGURE_HEADLINE, FIGURE_METRIC, FIGURE_PACKETS,
                     FIGURE_PFC, FIGURE_MANIFEST,
                     FIGURE_OUTPUTS };

struct figure_info {
    const char        *name;
    enum figure_how    how;
    enum metric_unit   unit;
    enum metric_better better;
    const char        *label, *help;
    enum figure_id     of, over;                 /* inputs of a derived figure */
    uint8_t            place[FIGURE_OUTPUTS];    /* 0: not shown there */
    const char        *key;      /* in packets or pfc of summary.json */
    const char        *group, *chart;            /* chart of the page, and name of the curve */
};

extern const struct figure_info figure_info[FIGURE_COUNT];
extern const struct figure_info port_info[PORT_COUNTS];      /* 'key' is the column of ports.csv */

/* True if it is computed from sums of counters. */
static inline bool figure_is_derived(enum figure_id figure)
{
    return figure_info[figure].how > FIGURE_LAST && figure_info[figure].how < FIGURE_ONCE;
}

/* Lists the rows that an output shows, in its order. Returns their number. */
uint32_t figure_list(enum figure_output, enum figure_id list[FIGURE_COUNT]);

/* Adds the counts of the next interval: adds sums, keeps peaks, and takes states from its end. */
void figure_add(uint64_t sum[FIGURE_COUNTS], const uint64_t next[FIGURE_COUNTS]);
void figure_add_port(uint64_t sum[PORT_COUNTS], const uint64_t next[PORT_COUNTS]);

struct figure_span {             /* counts of a network over some time */
    double   count[FIGURE_COUNTS];
    double   ps;                 /* duration */
    uint32_t ports;
};

struct figure_span figure_span(const uint64_t count[FIGURE_COUNTS], uint64_t ps, uint32_t ports);

/* Returns the value of a counter, a state or a derived figure; times are in ps. NAN: undefined. */
double figure_raw(enum figure_id, const struct figure_span *);

/* Same in the unit of its row. */
double figure_value(enum figure_id, const struct figure_span *);

#endif
