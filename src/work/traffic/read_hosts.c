/* src/work/traffic/read_hosts.c - reads the hosts of an entry. */
#include "work/traffic/read.h"

#include "work/net/measure.h"

#include <stdlib.h>

/* Reads a host, by name or number. */
static uint32_t entry_host(const struct entry *e, const struct yaml_node *node)
{
    struct reader      *r = e->r;
    const struct graph *g = e->graph;

    if (r->rc)
        return 0;
    if (node->kind != YAML_SCALAR) {
        reader_refuse(r, node, "a host is named (h0) or numbered");
        return 0;
    }
    int64_t found = graph_find(g, node->text);
    if (found < 0)
        reader_refuse(r, node, "there is no host '%.60s'", node->text);
    else if (g->node[found].is_switch)
        reader_refuse(r, node, "'%.60s' is not a host but a switch", node->text);
    return r->rc ? 0 : (uint32_t)found;
}

static void list_hosts(const struct entry *e, const struct yaml_node *list, struct hosts *hosts)
{
    struct reader *r = e->r;
    bool          *is_named = xcalloc(e->graph->nodes, sizeof *is_named);

    for (const struct yaml_node *c = list->child; c && !r->rc; c = c->next) {
        uint32_t host = entry_host(e, c);

        if (!r->rc && is_named[host])
            reader_refuse(r, c, "host '%.60s' is listed twice", c->text);
        if (r->rc)
            break;
        is_named[host] = true;
        hosts->node[hosts->count++] = host;
    }
    free(is_named);
}

struct hosts entry_last_hosts(const struct entry *e, const char *key)
{
    struct hosts h = entry_hosts(e, key, 1, UINT32_MAX);
    uint32_t     i = e->graph->nodes, left = h.count;

    if (e->r->rc || entry_is_list(e, key))
        return h;
    while (left > 0)
        if (!e->graph->node[--i].is_switch)
            h.node[--left] = i;
    return h;
}

bool entry_is_list(const struct entry *e, const char *key)
{
    const struct yaml_node *node = section_get(&e->sec, key);

    return node && node->kind == YAML_LIST;
}

struct hosts entry_hosts(const struct entry *e, const char *key, uint32_t min, uint32_t without)
{
    struct reader          *r = e->r;
    const struct graph     *g = e->graph;
    const struct yaml_node *node = section_get(&e->sec, key);
    bool                    is_list = entry_is_list(e, key);
    uint32_t                count = g->hosts - (without < g->nodes);
    struct hosts            hosts = { reader_alloc(r, g->hosts + 1ul, sizeof *hosts.node), 0 };

    if (r->rc)
        return hosts;
    if (count < min && !is_list)
        reader_refuse(r, e->sec.map, "%u hosts are too few for %s", g->hosts, e->about->kind);
    else if (is_list)
        list_hosts(e, node, &hosts);
    else if (node)
        reader_count(r, node, key, min, count, &count);
    if (!r->rc && is_list && hosts.count < min)
        reader_refuse(r, node, "'%s' must name %u hosts or more", key, min);
    for (uint32_t i = 0; i < g->nodes && hosts.count < count && !r->rc && !is_list; i++)
        if (!g->node[i].is_switch && i != without)
            hosts.node[hosts.count++] = i;
    e->about->hosts = hosts.count;
    return hosts;
}

bool hosts_have(const struct hosts *hosts, uint32_t node)
{
    for (uint32_t i = 0; i < hosts->count; i++)
        if (hosts->node[i] == node)
            return true;
    return false;
}

void hosts_remove(struct hosts *from, const struct hosts *these, uint32_t nodes)
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

uint32_t entry_receiver(const struct entry *e)
{
    const struct yaml_node *node = section_get(&e->sec, "receiver");

    return node ? entry_host(e, node) : graph_last_host(e->graph);
}

void entry_check_senders(const struct entry *e, const char *key, const struct hosts *senders,
                         uint32_t receiver)
{
    if (!e->r->rc && hosts_have(senders, receiver))
        section_refuse(&e->sec, key, "the receiver %s is among the senders", e->graph->node[receiver].name);
}
