/* peers/simai_topology.c - SimAI's topology: GPU servers with NV switches, and switches between
 * servers. */
#include "peers/simai.h"

#include "base/tokens.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOPOLOGY_BYTES_MAX (1ul << 30)
#define LINK_CHARS_MIN     10        /* "0 1 1G 0 0": the shortest link row */
#define NIC_DELAY_PS       10000ull  /* from a NIC to its ports */
#define INSIDE_BPS_MAX     1000000000000000ull

enum node_kind { GPU, SWITCH, NV_SWITCH };

/* A link to a switch, from a GPU or switch. Node numbers are those of the file. */
struct simai_link { struct graph_link link; uint32_t line; };

struct gpu { uint64_t inside_bps; uint32_t uplinks; };

struct simai_topology {
    struct tokens      w;
    uint32_t           line;     /* line of the counts */
    uint32_t           nodes, per_server, nv_switches, switches, links, gpus;
    uint8_t           *kind;     /* by node */
    uint32_t          *server;   /* by node: server of an NV switch, from 1; 0: not known yet */
    uint32_t          *number;   /* by node: its number in the graph */
    struct gpu        *gpu;
    uint64_t           inside_delay_ps;
    struct simai_link *row;
    uint32_t           rows;
};

/* ---- nodes ---- */

static void check_sizes(struct simai_topology *t)
{
    struct tokens *w = &t->w;

    if (!tokens_next(w))
        tokens_err(w, EINVAL, "the type of the GPUs is missing");
    tokens_end(w);
    if ((uint64_t)t->nv_switches + t->switches >= t->nodes)
        tokens_err(w, EINVAL, "%llu of %u nodes are switches",
                   (unsigned long long)t->nv_switches + t->switches, t->nodes);
    if (w->rc)
        return;
    t->gpus = t->nodes - t->nv_switches - t->switches;
    if (t->gpus % t->per_server)
        tokens_err(w, EINVAL, "%u GPUs cannot be divided into servers of %u", t->gpus, t->per_server);
    /* Limits memory by the size of the file, whatever its first line claims. */
    if (t->links > strlen(w->at) / LINK_CHARS_MIN + 1)
        tokens_err(w, EINVAL, "the file is too short for %u links", t->links);
    if (t->gpus > t->links)
        tokens_err(w, EINVAL, "%u links are too few for %u GPUs", t->links, t->gpus);
}

static void read_sizes(struct simai_topology *t)
{
    tokens_need_line(&t->w, "the file is empty");
    t->line = t->w.line;
    tokens_uint32(&t->w, "the number of nodes", GRAPH_NODES_MAX, &t->nodes);
    tokens_uint32(&t->w, "the number of GPUs in a server", GRAPH_NODES_MAX, &t->per_server);
    if (!t->per_server)
        tokens_err(&t->w, EINVAL, "a server has no GPUs");
    tokens_uint32(&t->w, "the number of NV switches", GRAPH_NODES_MAX, &t->nv_switches);
    tokens_uint32(&t->w, "the number of switches", GRAPH_NODES_MAX, &t->switches);
    tokens_uint32(&t->w, "the number of links", GRAPH_LINKS_MAX, &t->links);
    check_sizes(t);
}

/* Ids may be spread over several lines. */
static void read_switches(struct simai_topology *t, enum node_kind kind, uint32_t count)
{
    struct tokens *w = &t->w;
    uint32_t       id = 0;

    for (uint32_t i = 0; i < count && !w->rc; i++) {
        if (tokens_at_end(w) || w->line == t->line)
            tokens_need_line(w, "the file ends before all switches are named");
        tokens_uint32(w, "a switch", t->nodes - 1, &id);
        if (t->kind[id] != GPU)
            tokens_err(w, EINVAL, "switch %u is listed twice", id);
        if (id < t->gpus)
            tokens_err(w, EINVAL, "switch %u has the number of a GPU, 0 .. %u", id, t->gpus - 1);
        t->kind[id] = (uint8_t)kind;
    }
}

/* ---- links ---- */

