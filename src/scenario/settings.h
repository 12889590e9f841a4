/* src/scenario/settings.h - defaults of the models, and the sections host, switch, knobs and changes. */
#ifndef SCENARIO_SETTINGS_H
#define SCENARIO_SETTINGS_H

#include "base/reader.h"
#include "scenario/made.h"

/* Sets the defaults of the model; then reads the given keys. */
void scenario_use_model(struct reader *, struct scenario *);
void scenario_read_settings(struct reader *, struct scenario *, const struct yaml_node *root);

#endif
