/* src/report/page.h - report.html: one file that shows a run or a comparison in a browser, without a network.
 *
 * base/print/form.h is the page; here are its data. web/src/data.ts is the contract between the two.
 */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include "base/print/form.h"
#include "report/results.h"

#include <jansson.h>
#include <stdio.h>

/* One element of 'runs' (interface Run of data.ts). 'files': what lies beside the page, ends with NULL. */
json_t *page_run(const struct results *, const char *name, const char *const *files);

/* Writes the page around a run ("run") or a comparison (interface Page of data.ts), with what its names mean. */
void page_print(json_t *page, FILE *);

/* The command that makes the page again (Page.repeat), without options that results do not depend on. */
void page_put_command(json_t *page, int argc, char *const *argv);

/* What the page says without scripts, as HTML: the answer card and the main figures. */
void page_static(const json_t *page, FILE *);

/* The whole page of one run. */
json_t *page_of_run(const struct results *, const char *const *files);

/* Its part about the network (interface Topology). */
json_t *page_topology(const struct results *);

/* Links that were down, and when (Run.outages). */
json_t *page_outages(const struct results *);

/* Its part about the traffic list (Run.traffic). */
json_t *page_traffic(const struct results *);

/* Its part about a tuner (interface Tuning); null if there was none. */
json_t *page_tuning(const struct tuning *);

/* Thresholds of queues, of a tuner that sets them one by one (Tuning.queues). */
json_t *page_queues(const struct results *);

#endif
