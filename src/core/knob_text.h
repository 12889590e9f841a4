/* src/core/knob_text.h - formats knobs and settings. */
#ifndef CORE_KNOB_TEXT_H
#define CORE_KNOB_TEXT_H

#include "core/knobs.h"

#include <stdbool.h>
#include <stdio.h>

#define KNOB_TEXT_MAX 48

/* "300us", "0.2", "32767 blocks": knob_parse() reads back the very value, if it is one that the knob can
 * have. A fraction of a knob that takes whole numbers only is rounded. Returns buf. */
char *knob_text(char buf[KNOB_TEXT_MAX], enum knob, double value);

/* "-70 %", "+0.5 %", "x14"; "" if the old value was 0. Returns buf. */
char *knob_change_text(char buf[KNOB_TEXT_MAX], double was, double is);

/* A map in YAML of the knobs that differ from 'base', one a line; "{}" if none does. With the default
 * setting as base setting_parse() reads it back. */
void knobs_print_yaml(const struct knobs *, const struct knobs *base, FILE *);

/* "kmin 400KB -> 120KB (-70 %), pmax 0.2 -> 0.1 (-50 %)"; "nothing" if they are equal. The caller frees
 * it. */
char *knobs_change_text(const struct knobs *was, const struct knobs *is);

#endif
