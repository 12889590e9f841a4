/* src/formats/htsim_files.h - the input files of htsim (csg-htsim and UEC's): connection matrix and topology.
 *
 * A file that uses something we do not model, or that is wrong, is refused with "file:line: reason". Files
 * ending in .gz are not read. '#' starts a comment. On failure the result is as it was.
 */
#ifndef FORMATS_HTSIM_FILES_H
#define FORMATS_HTSIM_FILES_H

#include "base/err.h"
#include "net/graph.h"

#include <stdint.h>

#define HTSIM_CONNS_MAX  100000000u
#define HTSIM_NO_TRIGGER UINT32_MAX

enum htsim_trigger_kind {
    HTSIM_ONESHOT,               /* starts all that wait for it when it is fired, which is once */
    HTSIM_MULTISHOT,             /* starts the next that waits, in the file's order, each time it is fired */
    HTSIM_BARRIER,               /* starts all that wait for it when it has been fired 'count' times */
};

struct htsim_trigger {
    enum htsim_trigger_kind kind;
    uint32_t                id;      /* as written, > 0 */
    uint32_t                count;   /* barrier: > 0 */
    uint32_t                line;
};

/* One flow. Several may have the same two hosts. */
struct htsim_conn {
    uint32_t src, dst;           /* hosts, 0 .. nodes-1; src != dst */
    uint32_t id;                 /* as written, > 0 and unique; 0: none given */
    uint32_t trigger;            /* index of what starts it; HTSIM_NO_TRIGGER: start_ps does */
    uint32_t send_done;          /* index of what it fires when the sender has the last ACK, or none */
    uint32_t recv_done;          /* index of what it fires when the receiver has the last byte, or none */
    uint32_t line;               /* in the file, for messages */
    uint64_t start_ps, bytes;    /* bytes > 0 */
};

struct htsim_cm {
    struct htsim_conn    *conn;      /* in the order of the file */
    struct htsim_trigger *trigger;   /* likewise */
    uint32_t              conns, triggers, nodes;
};

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
int  htsim_read_cm(const char *path, struct htsim_cm *, struct err *);
int  htsim_parse_cm(const char *name, const char *text, struct htsim_cm *, struct err *);
void htsim_cm_fini(struct htsim_cm *);

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
