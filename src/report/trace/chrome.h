/* src/report/trace/chrome.h - flows and pauses over time, for Perfetto's page and chrome://tracing: JSON of
 * trace events.
 *
 * Process "flows": a flow is a span of its host, from its start to its end, with its size, destination and
 * slowdown. Process "pauses": a port is paused from the frame that says so to the one that takes it back.
 * Process "queues": a counter for each switch port at which something has waited when it was looked at.
 * Process "work": iterations, IOs and calls, as spans of their traffic. Flows are written when they end, so
 * the file is not in the order of time; readers do not mind.
 */
#ifndef REPORT_TRACE_CHROME_H
#define REPORT_TRACE_CHROME_H

#include "sim/sim.h"

#include <stdio.h>

struct chrome;

struct chrome *chrome_open(FILE *, const struct sim *, uint64_t bytes_max);

void chrome_on_flow(struct chrome *, const struct flow_result *);
void chrome_on_pfc(struct chrome *, const struct pfc_result *);
void chrome_on_op(struct chrome *, const struct op_result *);

/* A span of process "work", below a row of its own: "step 12", with a note. */
void chrome_on_step(struct chrome *, uint32_t step, uint64_t start_ps, uint64_t end_ps, const char *note);

/* Queues, as they are now. */
void chrome_on_sample(struct chrome *, uint64_t now_ps);

/* Ends the file. Returns how many events are not in it. */
uint64_t chrome_close(struct chrome *);

#endif
