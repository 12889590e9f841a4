/* src/formats/chakra.h - Chakra execution traces (MLCommons), one file for each rank, as ASTRA-sim's feeder reads them.
 *
 * A file is a row of records, each a length and a protobuf message: first GlobalMetadata, then nodes. Nodes wait for all
 * that their ctrl_deps and data_deps name. A node of the processor, one that computes on the GPU, and one that communicates may be under
 * way at a time, receives apart; of those that are ready the lowest id goes first. Computing takes duration_micros; 0 is 1 ns.
 *
 * A trace with files of more than 64 MB is not kept in memory: nodes go to a temporary file while they are read (trace_stream_add()), unless their ids do not
 * ascend; then a rank is kept in memory while it is read.
 *
 * Fields and attributes that nobody needs are passed over. Refused are: files packed by gzip, nodes of types that are not known, collectives other
 * than all-reduce, all-gather, reduce-scatter, all-to-all and broadcast (which takes its duration), missing attributes; with "file: node ID: reason".
 */
#ifndef FORMATS_CHAKRA_H
#define FORMATS_CHAKRA_H

#include "net/trace.h"

#include <stddef.h>

/* Reads prefix.0.et, prefix.1.et, .. as far as there are such files, and the groups, a JSON file or NULL. The trace is
 * sealed and checked. On failure nothing is held. */
int chakra_read(const char *prefix, const char *groups, enum trace_memory, struct trace *, struct err *);

/* One rank's file, into a trace that has that rank, which is not sealed. */
int chakra_parse(const char *name, const void *data, size_t size, uint32_t rank, struct trace *, struct err *);

/* Groups: "id": [ranks]; a trace's pg_name is such an id. */
int chakra_parse_groups(const char *name, const char *text, size_t size, struct trace *, struct err *);

#endif
