/* src/work/traffic/read.h - reads the traffic list of a file.
 *
 * Traffic does not depend on scenarios or simulators. A struct traffic_env passes what kinds need to know of
 * the run, and sections come from base/reader.h. The second half is for kinds only: read() of each kind is
 * called with an entry whose common keys have been read without error.
 */
#ifndef WORK_TRAFFIC_READ_H
#define WORK_TRAFFIC_READ_H

#include "base/reader.h"
#include "work/net/flow_list.h"
#include "work/net/graph.h"
#include "work/net/trace.h"
#include "work/traffic/cdf.h"
#include "work/traffic/traffic_flow.h"

/* A congestion control algorithm for TCP. */
struct traffic_tcp_algorithm {
    const char *name;
    bool        needs_ecn;
};

struct traffic_env {
    const struct graph *graph;
    uint64_t            run_ps;                  /* end of the run; NEVER */
    uint32_t            mtu_bytes, overhead_bytes;   /* payload of a full packet; its overhead on the wire */
    const char         *why_fresh;  /* why queue pairs cannot persist, e.g. "in this model"; NULL: they can */
    bool                has_datagrams;
    const struct traffic_tcp_algorithm *tcp;     /* terminated by a row without a name; NULL: no TCP */

    /* Readers of external file formats. */
    int (*read_flows)(const char *path, const char *text, const struct graph *, struct flow_list *,
                      struct err *);
    int (*read_matrix)(const char *path, const char *text, struct flow_matrix *, struct err *);
    int (*read_goal)(const char *path, struct trace *, struct err *);
    /* groups: a file, or NULL */
    int (*read_chakra)(const char *prefix, const char *groups, struct trace *, struct err *);
    int (*read_simai)(const char *path, const char *text, uint32_t passes, uint32_t hosts, struct trace *,
                      struct err *);
    /* at most PLAN_DIMS_MAX: work/traffic/collective_plan.h */
    int (*read_dims)(const char *path, const char *text, size_t size, uint32_t *dim, uint32_t *dims,
                     struct err *);
};

/* Reads a list of entries into the traffic. 'about' has room for all of them. */
void traffic_read(struct reader *, const struct yaml_node *list, const struct traffic_env *, struct traffic *,
                  struct traffic_about *about);

/* ---- for the kinds ---- */

#define TRAFFIC_SIZE_MAX  (1ull << 48)   /* bytes per flow */
#define TRAFFIC_FLOWS_MAX 65536u         /* per host at a time */

/* A set of hosts, as node numbers. */
struct hosts { uint32_t *node, count; };

/* An entry that is being read. */
struct entry {
    struct reader            *r;
    struct section            sec;       /* its keys */
    const struct traffic_env *env;
    const struct graph       *graph;
    struct traffic           *traffic;   /* destination of the entry */
    struct traffic_about     *about;
    struct traffic_common     common;    /* start, stop and class, already read */
    uint32_t                  qps;       /* default of 'qps' for this kind, as in flow_spec; initially 0 */
    bool                      has_own_qps;   /* the kind has read `qps` itself */
    const char               *pairs_key;     /* key whose value needs persistent queue pairs; NULL: none */
    struct hosts              loaded;    /* hosts with a load (about->bps_per_host): entry_check_loads() */
};

/* Reads a count, a list, or 'all': at least 'min' hosts, excluding 'without' (UINT32_MAX: none). The reader
 * owns them. Sets about->hosts. */
struct hosts entry_hosts(const struct entry *, const char *key, uint32_t min, uint32_t without);

/* The same, but a count selects the last hosts. */
struct hosts entry_last_hosts(const struct entry *, const char *key);

/* Returns true if the key lists hosts individually. */
bool entry_is_list(const struct entry *, const char *key);

bool hosts_have(const struct hosts *, uint32_t node);

/* Removes hosts from a set. 'nodes' is the number of nodes of the graph. */
void hosts_remove(struct hosts *from, const struct hosts *these, uint32_t nodes);

/* Returns the host named by 'receiver', by default the last one. Senders named by a key must not include
 * it. */
uint32_t entry_receiver(const struct entry *);
void     entry_check_senders(const struct entry *, const char *key, const struct hosts *senders,
                             uint32_t receiver);

/* Reads the size table named by 'sizes': a built-in one, or a file. */
void entry_sizes(const struct entry *, struct cdf *);

/* Returns the size given by a key. Without the key, returns a size that no sender's link can carry during the
 * run. */
uint64_t entry_size_or_endless(const struct entry *, const char *key, const struct hosts *senders);

/* Reads 'load' and 'of'. Sets about->load. Returns true if the load is relative to the bisection. */
bool entry_load(const struct entry *);

/* Converts a load, relative to the hosts' links or the links between racks, to the rate of each host in
 * 'from', if these send to hosts in 'to' other than themselves. */
double entry_load_bps(const struct entry *, const struct hosts *from, const struct hosts *to, double load,
                      bool of_bisection);

/* Rejects entries whose combined load exceeds a host's link at any time. */
void entry_check_loads(const struct entry *, uint32_t count);

/* Rejects an entry if its concurrent flows, with those of earlier entries, exceed the limit. */
void entry_check_flows(const struct entry *, uint64_t count);

/* Sets the verb of the entry's messages. Rejects datagrams if the model lacks them, or if the largest
 * message, 'bytes' by a key, exceeds a packet. */
void entry_use_verb(struct entry *, enum verb, const char *size_key, uint64_t bytes);

/* Rejects an entry whose flows start at random times within spread_ps (key 'spread') if that is too long. */
void entry_check_spread(const struct entry *, uint64_t spread_ps);

/* Rejects an entry without an end. */
void entry_need_end(const struct entry *);

#endif
