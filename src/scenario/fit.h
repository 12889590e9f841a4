/* src/scenario/fit.h - does what a scenario sets go with the network it makes?
 *
 * Some of it can be told only when routes and buffers are known: so it is asked when the world has been built, before
 * anything runs, and the answer names the line of the file.
 */
#ifndef SCENARIO_FIT_H
#define SCENARIO_FIT_H

#include "base/err.h"
#include "base/reader.h"
#include "scenario/made.h"

#define FIT_PLACE_MAX 600

/* "file:line:column: " of the key that a refusal of sim_new() is about; the topology's if it is about no other. */
const char *fit_place(const struct scenario *, const char *why, char buf[FIT_PLACE_MAX]);

/* Refuses a time-out within which no answer can come, and a buffer in which no packet has room. */
int fit_check(const struct scenario *, const struct sim *, struct err *);

/* What works, but hardly as it is meant; malloc'd, NULL: nothing. */
char *fit_warning(const struct scenario *, const struct sim *);

/* Remembers the first of key 'knobs' that is set although the control in force does not look at it: fit_warning() tells. */
void fit_find_idle_knob(const struct section *, struct scenario *);

#endif
