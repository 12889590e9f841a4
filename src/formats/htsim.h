/* src/formats/htsim.h - the input files of htsim (csg-htsim and UEC's): connection matrix and topology.
 *
 * A file that uses something we do not model, or that is wrong, is refused with "file:line: reason". Files
 * ending in .gz are not read. '#' starts a comment. On failure the result is as it was.
 */
#ifndef FORMATS_HTSIM_H
#define FORMATS_HTSIM_H

#include "base/err.h"
#include "net/flow_matrix.h"
#include "net/graph.h"

#include <stdint.h>

#define HTSIM_CONNS_MAX  100000000u

/* Connection matrix (.cm): "Nodes N", "Connections M", "Triggers K" (without it none), then M lines
 *
 *     src->dst [id N] start T|trigger N size BYTES [send_done_trigger N] [recv_done_trigger N] [prio P]
 *
 * and K lines "trigger id N oneshot|multishot|barrier count C", in any order. T is picoseconds, as htsim
 * reads it (it also cuts it to the 24 bits of a float, which we do not); a fraction is cut off. 'prio' has no
 * effect on RoCE there and none here. Refused: a host beyond N, a flow to itself or of 0 bytes (endless in
 * htsim), an id that is 0 or there twice, a trigger that is not declared, that nobody fires, or that is fired
 * more or less often than its kind can make use of, connections that wait for each other so that they never
 * start, failures of links. */
int htsim_read_cm(const char *path, struct flow_matrix *, struct err *);
int htsim_parse_cm(const char *name, const char *text, struct flow_matrix *, struct err *);

/* Topology (.topo): "Nodes N", "Tiers 2|3", "Podsize P", then for each tier "Tier t" and lines of a key and a
 * whole number; keys in any case. The graph is wired as htsim wires it: hosts h0 .., then tor0 .., agg0 ..,
 * core0 ..; ToR i has hosts i*Radix_Down ..; a ToR has Bundle (of tier 1) links to each agg of its pod; agg i
 * of a pod has Bundle (of tier 2) links to each of the cores i, i + a, i + 2a, .., where a is the number of
 * aggs in a pod. With two tiers there is one pod, and its aggs are the top. The numbers of a file must
 * satisfy what htsim asks of them. The speed and latency of a link are those of the tier it goes down from.
 * Switch_Latency_ns becomes part of the links: half the latency of the switch at each end, so that every path
 * takes as long as in htsim. Queue_up and Queue_down are refused: here a switch has one buffer. The graph
 * passes graph_check(). */
int htsim_read_topology(const char *path, struct graph *, struct err *);
int htsim_parse_topology(const char *name, const char *text, struct graph *, struct err *);

#endif
