/* src/run/further_seeds.h - the same scenario with other seeds, to find the intervals of spread.h. */
#ifndef RUN_FURTHER_SEEDS_H
#define RUN_FURTHER_SEEDS_H

#include "base/err.h"

struct simulation;
struct progress;

/* After a run with fidelity fast: runs as many further seeds as spread.h says, several at a time, and sets
 * the simulation's 'spread'. Does nothing for other runs. */
int further_seeds_run(struct simulation *, struct progress *, struct err *);

#endif
