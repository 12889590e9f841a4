/* src/tune/rehearse/opening.h - the initial setting of the tuner rehearse. It follows from the network alone.
 *
 * Without it, queues fill until two windows agree, and a later setting has to drain them. An opening is
 * applied before the first message, so it disturbs no flow. It is a guess: the twin evaluates it as soon as
 * there is one.
 */
#ifndef TUNE_REHEARSE_OPENING_H
#define TUNE_REHEARSE_OPENING_H

#include "core/world.h"

#include <stdbool.h>

/* gentle: marks often and from a short queue on, cuts by little, rises fast. If some hosts are slower than
 * others, the first cut is to about their speed, and rates rise more slowly in proportion: senders to a slow
 * host have further to come down. */
enum opening { OPENING_NONE, OPENING_BDP, OPENING_GENTLE };

extern const char *const opening_names[];    /* NULL-terminated */
extern const char *const opening_abouts[];   /* of each, for explanations */

/* Returns false if the initial setting stays: no opening is wanted, the congestion control is not DCQCN, or
 * the scenario chose a setting. */
bool opening_make(enum opening, const struct world *, struct knobs *);

/* Lets rates that an opening has left low rise to the line rate within about an interval. */
void opening_recover(const struct world *, struct knobs *);

#endif
