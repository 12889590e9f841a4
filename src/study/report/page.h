/* src/study/report/page.h - report.html: a self-contained page of a run or a comparison.
 *
 * base/print/form.h is the page itself. This file makes its data, as web/src/data.ts defines them.
 */
#ifndef STUDY_REPORT_PAGE_H
#define STUDY_REPORT_PAGE_H

#include "base/print/form.h"
#include "study/report/results.h"

#include <jansson.h>
#include <stdio.h>

/* One element of 'runs' (interface Run of data.ts). 'files': files beside the page, NULL-terminated. */
json_t *page_run(const struct results *, const char *name, const char *const *files);

/* Writes the page of a run ("run") or a comparison (interface Page of data.ts), with help on its names. */
void page_print(json_t *page, FILE *);

/* The command that repeats the page (Page.repeat), without options that do not affect results. */
void page_put_command(json_t *page, int argc, char *const *argv);

/* charts.json, which anole.plots of Python draws, from the data of a page. */
void page_print_charts(const json_t *page, FILE *);

/* The page without scripts, as HTML: the answer card and the main figures. */
void page_static(const json_t *page, FILE *);

/* The whole page of one run. */
json_t *page_of_run(const struct results *, const char *const *files);

/* The network (interface Topology). */
json_t *page_topology(const struct results *);


/* The tuner (interface Tuning); null without one. */
json_t *page_tuning(const struct tuning *);

/* Thresholds of queues, of a tuner that sets them one by one (Tuning.queues). */
json_t *page_queues(const struct results *);

#endif
