#include "work/net/route.h"
#include "base/arena.h"
#include "base/err.h"
#include "work/net/shortest.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct route_builder {
    const struct graph *graph;
    struct adjacency    adjacency;
    uint32_t           *distance, *queue;
    double             *capacity;        /* by switch: capacity to the target, bit/s; NULL: unweighted */
    double             *each;            /* by switch: that capacity divided by the links that lead to it */
    uint16_t           *paths;           /* by switch: see struct route */
    uint32_t           *visit;           /* by switch: position in a search from the target; NULL: unused */
    uint32_t           *group_of;        /* by switch; UINT32_MAX: no hosts */
    uint32_t           *set;             /* next hops of the current switch */
    uint32_t           *set_visit;       /* 'visit' of each */
    double             *set_weight;      /* weight of each, relative to the largest (1) */
    uint32_t           *hop;             /* grows as needed */
    uint32_t            hops, hops_max;
};

/* Breadth-first search from 'target'. Returns the number of queued switches: the target and all that reach
 * it, nearest first. */
static uint32_t find_distances(struct route_builder *b, uint32_t target)
{
    const struct adjacency *a = &b->adjacency;
    uint32_t                head = 0, tail = 0;

    memset(b->distance, 0xff, a->switches * sizeof *b->distance);
    if (target == ADJACENCY_NONE)
        return 0;                /* a host connected directly to another host */
    b->distance[target] = 0;
    b->queue[tail++] = target;
    while (head < tail) {
        uint32_t n = b->queue[head++];

        for (uint32_t e = a->first[n]; e < a->first[n + 1]; e++) {
            uint32_t to = a->edge[e].to;

            if (b->distance[to] != UINT32_MAX)
                continue;
            b->distance[to] = b->distance[n] + 1;
            b->queue[tail++] = to;
        }
    }
    return tail;
}

static inline bool is_next(const struct route_builder *b, uint32_t node, const struct adjacent *e)
{
    return b->distance[e->to] == b->distance[node] - 1;
}

static inline double rate_of(const struct route_builder *b, const struct adjacent *e)
{
    return (double)b->graph->link[e->link].rate_bps;
}

/* Returns the index of the set in hop[]. Reuses an equal set at 'from' or later, otherwise appends it. */
static uint32_t intern_set(struct route_builder *b, uint32_t from, uint32_t count)
{
    for (uint32_t at = from; at < b->hops; at += b->hop[at] + 1)
        if (b->hop[at] == count && memcmp(b->hop + at + 1, b->set, count * sizeof *b->set) == 0)
            return at;
    if (b->hops + count + 1 > b->hops_max) {
        b->hops_max = 2 * (b->hops + count + 1);
        b->hop = xrealloc(b->hop, b->hops_max * sizeof *b->hop);
    }
    b->hop[b->hops] = count;
    memcpy(b->hop + b->hops + 1, b->set, count * sizeof *b->set);
    b->hops += count + 1;
    return b->hops - count - 1;
}

/* Returns the smallest divisor that makes every weight a whole number, at most ROUTE_WEIGHT_MAX. */
static uint32_t find_divisor(const double *weight, uint32_t count)
{
    for (uint32_t parts = 1; parts < ROUTE_WEIGHT_MAX; parts++) {
        uint32_t i = 0;

        for (; i < count; i++) {
            double share = weight[i] * parts, whole = (double)(uint32_t)(share + 0.5);

            if (whole < 1 || share - whole > 1e-6 || whole - share > 1e-6)
                break;
        }
        if (i == count)
            return parts;
    }
    return ROUTE_WEIGHT_MAX;
}

/* Repeats ports in the set in proportion to their weights, each at least once. Repetitions follow all first
 * occurrences. Returns the new size of the set. */
static uint32_t repeat_by_weight(struct route_builder *b, uint32_t count)
{
    uint32_t parts = find_divisor(b->set_weight, count), made = count;

    for (uint32_t round = 2; round <= parts; round++)
        for (uint32_t i = 0; i < count; i++)
            if ((uint32_t)(b->set_weight[i] * parts + 0.5) >= round)
                b->set[made++] = b->set[i];
    return made;
}

