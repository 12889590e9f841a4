/* src/tune/search/space.h - the space of a search: knobs with bounds, steps and directions.
 *
 * A point is an array of 'dims' numbers in the units of the knobs, except rate_to_set_on_first_cnp, which is
 * a share of the line rate here.
 */
#ifndef TUNE_SEARCH_SPACE_H
#define TUNE_SEARCH_SPACE_H

#include "core/knobs.h"
#include "tune/tuner.h"

#define SPACE_DIMS_MAX 16

enum space_kind {
    /* narrow; scaled by link speed and round trip; ECN thresholds below those of PFC */
    SPACE_SAFE,
    SPACE_ARTIFACT,              /* the 12 knobs of PARALEON's artifact */
    SPACE_PAPER,                 /* these and the two more that the paper names */
    SPACE_POSTER,                /* the 10 of CHAMELEON's poster, with the artifact's bounds and steps */
};

extern const char *const space_names[];          /* by enum space_kind */

struct space_dim {
    enum knob knob;
    int       toward;            /* +1: raising it favours throughput, -1: low delay */
    double    min, max, step;
    double    initial;           /* value of the default setting */
    double    quantum;           /* values are multiples of it; 0: any */
    double    automatic;         /* the value that a knob of 0 stands for */
};

struct space {
    struct space_dim dim[SPACE_DIMS_MAX];
    uint32_t         dims;
    double           line_mbps;
};

/* For a congestion control other than DCQCN (world.control), the space has its knobs within our bounds, for
 * every kind. 'physical': use the physical directions, not those of the artifact (rpg_min_dec_fac). */
void space_init(struct space *, enum space_kind, bool physical, const struct world *);

/* Rounds a point and clips it to the space. Exchanges kmin and kmax if kmin is larger. */
void space_round(const struct space *, double *point);

/* Writes the point of a setting, clipped to the space. */
void space_point(const struct space *, const struct knobs *, double *point);

/* Returns true if the setting is inside, so that its measurements apply to its point. */
bool space_has(const struct space *, const struct knobs *);

/* Writes a point, rounded by space_round(), into a setting; other knobs stay. knobs_check() then holds. */
void space_knobs(const struct space *, const double *point, struct knobs *);

#endif
