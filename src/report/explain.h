/* src/report/explain.h - the history of a tuner in plain words. */
#ifndef REPORT_EXPLAIN_H
#define REPORT_EXPLAIN_H

#include "tune/tuning_history.h"

#include <stdio.h>

/* If the summary.json of a run says that it ended stuck or failed, a sentence that says so: the history is that of a part. NULL if
 * it does not, or there is no such file; to be freed. */
char *explain_partial(const char *summary_path);

/* What it was, then a paragraph for each search: why it began, what was tried, what was kept, what came
 * of it. */
void explain_print_story(const struct history *, FILE *);

/* A line a step. */
void explain_print_steps(const struct history *, FILE *);

/* A line for each value that one knob had. */
void explain_print_knob(const struct history *, enum knob, FILE *);

#endif
