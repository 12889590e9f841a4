/* src/convert/convert.h - other simulators' files and ours, one into the other: for convert*.c alone.
 *
 * Whatever is read becomes a network, its settings and a list of flows; each writer puts those into a folder,
 * and refuses what its format cannot say.
 */
#ifndef CONVERT_CONVERT_H
#define CONVERT_CONVERT_H

#include "base/err.h"
#include "base/file/outdir.h"
#include "formats/htsim.h"
#include "scenario/scenario.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct convert_flow {
    uint64_t at_ps, bytes;
    uint32_t src, dst;           /* nodes */
    uint32_t rank, place;        /* among flows that start together; among those of the same rank */
    uint16_t dport;
    uint8_t  prio;
};

struct convert_source {
    struct scenario      scenario;       /* network and settings; its traffic has been drawn */
    const char          *name;           /* of the file, for messages */
    bool                 is_scenario;    /* it is one of ours */
    bool                 has_settings;   /* they were read, not assumed */
    struct convert_flow *flow;           /* in the order of their starts; none if there are triggers */
    uint32_t             flows;
    struct flow_matrix      cm;             /* connections as read, hosts as nodes; conns 0: none were */
};

/* Reads one or two files: a scenario, a config, or a network and its flows. Refuses closed-loop traffic. */
int  convert_read(struct convert_source *, const char *const *paths, uint32_t count, const char *const *set,
                  uint32_t sets, const uint64_t *seed, struct err *);
void convert_fini(struct convert_source *);

/* Each writes all files of its format. */
int convert_write_scenario(const struct convert_source *, struct outdir *, struct err *);
int convert_write_hpcc(const struct convert_source *, struct outdir *, struct err *);
int convert_write_htsim(const struct convert_source *, struct outdir *, struct err *);

/* ---- what writers share ---- */

/* Whether the nodes 0 .. hosts-1 are the hosts. */
bool convert_hosts_first(const struct graph *);

/* The section 'topology' of a scenario with all links; hosts must come first. */
void convert_print_graph(FILE *, const struct graph *, const struct link_change *, uint32_t changes);

int  convert_print_hpcc_topology(FILE *, const struct convert_source *, struct err *);
int  convert_print_hpcc_flows(FILE *, const struct convert_source *, struct err *);
int  convert_print_cm(FILE *, const struct convert_source *, struct err *);
int  convert_print_topo(FILE *, const struct convert_source *, struct err *);

/* Exact, in the largest unit that makes it a whole number: "100Gbps", "1us". */
char *convert_rate(char *buf, size_t size, uint64_t bps);
char *convert_time(char *buf, size_t size, uint64_t ps);

/* In as few digits as are read back as the same number. */
char *convert_real(char *buf, size_t size, double value);

/* "anole: note: ..." : something is not the same afterwards, but near. */
void convert_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Tells which settings of the HPCC fork's config no other file has a key for. */
void convert_note_fork(const struct sim_cfg *);

#endif
