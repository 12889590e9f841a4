/* src/twin/maker.h - twins of the network that a run simulates, for tuners that try settings before they
 * apply them.
 *
 * The operator knows how the network is built (speeds, buffers, NICs, switches), so the twin takes this from
 * the scenario. The traffic is unknown: the twin uses the model made from reports.
 */
#ifndef TWIN_MAKER_H
#define TWIN_MAKER_H

#include "core/predict.h"

/* For simulation_input.maker. */
extern const struct predict_maker twin_maker;

#endif
