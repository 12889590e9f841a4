/* src/formats/chakra_node.h - a node of a Chakra trace: from bytes of protobuf to an operation and what it waits for. */
#ifndef FORMATS_CHAKRA_NODE_H
#define FORMATS_CHAKRA_NODE_H

#include "net/trace.h"

struct chakra_bytes { const unsigned char *at, *end; };

/* Where nodes stand, and whose they are. */
struct chakra_where { const char *name; const struct trace *trace; uint32_t rank; struct err *err; };

struct chakra_node {
    uint64_t        id;
    struct trace_op op;
    uint64_t       *dep;         /* ids of nodes that it waits for; the caller frees it in the end */
    uint32_t        deps, deps_max;
};

/* False: it is cut off. */
bool chakra_varint(struct chakra_bytes *, uint64_t *value);

/* A record of which all bytes are there; dep is used again. */
int chakra_node_read(struct chakra_node *, struct chakra_bytes record, const struct chakra_where *);

/* "file: node ID: reason"; and the reason for records that are none. */
int chakra_refuse(const struct chakra_where *, uint64_t id, const char *format, ...) __attribute__((format(printf, 3, 4)));
int chakra_cut_off(const struct chakra_where *);

#endif
