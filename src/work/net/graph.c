#include "work/net/graph.h"

#include "base/text.h"
#include "core/units.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RATE_BPS_MIN 1000000000ull
#define RATE_BPS_MAX 1600000000000ull
#define NIC_DELAY_PS 10000ull    /* from a NIC to its ports */

/* ---- sizes ---- */

static int check_size(double nodes, double links, struct err *err)
{
    if (nodes > GRAPH_NODES_MAX)
        return err_set(err, ERANGE, "more than %u nodes", GRAPH_NODES_MAX);
    if (links > GRAPH_LINKS_MAX)
        return err_set(err, ERANGE, "more than %u links", GRAPH_LINKS_MAX);
    return 0;
}

int graph_check_star(const struct graph_star *star, struct err *err)
{
    if (star->hosts == 0)
        return err_set(err, EINVAL, "a star needs a host");
    return check_size(star->hosts + 1.0, star->hosts, err);
}

int graph_check_clos(const struct graph_clos *clos, struct err *err)
{
    double hosts = (double)clos->tors * clos->hosts_per_tor;
    double uplinks = (double)clos->tors * clos->spines * clos->parallel;

    if (hosts == 0 || uplinks == 0)
        return err_set(err, EINVAL, "a clos needs ToRs, hosts, spines and links between them: none may be 0");
    if (hosts > GRAPH_NODES_MAX || uplinks > GRAPH_LINKS_MAX)
        return check_size(hosts, uplinks, err);
    return check_size(hosts + clos->tors + clos->spines, hosts + uplinks, err);
}

int graph_check_fat_tree(const struct graph_fat_tree *tree, struct err *err)
{
    double k = tree->k;

    if (tree->k == 0 || tree->k % 2 != 0)
        return err_set(err, EINVAL, "the k of a fat-tree is even and not 0, unlike %u", tree->k);
    return check_size(k * k * k / 4 + 5 * k * k / 4, 3 * k * k * k / 4, err);
}

static uint32_t count_units(const struct graph_rails *r)
{
    return r->servers / r->unit + (r->servers % r->unit != 0);
}

int graph_check_rails(const struct graph_rails *r, struct err *err)
{
    double hosts = (double)r->servers * r->gpus;

    if (!r->servers || !r->gpus || !r->unit || !r->spines || !r->parallel)
        return err_set(err, EINVAL, "rails need servers, GPUs, spines and links between them: none may be 0");
    double leaves = (double)count_units(r) * r->gpus;
    return check_size(hosts + leaves + r->spines, hosts + leaves * r->spines * r->parallel, err);
}

int graph_check_hpn(const struct graph_hpn *h, struct err *err)
{
    double hosts = (double)h->segments * h->servers * h->gpus, tors = 2.0 * h->segments * h->gpus;

    if (!h->segments || !h->servers || !h->gpus || !h->aggs)
        return err_set(err, EINVAL, "segments, servers, GPUs and aggregation switches: none may be 0");
    return check_size(2 * hosts + tors + 2.0 * h->aggs, 3 * hosts + tors * h->aggs, err);
}

int graph_check_planes(const struct graph_planes *p, struct err *err)
{
    double hosts = (double)p->tors * p->hosts, tors = (double)p->planes * p->tors;

    if (!p->planes || !p->tors || !p->hosts || !p->spines || !p->parallel || !p->gpus)
        return err_set(err, EINVAL, "planes, ToRs, hosts, spines, links and GPUs: none may be 0");
    if ((uint64_t)p->tors * p->hosts % p->gpus)
        return err_set(err, EINVAL, "%.0f hosts are no whole number of servers of %u GPUs", hosts, p->gpus);
    return check_size(2 * hosts + tors + (double)p->planes * p->spines,
                      hosts * (1 + p->planes) + tors * p->spines * p->parallel, err);
}

