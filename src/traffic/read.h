/* src/traffic/read.h - the traffic list of a file becomes traffic.
 *
 * Traffic knows nothing of scenarios or simulators: what a kind may want to know of the run stands in a struct
 * traffic_env, and the section it reads is one of base/reader.h. The second half is for the kinds: read() of each is
 * called with an entry whose common keys have been read, and with nothing wrong so far.
 */
#ifndef TRAFFIC_READ_H
#define TRAFFIC_READ_H

#include "base/reader.h"
#include "net/flow_list.h"
#include "net/flow_matrix.h"
#include "net/graph.h"
#include "net/trace.h"
#include "traffic/cdf.h"
#include "traffic/flow.h"

/* An algorithm that TCP may use. */
struct traffic_tcp_algorithm {
    const char *name;
    bool        needs_ecn;
};

struct traffic_env {
    const struct graph *graph;
    uint64_t            run_ps;                  /* end of the run; NEVER */
    uint32_t            mtu_bytes, overhead_bytes;   /* payload of a full packet; what comes on top on the wire */
    const char         *why_fresh;               /* no queue pair persists: "in this model"; NULL: they may */
    bool                must_say_fresh;          /* an entry whose queue pairs persist by default is then refused; otherwise its are fresh */
    const struct traffic_tcp_algorithm *tcp;     /* ends with a row without a name; NULL: there is no TCP */

    /* Files of others: whoever can read them says how. */
    int (*read_flows)(const char *path, const struct graph *, struct flow_list *, struct err *);
    int (*read_matrix)(const char *path, struct flow_matrix *, struct err *);
    int (*read_goal)(const char *path, enum trace_memory, struct trace *, struct err *);
    int (*read_chakra)(const char *prefix, const char *groups, enum trace_memory, struct trace *, struct err *);    /* groups: a file, or NULL */
    int (*read_simai)(const char *path, uint32_t passes, uint32_t hosts, struct trace *, struct err *);
    int (*read_dims)(const char *path, uint32_t *dim, uint32_t *dims, struct err *);     /* at most PLAN_DIMS_MAX: traffic/plan.h */
};

/* Reads a list of entries into the traffic; 'about' has room for as many as there are. */
void traffic_read(struct reader *, const struct yaml_node *list, const struct traffic_env *, struct traffic *,
                  struct traffic_about *about);

/* ---- for the kinds ---- */

#define TRAFFIC_SIZE_MAX  (1ull << 48)   /* bytes of a flow */
#define TRAFFIC_FLOWS_MAX 65536u         /* of one host at a time */

/* Some hosts, as nodes. */
struct hosts { uint32_t *node, count; };

/* An entry while it is read. */
struct entry {
    struct reader            *r;
    struct section            sec;       /* its keys */
    const struct traffic_env *env;
    const struct graph       *graph;
    struct traffic           *traffic;   /* where it is added */
    struct traffic_about     *about;
    struct traffic_common     common;    /* start, stop, class: read already */
    uint32_t                  qps;       /* what the kind makes of `qps` if it is not given: as in flow_spec; 0 at first */
    bool                      has_own_qps;   /* the kind has read `qps` itself */
    struct hosts              loaded;    /* those with a load (about->bps_per_host), kept to add loads up */
};

/* A host, by name or number. */
uint32_t entry_host(const struct entry *, const struct yaml_node *);

/* A count, a list, or all: at least 'min' of them, and not 'without' (UINT32_MAX: nobody). The caller frees
 * them. Sets about->hosts. */
struct hosts entry_hosts(const struct entry *, const char *key, uint32_t min, uint32_t without);

/* Whether the key names hosts one by one. */
bool entry_is_list(const struct entry *, const char *key);

bool hosts_have(const struct hosts *, uint32_t node);

/* The host that the key 'receiver' names; without it the last one. Senders that the key names must not include it. */
uint32_t entry_receiver(const struct entry *);
void     entry_check_senders(const struct entry *, const char *key, const struct hosts *senders, uint32_t receiver);

/* The table of sizes named by the key 'sizes': a built-in one, or a file. */
void entry_sizes(const struct entry *, struct cdf *);

/* The size that a key gives; if it is not given, so much that no sender's link can carry it before the run is over. */
uint64_t entry_size_or_endless(const struct entry *, const char *key, const struct hosts *senders);

/* The keys 'load' and 'of': sets about->load, returns whether it is of the bisection. */
bool entry_load(const struct entry *);

/* What a share of the hosts' links, or of the links between racks, comes to for each of the hosts 'from', if they
 * send to the hosts 'to', each to those that it is not itself. */
double entry_load_bps(const struct entry *, const struct hosts *from, const struct hosts *to, double load,
                      bool of_bisection);

/* Refuses entries that ask more of a host, at any moment, than its link carries. */
void entry_check_loads(const struct entry *, uint32_t count);

/* Refuses an entry with so many flows at once that there would be more of them than can be, together with those before. */
void entry_check_flows(const struct entry *, uint64_t count);

/* Refuses an entry that would go on for ever. */
void entry_need_end(const struct entry *);

#endif
