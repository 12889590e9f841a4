/* src/scenario/fit.h - checks a scenario's settings against its network.
 *
 * These checks need routes and buffers, so they run after the network is built and before the simulation
 * starts. Errors name the line of the file.
 */
#ifndef SCENARIO_FIT_H
#define SCENARIO_FIT_H

#include "base/err.h"
#include "base/reader.h"
#include "scenario/made.h"

#define FIT_PLACE_MAX 600

/* Returns "file:line:column: " of the key that caused an error of sim_new(); by default that of the
 * topology. */
const char *fit_place(const struct scenario *, const char *why, char buf[FIT_PLACE_MAX]);

/* Refuses a time-out shorter than any round trip, and a buffer that cannot hold a packet. */
int fit_check(const struct scenario *, const struct sim *, struct err *);

/* Returns a warning about settings that are valid but probably not intended; malloc'd. NULL: none. */
char *fit_warning(const struct scenario *, const struct sim *);

/* Remembers the first knob of key 'knobs' that the current congestion control ignores, for fit_warning(). */
void fit_find_idle_knob(const struct section *, struct scenario *);

#endif
