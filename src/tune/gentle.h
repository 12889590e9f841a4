/* src/tune/gentle.h - the preset `gentle`: marks often and from a short queue on, cuts by little, rises fast.
 *
 * It follows from link speeds and the round trip alone. Where some hosts are slower than others, the first
 * cut is to about their speed, and rates rise more slowly in proportion.
 */
#ifndef TUNE_GENTLE_H
#define TUNE_GENTLE_H

#include "core/knobs.h"
#include "core/world.h"

void gentle_make(struct knobs *, const struct world *);

#endif