/* Sorts the result of find_hops() by visit. Links to the same switch keep their order. */
static void sort_by_visit(struct route_builder *b, uint32_t node)
{
    uint32_t count = 0;

    for (uint32_t e = b->adjacency.first[node]; e < b->adjacency.first[node + 1]; e++)
        if (is_next(b, node, &b->adjacency.edge[e])) {
            uint32_t visit = b->visit[b->adjacency.edge[e].to], at = count++;

            for (; at > 0 && b->set_visit[at - 1] > visit; at--)
                b->set[at] = b->set[at - 1], b->set_visit[at] = b->set_visit[at - 1];
            b->set[at] = b->adjacency.edge[e].port;
            b->set_visit[at] = visit;
        }
}

/* Stores the next hops of a node in 'set' and returns their number. A weight is the smaller of two ratios to
 * the best of the set: link rate, and capacity beyond the link per link that shares it. */
static uint32_t find_hops(struct route_builder *b, uint32_t node)
{
    uint32_t count = 0, i = 0;
    double   rate_most = 0, each_most = 0;

    if (b->distance[node] == UINT32_MAX)
        return 0;
    for (uint32_t e = b->adjacency.first[node]; e < b->adjacency.first[node + 1]; e++)
        if (is_next(b, node, &b->adjacency.edge[e])) {
            double rate = rate_of(b, &b->adjacency.edge[e]),
                   each = b->each ? b->each[b->adjacency.edge[e].to] : 0;

            rate_most = rate > rate_most ? rate : rate_most;
            each_most = each > each_most ? each : each_most;
            b->set[count++] = b->adjacency.edge[e].port;
        }
    if (b->visit)
        sort_by_visit(b, node);
    if (count < 2 || !b->capacity)
        return count;
    for (uint32_t e = b->adjacency.first[node]; e < b->adjacency.first[node + 1]; e++)
        if (is_next(b, node, &b->adjacency.edge[e])) {
            double rate = rate_of(b, &b->adjacency.edge[e]) / rate_most,
                   each = b->each[b->adjacency.edge[e].to] / each_most;

            b->set_weight[i++] = rate < each ? rate : each;
        }
    return repeat_by_weight(b, count);
}

static uint32_t find_set(struct route_builder *b, uint32_t node, uint32_t from)
{
    uint32_t count = find_hops(b, node);
    bool     has_choice = b->paths && b->paths[node] > 0 && b->group_of[node] != UINT32_MAX;

    return count == 1 && !has_choice ? ROUTE_ONE | b->set[0] : intern_set(b, from, count);
}

/* Computes the capacity of each switch toward the target, nearest switches first because the others depend on
 * them. Then divides it by the number of used links into the switch, farthest first. queue[0] is the target,
 * which has no limit. */
static void compute_capacity(struct route_builder *b, uint32_t queued)
{
    for (uint32_t i = 1; i < queued; i++)
        for (uint32_t n = b->queue[i], e = b->adjacency.first[n]; e < b->adjacency.first[n + 1]; e++)
            if (is_next(b, n, &b->adjacency.edge[e])) {
                uint32_t to = b->adjacency.edge[e].to;
                double   rate = rate_of(b, &b->adjacency.edge[e]);

                b->capacity[n] += to == b->queue[0] || rate < b->capacity[to] ? rate : b->capacity[to];
            }
    assert(b->each);             /* allocated together with the capacity */
    for (uint32_t i = queued; i-- > 1;) {
        uint32_t n = b->queue[i];

        for (uint32_t e = b->adjacency.first[n]; e < b->adjacency.first[n + 1]; e++)
            b->each[b->adjacency.edge[e].to] +=
                is_next(b, n, &b->adjacency.edge[e]) && (b->group_of[n] != UINT32_MAX || b->each[n] > 0);
        b->each[n] = b->each[n] > 0 ? b->capacity[n] / b->each[n] : b->capacity[n];
    }
    b->each[b->queue[0]] = 1;
}

static void count_paths(struct route_builder *b, uint32_t queued)
{
    for (uint32_t i = 1; i < queued; i++) {
        uint32_t n = b->queue[i], most = 0, paths;

        for (uint32_t e = b->adjacency.first[n]; e < b->adjacency.first[n + 1]; e++)
            if (is_next(b, n, &b->adjacency.edge[e]) && b->paths[b->adjacency.edge[e].to] > most)
                most = b->paths[b->adjacency.edge[e].to];
        paths = find_hops(b, n) * (most + 1);
        b->paths[n] = (uint16_t)(paths > UINT16_MAX ? UINT16_MAX : paths - 1);
    }
}

