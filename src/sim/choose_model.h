/* src/sim/choose_model.h - selects the model of a world. */
#ifndef SIM_CHOOSE_MODEL_H
#define SIM_CHOOSE_MODEL_H

#include "sim/state/state.h"

/* Sets the world's model and the settings of links, switches and hosts that depend on it. Call it first, when
 * configuration and traffic are known. */
void model_build(struct sim *);

#endif
