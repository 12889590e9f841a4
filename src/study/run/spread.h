/* src/study/run/spread.h - how far a run with fidelity fast may differ from a run that simulates every
 * packet.
 *
 * The result is a prediction interval: the exposed communication time of a run of all packets, with any seed,
 * lies in it in 95 of 100 cases. Two things contribute to its width.
 *
 *   Seeds. The same scenario runs with up to SPREAD_SEEDS seeds in total. If the logarithms have mean m and
 *   standard deviation s, another run of the same kind is within m +- t(n - 1) s sqrt(1 + 1 / n) (Student).
 *   Logarithms, because a step waits for its slowest flow, so some seeds take far longer than most: of 24
 *   packet seeds of 128 GPUs in a fat-tree, 23 exposed 20 to 30 ms, and one 45. Samples from within one run
 *   would be correlated: rates of persistent queue pairs differ from seed to seed and hardly change from
 *   iteration to iteration.
 *
 *   The model. The interval is widened by SPREAD_MODEL of the mean. With 1.5 %, the intervals of 7 of 93 random cases missed the first iteration, and
 *   those of 3 the mean (bench/fidelity-random, 301 to 450): by up to 1.7 points where seeds did not explain
 *   it.
 *
 * If no random number was drawn, seeds have no effect, and one run suffices. Otherwise, further seeds run as
 * long as all take no longer than a run of all packets, and no more than SPREAD_EVENTS. An event takes twice
 * the time of one of a run of all packets, because most of them begin or end a hold. With two seeds the
 * interval is wide, because Student's quantile is 12.7. With fewer there is no interval, unless the scenario
 * requests seeds (fidelity: {kind: fast, seeds: 5}). An estimate without further seeds would be a guess:
 * alongside Poisson or storage traffic, seeds differ by up to 50 %.
 */
#ifndef STUDY_RUN_SPREAD_H
#define STUDY_RUN_SPREAD_H

#include "core/meter/fct.h"
#include "work/traffic/traffic_flow.h"

#include <stdint.h>

#define SPREAD_SEEDS 5u          /* limit, unless the scenario requests more */
#define SPREAD_EVENTS 1000000000u    /* limit of events: about three minutes on one core */
#define SPREAD_MODEL 0.03

/* Exposed communication: the part of an iteration that computation does not hide. */
enum exposed { EXPOSED_MEAN, EXPOSED_COLD, EXPOSED_WARM, EXPOSED_COUNT };     /* all, first, later
                                                                               * iterations */

struct expected { double mean, low, high; };         /* in microseconds; NAN: unknown */

struct spread {
    uint32_t         seeds;      /* of all runs; 0: no interval */
    const char      *why_not;    /* why there is no interval; NULL: not requested */
    double           model;      /* share of the mean added at both ends for the model's error */
    struct expected *us;         /* [entry * EXPOSED_COUNT + enum exposed] */
};

/* Computes the exposed time in microseconds; NAN: no iteration has ended, or its compute time is unknown. */
void exposed_us(const struct traffic_about *, const struct ops_cell *iterations, double us[EXPOSED_COUNT]);

/* Returns how many seeds may run in total, if one run has this many events, and a run of all packets at least
 * one event per hop: limited by the time of a run of all packets, by SPREAD_EVENTS and by SPREAD_SEEDS. */
uint32_t spread_seeds(uint64_t hops, uint64_t events);

/* Returns the prediction interval for the next value after 'count' samples, widened by a share of their
 * mean. */
struct expected spread_interval(const double *sample, uint32_t count, double share);

void spread_fini(struct spread *);

#endif
