/* src/scenario/uet_rules.h - model uet: its defaults, and combinations that make no sense. */
#ifndef SCENARIO_UET_RULES_H
#define SCENARIO_UET_RULES_H

#include "base/reader.h"
#include "scenario/made.h"

/* Defaults, after those that all models share. */
void scenario_use_uet(struct sim_cfg *);

/* Refuses what does not fit the model, and parts of UET in other models. */
void scenario_check_uet(const struct section *root, struct scenario *);

/* The same, when the traffic is known. */
void scenario_check_uet_traffic(const struct section *root, const struct scenario *);

#endif
