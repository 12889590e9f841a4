/* src/traffic/kinds/trace.c - what an application did, or would do: GOAL files and Chakra execution traces. */
#include "traffic/perform.h"
#include "traffic/read.h"

#include <stdlib.h>
#include <string.h>

extern const struct traffic_kind traffic_goal, traffic_chakra;

/* Rank i is on the i-th of the hosts. */
static void add(struct entry *e, const struct traffic_kind *kind, struct trace *t, struct hosts *hosts)
{
    if (hosts->count < t->ranks)
        reader_refuse(e->r, section_place(&e->sec, "file"), "%u ranks do not fit on %u hosts: a host has one", t->ranks, hosts->count);
    if (e->r->rc) {
        trace_fini(t);
        return;
    }
    e->about->hosts = t->ranks;
    e->about->workers = t->ranks;
    perform_add(e->traffic, kind, &e->common, t, hosts->node);
    e->qps = 1;
}

static void goal_read_entry(struct entry *e)
{
    struct hosts hosts = entry_hosts(e, "hosts", 1, UINT32_MAX);
    char        *path = section_file(&e->sec, "file");
    struct trace t;
    struct err   why;

    if (path && !e->r->rc) {
        reader_keep(e->r, e->env->read_goal(path, &t, &why), &why, section_get(&e->sec, "file"));
        if (!e->r->rc)
            add(e, &traffic_goal, &t, &hosts);
    }
    free(path);
    free(hosts.node);
}

/* ---- Chakra ---- */

static const char *const all_reduces[] = { "ring", "tree", "halving_doubling", NULL };

static void read_how(const struct entry *e, struct expand_cfg *cfg)
{
    static const enum collective_kind kinds[] = { COLLECTIVE_RING_ALL_REDUCE, COLLECTIVE_TREE_ALL_REDUCE,
                                                  COLLECTIVE_HALVING_DOUBLING_ALL_REDUCE };
    int                               kind = section_choice(&e->sec, "all_reduce", "an algorithm", all_reduces);

    cfg->all_reduce = kinds[kind < 0 ? 0 : kind];
    section_count(&e->sec, "channels", 0, 1024, &cfg->channels);
    section_bytes(&e->sec, "chunk", 1, TRAFFIC_SIZE_MAX, &cfg->chunk_bytes);
}

static uint32_t *servers_of(const struct graph *g, const struct hosts *hosts, uint32_t ranks)
{
    uint32_t *server = xcalloc(ranks + 1ul, sizeof *server);

    for (uint32_t i = 0; i < ranks && i < hosts->count; i++)
        server[i] = g->node[hosts->node[i]].server;
    return server;
}

static void chakra_read_entry(struct entry *e)
{
    struct hosts      hosts = entry_hosts(e, "hosts", 1, UINT32_MAX);
    char             *path = section_file(&e->sec, "file"), *groups = section_get(&e->sec, "groups") ? section_file(&e->sec, "groups") : NULL;
    struct expand_cfg cfg = { 0 };
    struct trace      t;
    struct err        why;

    read_how(e, &cfg);
    if (path && !e->r->rc) {
        reader_keep(e->r, e->env->read_chakra(path, groups, &t, &why), &why, section_get(&e->sec, "file"));
        if (!e->r->rc) {
            uint32_t *server = servers_of(e->graph, &hosts, t.ranks);

            cfg.server = server;
            reader_keep(e->r, perform_expand(&t, &cfg, &why), &why, section_get(&e->sec, "file"));
            add(e, &traffic_chakra, &t, &hosts);
            free(server);
        }
    }
    free(path);
    free(groups);
    free(hosts.node);
}

/* ---- the kinds ---- */

static const struct section_key goal_keys[] = {
    { "file",  "file", "", "text or compiled (LogGOPSim's txt2bin)" },
    { "hosts", "list", "", "rank 0 first; a count means so many, without it all" },
    { 0 },
};

static const struct section_key chakra_keys[] = {
    { "file",       "file",  "",      "the name of all ranks' files before '.0.et', '.1.et', and so on" },
    { "groups",     "file",  "",      "communicator groups, as ASTRA-sim has them: JSON, {\"1\": [0, 1], ..}" },
    { "hosts",      "list",  "",      "rank 0 first; a count means so many, without it all" },
    { "all_reduce", "name",  "ring",  "`ring`, `tree` or `halving_doubling`, as of training" },
    { "channels",   "count", "0",     "of rings, as of training" },
    { "chunk",      "bytes", "512KB", "of trees and of rings with channels, as of training" },
    { 0 },
};

const struct traffic_kind traffic_goal = {
    .name = "goal", .about = "a GOAL file (LogGOPSim, ATLAHS): ranks that compute, send and receive, each operation after those it waits for",
    .keys = goal_keys, .read = goal_read_entry, .free = perform_free, .on_arrival = perform_on_arrival,
    .on_sent = perform_on_sent, .on_wake = perform_on_wake,
};

const struct traffic_kind traffic_chakra = {
    .name = "chakra", .about = "Chakra execution traces (MLCommons), a file for each rank: computing, messages, collectives and what waits for what",
    .keys = chakra_keys, .read = chakra_read_entry, .free = perform_free, .on_arrival = perform_on_arrival,
    .on_sent = perform_on_sent, .on_wake = perform_on_wake,
};
