/* src/report/results_paths.c - the load of links between switches, by tier and plane.
 *
 * Links are alike if they lead from one kind of switch to another (tor, spine, ..), have the same speed and
 * lie in the same plane: a part of the network that is connected without hosts and their NICs.
 */
#include "report/results.h"
#include "base/minmax.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct alike {                   /* the links of a tier */
    const struct port *first;
    uint32_t           plane;
    double            *load;
    uint32_t           count, room;
};

/* The letters of a node's name. */
static size_t kind_length(const char *name)
{
    size_t n = 0;

    while (isalpha((unsigned char)name[n]))
        n++;
    return n;
}

static bool is_same_kind(const struct graph_node *a, const struct graph_node *b)
{
    size_t n = kind_length(a->name);

    return n == kind_length(b->name) && strncmp(a->name, b->name, n) == 0;
}

static bool is_fabric(const struct graph_node *n)
{
    return n->is_switch && strncmp(n->name, "nic", 3) != 0;
}

/* ---- planes ---- */

static uint32_t root_of(const uint32_t *of, uint32_t node)
{
    while (of[node] != node)
        node = of[node];
    return node;
}

/* By node: the first node of its plane. */
static uint32_t *find_planes(const struct graph *g)
{
    uint32_t *of = xcalloc(g->nodes + 1ul, sizeof *of);

    for (uint32_t i = 0; i < g->nodes; i++)
        of[i] = i;
    for (uint32_t i = 0; i < g->links; i++) {
        uint32_t a = root_of(of, g->link[i].a), b = root_of(of, g->link[i].b);

        if (is_fabric(&g->node[g->link[i].a]) && is_fabric(&g->node[g->link[i].b]))
            of[a > b ? a : b] = a < b ? a : b;
    }
    for (uint32_t i = 0; i < g->nodes; i++)
        of[i] = root_of(of, i);
    return of;
}

/* Its number from 0, and whether there are others. */
static uint32_t plane_number(const struct graph *g, const uint32_t *plane, uint32_t is, bool *has_others)
{
    uint32_t number = 0, count = 0;

    for (uint32_t i = 0; i < g->nodes; i++)
        if (is_fabric(&g->node[i]) && plane[i] == i) {
            number = i == is ? count : number;
            count++;
        }
    *has_others = count > 1;
    return number;
}

/* ---- tiers ---- */

static bool belongs(const struct graph *g, const struct alike *t, const struct port *p, uint32_t plane)
{
    return t->plane == plane && t->first->rate_bps == p->rate_bps &&
           is_same_kind(&g->node[t->first->node->id], &g->node[p->node->id]) &&
           is_same_kind(&g->node[t->first->peer->node->id], &g->node[p->peer->node->id]);
}

static void add_load(struct alike *t, double load)
{
    t->load = xgrow(t->load, t->count, &t->room, 16, sizeof *t->load);
    t->load[t->count++] = load;
}

static uint32_t find_alike(const struct results *r, const uint32_t *plane, struct alike *tier)
{
    const struct graph *g = &r->sim->net.graph;
    uint32_t            tiers = 0;

    for (uint32_t i = 0; i < r->sim->net.ports; i++) {
        const struct port *p = &r->sim->net.port[i];
        uint32_t           t = 0;

        if (!p->is_switch || !p->peer->is_switch || !is_fabric(&g->node[p->node->id]) ||
            !is_fabric(&g->node[p->peer->node->id]))
            continue;
        while (t < tiers && !belongs(g, &tier[t], p, plane[p->node->id]))
            t++;
        if (t == RESULTS_TIERS)
            continue;
        if (t == tiers)
            tier[tiers++] = (struct alike){ .first = p, .plane = plane[p->node->id] };
        add_load(&tier[t], (double)p->counters.tx_bytes * 8 /
                               ((double)p->rate_bps * (double)r->end_ps / (double)PS_PER_S));
    }
    return tiers;
}

static struct results_tier summed_up(const struct graph *g, const uint32_t *plane, struct alike *t)
{
    const char         *from = g->node[t->first->node->id].name, *to = g->node[t->first->peer->node->id].name;
    struct results_tier made = { .links = t->count };
    bool                has_planes;
    uint32_t            number = plane_number(g, plane, t->plane, &has_planes);
    int                 length = has_planes ? snprintf(made.name, sizeof made.name, "plane %u: ", number) : 0;

    snprintf(made.name + length, sizeof made.name - (size_t)length, "%.*s to %.*s", (int)kind_length(from),
             from, (int)kind_length(to), to);
    qsort(t->load, t->count, sizeof *t->load, compare_reals);
    made.least = t->load[0];
    made.median =
        t->count % 2 ? t->load[t->count / 2] : (t->load[t->count / 2 - 1] + t->load[t->count / 2]) / 2;
    made.busiest = t->load[t->count - 1];
    return made;
}

void results_find_tiers(struct results *r)
{
    const struct graph *g = &r->sim->net.graph;
    struct alike        tier[RESULTS_TIERS] = { { 0 } };
    uint32_t           *plane = find_planes(g), tiers = r->end_ps ? find_alike(r, plane, tier) : 0;

    r->tiers = 0;
    for (uint32_t i = 0; i < tiers; i++) {
        if (tier[i].count > 1)
            r->tier[r->tiers++] = summed_up(g, plane, &tier[i]);
        free(tier[i].load);
    }
    free(plane);
}
