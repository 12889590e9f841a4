/* peers/simai.h - the input files of SimAI (Alibaba's ASTRA-sim): topology and text workload.
 *
 * A file that is invalid, or uses something that is not modeled, is refused with "file:line: reason". On
 * failure, outputs are unchanged and nothing needs to be freed. '#' starts a comment. Files ending in .gz are
 * not read. Each reads the file 'path', or 'text' if it is not NULL; 'path' is then for messages.
 */
#ifndef PEERS_SIMAI_H
#define PEERS_SIMAI_H

#include "work/net/graph.h"
#include "work/net/trace.h"

#include <stdbool.h>
#include <stddef.h>

/* Topology: "nodes gpus_per_server nv_switches switches links gpu_type", the NV switches, the switches, then
 * per link "a b rate delay error_rate". GPUs come first; GPU i is host i. NV switches do not become nodes:
 * traffic between GPUs of a server stays inside (struct graph), at the rate of a GPU's links to its NV
 * switches, with twice their delay. A GPU with several links to other switches gets its own switch, nic<i>,
 * as in graph_hpn(). Switches are s0 .., in the order of their numbers. The GPU type has no effect. The graph
 * passes graph_check(). */
int simai_read_topology(const char *path, const char *text, struct graph *, struct err *);

/* True if a word of 'length' characters is a policy: the first word of a workload. */
bool simai_is_policy(const char *word, size_t length);

/* Text workload: a policy with "key: value" pairs, the number of layers, and a line per layer. It is executed
 * 'passes' times. The trace has all_gpus ranks, or as many as there are hosts; all do the same. It uses
 * groups, and is not sealed. */
int simai_read_workload(const char *path, const char *text, uint32_t passes, uint32_t hosts, struct trace *,
                         struct err *);

#endif
