/* src/live/core/setting.h - the knobs of one device, and how they are written in files and logs.
 *
 * A device has some of all knobs: a struct knob_set in which those are named. Values are equal if they are within a
 * millionth of a millionth: a switch counts bytes where a knob counts kilobytes.
 */
#ifndef LIVE_CORE_SETTING_H
#define LIVE_CORE_SETTING_H

#include "base/json.h"
#include "core/knobs.h"

#include <stdbool.h>
#include <stddef.h>

bool setting_is_equal_value(double, double);

/* Does 'all' have every knob that 'some' names, with the same value? */
bool setting_has(const struct knob_set *all, const struct knob_set *some);

/* Does 'all' name every knob that 'some' does? */
bool setting_names(const struct knob_set *all, const struct knob_set *some);

bool setting_is_empty(const struct knob_set *);
bool setting_is_same(const struct knob_set *, const struct knob_set *);

/* Gives what 'some' names these values. */
void setting_put(struct knob_set *all, const struct knob_set *some);

/* Those of 'all' that 'some' names. */
struct knob_set setting_part(const struct knob_set *all, const struct knob_set *some);

/* {"kmin":400,...}; an unknown knob or a value that is not one is refused, and nothing is written. */
json_t *setting_json(const struct knob_set *);
int     setting_from_json(struct knob_set *, const json_t *);

/* "kmin 400KB, pmax 0.2"; "nothing" if it is empty. Returns buf. */
char *setting_text(char *buf, size_t size, const struct knob_set *);

#endif
