/* src/formats/chakra_node.h - a node of a Chakra trace: decodes protobuf bytes to an operation and its
 * dependencies. */
#ifndef FORMATS_CHAKRA_NODE_H
#define FORMATS_CHAKRA_NODE_H

#include "net/trace.h"

struct chakra_bytes { const unsigned char *at, *end; };

/* Position of a node, for error messages: its file, trace and rank. */
struct chakra_where { const char *name; const struct trace *trace; uint32_t rank; struct err *err; };

struct chakra_node {
    uint64_t        id;
    struct trace_op op;
    uint64_t       *dep;         /* ids of the nodes it waits for; freed by the caller */
    uint32_t        deps, deps_max;
};

/* Reads a varint. Returns false if it is truncated. */
bool chakra_varint(struct chakra_bytes *, uint64_t *value);

/* Decodes a complete record. Reuses dep. */
int chakra_node_read(struct chakra_node *, struct chakra_bytes record, const struct chakra_where *);

/* chakra_refuse() reports "file: node ID: reason"; chakra_cut_off() reports an invalid record. */
int chakra_refuse(const struct chakra_where *, uint64_t id, const char *format,
                  ...) __attribute__((format(printf, 3, 4)));
int chakra_cut_off(const struct chakra_where *);

#endif
