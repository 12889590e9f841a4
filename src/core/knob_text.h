/* src/core/knob_text.h - formats knobs and settings. */
#ifndef CORE_KNOB_TEXT_H
#define CORE_KNOB_TEXT_H

#include "core/knobs.h"

#include <stdbool.h>
#include <stdio.h>

#define KNOB_TEXT_MAX 48

/* Formats "300us", "0.2", "32767 blocks". knob_parse() reads back the exact value, if it is valid for the
 * knob. A fraction is rounded if the knob takes whole numbers only. Returns buf. */
char *knob_text(char buf[KNOB_TEXT_MAX], enum knob, double value);

/* "-70 %", "+0.5 %", "x14"; "" if the old value was 0. Returns buf. */
char *knob_change_text(char buf[KNOB_TEXT_MAX], double was, double is);

/* Prints a YAML map of the knobs that differ from 'base', one per line; "{}" if none does. If 'base' is the
 * default setting, setting_parse() can read it back. */
void knobs_print_yaml(const struct knobs *, const struct knobs *base, FILE *);

/* "kmin 400KB -> 120KB (-70 %), pmax 0.2 -> 0.1 (-50 %)"; "nothing" if equal. The caller frees it. */
char *knobs_change_text(const struct knobs *was, const struct knobs *is);

#endif
