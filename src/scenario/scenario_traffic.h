/* src/scenario/scenario_traffic.h - reading one entry of the list 'traffic': for scenario*.c alone.
 *
 * Each kind of traffic has a row in the table in scenario_traffic.c and a function that reads its own keys
 * and adds the entry to the scenario's traffic. It is called with nothing wrong so far, and returns as soon as
 * e->r->rc is set.
 */
#ifndef SCENARIO_SCENARIO_TRAFFIC_H
#define SCENARIO_SCENARIO_TRAFFIC_H

#include "traffic/cdf.h"
#include "scenario/scenario_reader.h"
#include "traffic/traffic.h"

#define SIZE_BYTES_MAX (1ull << 48)
#define FLOWS_EACH_MAX 65536u
#define MANY_TO_ONE_MAX 8192u    /* flows in all */

/* Some hosts, as nodes. */
struct hosts { uint32_t *node, count; };

/* An entry while it is read. */
struct entry {
    struct scenario_reader  *r;
    struct section           sec;
    struct scenario_traffic *about;      /* good while it is the last one */
    uint32_t                 index;      /* of it */
    struct traffic_common    common;     /* start, stop, class: read already */
    struct hosts             hosts;      /* those with a load (about->bps_per_host), kept to add loads up */
};

/* A host, by name or number. */
uint32_t entry_host(struct scenario_reader *, const struct yaml_node *);

/* Where a key stands, or the entry if it is not given. */
const struct yaml_node *entry_place(const struct entry *, const char *key);

/* A count, a list, or all: at least 'min' of them, and not 'without' (UINT32_MAX: nobody). The caller frees
 * them. Sets about->hosts. */
struct hosts entry_hosts(const struct entry *, const char *key, uint32_t min, uint32_t without);

/* The table of sizes named by the key 'sizes': a built-in one, or a file. */
void entry_sizes(const struct entry *, struct cdf *);

/* What a share of the hosts' links, or of the links between racks, comes to for each of the hosts. */
double entry_load_bps(const struct entry *, const struct hosts *, double load, bool of_bisection);

/* Likewise, if the hosts 'from' send to the hosts 'to', each to those that it is not itself. */
double entry_load_bps_to(const struct entry *, const struct hosts *from, const struct hosts *to, double load,
                         bool of_bisection);

/* The keys 'load' and 'of': sets about->load, returns whether it is of the bisection. */
bool entry_load(const struct entry *);

/* Refuses an entry that would go on for ever. */
void entry_need_end(const struct entry *);

/* Kinds that others are made of. */
void entry_read_poisson(struct entry *);
void entry_read_incast(struct entry *);

/* The kinds that have a file of their own. */
void entry_read_tcp(struct entry *);
void entry_read_training(struct entry *);
void entry_read_storage(struct entry *);
void entry_read_rpc(struct entry *);

/* The shortest delay of a link: what one host does acts on another no sooner. */
uint64_t scenario_link_delay_ps(const struct graph *);

#endif
