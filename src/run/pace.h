/* src/run/pace.h - how often a run is looked at.
 *
 * There are two paces. A monitor interval is what monitors and tuners are shown: the scenario's 'interval', 1 ms unless
 * it says otherwise. Points are what pictures are made of. With an 'interval' in the scenario, each interval is a point.
 * Without one nobody can know how long points should be: most runs end when their flows do. So they are short at
 * first, and whenever there are SERIES_POINTS of them, two become one and the next are twice as long: a run has
 * 256 to 512, however long it is. (Where there are many thousands of ports, whom it takes long to look at, points are
 * longer from the start.)
 *
 * With fidelity fast, a point is an interval: skipping needs stretches of some length.
 */
#ifndef RUN_PACE_H
#define RUN_PACE_H

#include "meter/series.h"
#include "scenario/scenario.h"

#include <stdbool.h>
#include <stdint.h>

struct pace {
    uint64_t interval_ps;        /* of those who are shown intervals; NEVER: there is nobody */
    uint64_t point_ps;           /* the length of the first points */
    bool     is_growing;         /* points get longer */
};

/* 'has_readers': there is a monitor or a tuner. */
struct pace pace_of(const struct scenario *, uint32_t ports, bool has_readers);

/* When to look next, having looked at looked_ps, by which the series had its last report. */
uint64_t pace_next_ps(const struct pace *, const struct series *, uint64_t looked_ps);

/* Does an interval end here? */
bool pace_is_interval(const struct pace *, uint64_t now_ps);

/* How many of the first points a stretch of time is; for series_add(). */
uint64_t pace_points(const struct pace *, uint64_t ps);

#endif
