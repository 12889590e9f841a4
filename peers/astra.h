/* peers/astra.h - input files of ASTRA-sim's network front ends: the network of the analytical one
 * (YAML) and the logical topology of the ns-3 one (JSON).
 *
 * An invalid file is refused with "file:line:column: reason". On failure, outputs are unchanged. Each
 * reads the file 'path', or 'size' bytes of 'text' if it is not NULL; 'path' is then for messages.
 */
#ifndef PEERS_ASTRA_H
#define PEERS_ASTRA_H

#include "work/net/graph.h"

#include <stddef.h>

#define ASTRA_DIMS_MAX 16u

/* Reads a network: lists 'topology' (Ring, FullyConnected, Switch), 'npus_count', 'bandwidth' (per link, in
 * GB/s of 2^30 bytes) and 'latency' (per link, in ns), with one entry per dimension, nearest first.
 *
 * NPU i is host i. Each host has its own switch, r<i>, which has the host's links of all dimensions. The link
 * to it has their total rate, at most 1.6 Tb/s. With a single dimension of kind Switch, hosts are linked to
 * it directly.
 *
 * is_inside: the first dimension, a Switch, is inside servers and carries no packets (struct graph). NPUs
 * with the same index in their servers then form a network each. A switch, spine0, joins these at the rate of
 * the second dimension. The graph passes graph_check().
 */
int astra_read_network(const char *path, const char *text, size_t size, bool is_inside, struct graph *,
                        struct err *);

/* Reads a logical topology: {"logical-dims": ["8", "2"]}. Writes at most ASTRA_DIMS_MAX dimensions. */
int astra_read_dims(const char *path, const char *text, size_t size, uint32_t *dim, uint32_t *dims,
                     struct err *);

#endif
