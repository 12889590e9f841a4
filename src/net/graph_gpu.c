/* src/net/graph_gpu.c - builders of GPU networks (rails, HPN, planes) and of the dragonfly. */
#include "net/graph.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>

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

static uint32_t count_units(const struct graph_rails *r)
{
    return r->servers / r->unit + (r->servers % r->unit != 0);
}

int graph_check_rails(const struct graph_rails *r, struct err *err)
{
    double leaves, hosts = (double)r->servers * r->gpus;

    if (!r->servers || !r->gpus || !r->unit || !r->spines || !r->parallel)
        return err_set(err, EINVAL, "rails need servers, GPUs, spines and links between them: none may be 0");
    leaves = (double)count_units(r) * r->gpus;
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

/* ---- builders ---- */

static uint32_t add_nodes(struct graph *g, bool is_switch, const char *prefix, uint32_t count)
{
    uint32_t first = g->nodes;
    char     name[sizeof g->node->name];

    for (uint32_t i = 0; i < count; i++) {
        snprintf(name, sizeof name, "%.5s%u", prefix, i);
        graph_add_node(g, is_switch, name);
    }
    return first;
}

static void connect(struct graph *g, uint32_t a, uint32_t b, uint64_t rate_bps, uint64_t delay_ps)
{
    graph_add_link(g, &(struct graph_link){ .a = a, .b = b, .rate_bps = rate_bps, .delay_ps = delay_ps });
}

/* A single GPU is not grouped into a server, because it has no peer inside. */
static void add_gpus(struct graph *g, uint32_t servers, uint32_t gpus)
{
    add_nodes(g, false, "h", servers * gpus);
    for (uint32_t i = 0; i < g->hosts; i++)
        g->node[i].server = gpus > 1 ? i / gpus + 1 : 0;
}

void graph_rails(struct graph *g, const struct graph_rails *r)
{
    uint32_t units = count_units(r), leaves, spines;

    assert(graph_check_rails(r, NULL) == 0);
    graph_init(g);
    add_gpus(g, r->servers, r->gpus);
    leaves = add_nodes(g, true, "leaf", units * r->gpus);
    spines = add_nodes(g, true, "spine", r->spines);
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
    uint32_t nics, tors, aggs, rails = h->segments * h->gpus;

    assert(graph_check_hpn(h, NULL) == 0);
    graph_init(g);
    add_gpus(g, h->segments * h->servers, h->gpus);
    nics = add_nodes(g, true, "nic", g->hosts);
    tors = add_nodes(g, true, "tor", 2 * rails);
    aggs = add_nodes(g, true, "agg", 2 * h->aggs);
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
    uint32_t nics, tors, spines;

    assert(graph_check_planes(p, NULL) == 0);
    graph_init(g);
    add_gpus(g, p->tors * p->hosts / p->gpus, p->gpus);
    nics = add_nodes(g, true, "nic", g->hosts);
    tors = add_nodes(g, true, "tor", p->planes * p->tors);
    spines = add_nodes(g, true, "spine", p->planes * p->spines);
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
    add_nodes(g, false, "h", d->groups * d->routers * d->hosts);
    routers = add_nodes(g, true, "r", d->groups * d->routers);
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
