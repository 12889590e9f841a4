/* src/run/further_seeds.h - runs the same scenario with other seeds, for the intervals of spread.h. */
#ifndef RUN_FURTHER_SEEDS_H
#define RUN_FURTHER_SEEDS_H

struct simulation;
struct progress;

/* After a run with fidelity fast: runs as many further seeds as spread.h allows, several at a time, and sets
 * the simulation's 'spread'. If one of them fails, there is no interval. Does nothing for other runs. */
void further_seeds_run(struct simulation *, struct progress *);

#endif
