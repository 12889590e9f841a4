/* peers/chakra.h - Chakra execution traces (MLCommons), one file per rank, as read by ASTRA-sim's
 * feeder.
 *
 * A file is a sequence of records, each a length and a protobuf message: first GlobalMetadata, then nodes. A
 * node waits for all nodes in its ctrl_deps and data_deps. At any time, one CPU node, one GPU compute node
 * and one communication node may be active; receives do not count. Among ready nodes the lowest id goes
 * first. Computing takes duration_micros; 0 means 1 ns.
 *
 * Unused fields and attributes are skipped. Refused, with "file: node ID: reason", are: gzip files; unknown
 * node types; collectives other than all-reduce, all-gather, reduce-scatter, all-to-all and broadcast (which
 * takes its duration); and missing attributes.
 */
#ifndef PEERS_CHAKRA_H
#define PEERS_CHAKRA_H

#include "work/net/trace.h"

#include <stddef.h>

/* Reads prefix.0.et, prefix.1.et, .. up to the last existing file, and the groups, a JSON file or NULL. The
 * trace is sealed and checked. On failure, nothing needs to be freed. */
int chakra_read(const char *prefix, const char *groups, struct trace *, struct err *);

/* Reads one rank's file into an unsealed trace that has that rank. */
int chakra_parse(const char *name, const void *data, size_t size, uint32_t rank, struct trace *,
                 struct err *);

/* Reads groups, "id": [ranks], from a text or, if it is NULL, a file. A node's pg_name is such an id. */
int chakra_read_groups(const char *name, const char *text, size_t size, struct trace *, struct err *);

#endif
