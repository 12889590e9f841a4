#include "work/net/shortest.h"
#include "base/rng.h"

#include <stdlib.h>
#include <string.h>

#define BATCH 64u                /* targets per batch, one bit each */

/* ---- distances ---- */

struct wave {                    /* state of the breadth-first search of a batch */
    uint64_t *seen, *here, *next;  /* by switch, sets of targets: reached so far, in this step, in the next */
    uint32_t *at, *at_next;              /* switches whose 'here' or 'next' is not empty */
    uint32_t  count, count_next;
};

static void visit_switch(struct wave *w, uint32_t to, uint64_t targets)
{
    targets &= ~w->seen[to];
    if (!targets)
        return;
    if (!w->next[to])
        w->at_next[w->count_next++] = to;
    w->next[to] |= targets;
}

/* Advances the search by one link. */
static void advance_wave(struct shortest *s, struct wave *w, uint32_t batch, uint16_t distance)
{
    const struct adjacency *a = s->adjacency;
    uint32_t               *at = w->at;

    for (uint32_t i = 0; i < w->count; i++) {
        uint32_t from = w->at[i];

        for (uint32_t e = a->first[from]; e < a->first[from + 1]; e++)
            visit_switch(w, a->edge[e].to, w->here[from]);
    }
    for (uint32_t i = 0; i < w->count; i++)
        w->here[w->at[i]] = 0;
    for (uint32_t i = 0; i < w->count_next; i++) {
        uint32_t to = w->at_next[i];

        for (uint64_t left = w->next[to]; left; left &= left - 1)
            s->distance[(size_t)to * s->targets + batch + (uint32_t)__builtin_ctzll(left)] = distance;
        w->seen[to] |= w->next[to];
        w->here[to] = w->next[to];
        w->next[to] = 0;
    }
    w->at = w->at_next;
    w->at_next = at;
    w->count = w->count_next;
    w->count_next = 0;
}

static void search_batch(struct shortest *s, struct wave *w, const uint32_t *target, uint32_t batch)
{
    uint32_t end = batch + BATCH < s->targets ? batch + BATCH : s->targets;

    memset(w->seen, 0, s->adjacency->switches * sizeof *w->seen);
    for (uint32_t t = batch; t < end; t++)
        if (target[t] != ADJACENCY_NONE) {
            s->distance[(size_t)target[t] * s->targets + t] = 0;
            if (!w->here[target[t]])
                w->at[w->count++] = target[t];
            w->here[target[t]] |= 1ull << (t - batch);
            w->seen[target[t]] |= 1ull << (t - batch);
        }
    for (uint32_t distance = 1; w->count && distance < SHORTEST_FAR; distance++)
        advance_wave(s, w, batch, (uint16_t)distance);
    for (uint32_t i = 0; i < w->count; i++)
        w->here[w->at[i]] = 0;
    w->count = 0;
}

static void search_all(struct shortest *s, const uint32_t *target)
{
    size_t      switches = s->adjacency->switches + 1ul;
    struct wave w = { .seen = xcalloc(switches, sizeof *w.seen), .here = xcalloc(switches, sizeof *w.here),
                      .next = xcalloc(switches, sizeof *w.next), .at = xcalloc(switches, sizeof *w.at),
                      .at_next = xcalloc(switches, sizeof *w.at_next) };

    for (uint32_t batch = 0; batch < s->targets; batch += BATCH)
        search_batch(s, &w, target, batch);
    free(w.seen);
    free(w.here);
    free(w.next);
    free(w.at);
    free(w.at_next);
}

void shortest_init(struct shortest *s, const struct adjacency *a, const uint32_t *target, uint32_t targets)
{
    size_t cells = (size_t)a->switches * targets;

    *s = (struct shortest){ .adjacency = a, .targets = targets };
    s->distance = xmalloc(cells * sizeof *s->distance);
    memset(s->distance, 0xff, cells * sizeof *s->distance);
    search_all(s, target);
}

void shortest_fini(struct shortest *s)
{
    free(s->distance);
}

/* ---- sets of next hops ---- */

static const uint16_t *distance_row(const struct shortest *s, uint32_t from)
{
    return s->distance + (size_t)from * s->targets;
}

/* A next hop is one link nearer to the target. If neither switch reaches the target, the sum wraps to 0,
 * which only the target itself has as its distance. */
