/* src/formats/simai.h - the input files of SimAI (Alibaba's ASTRA-sim): topology and text workload.
 *
 * A file that uses something we do not model, or that is wrong, is refused with "file:line: reason". Files ending in .gz are not
 * read. '#' starts a comment. On failure the result is as it was, and nothing is held.
 */
#ifndef FORMATS_SIMAI_H
#define FORMATS_SIMAI_H

#include "net/graph.h"
#include "net/trace.h"

#define SIMAI_PASSES_MAX 1000000u

/* Topology: "nodes gpus_per_server nv_switches switches links gpu_type", the NV switches, the switches, then per link "a b rate delay
 * error_rate". GPU i is host i; they come first. NV switches are no nodes here: what GPUs of a server send each other stays inside
 * (struct graph), at the rate of a GPU's links to its NV switches, two of their delays away. A GPU with several links to other
 * switches gets a switch of its own, nic<i>, as in graph_hpn(). Switches are s0 .. in the order of their numbers. The type of the GPUs
 * has no effect. The graph passes graph_check(). */
int simai_read_topology(const char *path, struct graph *, struct err *);
int simai_parse_topology(const char *name, const char *text, struct graph *, struct err *);

/* Text workload: a policy with "key: value" pairs, a number of layers, and a line for each. It is gone through 'passes' times. The trace has as many
 * ranks as all_gpus says, or as there are hosts; all do the same. It has collectives of groups, and is not sealed. */
int simai_read_workload(const char *path, uint32_t passes, uint32_t hosts, struct trace *, struct err *);
int simai_parse_workload(const char *name, const char *text, uint32_t passes, uint32_t hosts, struct trace *, struct err *);

#endif
