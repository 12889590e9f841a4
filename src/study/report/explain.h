/* src/study/report/explain.h - the history of a tuner in plain words. */
#ifndef STUDY_REPORT_EXPLAIN_H
#define STUDY_REPORT_EXPLAIN_H

#include "tune/tuning_history.h"

#include <stdio.h>

/* Returns a sentence if summary.json says that the run got stuck or failed, because its history is then
 * incomplete; otherwise, or without that file, NULL. The caller frees it. */
char *explain_partial(const char *summary_path);

/* Prints the tuner, then a paragraph per search: its cause, what it tried, what it kept, and the effect. */
void explain_print_story(const struct history *, FILE *);

/* Prints a line per step. */
void explain_print_steps(const struct history *, FILE *);

/* Prints a line per value of one knob. */
void explain_print_knob(const struct history *, enum knob, FILE *);

#endif