static bool is_hop(uint16_t mine, uint16_t its)
{
    return mine == (uint16_t)(its + 1);
}

void shortest_name_sets(const struct shortest *s, uint32_t from, uint64_t *restrict name)
{
    const struct adjacency *a = s->adjacency;
    const uint16_t *restrict mine = distance_row(s, from);
    struct rng r;

    rng_init(&r, 0, from);
    memset(name, 0, s->targets * sizeof *name);
    for (uint32_t e = a->first[from]; e < a->first[from + 1]; e++) {
        const uint16_t *restrict its = distance_row(s, a->edge[e].to);
        uint64_t                 mark = rng_next(&r);

        for (uint32_t t = 0; t < s->targets; t++)
            name[t] += is_hop(mine[t], its[t]) ? mark : 0;
    }
}

uint32_t shortest_hops(const struct shortest *s, uint32_t from, uint32_t target, uint32_t *port)
{
    const struct adjacency *a = s->adjacency;
    uint32_t                count = 0;

    for (uint32_t e = a->first[from]; e < a->first[from + 1]; e++)
        if (is_hop(distance_row(s, from)[target], distance_row(s, a->edge[e].to)[target]))
            port[count++] = a->edge[e].port;
    return count;
}

/* ---- adjacency lists ---- */

static int compare_descending(const void *a_, const void *b_)
{
    const struct adjacent *a = a_, *b = b_;

    if (a->to != b->to)
        return a->to > b->to ? -1 : 1;
    return a->port < b->port ? -1 : a->port > b->port;
}

static int compare_ascending(const void *a_, const void *b_)
{
    const struct adjacent *a = a_, *b = b_;

    return a->to == b->to ? compare_descending(a, b) : -compare_descending(a, b);
}

static bool is_edge(const struct adjacency *a, const struct graph *g, const bool *down, uint32_t link)
{
    return !(down && down[link]) && a->number[g->link[link].a] != ADJACENCY_NONE &&
           a->number[g->link[link].b] != ADJACENCY_NONE;
}

static void fill_edges(struct adjacency *a, const struct graph *g, const uint32_t *first_port,
                       const bool *down)
{
    uint32_t *port = xcalloc(g->nodes + 1ul, sizeof *port), *next = xcalloc(a->switches + 1ul, sizeof *next);

    for (uint32_t s = 0; s < a->switches; s++)
        next[s] = a->first[s];
    for (uint32_t i = 0; i < g->links; i++) {
        uint32_t x = g->link[i].a, y = g->link[i].b;
        uint32_t at_x = first_port[x] + port[x]++, at_y = first_port[y] + port[y]++;

        if (!is_edge(a, g, down, i))
            continue;
        a->edge[next[a->number[x]]++] = (struct adjacent){ a->number[y], at_x, i };
        a->edge[next[a->number[y]]++] = (struct adjacent){ a->number[x], at_y, i };
    }
    free(next);
    free(port);
}

void adjacency_init(struct adjacency *a, const struct graph *g, const uint32_t *first_port, const bool *down,
                    bool is_ascending)
{
    *a = (struct adjacency){ .number = xcalloc(g->nodes + 1ul, sizeof *a->number) };
    for (uint32_t n = 0; n < g->nodes; n++)
        a->number[n] = g->node[n].is_switch ? a->switches++ : ADJACENCY_NONE;
    a->first = xcalloc(a->switches + 2ul, sizeof *a->first);
    for (uint32_t i = 0; i < g->links; i++)
        if (is_edge(a, g, down, i))
            a->first[a->number[g->link[i].a] + 1]++, a->first[a->number[g->link[i].b] + 1]++;
    for (uint32_t s = 0; s < a->switches; s++)
        a->first[s + 1] += a->first[s];
    a->edge = xcalloc(a->first[a->switches] + 1ul, sizeof *a->edge);
    fill_edges(a, g, first_port, down);
    for (uint32_t s = 0; s < a->switches; s++)
        qsort(a->edge + a->first[s], a->first[s + 1] - a->first[s], sizeof *a->edge,
              is_ascending ? compare_ascending : compare_descending);
}

void adjacency_fini(struct adjacency *a)
{
    free(a->number);
    free(a->first);
    free(a->edge);
}
