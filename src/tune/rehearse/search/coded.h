/* src/tune/rehearse/search/coded.h - settings as points of the unit cube, each axis on a natural scale.
 *
 * The effect of a threshold, timer or rate depends on its ratio to the bandwidth-delay product, the round
 * trip or the line rate. Axes are logarithms of such ratios, so a step of a tenth means the same at 25 and at
 * 400 Gb/s. kmax is kmin and a width, the hyper increase a multiple of the additive one, so that every point
 * is a valid setting.
 *
 * If links differ in speed there is one more axis: whether thresholds and rates are equal on all links, or in
 * proportion to the speed of each (by_speed).
 *
 * Wider than the space of searches on a live network (search/space.h): trials here harm no traffic.
 */
#ifndef TUNE_REHEARSE_SEARCH_CODED_H
#define TUNE_REHEARSE_SEARCH_CODED_H

#include "core/knobs.h"
#include "core/world.h"

#define CODED_DIMS_MAX 24
#define CODED_DCQCN    16        /* the first axes of DCQCN: starting points are of these */

struct coded_dim {
    enum knob knob;
    double    min, max;          /* of the knob; kmax: kmax - kmin; rpg_hai_rate: factor of the other */
    bool      is_log;
    double    automatic;         /* what a value of 0 stands for; 0: nothing else */
};

struct coded {
    struct coded_dim dim[CODED_DIMS_MAX];
    uint32_t         dims;
};

/* DCQCN and ECN, or the knobs of another congestion control (world.control). */
void coded_init(struct coded *, const struct world *);

/* Writes a point of the cube into a setting, so that knobs_check() holds; knobs without an axis stay. */
void coded_to_knobs(const struct coded *, const double *unit, struct knobs *);

/* The point of a setting, or the nearest one. */
void coded_from_knobs(const struct coded *, const struct knobs *, double *unit);

#endif
