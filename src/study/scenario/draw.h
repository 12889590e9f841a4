/* src/study/scenario/draw.h - random scenarios, for judging tuners and settings on workloads that were not
 * hand-picked.
 *
 * A seed gives one scenario, as YAML: topology (one to three tiers, rails, planes; oversubscribed or not;
 * mixed speeds; failing links), NICs, buffers, and one to three kinds of traffic. The same seed gives the
 * same text in every version with the same DRAW_VERSION.
 */
#ifndef STUDY_SCENARIO_DRAW_H
#define STUDY_SCENARIO_DRAW_H

#include <stdint.h>
#include <stdio.h>

#define DRAW_VERSION 1

/* 'hops' is about how many packet-hops a run shall have; its length follows from that. */
void draw_workload(uint64_t seed, uint64_t hops, FILE *);

#endif
