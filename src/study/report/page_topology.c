/* src/study/report/page_topology.c - page data: the network's links and their load.
 *
 * If a network has more than LINKS_MAX links, the hosts of a switch are shown as one node with one link, and
 * only the busiest LINKS_MAX links between switches are shown. This bounds the size of the page.
 */
#include "study/report/page.h"
#include "base/err.h"
#include "study/report/results_json.h"
#include "sim/observe/queue_telemetry.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LINKS_MAX 4000
#define ROWS_MAX  48             /* rows of the heat map */
#define NOWHERE   UINT32_MAX

struct way {                     /* one direction of a link, or of the links to all hosts of a switch */
    uint64_t tx_bytes, rate_bps, paused_ps;
    double   busy_max;           /* utilization in the busiest interval */
    uint32_t links;
};

struct edge {
    uint32_t   a, b;             /* indices of nodes in the page */
    struct way ab, ba;
    uint64_t   down_ps;          /* total over its links */
};

struct picture {
    const struct results *r;
    uint32_t    *tier;           /* by node of the graph: distance from the nearest host */
    uint32_t    *shown;          /* by node of the graph: index in the page, or NOWHERE */
    json_t      *nodes;
    struct edge *edge;
    uint32_t     edges;
    bool         is_folded;      /* the hosts of a switch are one node */
};

/* ---- nodes ---- */

static uint32_t add_node(struct picture *p, const char *name, bool is_switch, uint32_t tier)
{
    JSON_ADD(p->nodes, { "name", JSON(name) }, { "kind", JSON(is_switch ? "switch" : "host") },
             { "tier", JSON(tier == NOWHERE ? 0 : tier) });
    return (uint32_t)json_array_size(p->nodes) - 1;
}

static void add_nodes(struct picture *p)
{
    const struct graph *g = sim_graph(p->r->sim);

    p->shown = xmalloc((g->nodes + 1ul) * sizeof(*p->shown));
    for (uint32_t i = 0; i < g->nodes; i++)
        p->shown[i] = p->is_folded && !g->node[i].is_switch
                          ? NOWHERE : add_node(p, g->node[i].name, g->node[i].is_switch, p->tier[i]);
}

/* ---- links ---- */

static void add_way(struct way *w, const struct results *r, const struct sim_port *port)
{
    double busy = series_busiest(r->series, port->id, port->rate_bps);

    w->tx_bytes += port->counters.tx_bytes;
    w->rate_bps += port->rate_bps;
    w->paused_ps += sim_port_paused_ps(r->sim, port->id, r->end_ps);
    w->busy_max = busy > w->busy_max ? busy : w->busy_max;
    w->links++;
}

/* Returns the edge for the hosts of a switch. Creates it for the first host. */
static struct edge *hosts_edge(struct picture *p, uint32_t *edge_of, uint32_t owner)
{
    char name[32];

    if (edge_of[owner] == NOWHERE) {
        snprintf(name, sizeof(name), "hosts of %s", sim_graph(p->r->sim)->node[owner].name);
        edge_of[owner] = p->edges;
        p->edge[p->edges++] = (struct edge){ .a = add_node(p, name, false, 0), .b = p->shown[owner] };
    }
    return &p->edge[edge_of[owner]];
}

/* Maps links of the graph to edges. A link between two hosts keeps its own edge. */
static void make_edges(struct picture *p, uint32_t *edge_of_link)
{
    const struct graph *g = sim_graph(p->r->sim);
    uint32_t *edge_of = xmalloc((g->nodes + 1ul) * sizeof(*edge_of));

    memset(edge_of, 0xff, (g->nodes + 1ul) * sizeof(*edge_of));
    for (uint32_t i = 0; i < g->links; i++) {
        const struct graph_link *l = &g->link[i];
        bool a_is_host = !g->node[l->a].is_switch, b_is_host = !g->node[l->b].is_switch;

        if (p->is_folded && a_is_host && b_is_host) {
            edge_of_link[i] = NOWHERE;
        } else if (p->is_folded && (a_is_host || b_is_host)) {
            edge_of_link[i] = (uint32_t)(hosts_edge(p, edge_of, a_is_host ? l->b : l->a) - p->edge);
        } else {
            edge_of_link[i] = p->edges;
            p->edge[p->edges++] = (struct edge){ .a = p->shown[l->a], .b = p->shown[l->b] };
        }
    }
    free(edge_of);
}

/* ---- links that were down ---- */

static void add_outages(struct picture *p, const uint32_t *edge_of_link)
{
    const struct outages *all = p->r->outages;

    for (const struct outage *o = all->list; o < all->list + all->count; o++)
        if (o->start_ps < p->r->end_ps && edge_of_link[o->link] != NOWHERE)
            p->edge[edge_of_link[o->link]].down_ps += outage_end_ps(o, p->r->end_ps) - o->start_ps;
}

static void add_edges(struct picture *p)
{
    const struct sim *s = p->r->sim;
    uint32_t *edge_of_link = xmalloc((sim_graph(s)->links + 1ul) * sizeof(*edge_of_link));

    p->edge = xcalloc(sim_graph(s)->links + 1ul, sizeof(*p->edge));
    make_edges(p, edge_of_link);
    add_outages(p, edge_of_link);
    for (uint32_t i = 0; i < sim_ports(s); i++) {
        struct sim_port          port = sim_port(s, i);
        const struct graph_link *l = &sim_graph(s)->link[port.link];
        bool is_folded = p->shown[l->a] == NOWHERE || p->shown[l->b] == NOWHERE;

        if (edge_of_link[port.link] == NOWHERE)
            continue;
        struct edge *e = &p->edge[edge_of_link[port.link]];      /* folded: its end a is the hosts */
        add_way((is_folded ? !port.is_switch : port.node == l->a) ? &e->ab : &e->ba, p->r, &port);
    }
    free(edge_of_link);
}

