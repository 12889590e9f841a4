/* src/tune/search/space.h - where a search may go: which knobs, how far, in what steps, which way is which.
 *
 * Points are arrays of 'dims' numbers in the units of the space. A unit is that of the knob but for
 * rate_to_set_on_first_cnp, which is a share of line rate here.
 */
#ifndef TUNE_SEARCH_SPACE_H
#define TUNE_SEARCH_SPACE_H

#include "core/knobs.h"
#include "tune/tuner.h"

#define SPACE_DIMS_MAX 16

enum space_kind {
    SPACE_SAFE,                  /* narrow bounds of our own, rate_reduce_monitor_period among them: rates in
                                  * proportion to the link's, timers to the round trip, ECN thresholds to
                                  * both and below those of PFC */
    SPACE_ARTIFACT,              /* the 12 of PARALEON's artifact */
    SPACE_PAPER,                 /* these and the two more that the paper names */
    SPACE_EFFECTIVE,             /* the 7 of the 12 that have an effect in the artifact's simulator */
    SPACE_POSTER,                /* the 10 that CHAMELEON's poster names, with the artifact's bounds and steps */
};

extern const char *const space_names[];          /* by enum space_kind */

struct space_dim {
    enum knob knob;
    int       toward;            /* +1: raising it favours throughput, -1: low delay */
    double    min, max, step;
    double    initial;           /* of the default setting of that artifact; safe: of ours */
    double    quantum;           /* values are multiples of it; 0: any */
    double    automatic;         /* what a value of 0 stands for; 0: nothing else */
};

struct space {
    struct space_dim dim[SPACE_DIMS_MAX];
    uint32_t         dims;
    double           line_mbps;
};

/* Where the control in force is not DCQCN (world.knobs), its own knobs, within bounds of ours whatever the kind.
 *
 * 'physical': directions are the physical ones, whatever the artifact says (rpg_min_dec_fac). */
void space_init(struct space *, enum space_kind, bool physical, const struct world *);

/* Rounds a point and brings it inside. kmin and kmax are exchanged if they are the wrong way round. */
void space_round(const struct space *, double *point);

/* A setting's place in the space, brought inside it. */
void space_point(const struct space *, const struct knobs *, double *point);

/* Is the setting inside, so that what is measured with it holds for its point? */
bool space_has(const struct space *, const struct knobs *);

/* Writes a point into a setting; knobs outside the space stay. The point is taken as space_round() leaves it,
 * so that knobs_check() holds. */
void space_knobs(const struct space *, const double *point, struct knobs *);

#endif