/* Finds the node each host is connected to, and numbers these nodes as groups. Uses all links, including
 * those down. */
static void find_hosts(struct route *r, const struct graph *g, const uint32_t *first_port, uint32_t *group_of,
                       uint32_t *target)
{
    uint32_t *port = xcalloc(g->nodes + 1ul, sizeof *port);

    memset(group_of, 0xff, g->nodes * sizeof *group_of);
    for (uint32_t i = 0; i < g->links; i++) {
        for (int end = 0; end < 2; end++) {
            uint32_t host = end ? g->link[i].b : g->link[i].a, near = end ? g->link[i].a : g->link[i].b;

            if (g->node[host].is_switch)
                continue;
            if (group_of[near] == UINT32_MAX) {
                target[r->groups] = near;
                group_of[near] = r->groups++;
            }
            r->host[host] = (struct route_host){ group_of[near], first_port[near] + port[near] };
        }
        port[g->link[i].a]++, port[g->link[i].b]++;
    }
    free(port);
}

/* ---- unweighted: all shortest paths are equal ---- */

struct named_set { uint64_t name; uint32_t node, set; };         /* node: of the set, + 1; 0: free */

static struct named_set *find_named(struct named_set *table, uint32_t size, uint32_t node, uint64_t name)
{
    uint64_t at = name & (size - 1);

    while (table[at].node == node + 1 && table[at].name != name)
        at = (at + 1) & (size - 1);
    return &table[at];
}

/* Builds each set of a switch once, when it reaches the first target of the set. Entries of earlier switches
 * count as free. */
static void build_unweighted(struct route *r, struct route_builder *b, const uint32_t *target)
{
    uint32_t          size = 2;
    uint64_t         *name = xcalloc(r->groups + 1ul, sizeof *name);
    struct named_set *table;
    struct shortest   s;

    while (size < 2 * r->groups)
        size *= 2;
    table = xcalloc(size, sizeof *table);
    shortest_init(&s, &b->adjacency, target, r->groups);
    for (uint32_t n = 0; n < b->adjacency.switches; n++) {
        shortest_name_sets(&s, n, name);
        for (uint32_t k = 0; k < r->groups; k++) {
            struct named_set *is = find_named(table, size, n, name[k]);

            if (is->node != n + 1 && target[k] != n) {
                uint32_t count = shortest_hops(&s, n, k, b->set);

                *is = (struct named_set){ name[k], n + 1,
                                          count == 1 ? ROUTE_ONE | b->set[0]
                                                     : intern_set(b, b->hops, count) };
            }
            r->entry[(size_t)n * r->groups + k] = target[k] == n ? ROUTE_LOCAL : is->set;
        }
    }
    shortest_fini(&s);
    free(table);
    free(name);
}

/* ---- weighted, with path counts, or by visit ---- */

/* Results for all switches, group by group; NULL: not requested. */
struct group_results {
    uint32_t *distance;
    double   *capacity, *each;
    uint16_t *paths;
    uint32_t *visit;
};

static void *alloc_by_group(const struct route *r, const struct route_builder *b, bool is_wanted,
                            size_t bytes)
{
    return is_wanted ? xcalloc(r->groups + 1ul, (b->adjacency.switches + 1ul) * bytes) : NULL;
}

static void select_group(struct route_builder *b, const struct group_results *all, uint32_t k)
{
    size_t at = (size_t)k * b->adjacency.switches;

    b->distance = all->distance + at;
    b->capacity = all->capacity ? all->capacity + at : NULL;
    b->each = all->each ? all->each + at : NULL;
    b->paths = all->paths ? all->paths + at : NULL;
    b->visit = all->visit ? all->visit + at : NULL;
}

static void compute_group(struct route_builder *b, uint32_t target)
{
    uint32_t queued = find_distances(b, target);

    for (uint32_t i = 0; b->visit && i < queued; i++)
        b->visit[b->queue[i]] = i;
    if (b->capacity && queued)
        compute_capacity(b, queued);
    if (b->paths)
        count_paths(b, queued);
}

/* Distances are computed group by group, but sets are built switch by switch. Equal sets are then found among
 * the few of that switch. */
