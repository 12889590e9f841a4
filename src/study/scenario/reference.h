/* src/study/scenario/reference.h - lists all keys of a scenario. */
#ifndef STUDY_SCENARIO_REFERENCE_H
#define STUDY_SCENARIO_REFERENCE_H

#include "base/reader.h"

#include <stdio.h>

/* Calls 'show' for every key with its section: "", "host", "traffic poisson". */
typedef void key_shower(void *arg, const char *section, const struct key_row *);
void scenario_each_key(key_shower *show, void *arg);

/* Prints docs/scenario.md. */
void scenario_print_reference(FILE *);

#endif
