/* src/scenario/scenario_htsim.h - htsim's files in a scenario: for scenario*.c alone. */
#ifndef SCENARIO_SCENARIO_HTSIM_H
#define SCENARIO_SCENARIO_HTSIM_H

#include "formats/htsim_files.h"
#include "scenario/scenario_traffic.h"

#include <stdbool.h>
#include <stdint.h>

/* The topology of kind htsim: the network of the file that 'file' names. */
void scenario_read_htsim_topology(struct scenario_reader *, const struct section *);

/* Traffic of kind htsim: the connections of the file that 'file' names. */
void scenario_read_htsim_traffic(struct entry *);

/* Its part that adds nothing yet: the connections, and 'delay', the time from the end of one to the start of
 * another that waits for it. Returns false, and holds nothing, if something is wrong. */
bool scenario_read_htsim_cm(const struct entry *, struct flow_matrix *, uint64_t *delay_ps);

#endif
