/* src/tune/rehearse/opening.h - what is in force before anything was seen: a setting that follows from the network alone.
 *
 * Until two windows agree queues fill that a later setting has to empty. Nothing has been sent when an opening is set, so that
 * nobody is disturbed by it; and it is no more than a guess: the twin decides on it as soon as there is one.
 */
#ifndef TUNE_REHEARSE_OPENING_H
#define TUNE_REHEARSE_OPENING_H

#include "core/world.h"
#include "tune/rehearse/search/coded.h"

#include <stdbool.h>

/* gentle: marks often and from a short queue on, cuts by little, rises fast. Where some hosts are slower than others, the first cut is to
 * about the speed of these, and rates rise more slowly in proportion: who sends to one of them has the more to come down by. */
enum opening { OPENING_NONE, OPENING_BDP, OPENING_FABRIC, OPENING_GENTLE };

extern const char *const opening_names[];    /* NULL-terminated */
extern const char *const opening_abouts[];   /* of each, for explanations */

/* A point of the space of searches, in the network's own units, as a setting. */
void opening_at(const struct world *, const double unit[CODED_DIMS_MAX], struct knobs *);

/* What is set at the beginning. False: the setting from the beginning stays, as none is wanted, as the control is another than
 * DCQCN, or as somebody has chosen a setting already. */
bool opening_make(enum opening, const struct world *, struct knobs *);

/* Lets rates that an opening has left low rise to the line within an interval or so. */
void opening_recover(const struct world *, struct knobs *);

#endif