int graph_check_dragonfly(const struct graph_dragonfly *d, struct err *err)
{
    double routers = (double)d->groups * d->routers, hosts = routers * d->hosts;

    if (!d->groups || !d->routers || !d->hosts)
        return err_set(err, EINVAL, "groups, routers and hosts: none may be 0");
    if (d->groups > 1 && (uint64_t)d->routers * d->global < d->groups - 1)
        return err_set(err, EINVAL,
                       "%u routers with %u links to other groups do not reach all of %u other groups",
                       d->routers, d->global, d->groups - 1);
    return check_size(hosts + routers, hosts + routers * (d->routers + (double)d->global), err);
}

/* ---- nodes and links ---- */

void graph_init(struct graph *g)
{
    *g = (struct graph){ 0 };
}

void graph_fini(struct graph *g)
{
    free(g->node);
    free(g->link);
    graph_init(g);
}

/* Makes room for one more element. The array doubles whenever its count is a power of two. */
static void *grow_array(void *array, uint32_t count, size_t size)
{
    if (count & (count - 1))
        return array;
    return xrealloc(array, (count ? 2ul * count : 1) * size);
}

static uint32_t add_numbered(struct graph *g, bool is_switch, const char *prefix, uint32_t number)
{
    char name[sizeof g->node->name];

    snprintf(name, sizeof name, "%.5s%u", prefix, number);
    return graph_add_node(g, is_switch, name);
}

uint32_t graph_add_node(struct graph *g, bool is_switch, const char *name)
{
    if (!name)
        return is_switch ? add_numbered(g, true, "s", g->nodes - g->hosts)
                         : add_numbered(g, false, "h", g->hosts);
    g->node = grow_array(g->node, g->nodes, sizeof *g->node);
    struct graph_node *node = &g->node[g->nodes];
    memset(node, 0, sizeof *node);
    node->is_switch = is_switch;
    memcpy(node->name, name, strnlen(name, sizeof node->name - 1));
    g->hosts += !is_switch;
    return g->nodes++;
}

void graph_add_link(struct graph *g, const struct graph_link *link)
{
    g->link = grow_array(g->link, g->links, sizeof *g->link);
    g->link[g->links++] = *link;
}

/* ---- builders ---- */

uint32_t graph_add_nodes(struct graph *g, bool is_switch, const char *prefix, uint32_t count)
{
    uint32_t first = g->nodes;

    for (uint32_t i = 0; i < count; i++)
        add_numbered(g, is_switch, prefix, i);
    return first;
}

/* Adds a switch for each host: its NIC with several ports. */
static uint32_t add_nics(struct graph *g)
{
    uint32_t first = graph_add_nodes(g, true, "nic", g->hosts);

    for (uint32_t i = first; i < g->nodes; i++)
        g->node[i].is_nic = true;
    return first;
}

static void connect(struct graph *g, uint32_t a, uint32_t b, uint64_t rate_bps, uint64_t delay_ps)
{
    graph_add_link(g, &(struct graph_link){ .a = a, .b = b, .rate_bps = rate_bps, .delay_ps = delay_ps });
}

void graph_star(struct graph *g, const struct graph_star *star)
{
    assert(graph_check_star(star, NULL) == 0);
    graph_init(g);
    graph_add_nodes(g, false, "h", star->hosts);
    uint32_t hub = graph_add_nodes(g, true, "s", 1);
    for (uint32_t host = 0; host < star->hosts; host++)
        connect(g, host, hub, star->rate_bps, star->delay_ps);
}

void graph_clos(struct graph *g, const struct graph_clos *clos)
{
    assert(graph_check_clos(clos, NULL) == 0);
    graph_init(g);
    graph_add_nodes(g, false, "h", clos->tors * clos->hosts_per_tor);
    uint32_t tors = graph_add_nodes(g, true, "tor", clos->tors);
    uint32_t spines = graph_add_nodes(g, true, "spine", clos->spines);

    for (uint32_t host = 0; host < g->hosts; host++)
        connect(g, host, tors + host / clos->hosts_per_tor, clos->rate_bps, clos->delay_ps);
    for (uint32_t tor = 0; tor < clos->tors; tor++)
        for (uint32_t i = 0; i < clos->spines * clos->parallel; i++)
            connect(g, tors + tor, spines + i / clos->parallel, clos->fabric_rate_bps, clos->fabric_delay_ps);
}

