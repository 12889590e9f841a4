/* src/sim/model.h - what the models differ in is decided here and nowhere else. */
#ifndef SIM_MODEL_H
#define SIM_MODEL_H

#include "sim/state/state.h"

/* Of a world whose configuration and traffic are known: fills in its model, and what follows from it for
 * links, switches and hosts. Before anything else is built. */
void model_build(struct sim *);

#endif
