/* src/run/spread.h - how far a run with fidelity fast may be from a run packet by packet.
 *
 * The interval is one of prediction: a run of all packets, with any seed, has its exposed communication in it
 * in 95 of 100 cases. Two things make a difference.
 *
 *   Seeds. The same scenario runs with up to SPREAD_SEEDS seeds in all. If the logarithms have the mean m and
 *   the standard deviation s, that of another run of the same kind is within m +- t(n - 1) s sqrt(1 + 1 / n)
 *   (Student). Logarithms, because a step waits for its slowest flow, so some seeds take far longer than
 *   most: of 24 packet seeds of 128 GPUs in a fat-tree 23 exposed 20 to 30 ms, and one 45. Samples from within
 *   one run would be too close to each other: rates of persistent queue pairs differ from seed to seed and
 *   hardly change from iteration to iteration.
 *
 *   The model. The interval is widened by SPREAD_MODEL of the mean and by the bias of checked flows
 *   (skip/told.h). With 1.5 %, intervals of 7 of 93 random cases missed the first iteration, and of 3 the
 *   mean (bench/fidelity-random, 301 to 450): by up to 1.7 points where seeds did not explain it.
 *
 * If no random number was drawn, seeds have no effect, and one run is enough. Otherwise as many seeds run as
 * take no longer than all packets, nor more than SPREAD_EVENTS: with two of them the interval is wide, because
 * Student's quantile is 12.7. Below two there is no interval, unless the scenario asks for seeds
 * (fidelity: {kind: fast, seeds: 5}). An allowance for seeds that do not run would be a guess: beside
 * Poisson or storage traffic they differ by up to 50 %.
 */
#ifndef RUN_SPREAD_H
#define RUN_SPREAD_H

#include "meter/ops.h"
#include "traffic/traffic_flow.h"

#include <stdint.h>

#define SPREAD_SEEDS 5u          /* at most, unless the scenario asks for more, */
#define SPREAD_EVENTS 1000000000u    /* and so many events: some three minutes on one core */
#define SPREAD_MODEL 0.03

/* What computing does not hide of iterations. */
enum exposed { EXPOSED_MEAN, EXPOSED_COLD, EXPOSED_WARM, EXPOSED_COUNT };     /* all, first, later ones */

struct expected { double mean, low, high; };         /* in microseconds; NAN: not known */

struct spread {
    uint32_t         seeds;      /* of all runs; 0: there is no interval */
    const char      *why_not;    /* why there is none; NULL: not asked for */
    double           model;      /* share of the mean that is added at both ends for the model */
    struct expected *us;         /* [entry * EXPOSED_COUNT + enum exposed] */
};

/* In microseconds; NAN: no iteration has ended, or it is not known how long it computes. */
void exposed_us(const struct traffic_about *, const struct ops_cell *iterations, double us[EXPOSED_COUNT]);

/* How many seeds may run if one takes so many events, and all its packets so many hops, of which each is an event at
 * least: as many as take no longer than all packets, nor more than SPREAD_EVENTS and SPREAD_SEEDS. */
uint32_t spread_seeds(uint64_t hops, uint64_t events);

/* Where the next value is expected after 'count' samples, with its interval widened by so large a share of
 * their mean. */
struct expected spread_interval(const double *sample, uint32_t count, double share);

void spread_fini(struct spread *);

#endif
