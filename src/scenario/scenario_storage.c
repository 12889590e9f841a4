/* src/scenario/scenario_storage.c - traffic of the kinds storage and rpc. */
#include "scenario/scenario_traffic.h"

#include "base/text.h"
#include "traffic/job_rpc.h"
#include "traffic/job_storage.h"

#include <stdlib.h>
#include <string.h>

static bool is_list(const struct entry *e, const char *key)
{
    const struct yaml_node *node = section_get(&e->sec, key);

    return node && node->kind == YAML_LIST;
}

/* ---- storage: who computes and who stores ---- */

struct roles { struct hosts free, compute, storage; };   /* free: those that have no role yet */

static bool has_host(const struct hosts *hosts, uint32_t node)
{
    for (uint32_t i = 0; i < hosts->count; i++)
        if (hosts->node[i] == node)
            return true;
    return false;
}

static void take_out(struct hosts *from, const struct hosts *these, uint32_t nodes)
{
    bool    *is_taken = xcalloc(nodes + 1ul, sizeof *is_taken);
    uint32_t left = 0;

    for (uint32_t i = 0; i < these->count; i++)
        is_taken[these->node[i]] = true;
    for (uint32_t i = 0; i < from->count; i++)
        if (!is_taken[from->node[i]])
            from->node[left++] = from->node[i];
    from->count = left;
    free(is_taken);
}

/* A list of hosts for a role. */
static struct hosts read_role(const struct entry *e, const char *key, struct roles *r)
{
    struct hosts hosts = entry_hosts(e, key, 1, UINT32_MAX);

    take_out(&r->free, &hosts, e->r->s->graph.nodes);
    return hosts;
}

/* How many hosts a role gets that has no list. */
static uint32_t read_share(const struct entry *e, const char *key, uint32_t initial, uint32_t max)
{
    uint32_t count = initial;

    if (e->r->rc)
        return 0;
    if (max == 0)
        reader_refuse(e->r, e->sec.map, "no host is left for '%s'", key);
    section_count(&e->sec, key, 1, max, &count);
    return e->r->rc ? 0 : count;
}

/* Takes 'count' of the free hosts, evenly spread: all racks get some of both roles. */
static struct hosts spread(const struct entry *e, uint32_t count, struct roles *r)
{
    struct hosts hosts = { xcalloc(r->free.count + 1ul, sizeof *hosts.node), count };

    for (uint32_t i = 0; i < count; i++)
        hosts.node[i] = r->free.node[(uint64_t)(i + 1) * r->free.count / count - 1];
    take_out(&r->free, &hosts, e->r->s->graph.nodes);
    return hosts;
}

static void read_lists(const struct entry *e, struct roles *r)
{
    bool has_compute = is_list(e, "compute"), has_storage = is_list(e, "storage");

    if (has_compute && has_storage && section_get(&e->sec, "hosts"))
        reader_refuse(e->r, section_get(&e->sec, "hosts"), "'hosts' beside lists of 'compute' and 'storage'");
    if (has_compute)
        r->compute = read_role(e, "compute", r);
    if (has_storage)
        r->storage = read_role(e, "storage", r);
    for (uint32_t i = 0; i < r->storage.count && !e->r->rc; i++)
        if (has_host(&r->compute, r->storage.node[i]))
            reader_refuse(e->r, section_get(&e->sec, "storage"), "%s is a compute node already",
                          e->r->s->graph.node[r->storage.node[i]].name);
}

/* Who stores, if no list says it: one host in four, or all that a list of compute nodes leaves. */
static void choose_storage(const struct entry *e, struct roles *r)
{
    uint32_t all = r->free.count, fourth = all >= 4 ? all / 4 : 1, count;

    if (r->compute.node)
        count = read_share(e, "storage", all, all);
    else
        count = read_share(e, "storage", fourth, all - (all > 0));
    r->storage = spread(e, count, r);
}

static void read_roles(const struct entry *e, struct roles *r)
{
    r->free = entry_hosts(e, "hosts", 2, UINT32_MAX);
    read_lists(e, r);
    if (e->r->rc)
        return;
    if (!r->storage.node)
        choose_storage(e, r);
    if (!r->compute.node) {
        r->compute = r->free;
        r->compute.count = read_share(e, "compute", r->free.count, r->free.count);
        r->free.node = NULL;
    }
    e->about->hosts = r->compute.count + r->storage.count;
}

static void free_roles(struct roles *r)
{
    free(r->free.node);
    free(r->compute.node);
    free(r->storage.node);
}

/* ---- storage: what they do ---- */