static double busy_of(const struct results *r, const struct way *w)
{
    return r->span_ps && w->rate_bps
               ? (double)w->tx_bytes * 8 * (double)PS_PER_S / ((double)w->rate_bps * (double)r->span_ps) : 0;
}

static double paused_of(const struct results *r, const struct way *w)
{
    return r->span_ps && w->links ? (double)w->paused_ps / ((double)r->span_ps * w->links) : 0;
}

/* Four decimals are enough for a colour. */
static json_t *share(double value)
{
    return json_real((double)(int64_t)(value * 1e4 + 0.5) / 1e4);
}

static json_t *edge_json(const struct results *r, const struct edge *e)
{
    json_t *o = JSON_OF(JSON_FIELD(e, a), JSON_FIELD(e, b),
                        { "rate_bps", JSON(e->ab.rate_bps) }, { "ab", share(busy_of(r, &e->ab)) },
                        { "ba", share(busy_of(r, &e->ba)) }, { "ab_max", share(e->ab.busy_max) },
                        { "ba_max", share(e->ba.busy_max) }, { "ab_paused", share(paused_of(r, &e->ab)) },
                        { "ba_paused", share(paused_of(r, &e->ba)) });

    if (e->down_ps)
        json_object_set_new(o, "down", share((double)e->down_ps / ((double)r->end_ps * e->ab.links)));
    return o;
}

/* ---- the busiest ---- */

struct rank { double busy; uint32_t index; };

static int by_index(const void *a, const void *b)
{
    const struct rank *x = a, *y = b;

    return x->index < y->index ? -1 : x->index > y->index;
}

static int by_busy(const void *a, const void *b)
{
    const struct rank *x = a, *y = b;

    return x->busy > y->busy ? -1 : x->busy < y->busy ? 1 : by_index(a, b);
}

static json_t *edges_json(const struct picture *p)
{
    struct rank *rank = xcalloc(p->edges + 1ul, sizeof(*rank));
    uint32_t     count = p->edges < LINKS_MAX ? p->edges : LINKS_MAX;
    json_t      *list = json_array();

    for (uint32_t i = 0; i < p->edges; i++) {
        double up = busy_of(p->r, &p->edge[i].ab), down = busy_of(p->r, &p->edge[i].ba);

        rank[i] = (struct rank){ up > down ? up : down, i };
    }
    qsort(rank, p->edges, sizeof(*rank), by_busy);
    qsort(rank, count, sizeof(*rank), by_index);         /* the kept ones, in their order */
    for (uint32_t i = 0; i < count; i++)
        json_array_append_new(list, edge_json(p->r, &p->edge[rank[i].index]));
    free(rank);
    return list;
}

/* ---- over time ---- */

static json_t *heat_row(const struct results *r, const struct sim_port *port)
{
    const struct graph_node *node = sim_graph(r->sim)->node;
    json_t                  *values = json_array();
    char                     label[48];

    snprintf(label, sizeof(label), "%s > %s", node[port->node].name, node[port->peer_node].name);
    for (uint32_t i = 0; i < r->series->heats; i++)
        json_array_append_new(values, share(series_heat(r->series, i, port->id, port->rate_bps)));
    return JSON_OF({ "label", JSON(label) }, { "values", values });
}

static json_t *heat_json(const struct results *r)
{
    const struct sim *s = r->sim;
    struct rank *rank = xcalloc(sim_ports(s) + 1ul, sizeof(*rank));
    json_t *at = json_array(), *rows = json_array();

    for (uint32_t i = 0; i < sim_ports(s); i++) {
        struct sim_port port = sim_port(s, i);
        struct way      w = { 0 };

        add_way(&w, r, &port);
        rank[i] = (struct rank){ busy_of(r, &w), i };
    }
    qsort(rank, sim_ports(s), sizeof(*rank), by_busy);
    for (uint32_t i = 0; i < sim_ports(s) && i < ROWS_MAX && rank[i].busy > 0; i++) {
        struct sim_port port = sim_port(s, rank[i].index);

        json_array_append_new(rows, heat_row(r, &port));
    }
    for (uint32_t i = 0; i < r->series->heats; i++)
        json_array_append_new(at, json_of_us(r->series->heat_end_ps[i]));
    free(rank);
    return JSON_OF({ "at_us", at }, { "rows", rows });
}

json_t *page_topology(const struct results *r)
{
    struct picture p = { .r = r, .nodes = json_array(), .is_folded = sim_graph(r->sim)->links > LINKS_MAX,
                         .tier = xcalloc(sim_graph(r->sim)->nodes + 1ul, sizeof(*p.tier)) };

    telemetry_tiers(r->sim, p.tier);
    add_nodes(&p);
    add_edges(&p);
    json_t *o = JSON_OF({ "nodes", p.nodes }, { "links", edges_json(&p) }, { "heat", heat_json(r) });
    free(p.tier);
    free(p.shown);
    free(p.edge);
    return o;
}
