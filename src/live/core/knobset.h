/* src/live/core/knobset.h - the knobs of one device, which has some of all knobs, and their form in files.
 *
 * Values are equal if they differ by less than 1e-12: a switch counts bytes where a knob counts kilobytes.
 */
#ifndef LIVE_CORE_KNOBSET_H
#define LIVE_CORE_KNOBSET_H

#include "base/json.h"
#include "core/knobs.h"

#include <stdbool.h>
#include <stddef.h>

bool knobset_is_equal_value(double, double);

/* Does 'all' have every knob that 'some' names, with the same value? */
bool knobset_has(const struct knob_set *all, const struct knob_set *some);

bool knobset_is_empty(const struct knob_set *);
bool knobset_is_same(const struct knob_set *, const struct knob_set *);

/* Gives what 'some' names these values. */
void knobset_put(struct knob_set *all, const struct knob_set *some);

/* Those of 'all' that 'some' names. */
struct knob_set knobset_part(const struct knob_set *all, const struct knob_set *some);

/* Those of 'all' that 'some' does not name. */
struct knob_set knobset_without(const struct knob_set *all, const struct knob_set *some);

/* Those of 'is' that 'was' names with another value. */
struct knob_set knobset_changed(const struct knob_set *is, const struct knob_set *was);

/* {"kmin":400,...}; an unknown knob or a value that is not one is refused, and nothing is written. */
json_t *knobset_json(const struct knob_set *);
int     knobset_from_json(struct knob_set *, const json_t *);

/* "kmin 400KB, pmax 0.2"; "nothing" if it is empty. Returns buf. */
char *knobset_text(char *buf, size_t size, const struct knob_set *);

#endif
