/* src/scenario/fidelity.h - the section fidelity: packet by packet, or what repeats is skipped. */
#ifndef SCENARIO_FIDELITY_H
#define SCENARIO_FIDELITY_H

#include "base/reader.h"
#include "scenario/made.h"

/* Called when all other sections but the traffic have been read: some of them do not go with it. */
void scenario_read_fidelity(struct reader *, struct scenario *, const struct yaml_node *);

#endif
