/* peers/convert/convert.h - converts between scenarios and other simulators' files. Internal to convert*.c.
 *
 * The reader turns any input into a network, its settings and a list of flows. Each writer writes these to a
 * folder, and refuses what its format cannot express.
 */
#ifndef PEERS_CONVERT_CONVERT_H
#define PEERS_CONVERT_CONVERT_H

#include "base/err.h"
#include "base/file/outfile.h"
#include "peers/htsim.h"
#include "peers/simai.h"
#include "study/scenario/scenario.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum convert_input {
    INPUT_SCENARIO, INPUT_CONFIG, INPUT_HPCC_TOPOLOGY, INPUT_HPCC_FLOWS, INPUT_HTSIM_TOPOLOGY, INPUT_HTSIM_CM,
    INPUT_HTSIM_COMMAND,
    /* Scenarios run these as they are: */
    INPUT_GOAL, INPUT_CHAKRA, INPUT_SIMAI_WORKLOAD, INPUT_SIMAI_TOPOLOGY, INPUT_ASTRA_NETWORK,
};

/* Recognizes a file, or the prefix of Chakra files. */
int         convert_detect(const char *path, enum convert_input *, struct err *);
const char *convert_what(enum convert_input);        /* "a GOAL trace" */

/* Returns the line of a scenario that uses the file, or NULL. The caller frees it. */
char *convert_line(enum convert_input, const char *path);

/* Returns a path as a YAML value, in quotes where it needs them. The caller frees it. */
char *convert_quoted(const char *path);

struct convert_flow {
    uint64_t at_ps, bytes;
    uint32_t src, dst;           /* nodes */
    uint32_t rank, place;        /* rank: order among flows that start together; place: order within a rank */
    uint16_t dport;
    uint8_t  prio;
};

struct convert_source {
    struct scenario      scenario;       /* network and settings; its traffic has been drawn */
    const char          *name;           /* file name, for error messages */
    const char *const   *set;            /* while reading: as for convert_read() */
    uint32_t             sets;
    const uint64_t      *seed;
    bool                 is_scenario;    /* the input is a scenario */
    bool                 has_settings;   /* the settings were read, not assumed */
    struct convert_flow *flow;           /* sorted by start; empty if there are triggers */
    uint32_t             flows;
    struct flow_matrix      cm;             /* connections as read, with hosts as nodes; conns 0: none */
    struct htsim_command command;        /* of htsim_uec; matrix NULL: none */
};

/* Parses the text of a scenario, which is freed, with the overrides of convert_read(). */
int convert_parse(struct convert_source *, const char *name, char *text, struct err *);

/* Reads one or two files: a scenario, a config, or a network and its flows. Refuses closed-loop traffic. */
int  convert_read(struct convert_source *, const char *const *paths, uint32_t count, const char *const *set,
                  uint32_t sets, const uint64_t *seed, struct err *);
void convert_fini(struct convert_source *);

/* Each writes all files of its format. */
int convert_write_scenario(const struct convert_source *, struct outdir *, struct err *);
int convert_write_hpcc(const struct convert_source *, struct outdir *, struct err *);

/* A command line of htsim_uec: reads it as a scenario; writes that with copies of its files. */
int convert_read_command(struct convert_source *, const char *path, struct err *);
int convert_write_command(const struct convert_source *, struct outdir *, struct err *);

/* ---- shared by the writers ---- */

/* True if the nodes 0 .. hosts-1 are the hosts. */
bool convert_hosts_first(const struct graph *);

int  convert_print_hpcc_topology(FILE *, const struct convert_source *, struct err *);
int  convert_print_hpcc_flows(FILE *, const struct convert_source *, struct err *);

/* Exact value in the largest unit that gives a whole number: "100Gbps", "1us". */
char *convert_rate(char *buf, size_t size, uint64_t bps);
char *convert_time(char *buf, size_t size, uint64_t ps);

/* Shortest text that reads back as the same number. */
char *convert_real(char *buf, size_t size, double value);

/* Prints "anole: note: ...": a setting is approximated. */
void convert_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Reports settings of the HPCC fork's config that other formats cannot express. */
void convert_note_fork(const struct sim_cfg *);

#endif
