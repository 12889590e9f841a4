/* src/twin/maker.h - twins of the network that a run simulates, for tuners that try settings before they
 * apply them.
 *
 * What the network is built of, its speeds, buffers, NICs and switches, is known to whoever runs it, and
 * taken from the scenario. What goes on in it is not: traffic is that of the model, which is made from
 * reports.
 */
#ifndef TWIN_MAKER_H
#define TWIN_MAKER_H

#include "core/predict.h"

/* For simulation_input.maker. */
extern const struct predict_maker twin_maker;

#endif
