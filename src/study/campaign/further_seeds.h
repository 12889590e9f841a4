/* src/study/campaign/further_seeds.h - the same scenario with other seeds, to find the intervals of spread.h.
 *
 * Each seed runs in a process of its own, so that whatever ends it, the first run keeps its results.
 */
#ifndef STUDY_CAMPAIGN_FURTHER_SEEDS_H
#define STUDY_CAMPAIGN_FURTHER_SEEDS_H

#include <stdint.h>

struct simulation;
struct progress;

/* After a run: how many runs, this one included, its interval takes (spread.h); 0: no interval. The
 * simulation's 'spread' then says why it has none, or none yet. */
uint32_t further_seeds_wanted(struct simulation *);

/* Runs the further ones of so many seeds, several at a time, and sets the simulation's 'spread'. There is no
 * interval if one of them fails, or if SIGINT, SIGTERM or SIGHUP ends them. Returns the number of the signal,
 * or 0. */
int further_seeds_run(struct simulation *, uint32_t seeds, struct progress *);

#endif