static void add_nvlink(struct simai_topology *t, const struct graph_link *l, uint32_t gpu, uint32_t nv)
{
    struct tokens *w = &t->w;
    uint32_t       server = gpu / t->per_server + 1;

    if (t->server[nv] && t->server[nv] != server)
        tokens_err(w, EINVAL, "the NV switch %u has GPUs of server %u, and %u is one of server %u", nv,
                   t->server[nv] - 1, gpu, server - 1);
    if (l->loss > 0)
        tokens_err(w, EINVAL, "nothing is lost inside a server: the error rate of %u-%u must be 0", l->a,
                   l->b);
    if (!l->rate_bps || l->rate_bps > INSIDE_BPS_MAX || l->delay_ps > GRAPH_DELAY_PS_MAX / 2)
        tokens_err(w, ERANGE,
                   "the link %u-%u: its rate is 0 or more than 1000Tbps, or its delay more than 2ms", l->a,
                   l->b);
    if (t->inside_delay_ps && t->inside_delay_ps != 2 * l->delay_ps)
        tokens_err(w, EINVAL, "links to NV switches have one delay; that of %u-%u is another", l->a, l->b);
    t->server[nv] = server;
    t->inside_delay_ps = 2 * l->delay_ps;
    t->gpu[gpu].inside_bps += l->rate_bps;
    if (t->gpu[gpu].inside_bps > INSIDE_BPS_MAX)
        tokens_err(w, ERANGE, "all of %u's links to NV switches have more than 1000Tbps", gpu);
}

static void add_link(struct simai_topology *t, const struct graph_link *l)
{
    uint8_t a = t->kind[l->a], b = t->kind[l->b];

    if (a == GPU && b == NV_SWITCH) {
        add_nvlink(t, l, l->a, l->b);
    } else if (a == NV_SWITCH && b == GPU) {
        add_nvlink(t, l, l->b, l->a);
    } else if (a == NV_SWITCH || b == NV_SWITCH) {
        tokens_err(&t->w, EINVAL,
                   "the NV switch %u has a link to another switch: only GPUs may be linked to it",
                   a == NV_SWITCH ? l->a : l->b);
    } else if (a == GPU && b == GPU) {
        tokens_err(&t->w, EINVAL,
                   "%u and %u are GPUs: links between them without a switch are not modelled", l->a, l->b);
    } else {
        if (a == GPU || b == GPU)
            t->gpu[a == GPU ? l->a : l->b].uplinks++;
        t->row[t->rows++] = (struct simai_link){ *l, t->w.line };
    }
}

static void read_link(struct simai_topology *t)
{
    struct graph_link l = { 0 };

    tokens_uint32(&t->w, "the first node", UINT32_MAX, &l.a);
    tokens_uint32(&t->w, "the second node", UINT32_MAX, &l.b);
    tokens_rate(&t->w, "the rate", &l.rate_bps);
    tokens_time(&t->w, "the delay", &l.delay_ps);
    tokens_real(&t->w, "the error rate", 0, 1, &l.loss);
    tokens_end(&t->w);
    if (l.a >= t->nodes || l.b >= t->nodes)
        tokens_err(&t->w, EINVAL, "a link goes from node %u to node %u, but the last node is %u", l.a, l.b,
                   t->nodes - 1);
    if (!t->w.rc)
        add_link(t, &l);
}

static void read_links(struct simai_topology *t)
{
    for (uint32_t i = 0; i < t->links &&
         tokens_need_line(&t->w, "the file ends after %u of %u links", i, t->links); i++)
        read_link(t);
    if (tokens_next_line(&t->w))
        tokens_err(&t->w, EINVAL, "there are more than the %u links announced at the top", t->links);
}

/* ---- graph ---- */

static void check_servers(struct simai_topology *t)
{
    for (uint32_t i = 0; i < t->gpus && t->nv_switches; i++)
        if (t->gpu[i].inside_bps != t->gpu[0].inside_bps)
            tokens_err_at(&t->w, t->line, EINVAL,
                          "GPUs have links of different rates to their NV switches: %u other than 0", i);
    if (t->nv_switches && !t->gpu[0].inside_bps)
        tokens_err_at(&t->w, t->line, EINVAL, "there are NV switches, but no GPU has a link to one");
}

