/* src/scenario/scenario_links.h - links with other rates, and links that fail. */
#ifndef SCENARIO_SCENARIO_LINKS_H
#define SCENARIO_SCENARIO_LINKS_H

#include "base/reader.h"
#include "scenario/made.h"

/* The node that a key names. */
uint32_t scenario_read_node(const struct section *, const struct graph *, const char *key);

/* The lists link_rates and links_down of a topology. */
void scenario_read_link_rates(const struct section *topology, struct graph *);
void scenario_read_links_down(struct reader *, struct scenario *, const struct yaml_node *topology);

#endif