void graph_fat_tree(struct graph *g, const struct graph_fat_tree *tree)
{
    /* rows: edge switches of all pods; as many aggs */
    uint32_t half = tree->k / 2, rows = tree->k * half;

    assert(half > 0 && graph_check_fat_tree(tree, NULL) == 0);
    graph_init(g);
    graph_add_nodes(g, false, "h", rows * half);
    uint32_t edges = graph_add_nodes(g, true, "edge", rows);
    uint32_t aggs = graph_add_nodes(g, true, "agg", rows);
    uint32_t cores = graph_add_nodes(g, true, "core", half * half);

    for (uint32_t host = 0; host < g->hosts; host++)
        connect(g, host, edges + host / half, tree->rate_bps, tree->delay_ps);
    for (uint32_t edge = 0; edge < rows; edge++)             /* connect to the aggs of the same pod */
        for (uint32_t i = 0; i < half; i++)
            connect(g, edges + edge, aggs + edge / half * half + i, tree->rate_bps, tree->delay_ps);
    for (uint32_t agg = 0; agg < rows; agg++)
        for (uint32_t i = 0; i < half; i++)
            connect(g, aggs + agg, cores + agg % half * half + i, tree->rate_bps, tree->delay_ps);
}

/* ---- GPU networks (rails, HPN, planes) and the dragonfly ---- */

/* A single GPU is not grouped into a server, because it has no peer inside. */
static void add_gpus(struct graph *g, uint32_t servers, uint32_t gpus)
{
    graph_add_nodes(g, false, "h", servers * gpus);
    for (uint32_t i = 0; i < g->hosts; i++)
        g->node[i].server = gpus > 1 ? i / gpus + 1 : 0;
}

void graph_rails(struct graph *g, const struct graph_rails *r)
{
    uint32_t units = count_units(r);

    assert(graph_check_rails(r, NULL) == 0);
    graph_init(g);
    add_gpus(g, r->servers, r->gpus);
    uint32_t leaves = graph_add_nodes(g, true, "leaf", units * r->gpus);
    uint32_t spines = graph_add_nodes(g, true, "spine", r->spines);
    for (uint32_t i = 0; i < g->hosts; i++)
        connect(g, i, leaves + i / r->gpus / r->unit * r->gpus + i % r->gpus, r->rate_bps, r->delay_ps);
    for (uint32_t leaf = 0; leaf < units * r->gpus; leaf++)
        for (uint32_t i = 0; i < r->spines * r->parallel; i++)
            connect(g, leaves + leaf, spines + i / r->parallel, r->fabric_rate_bps, r->fabric_delay_ps);
    g->inside_rate_bps = r->inside_rate_bps;
    g->inside_delay_ps = r->inside_delay_ps;
}

void graph_hpn(struct graph *g, const struct graph_hpn *h)
{
    uint32_t rails = h->segments * h->gpus;

    assert(graph_check_hpn(h, NULL) == 0);
    graph_init(g);
    add_gpus(g, h->segments * h->servers, h->gpus);
    uint32_t nics = add_nics(g);
    uint32_t tors = graph_add_nodes(g, true, "tor", 2 * rails);
    uint32_t aggs = graph_add_nodes(g, true, "agg", 2 * h->aggs);
    for (uint32_t i = 0; i < g->hosts; i++)
        connect(g, i, nics + i, 2 * h->rate_bps, NIC_DELAY_PS);
    for (uint32_t i = 0; i < 2 * g->hosts; i++) {
        uint32_t host = i / 2, rail = host / h->gpus / h->servers * h->gpus + host % h->gpus;

        connect(g, nics + host, tors + 2 * rail + i % 2, h->rate_bps, h->delay_ps);
    }
    for (uint32_t tor = 0; tor < 2 * rails; tor++)
        for (uint32_t i = 0; i < h->aggs; i++)
            connect(g, tors + tor, aggs + tor % 2 * h->aggs + i, h->fabric_rate_bps, h->fabric_delay_ps);
    g->inside_rate_bps = h->inside_rate_bps;
    g->inside_delay_ps = h->inside_delay_ps;
}

