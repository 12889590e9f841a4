/* src/lb/drill.h - DRILL(d, m) (SIGCOMM'17): at every switch each packet goes to the shortest of some queues: d drawn
 * at random (knob drill_samples) and the m shortest of the last decision for the same last switch (drill_memory).
 *
 * Two draws and one memory are nearly as good as looking at all queues. Of equal queues the one drawn first is taken:
 * what is remembered must be better, or an idle switch would send everything one way.
 */
#ifndef LB_DRILL_H
#define LB_DRILL_H

#include "lb/lb.h"

#define DRILL_SAMPLES_MAX 16     /* the knobs' bounds */
#define DRILL_MEMORY_MAX  8

extern const struct lb_algo lb_drill;

#endif