static const struct storage_preset *read_preset(const struct entry *e)
{
    const char *names[16] = { NULL };
    int         found;

    for (int i = 0; storage_presets[i].name; i++)
        names[i] = storage_presets[i].name;
    found = section_choice(&e->sec, "preset", "a preset of storage", names);
    return &storage_presets[found < 0 ? 0 : found];
}

static void check_storage(const struct entry *e, const struct storage *c)
{
    char least[32], most[32];

    if (e->r->rc)
        return;
    if (c->block_min > c->block_max)
        reader_refuse(e->r, entry_place(e, section_get(&e->sec, "block_min") ? "block_min" : "block_max"),
                      "'block_min' (%s) must not be above 'block_max' (%s)",
                      text_from_bytes(least, sizeof least, (double)c->block_min),
                      text_from_bytes(most, sizeof most, (double)c->block_max));
    else if (c->replicas > c->storages)
        reader_refuse(e->r, entry_place(e, "replicas"),
                      "%u replicas need as many storage nodes, and there %s %u", c->replicas,
                      c->storages == 1 ? "is" : "are", c->storages);
    else if ((uint64_t)c->computes * c->depth * c->replicas > STORAGE_COPIES_MAX)
        reader_refuse(e->r, entry_place(e, "depth"),
                      "%u compute nodes with %u reads and writes each of %u replicas: more than %u at once",
                      c->computes, c->depth, c->replicas, STORAGE_COPIES_MAX);
}

void entry_read_storage(struct entry *e)
{
    const struct storage_preset *preset = read_preset(e);
    struct storage               c = { .reads = preset->reads, .block_min = preset->block_min,
                                       .block_max = preset->block_max };
    struct roles                 r = { { NULL, 0 }, { NULL, 0 }, { NULL, 0 } };

    entry_need_end(e);
    section_real(&e->sec, "reads", 0, 1, &c.reads);
    section_bytes(&e->sec, "block_min", 1, STORAGE_BLOCK_MAX, &c.block_min);
    section_bytes(&e->sec, "block_max", 1, STORAGE_BLOCK_MAX, &c.block_max);
    section_bytes(&e->sec, "request", 1, STORAGE_BLOCK_MAX, &c.request_bytes);
    section_count(&e->sec, "depth", 1, STORAGE_DEPTH_MAX, &c.depth);
    section_count(&e->sec, "replicas", 1, STORAGE_REPLICAS_MAX, &c.replicas);
    read_roles(e, &r);
    c.compute = r.compute.node, c.computes = r.compute.count;
    c.storage = r.storage.node, c.storages = r.storage.count;
    check_storage(e, &c);
    if (!e->r->rc)
        job_storage_add(e->r->s->traffic, &e->common, &c);
    free_roles(&r);
}

/* ---- rpc ---- */

/* As entry_hosts(), but a count means the last of them: clients are the first. */
static struct hosts read_servers(const struct entry *e)
{
    struct hosts servers = entry_hosts(e, "servers", 1, UINT32_MAX);
    uint32_t     i = e->r->s->graph.nodes, left = servers.count;

    if (e->r->rc || is_list(e, "servers"))
        return servers;
    while (left > 0)
        if (!e->r->s->graph.node[--i].is_switch)
            servers.node[--left] = i;
    return servers;
}

static void check_rpc(const struct entry *e, const struct hosts *clients, const struct hosts *servers)
{
    if (!e->r->rc && servers->count == 1 && has_host(clients, servers->node[0]))
        reader_refuse(e->r, entry_place(e, "servers"),
                      "%s is the only server, and a client: it has nobody to call",
                      e->r->s->graph.node[servers->node[0]].name);
}

void entry_read_rpc(struct entry *e)
{
    struct hosts clients = entry_hosts(e, "clients", 1, UINT32_MAX), servers = read_servers(e);
    struct rpc   c = { clients.node, servers.node, clients.count, servers.count, 0, 0 };
    struct cdf   cdf = { 0 };
    bool         of_bisection = entry_load(e);

    check_rpc(e, &clients, &servers);
    section_bytes(&e->sec, "answer", 1, SIZE_BYTES_MAX, &c.answer_bytes);
    entry_need_end(e);
    entry_sizes(e, &cdf);
    if (!e->r->rc)
        e->about->bps_per_host = c.bps_per_client =
            entry_load_bps_to(e, &clients, &servers, e->about->load, of_bisection);
    e->about->hosts = clients.count;
    if (!e->r->rc) {
        job_rpc_add(e->r->s->traffic, &e->common, &cdf, &c);
        e->hosts = clients;      /* kept, to add up loads */
    } else {
        cdf_fini(&cdf);
        free(clients.node);
    }
    free(servers.node);
}
