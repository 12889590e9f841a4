/* src/run/spread.h - how far a run with fidelity fast may be from a run packet by packet.
 *
 * The interval is one of prediction: a run of all packets, with any seed, has its exposed communication in it
 * in 95 of 100 cases. Two things make a difference.
 *
 *   Seeds. The same scenario runs with SPREAD_SEEDS seeds in all. If their mean is m and their standard
 *   deviation s, another run of the same kind is within m +- t(n - 1) s sqrt(1 + 1 / n) (Student). Samples
 *   from within one run would be too close to each other: rates of queue pairs that live on differ from
 *   seed to seed and hardly change from iteration to iteration.
 *
 *   The model. The interval is widened by SPREAD_MODEL of the mean and by the bias of checked flows
 *   (skip/told.h). In 130 random cases of bench/fidelity-random (1 to 30 and 101 to 200), differences that
 *   no seed explains were above 1 % in two, and above 1.5 % in one.
 *
 * If no random number was drawn, seeds have no effect, and one run is enough. If less than 4 hops in 5
 * were skipped, further seeds would take longer than all packets: they run only if the scenario asks for
 * them (fidelity: {kind: fast, seeds: 5}). Otherwise their effect is taken to be SPREAD_OTHERS of the mean:
 * in those cases, one run of each kind with different seeds differed by less in 97 of 100 (15 % over all
 * iterations, 20 % in the first or in later ones). On other cases (201 to 250) such intervals held 53 of 55
 * means, 50 cold and 52 warm values: beside Poisson or storage traffic seeds differ by up to 50 %.
 */
#ifndef RUN_SPREAD_H
#define RUN_SPREAD_H

#include "meter/ops.h"
#include "traffic/traffic_flow.h"

#include <stdint.h>

#define SPREAD_SEEDS  5u
#define SPREAD_MODEL  0.015
#define SPREAD_OTHERS 0.2

/* What computing does not hide of iterations. */
enum exposed { EXPOSED_MEAN, EXPOSED_COLD, EXPOSED_WARM, EXPOSED_COUNT };     /* all, first, later ones */

struct expected { double mean, low, high; };         /* in microseconds; NAN: not known */

struct spread {
    uint32_t         seeds;      /* of all runs; 0: there is no interval */
    double           model;      /* share of the mean that is added at both ends for the model, */
    double           others;     /* and for seeds that did not run; 0: they did, or have no effect */
    struct expected *us;         /* [entry * EXPOSED_COUNT + enum exposed] */
};

/* In microseconds; NAN: no iteration has ended, or it is not known how long it computes. */
void exposed_us(const struct traffic_about *, const struct ops_cell *iterations, double us[EXPOSED_COUNT]);

/* Where the next value is expected after 'count' samples, with its interval widened by so large a share of
 * their mean. */
struct expected spread_interval(const double *sample, uint32_t count, double share);

void spread_fini(struct spread *);

#endif
