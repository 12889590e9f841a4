/* src/traffic/kinds/trace_traffic.c - application traces: GOAL files, Chakra execution traces, SimAI
 * workloads. */
#include "traffic/perform.h"
#include "traffic/read.h"
#include "traffic/traffic.h"

#include <stdlib.h>

extern const struct traffic_kind traffic_goal, traffic_chakra, traffic_simai;

struct goal_cfg { struct reads_cfg reads; enum verb verb; };

static const struct key_row goal_keys[] = {
    { "file",   KEY_FILE, "",     "text or compiled (LogGOPSim's txt2bin)" },
    { "hosts",  KEY_LIST, "",     "rank 0 first; a count: the first; default: all" },
    { "memory", KEY_NAME, "auto",
      "`whole`: in memory; `file`: in a temporary file; `auto`: the latter above 64 MB. Results are "
      "the same" },
    READS_KEYS(struct goal_cfg, reads),
    { "verb",   KEY_NAME, "write", "of sends: `write`, `send`, or `ud` if they fit a packet; matching is the same",
      KEY_AT(struct goal_cfg, verb), .choices = verb_names },
    { 0 },
};

/* Hosts and collectives of Chakra traces and SimAI workloads. */
#define COLLECTIVE_KEYS \
    { "hosts",      KEY_LIST, "",       "rank 0 first; a count: the first; default: all" }, \
    { "all_reduce", KEY_NAME, "ring",   "`ring`, `tree` or `halving_doubling`, as of training" }, \
    { "channels",   KEY_COUNT, "0",     "of rings, as of training", \
      KEY_AT(struct plan_cfg, channels), 0, 1024 }, \
    { "chunk",      KEY_BYTES, "512KB", "of trees and of rings with channels, as of training", \
      KEY_AT(struct plan_cfg, chunk_bytes), 1, TRAFFIC_SIZE_MAX }, \
    { "pxn",        KEY_YES, "no",      "of all-to-all, as of training", KEY_AT(struct plan_cfg, is_by_rail) }, \
    { "dims",       KEY_LIST, "",       "dimensions of the ranks, the nearest first, as in ASTRA-sim: " \
      "collectives of all ranks go dimension by dimension" }, \
    { "logical",    KEY_FILE, "",       "the same as a file: {\"logical-dims\": [\"8\", \"2\"]}" }

static const struct key_row chakra_keys[] = {
    { "file",       KEY_FILE, "",      "prefix of the ranks' files: PREFIX.0.et, PREFIX.1.et, .." },
    { "groups",     KEY_FILE, "",      "communicator groups as in ASTRA-sim: {\"1\": [0, 1], ..}" },
    COLLECTIVE_KEYS,
    { "memory",     KEY_NAME, "auto",  "as of goal; `auto`: by the size of all files together" },
    { 0 },
};

static const struct key_row simai_keys[] = {
    { "file",       KEY_FILE, "",      "the workload" },
    { "passes",     KEY_COUNT, "1",     "passes through all layers" },
    COLLECTIVE_KEYS,
    { 0 },
};

/* Adds a trace; rank i is on the i-th host. */
static void add_trace(struct entry *e, const struct traffic_kind *kind, struct trace *t, struct plans *plans,
                      double messages, struct hosts *hosts, const struct reads_cfg *reads)
{
    if (hosts->count < t->ranks)
        section_refuse(&e->sec, "file", "%u ranks do not fit on %u hosts: a host has one",
                      t->ranks, hosts->count);
    if (e->r->rc) {
        plans_free(plans);
        trace_fini(t);
        return;
    }
    e->about->hosts = t->ranks;
    e->about->workers = t->ranks;
    perform_add(e->traffic, kind, &e->common, t, plans, messages, hosts->node, reads);
    e->qps = 1;
}

static enum trace_memory read_memory(const struct entry *e)
{
    static const char *const memories[] = { "auto", "file", "whole", NULL };
    int                      memory = section_choice(&e->sec, "memory", "a memory mode", memories);

    return memory < 0 ? TRACE_BY_SIZE : (enum trace_memory)memory;
}

static void goal_read_entry(struct entry *e)
{
    struct hosts             hosts = entry_hosts(e, "hosts", 1, UINT32_MAX);
    char                    *path = section_file(&e->sec, "file");
    enum trace_memory        memory = read_memory(e);
    struct goal_cfg          cfg = { 0 };
    struct trace             t;
    struct err               why;

    section_read(&e->sec, goal_keys, &cfg);
    if (cfg.verb == VERB_READ)
        section_refuse(&e->sec, "verb", "the file says what is read");
    if (path && !e->r->rc)
        reader_keep(e->r, e->env->read_goal(path, memory, &t, &why), &why, section_get(&e->sec, "file"));
    if (path && !e->r->rc) {
        e->pairs_key = t.has_reads ? "file" : NULL;
        entry_use_verb(e, cfg.verb, "file", t.send_bytes_max);
        if (e->r->rc)
            trace_fini(&t);
        else
            add_trace(e, &traffic_goal, &t, NULL, 0, &hosts, &cfg.reads);
        if (!e->r->rc)
            traffic_use_verb(e->traffic, cfg.verb);
    }
    free(path);
    free(hosts.node);
}

/* ---- collectives ---- */

static const char *const all_reduces[] = { "ring", "tree", "halving_doubling", NULL };

