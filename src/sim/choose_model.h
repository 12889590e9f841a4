/* src/sim/choose_model.h - chooses the model of a world. */
#ifndef SIM_CHOOSE_MODEL_H
#define SIM_CHOOSE_MODEL_H

#include "sim/state/state.h"

/* Fills in the model of a world, and what follows from it for links, switches and hosts. Before anything else
 * is built; configuration and traffic are known. */
void model_build(struct sim *);

#endif
