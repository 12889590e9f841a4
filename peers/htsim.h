/* peers/htsim.h - the input files of htsim (csg-htsim and UEC's): connection matrix and topology.
 *
 * A file that is invalid, or uses something that is not modeled, is refused with "file:line: reason". On
 * failure, outputs are unchanged. '#' starts a comment. Files ending in .gz are not read. Each function reads
 * the file 'path', or 'text' if it is not NULL; 'path' is then for messages.
 */
#ifndef PEERS_HTSIM_H
#define PEERS_HTSIM_H

#include "base/err.h"
#include "work/net/fat_tree.h"
#include "work/net/flow_list.h"
#include "work/net/graph.h"

#include <stdint.h>

#define HTSIM_CONNS_MAX  100000000u

/* Connection matrix (.cm): "Nodes N", "Connections M", "Triggers K" (default 0), then M lines
 *
 *     src->dst [id N] start T|trigger N size BYTES [send_done_trigger N] [recv_done_trigger N] [prio P]
 *
 * and K lines "trigger id N oneshot|multishot|barrier count C", in any order. T is in picoseconds, and a
 * fraction is dropped. (htsim also rounds T to the 24 bits of a float; this reader does not.) 'prio' has no
 * effect on RoCE in htsim, and none here. Refused are:
 *
 *   - a host beyond N, a flow to itself, a flow of 0 bytes (endless in htsim)
 *   - an id that is 0 or not unique
 *   - a trigger that is not declared or never fired, or is fired more or less often than its kind allows
 *   - connections that wait for each other in a cycle and never start
 *   - link failures
 */
int htsim_read_cm(const char *path, const char *text, struct flow_matrix *, struct err *);

/* The same as uet-htsim reads it: T is in microseconds, of which the fraction is dropped, a size is below
 * 2 GiB, and 'recv_done_trigger' has no effect. */
int htsim_read_uet_cm(const char *path, const char *text, struct flow_matrix *, struct err *);

/* Topology (.topo): "Nodes N", "Tiers 2|3", "Podsize P", then for each tier "Tier t" and lines of a key and
 * an integer. Keys are case-insensitive. The numbers must satisfy htsim's constraints.
 *
 * Wiring is htsim's. Nodes are hosts h0 .., tor0 .., agg0 .., core0 ... ToR i has hosts i*Radix_Down .. and
 * Bundle (of tier 1) links to each agg of its pod. Agg i of a pod has Bundle (of tier 2) links to each of the
 * cores i, i + a, i + 2a, .., where a is the number of aggs in a pod. With two tiers there is one pod, and
 * its aggs are the top.
 *
 * A link has the speed and latency of its upper tier. Switch_Latency_ns is added to the links: half the
 * switch's latency at each end, so that every path takes as long as in htsim. Queue_up and Queue_down are
 * refused, because a switch has one shared buffer here. The graph passes graph_check().
 */
int htsim_read_topology(const char *path, const char *text, struct graph *, struct err *);

/* Its numbers, with delays of links and switches apart. Queue_up and Queue_down are ignored, as uet-htsim
 * does. */
int htsim_read_uet_topology(const char *path, const char *text, struct fat_tree *, struct err *);

/* A command line of htsim_uec, uet-htsim's main program, as keys and values of a scenario's section
 * 'htsim'. Options that are not modelled are refused, those of logs are ignored. */
struct htsim_setting { const char *key; char *value; };

struct htsim_command {
    char                 *matrix, *topology;     /* files as given; topology NULL: none */
    uint64_t              seed, nodes;           /* nodes 0: not given */
    struct htsim_setting *setting;
    uint32_t              settings;
};

int  htsim_read_command(const char *path, const char *text, struct htsim_command *, struct err *);
void htsim_command_fini(struct htsim_command *);

#endif