void graph_planes(struct graph *g, const struct graph_planes *p)
{
    assert(graph_check_planes(p, NULL) == 0);
    graph_init(g);
    add_gpus(g, p->tors * p->hosts / p->gpus, p->gpus);
    uint32_t nics = add_nics(g);
    uint32_t tors = graph_add_nodes(g, true, "tor", p->planes * p->tors);
    uint32_t spines = graph_add_nodes(g, true, "spine", p->planes * p->spines);
    for (uint32_t i = 0; i < g->hosts; i++)
        connect(g, i, nics + i, p->planes * p->rate_bps, NIC_DELAY_PS);
    for (uint32_t i = 0; i < g->hosts; i++)
        for (uint32_t plane = 0; plane < p->planes; plane++)
            connect(g, nics + i, tors + plane * p->tors + i / p->hosts, p->rate_bps, p->delay_ps);
    for (uint32_t tor = 0; tor < p->planes * p->tors; tor++)
        for (uint32_t i = 0; i < p->spines * p->parallel; i++)
            connect(g, tors + tor, spines + tor / p->tors * p->spines + i / p->parallel, p->fabric_rate_bps,
                    p->fabric_delay_ps);
    g->inside_rate_bps = p->inside_rate_bps;
    g->inside_delay_ps = p->inside_delay_ps;
}

/* Returns the router of group 'a' that has the m-th link to group 'b'. Global links rotate over the other
 * groups. */
static uint32_t router_to(const struct graph_dragonfly *d, uint32_t a, uint32_t b, uint32_t m)
{
    uint32_t place = m * (d->groups - 1) + (b < a ? b : b - 1);

    return a * d->routers + place / d->global;
}

void graph_dragonfly(struct graph *g, const struct graph_dragonfly *d)
{
    uint32_t routers,
        each = d->groups > 1 ? (uint32_t)((uint64_t)d->routers * d->global / (d->groups - 1)) : 0;

    assert(graph_check_dragonfly(d, NULL) == 0);
    graph_init(g);
    graph_add_nodes(g, false, "h", d->groups * d->routers * d->hosts);
    routers = graph_add_nodes(g, true, "r", d->groups * d->routers);
    for (uint32_t i = 0; i < g->hosts; i++)
        connect(g, i, routers + i / d->hosts, d->rate_bps, d->delay_ps);
    for (uint32_t group = 0; group < d->groups; group++)
        for (uint32_t a = 0; a < d->routers; a++)
            for (uint32_t b = a + 1; b < d->routers; b++)
                connect(g, routers + group * d->routers + a, routers + group * d->routers + b,
                        d->fabric_rate_bps, d->fabric_delay_ps);
    for (uint32_t a = 0; a < d->groups; a++)
        for (uint32_t b = a + 1; b < d->groups; b++)
            for (uint32_t m = 0; m < each; m++)
                connect(g, routers + router_to(d, a, b, m), routers + router_to(d, b, a, m),
                        d->global_rate_bps, d->global_delay_ps);
}

/* ---- lookup by name ---- */

/* Fast path: most names end in a number. It is the node's number, or that of a switch, counted after all
 * hosts. */
static int64_t find_by_number(const struct graph *g, const char *name)
{
    size_t   digits = strlen(name);
    uint64_t number;

    while (digits > 0 && isdigit((unsigned char)name[digits - 1]))
        digits--;
    if (text_to_uint(name + digits, &number, NULL) || number >= g->nodes)
        return -1;
    if (strcmp(g->node[number].name, name) == 0)
        return (int64_t)number;
    if (number + g->hosts < g->nodes && strcmp(g->node[number + g->hosts].name, name) == 0)
        return (int64_t)(number + g->hosts);
    return -1;
}

int64_t graph_find(const struct graph *g, const char *name)
{
    uint64_t number;

    if (text_to_uint(name, &number, NULL) == 0)
        return number < g->nodes ? (int64_t)number : -1;
    int64_t found = find_by_number(g, name);
    if (found >= 0)
        return found;
    for (uint32_t i = 0; i < g->nodes; i++)
        if (strcmp(g->node[i].name, name) == 0)
            return i;
    return -1;
}