static void make_nodes(struct simai_topology *t, struct graph *g)
{
    char name[sizeof g->node->name];

    for (uint32_t i = 0; i < t->nodes; i++)
        if (t->kind[i] != NV_SWITCH)
            t->number[i] = graph_add_node(g, t->kind[i] == SWITCH, NULL);
    for (uint32_t i = 0; i < t->gpus; i++) {
        g->node[i].server = t->nv_switches && t->per_server > 1 ? i / t->per_server + 1 : 0;
        snprintf(name, sizeof name, "nic%u", i);
        if (t->gpu[i].uplinks <= 1)
            continue;
        t->number[i] = graph_add_node(g, true, name);
        g->node[t->number[i]].is_nic = true;
    }
    g->inside_rate_bps = t->gpu[0].inside_bps;
    g->inside_delay_ps = t->inside_delay_ps;
}

/* Adds a switch for a GPU with several links. It is at the distance of a NIC's port and has the total rate of
 * the links. */
static void make_nics(const struct simai_topology *t, struct graph *g)
{
    uint64_t *sum = xcalloc(t->gpus + 1ul, sizeof *sum);

    for (uint32_t i = 0; i < t->rows; i++) {
        const struct graph_link *l = &t->row[i].link;

        if (t->kind[l->a] == GPU)
            sum[l->a] += l->rate_bps;
        if (t->kind[l->b] == GPU)
            sum[l->b] += l->rate_bps;
    }
    for (uint32_t i = 0; i < t->gpus; i++)
        if (t->number[i] != i)
            graph_add_link(g, &(struct graph_link){ .a = i, .b = t->number[i], .rate_bps = sum[i],
                                                    .delay_ps = NIC_DELAY_PS });
    free(sum);
}

static void make_graph(struct simai_topology *t, struct graph *g)
{
    struct err why;
    int        rc = 0;

    check_servers(t);
    if (t->w.rc)
        return;
    make_nodes(t, g);
    make_nics(t, g);
    for (uint32_t i = 0; i < t->rows; i++) {
        struct graph_link l = t->row[i].link;

        l.a = t->number[l.a];
        l.b = t->number[l.b];
        rc = graph_check_link(g, &l, &why);
        if (rc) {
            tokens_err_at(&t->w, t->row[i].line, -rc, "%s", why.text);
            return;
        }
        graph_add_link(g, &l);
    }
    rc = graph_check(g, &why);
    if (rc)
        tokens_err_at(&t->w, t->line, -rc, "%s", why.text);
}

static void read_all(struct simai_topology *t, struct graph *g)
{
    read_sizes(t);
    if (t->w.rc)
        return;
    t->kind = xcalloc(t->nodes + 1ul, sizeof *t->kind);
    t->server = xcalloc(t->nodes + 1ul, sizeof *t->server);
    t->number = xcalloc(t->nodes + 1ul, sizeof *t->number);
    t->gpu = xcalloc(t->gpus + 1ul, sizeof *t->gpu);
    t->row = xcalloc(t->links + 1ul, sizeof *t->row);
    read_switches(t, NV_SWITCH, t->nv_switches);
    read_switches(t, SWITCH, t->switches);
    tokens_end(&t->w);
    read_links(t);
    if (!t->w.rc)
        make_graph(t, g);
}

int simai_read_topology(const char *path, const char *text, struct graph *g, struct err *err)
{
    struct simai_topology t = { 0 };
    struct graph          made;

    tokens_open(&t.w, path, text, TOPOLOGY_BYTES_MAX, err);
    graph_init(&made);
    read_all(&t, &made);
    int rc = tokens_close(&t.w);
    free(t.kind);
    free(t.server);
    free(t.number);
    free(t.gpu);
    free(t.row);
    if (rc)
        graph_fini(&made);
    else
        *g = made;
    return rc;
}
