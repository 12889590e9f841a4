/* src/scenario/scenario_htsim.h - the section htsim: files and options of uet-htsim become a network, its
 * flows and settings. */
#ifndef SCENARIO_SCENARIO_HTSIM_H
#define SCENARIO_SCENARIO_HTSIM_H

#include "base/reader.h"
#include "scenario/made.h"

extern const struct key_row scenario_htsim_keys[];

/* Refuses what model htsim does not have: every section but this one. */
void scenario_check_htsim(const struct section *root, const struct yaml_node *);

void scenario_read_htsim(struct reader *, struct scenario *, const struct section *root);

/* What the model decides, after scenario_use_model(). */
void scenario_use_htsim(struct scenario *);
void scenario_htsim_fini(struct scenario *);

#endif
