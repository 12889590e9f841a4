/* src/study/run/sampling.h - how often a run is sampled.
 *
 * Monitors and tuners see monitor intervals: the scenario's 'interval', by default 1 ms. Charts consist of
 * points. With an 'interval' in the scenario, each interval is a point. Otherwise the length of the run is
 * unknown, because most runs end when their flows do. Points are then short at first. Whenever there are
 * SERIES_POINTS of them, pairs are merged and new points are twice as long, so a run has 256 to 512 points.
 * Networks with many thousands of ports start with longer points, because sampling them takes long.
 */
#ifndef STUDY_RUN_SAMPLING_H
#define STUDY_RUN_SAMPLING_H

#include "core/meter/series.h"
#include "study/scenario/scenario.h"

#include <stdbool.h>
#include <stdint.h>

struct pace {
    uint64_t interval_ps;        /* monitor interval; NEVER: no monitor and no tuner */
    uint64_t point_ps;           /* length of the first points */
    uint64_t origin_ps;          /* nothing is sent before: the first point starts here */
    bool     is_growing;         /* points get longer */
};

/* 'has_readers': there is a monitor or a tuner. The first point starts with the interval in which the first
 * flow does: flow lists often start at 2 s, and last some ms. */
struct pace pace_of(const struct scenario *, uint32_t ports, bool has_readers);

/* A time that the run will reach: the start of the first flow, or the middle of a period in which so many
 * messages come at random that some certainly come in its second half. Points need not be shorter until then
 * than afterwards; every sample stops all threads. */
uint64_t pace_reached_ps(const struct scenario *);

/* Time of the next sample, after the one at looked_ps, which the series already contains. */
uint64_t pace_next_ps(const struct pace *, const struct series *, uint64_t looked_ps);

/* True if an interval ends here. */
bool pace_is_interval(const struct pace *, uint64_t now_ps);

/* Returns the length of a period in units of point_ps, for series_add(). */
uint64_t pace_points(const struct pace *, uint64_t ps);

#endif
