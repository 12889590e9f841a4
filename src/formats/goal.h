/* src/formats/goal.h - GOAL: what ranks of an application do, as LogGOPSim and ATLAHS read it, as text or compiled.
 *
 * Text: "num_ranks N", then "rank R { ... }" for each rank, in any order, with lines "[label:] calc NS [cpu C]", "[label:] send Bb to R [tag T]
 * [cpu C] [nic N]", "[label:] recv Bb from R [tag T] [cpu C] [nic N]" (-1 as rank or tag of a receive: any), and "a requires b" (a waits
 * for the end of b), "a irequires b" (for its start). Compiled: what LogGOPSim's txt2bin writes, little endian.
 *
 * What is wrong is refused with "file:line: reason", in a compiled file with the rank and the number of the node. 0 bytes count as 1.
 */
#ifndef FORMATS_GOAL_H
#define FORMATS_GOAL_H

#include "net/trace.h"

#include <stddef.h>

/* The trace is sealed and checked. On failure nothing is held. A file of more than 64 MB is read rank by rank, and its operations go to a temporary file
 * (trace_spill()), unless 'memory' says otherwise. */
int goal_read(const char *path, enum trace_memory, struct trace *, struct err *);
int goal_parse(const char *name, const char *data, size_t size, struct trace *, struct err *);

#endif