static void read_dims(const struct entry *e, struct plan_cfg *cfg)
{
    char      *path = section_get(&e->sec, "logical") ? section_file(&e->sec, "logical") : NULL;
    struct err why;

    if (path && section_get(&e->sec, "dims"))
        section_refuse(&e->sec, "dims", "give 'dims' or 'logical', not both");
    for (const struct yaml_node *c = section_list(&e->sec, "dims", PLAN_DIMS_MAX); c && !e->r->rc;
         c = c->next)
        reader_count(e->r, c, "a dimension", 1, UINT32_MAX, &cfg->dim[cfg->dims++]);
    if (path && !e->r->rc)
        reader_keep(e->r, e->env->read_dims(path, NULL, 0, cfg->dim, &cfg->dims, &why), &why,
                    section_get(&e->sec, "logical"));
    free(path);
}

static void read_plan_cfg(const struct entry *e, struct plan_cfg *cfg)
{
    static const enum collective_kind kinds[] = { COLLECTIVE_RING_ALL_REDUCE, COLLECTIVE_TREE_ALL_REDUCE,
                                                  COLLECTIVE_HALVING_DOUBLING_ALL_REDUCE };
    int                               kind = section_choice(&e->sec, "all_reduce", "an algorithm",
                                                            all_reduces);

    cfg->all_reduce = kinds[kind < 0 ? 0 : kind];
    section_read(&e->sec, e->sec.own, cfg);
    read_dims(e, cfg);
}

/* Checks that the ranks fill the dimensions exactly. */
static void check_dims(const struct entry *e, const struct plan_cfg *cfg, uint32_t ranks)
{
    double all = 1;

    for (uint32_t i = 0; i < cfg->dims; i++)
        all *= cfg->dim[i];
    if (cfg->dims && all != ranks)
        section_refuse(&e->sec, section_get(&e->sec, "dims") ? "dims" : "logical",
                      "the dimensions have %.0f ranks, and there are %u", all, ranks);
}

static uint32_t *servers_of(const struct graph *g, const struct hosts *hosts, uint32_t ranks)
{
    uint32_t *server = xcalloc(ranks + 1ul, sizeof *server);

    for (uint32_t i = 0; i < ranks && i < hosts->count; i++)
        server[i] = g->node[hosts->node[i]].server;
    return server;
}

/* Adds a trace that has collectives. */
static void add_with_plans(struct entry *e, const struct traffic_kind *kind, struct trace *t,
                           struct hosts *hosts, struct plan_cfg *cfg)
{
    uint32_t     *server = servers_of(e->graph, hosts, t->ranks);
    double        messages = 0;
    struct plans *plans;
    struct err    why;

    cfg->server = server;
    plans = plans_new(cfg, t->ranks);
    check_dims(e, cfg, t->ranks);
    if (!e->r->rc)
        reader_keep(e->r, plans_check(plans, t, &messages, &why), &why, section_get(&e->sec, "file"));
    add_trace(e, kind, t, plans, messages, hosts, &(struct reads_cfg){ 0 });
    free(server);
}

static void chakra_read_entry(struct entry *e)
{
    struct hosts      hosts = entry_hosts(e, "hosts", 1, UINT32_MAX);
    char             *path = section_file(&e->sec, "file"),
                     *groups = section_get(&e->sec, "groups") ? section_file(&e->sec, "groups") : NULL;
    enum trace_memory memory = read_memory(e);
    struct plan_cfg   cfg = { 0 };
    struct trace      t;
    struct err        why;

    read_plan_cfg(e, &cfg);
    if (path && !e->r->rc) {
        reader_keep(e->r, e->env->read_chakra(path, groups, memory, &t, &why), &why,
                    section_get(&e->sec, "file"));
        if (!e->r->rc)
            add_with_plans(e, &traffic_chakra, &t, &hosts, &cfg);
    }
    free(path);
    free(groups);
    free(hosts.node);
}

static void simai_read_entry(struct entry *e)
{
    struct hosts      hosts = entry_hosts(e, "hosts", 1, UINT32_MAX);
    char             *path = section_file(&e->sec, "file");
    struct plan_cfg   cfg = { 0 };
    uint32_t          passes = 1;
    struct trace      t;
    struct err        why;

    read_plan_cfg(e, &cfg);
    section_count(&e->sec, "passes", 1, 1000000, &passes);
    if (path && !e->r->rc) {
        reader_keep(e->r, e->env->read_simai(path, NULL, passes, hosts.count, &t, &why), &why,
                    section_get(&e->sec, "file"));
        if (!e->r->rc)
            add_with_plans(e, &traffic_simai, &t, &hosts, &cfg);
    }
    free(path);
    free(hosts.node);
}

/* ---- the kinds ---- */

const struct traffic_kind traffic_goal = {
    .name = "goal",
    .about =
        "a GOAL file (LogGOPSim, ATLAHS): ranks that compute, send and receive, each operation after those "
        "it waits for",
    .keys = goal_keys, .read = goal_read_entry, .free = perform_free, .on_arrival = perform_on_arrival,
    .on_sent = perform_on_sent, .on_wake = perform_on_wake,
};

const struct traffic_kind traffic_chakra = {
    .name = "chakra",
    .about =
        "Chakra execution traces (MLCommons), a file for each rank: computing, messages, collectives and "
        "what waits for what",
    .keys = chakra_keys, .read = chakra_read_entry, .free = perform_free, .on_arrival = perform_on_arrival,
    .on_sent = perform_on_sent, .on_wake = perform_on_wake,
};

const struct traffic_kind traffic_simai = {
    .name = "simai",
    .about =
        "a text workload of SimAI (ASTRA-sim 1): layers that compute and communicate, forward and backward, "
        "on all ranks alike",
    .keys = simai_keys, .read = simai_read_entry, .free = perform_free, .on_arrival = perform_on_arrival,
    .on_sent = perform_on_sent, .on_wake = perform_on_wake,
};