/* ---- checks ---- */

/* Checks rate, delay, loss and bit errors of a link. */
static int check_values(const struct graph_link *l, struct err *why)
{
    char text[32];

    if (l->rate_bps < RATE_BPS_MIN || l->rate_bps > RATE_BPS_MAX)
        return err_set(why, ERANGE, "its rate, %s, is not within 1 Gb/s .. 1.6 Tb/s",
                       text_from_rate(text, sizeof text, (double)l->rate_bps));
    if (l->delay_ps > GRAPH_DELAY_PS_MAX)
        return err_set(why, ERANGE, "its delay, %s, is more than 4 ms",
                       text_from_time(text, sizeof text, l->delay_ps));
    if (!(l->loss >= 0 && l->loss < 1))
        return err_set(why, ERANGE, "its loss, %.6g, is not within 0 .. 1 (1 excluded)", l->loss);
    if (!(l->ber >= 0 && l->ber < 1))
        return err_set(why, ERANGE, "its bit error rate, %.6g, is not within 0 .. 1 (1 excluded)", l->ber);
    return 0;
}

int graph_check_link(const struct graph *g, const struct graph_link *link, struct err *err)
{
    struct err why;

    if (link->a >= g->nodes || link->b >= g->nodes)
        return err_set(err, EINVAL, "a link goes from node %u to node %u, but the last node is %lld", link->a,
                       link->b, g->nodes - 1ll);
    if (link->a == link->b)
        return err_set(err, EINVAL, "a link goes from %s to itself", g->node[link->a].name);
    int rc = check_values(link, &why);
    if (rc)
        err_set(err, -rc, "the link %s-%s: %s", g->node[link->a].name, g->node[link->b].name, why.text);
    return rc;
}

static int check_links(const struct graph *g, struct err *err)
{
    int rc = 0;

    for (uint32_t i = 0; i < g->links && !rc; i++)
        rc = graph_check_link(g, &g->link[i], err);
    return rc;
}

static int check_degrees(const struct graph *g, struct err *err)
{
    uint32_t *degree = xcalloc(g->nodes, sizeof *degree);
    int rc = 0;

    for (uint32_t i = 0; i < g->links; i++) {
        degree[g->link[i].a]++;
        degree[g->link[i].b]++;
    }
    for (uint32_t i = 0; i < g->nodes && !rc; i++)
        if (!g->node[i].is_switch && degree[i] != 1)
            rc = err_set(err, EINVAL, "the host %s has %u links; a host has one", g->node[i].name, degree[i]);
    free(degree);
    return rc;
}

/* Union-find with path halving. Returns the representative of the node's component. */
static uint32_t find_root(uint32_t *parent, uint32_t node)
{
    while (parent[node] != node)
        node = parent[node] = parent[parent[node]];
    return node;
}

/* Checks that all hosts are in one connected component. Hosts have a single link, so they connect no other
 * nodes. */
static int check_reach(const struct graph *g, struct err *err)
{
    uint32_t *parent = xmalloc(g->nodes * sizeof *parent), first = 0;
    int rc = 0;

    for (uint32_t i = 0; i < g->nodes; i++)
        parent[i] = i;
    for (uint32_t i = 0; i < g->links; i++)
        parent[find_root(parent, g->link[i].a)] = find_root(parent, g->link[i].b);
    while (g->node[first].is_switch)
        first++;
    for (uint32_t i = first; i < g->nodes && !rc; i++)
        if (!g->node[i].is_switch && find_root(parent, i) != find_root(parent, first))
            rc = err_set(err, EINVAL, "the hosts %s and %s cannot reach each other", g->node[first].name,
                         g->node[i].name);
    free(parent);
    return rc;
}

int graph_check(const struct graph *g, struct err *err)
{
    if (g->hosts == 0)
        return err_set(err, EINVAL, "there is no host");
    int rc = check_links(g, err);
    if (!rc)
        rc = check_degrees(g, err);
    if (!rc)
        rc = check_reach(g, err);
    return rc;
}
