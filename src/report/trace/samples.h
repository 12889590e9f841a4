/* src/report/trace/samples.h - queues and rates over time: a table with a row for each value that has changed
 * since the previous sample.
 *
 *     time_us,what,where,value
 *     20,queue,s0:3,41472          bytes that wait at a switch port, all classes; 0 when it is empty again
 *     20,rate,h1>h2:49153,87.5     Gb/s that congestion control allows a flow: source, destination, source port
 *     20,goodput,h1>h2:49153,80.2  Gb/s acknowledged since the previous sample; 0: nothing, or the flow ended
 *
 * Values without a row have not changed. Samples do not change results.
 */
#ifndef REPORT_TRACE_SAMPLES_H
#define REPORT_TRACE_SAMPLES_H

#include "run/simulation.h"

#include <stdio.h>

struct samples;

/* Of a simulation of one part. */
struct samples *samples_open(FILE *, const struct simulation *, uint64_t bytes_max);

void samples_look(struct samples *, uint64_t now_ps);

/* Returns how many rows are not in the file. */
uint64_t samples_close(struct samples *);

#endif
