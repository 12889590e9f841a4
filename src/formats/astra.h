/* src/formats/astra.h - what ASTRA-sim's network front ends read: the analytical one's network (YAML), the ns-3 one's logical topology (JSON).
 *
 * A file that is wrong is refused with "file:line:column: reason". On failure the result is as it was.
 */
#ifndef FORMATS_ASTRA_H
#define FORMATS_ASTRA_H

#include "net/graph.h"

#include <stddef.h>

#define ASTRA_DIMS_MAX 16u

/* Network: lists 'topology' (Ring, FullyConnected, Switch), 'npus_count', 'bandwidth' (GB/s of 2^30 bytes, of a link) and 'latency' (ns, of a link),
 * one entry for each dimension, the nearest first. NPU i is host i. Each has a switch of its own, r<i>, from which its links of all dimensions go; the
 * link to it has the rate of all of them together, 1.6 Tb/s at most. With a single dimension of kind Switch hosts are linked to it themselves.
 * is_inside: the first dimension, a Switch, is what is inside of servers, and no packets (struct graph); NPUs of the same place in their servers are then a
 * network each, and a switch, spine0, joins them at the rate of the second dimension. The graph passes graph_check(). */
int astra_read_network(const char *path, bool is_inside, struct graph *, struct err *);
int astra_parse_network(const char *name, const char *text, size_t size, bool is_inside, struct graph *, struct err *);

/* Logical topology: {"logical-dims": ["8", "2"]}. Writes at most ASTRA_DIMS_MAX of them. */
int astra_read_dims(const char *path, uint32_t *dim, uint32_t *dims, struct err *);
int astra_parse_dims(const char *name, const char *text, size_t size, uint32_t *dim, uint32_t *dims, struct err *);

#endif