static void build_weighted(struct route *r, struct route_builder *b, const struct route_cfg *cfg,
                           const uint32_t *target)
{
    struct group_results all = { alloc_by_group(r, b, true, sizeof *all.distance),
                                 alloc_by_group(r, b, cfg->is_weighted, sizeof *all.capacity),
                                 alloc_by_group(r, b, cfg->is_weighted, sizeof *all.each),
                                 alloc_by_group(r, b, cfg->with_paths, sizeof *all.paths),
                                 alloc_by_group(r, b, cfg->is_by_visit && !cfg->is_weighted,
                                                sizeof *all.visit) };

    for (uint32_t k = 0; k < r->groups; k++) {
        select_group(b, &all, k);
        compute_group(b, target[k]);
    }
    for (uint32_t n = 0; n < b->adjacency.switches; n++) {
        uint32_t from = b->hops;

        for (uint32_t k = 0; k < r->groups; k++) {
            size_t at = (size_t)n * r->groups + k;

            select_group(b, &all, k);
            r->entry[at] = target[k] == n ? ROUTE_LOCAL : find_set(b, n, from);
            if (b->paths)
                r->paths[at] = b->paths[n];
        }
    }
    free(all.distance);
    free(all.capacity);
    free(all.each);
    free(all.paths);
    free(all.visit);
}

/* ---- build ---- */

/* Converts groups and targets to switch numbers. Hosts that are connected to a host have no switch. */
static void map_to_switches(const struct route *r, struct route_builder *b, const uint32_t *group_of,
                            uint32_t *target)
{
    const struct adjacency *a = &b->adjacency;

    b->group_of = xcalloc(a->switches + 1ul, sizeof *b->group_of);
    for (uint32_t n = 0; n < b->graph->nodes; n++)
        if (a->number[n] != ADJACENCY_NONE)
            b->group_of[a->number[n]] = group_of[n];
    for (uint32_t k = 0; k < r->groups; k++)
        target[k] = a->number[target[k]];
}

void route_build(struct route *r, struct arena *arena, const struct graph *g, const struct route_cfg *cfg)
{
    struct route_builder b = { .graph = g };
    uint32_t *group_of = xcalloc(g->nodes + 1ul, sizeof *group_of),
             *target = xcalloc(g->nodes + 1ul, sizeof *target);

    *r = (struct route){ .host = arena_alloc(arena, g->nodes, sizeof *r->host),
                         .row = arena_alloc(arena, g->nodes, sizeof *r->row) };
    find_hosts(r, g, cfg->first_port, group_of, target);
    adjacency_init(&b.adjacency, g, cfg->first_port, cfg->down, cfg->is_ascending);
    map_to_switches(r, &b, group_of, target);
    size_t cells = (size_t)b.adjacency.switches * r->groups;
    for (uint32_t n = 0; n < g->nodes; n++)
        r->row[n] = b.adjacency.number[n] == ADJACENCY_NONE ? 0 : (size_t)b.adjacency.number[n] * r->groups;
    r->entry = arena_alloc(arena, cells + 1, sizeof *r->entry);
    if (cfg->with_paths)
        r->paths = arena_alloc(arena, cells + 1, sizeof *r->paths);
    size_t edges = b.adjacency.first[b.adjacency.switches] + 1ul;
    b.queue = xcalloc(b.adjacency.switches + 1ul, sizeof *b.queue);
    b.set = xcalloc(ROUTE_WEIGHT_MAX * edges, sizeof *b.set);
    b.set_weight = xcalloc(edges, sizeof *b.set_weight);
    b.set_visit = xcalloc(edges, sizeof *b.set_visit);
    if (cfg->is_weighted || cfg->with_paths || cfg->is_by_visit)
        build_weighted(r, &b, cfg, target);
    else
        build_unweighted(r, &b, target);
    r->hop = arena_alloc(arena, b.hops + 1ul, sizeof *r->hop);
    if (b.hops)
        memcpy(r->hop, b.hop, b.hops * sizeof *r->hop);
    adjacency_fini(&b.adjacency);
    free(b.group_of);
    free(b.hop);
    free(b.set);
    free(b.set_weight);
    free(b.set_visit);
    free(b.queue);
    free(target);
    free(group_of);
}
