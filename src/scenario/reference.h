/* src/scenario/reference.h - all keys of a scenario, to be shown. */
#ifndef SCENARIO_REFERENCE_H
#define SCENARIO_REFERENCE_H

#include "base/reader.h"

#include <stdio.h>

/* Shows every key that there is, with its section: "", "host", "traffic poisson". */
void scenario_each_key(void (*show)(void *arg, const char *section, const struct key_row *), void *arg);

/* Prints docs/scenario.md. */
void scenario_print_reference(FILE *);

#endif
