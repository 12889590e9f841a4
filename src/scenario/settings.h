/* src/scenario/settings.h - what a model brings with it; the sections host, switch, knobs and changes. */
#ifndef SCENARIO_SETTINGS_H
#define SCENARIO_SETTINGS_H

#include "base/reader.h"
#include "scenario/made.h"

/* What the model brings with it; then what is given. */
void scenario_use_model(struct reader *, struct scenario *);
void scenario_read_settings(struct reader *, struct scenario *, const struct yaml_node *root);

#endif
